"""Records of a file in its index: they come back as they came, and are found."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest
from hypothesis import given, settings

from tests.helpers.effort import example_limit
from tests.helpers.errors import has_code
from tests.helpers.stores import sample
from tests.plugins import strategies
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.errors import InvalidInput, NotFound, Unavailable
from tui_annotate.domain.people import Person
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.domain.samples import SampleKey, Side
from tui_annotate.domain.spans import Span
from tui_annotate.storage.corpus.file_index import MOST_LABELS, FileIndex

ANA, BEN = Person("p1", "ana"), Person("p2", "ben")


def record(name: str, *owners: str, group: str = "", summary: str = "It was loved.") -> Record:
    """A record with an annotation of each owner."""
    owned = tuple(
        OwnedAnnotation(who, Annotation(f"{name}-{at}", (Anchor(Side.SUMMARY, 0, Span(0, 2)),)))
        for at, who in enumerate(owners)
    )
    people = tuple(one for one in (ANA, BEN) if one.id in owners)
    return Record(replace(sample(name, summary=summary), group=group), owned, (), people)


@pytest.fixture
def index() -> Iterator[FileIndex]:
    """Three records, two of them with annotations."""
    with closing(FileIndex()) as there:
        records = [
            record("a1", "p1", "p1", "p2", group="50%"),
            record("a2", "p2"),
            record("b_1", summary="Nobody\n came."),
        ]
        assert there.add(records) == []
        yield there


@settings(max_examples=example_limit(60))
@given(strategies.records())
def test_a_record_comes_back_as_it_came(one: Record) -> None:
    """Texts, annotations, states, people: all but what its own format would write back."""
    with closing(FileIndex()) as there:
        assert there.add([one]) == []
        back, position = there.record(one.sample.key)
    assert position == 1
    assert back.sample == replace(one.sample, imported=None)
    assert (back.annotations, back.assignments) == (one.annotations, one.assignments)
    assert set(back.people) == set(one.people)


def test_what_is_known_twice_is_refused(index: FileIndex) -> None:
    """The first record of a key stands; the others of the batch come in."""
    refused = index.add([record("a1"), record("half\ud800"), record("c")])
    assert [one.sample.id for one, _ in refused] == ["a1", "half\ud800"]
    assert str(refused[0][0].sample.key) in refused[0][1].message
    assert (index.total, index.key(4)) == (4, SampleKey("d", "c"))


def test_pages_are_in_order_and_filtered(index: FileIndex) -> None:
    """By words of id, group, summary, as they are; by whether, and by whom, anything is marked."""

    def names(*args: str, **how: object) -> list[str]:
        rows, total = index.page(*args, **how)  # type: ignore[arg-type]
        assert len(rows) <= total
        return [row.key.id for row in rows]

    assert names() == ["a1", "a2", "b_1"]
    assert names(offset=1, limit=1) == ["a2"]
    assert index.page(offset=1, limit=1)[1] == 3
    assert names("A2") == ["a2"]
    assert names("loved") == names(limit=2) == ["a1", "a2"]
    assert names("%") == ["a1"]
    assert names("_") == names("nobody came") == ["b_1"]
    assert names(marked=True) == ["a1", "a2"]
    assert names(marked=True, person="p1") == ["a1"]
    assert names(marked=False, person="p1") == ["a2", "b_1"]
    first = index.page(person="p1")[0][0]
    assert (first.annotations, first.annotators, first.group) == (2, 2, "50%")
    assert index.page()[0][0].annotations == 3


def test_a_sample_is_found_as_people_call_it(index: FileIndex) -> None:
    """By id, by dataset and id, by the start of one id; what is not one sample is refused."""
    assert index.find("a2") == index.find("d/a2") == SampleKey("d", "a2")
    assert index.find("b").id == "b_1"
    with pytest.raises(NotFound, match="'a'"):
        index.find("a")
    with pytest.raises(NotFound, match="'x'"):
        index.find("x")
    with pytest.raises(NotFound, match="'d/b-1'") as misspelled:
        index.find("d/b-1")
    assert "'b_1'" in misspelled.value.hint
    with pytest.raises(InvalidInput, check=has_code("control-character")):
        index.find("half\0")
    assert index.key(0) is None
    with pytest.raises(NotFound):
        index.record(SampleKey("d", "x"))


def test_people_and_labels_are_counted(index: FileIndex) -> None:
    """Who did anything, how much; what has no end is not remembered for ever."""
    assert list(index.people.values()) == [ANA, BEN]
    one = record("many", "p1")
    labels = tuple((f"l{number}",) for number in range(MOST_LABELS + 5))
    owned = OwnedAnnotation("p1", replace(one.annotations[0].annotation, labels=labels))
    index.add([replace(one, annotations=(owned,))])
    assert len(index.labels) == MOST_LABELS


def test_what_is_closed_says_so(index: FileIndex) -> None:
    """A thread that comes late gets an error of ours."""
    index.close()
    with pytest.raises(Unavailable):
        index.key(1)
