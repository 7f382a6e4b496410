"""Clusters: samples that share a source or a group, also over several steps."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.domain.sample_clusters import join_clusters, shared_names
from tui_annotate.domain.samples import Document, Sample, Side

SHARED = st.lists(st.frozensets(st.sampled_from("abcdefgh"), min_size=1, max_size=3), max_size=12)


def _sample(name: str, *sources: str, summary: str = "Yes.", group: str = "") -> Sample:
    documents = [Document(Side.SOURCE, text, str(at)) for at, text in enumerate(sources)]
    return Sample("d", name, (*documents, Document(Side.SUMMARY, summary)), group=group)


def _clusters(*samples: Sample) -> list[str]:
    return join_clusters([shared_names(each) for each in samples])


def test_shared_documents_join_samples_over_several_steps() -> None:
    """A and C share no document, but B has one of each."""
    found = join_clusters([("a", "b"), ("c", "d"), ("b", "c"), ("e",), ("e", "f"), ("g",)])
    assert found == ["a", "a", "a", "e", "e", "g"]


@given(SHARED, st.randoms())
def test_the_order_of_samples_does_not_matter(shared: list[frozenset[str]], chance: Random) -> None:
    """The clusters are the connected components, by whichever order they are found."""
    expected = []
    for names in shared:
        reached: frozenset[str] = names
        for _ in shared:
            reached = reached.union(*(other for other in shared if other & reached))
        expected.append(min(reached))
    assert join_clusters(shared) == expected
    places = list(range(len(shared)))
    chance.shuffle(places)
    assert join_clusters([shared[at] for at in places]) == [expected[at] for at in places]


@pytest.mark.parametrize(
    ("one", "other", "joined"),
    [
        (_sample("1", "A."), _sample("2", "A."), True),
        (_sample("1", "A.", "B."), _sample("2", "B.", "C."), True),
        (_sample("1", "A."), _sample("2", "B."), False),  # an equal summary joins nothing
        (_sample("1", "A.", group="g"), _sample("2", "B.", group="g"), True),
        (_sample("1"), _sample("2"), True),  # one text alone, which both have
        (_sample("1", summary="One."), _sample("2", summary="Two."), False),
    ],
)
def test_what_joins_two_samples(one: Sample, other: Sample, joined: bool) -> None:
    """A common source or group, and the only text of samples without a source."""
    assert (len(set(_clusters(one, other))) == 1) is joined


def test_a_sample_without_texts_is_alone() -> None:
    """Nothing joins it to others."""
    assert len(set(_clusters(Sample("d", "1", ()), Sample("d", "2", ())))) == 2
