"""Suggestions against people's spans over a store: which samples count, and circular work."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.lab.score.test_comparison import BAD, BENIGN, Store
from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.provenance import Provenance
from tui_annotate.domain.samples import SampleKey, Side
from tui_annotate.domain.scores import RunKind, ScoreRun
from tui_annotate.domain.spans import Span
from tui_annotate.domain.suggestions import Suggestion
from tui_annotate.lab.score import comparison_output as shapes
from tui_annotate.lab.score.span_comparison import SpanComparison
from tui_annotate.services.suggestions.sample_results import SampleResult, store_results

MAKER = "m"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Six samples whose summaries ("It cost 15.") people marked in a, b and c, at "It"."""
    made = Store(tmp_path)
    for name in "abcdef":
        made.sample(name)
        made.read(name, *([BAD] if name in "abc" else []))
    yield made
    made.database.close()


def suggest(store: Store, maker: str = MAKER, /, *, label: Any = BAD, **spans: Any) -> None:
    """A run of suggestions, by sample: the start and end of one, and its score."""
    run = ScoreRun(id=str(uuid4()), kind=RunKind.SUGGEST, maker=maker, dataset="d")
    made = [
        (
            SampleKey("d", name),
            Suggestion(
                id="",
                maker=maker,
                run="",
                claim=(Anchor(Side.SUMMARY, 0, Span(*place[:2])),),
                labels=(label,) if label else (),
                score=place[2] if len(place) > 2 else None,
            ),
        )
        for name, place in spans.items()
    ]
    store.suggestions.add(run, made)


def state(store: Store, maker: str = MAKER, /, **spans: int) -> None:
    """The maker's file states for which samples it ran."""
    results = [SampleResult(SampleKey("d", name), maker, count) for name, count in spans.items()]
    store_results(store.scores, results, {})


def values(found: SpanComparison) -> dict[tuple[str, str], Any]:
    return {(each.level, each.measure): each.value for each in found.result.figures}


def test_a_maker_is_compared_where_it_ran(store: Store) -> None:
    """A stated empty sample is clean; one that is not stated was not run, and is excluded."""
    suggest(store, a=(0, 2, 0.9), b=(3, 7, 0.6), d=(0, 7, 0.1))
    state(store, a=1, b=1, c=0, d=1, e=0)
    (found,) = store.report(suggestions=(MAKER,)).spans
    assert (found.result.n, found.clean, found.not_run, found.deleted) == (5, 2, 1, 0)
    assert found.result.counts == {
        "character": (13, 2, 6, 2), "span": (3, 1, 3, 1), "sentence": (5, 2, 3, 2),
        "sample": (3, 2, 3, 2),
    }  # fmt: skip
    figures = values(found)
    assert figures["character", "precision"] == pytest.approx(2 / 13)
    assert figures["span", "recall"] == pytest.approx(1 / 3)
    assert figures["sample", "f1"] == pytest.approx(2 / 3)
    assert found.calibration is not None
    assert [(each.mean, each.observed) for each in found.calibration.bins if each.n] == [
        (0.1, 0.0), (0.6, 0.0), (0.9, 1.0)
    ]  # fmt: skip
    shape = shapes.as_json(store.report(suggestions=(MAKER,)))
    assert shape["machines"] == []
    (own,) = shape["suggestions"]
    assert [each["level"] for each in own["levels"]] == ["character", "span", "sentence", "sample"]
    rows = list(shapes.csv_rows(store.report(suggestions=(MAKER,))))
    assert len(rows) == 12
    assert {len(row) for row in rows} == {len(shapes.COLUMNS)}


def test_deleted_suggestions_are_not_clean_samples(store: Store) -> None:
    """The run states suggestions that are gone: the sample is excluded."""
    state(store, a=2, b=0)
    (found,) = store.report(suggestions=(MAKER,)).spans
    assert (found.result.n, found.clean, found.not_run, found.deleted) == (1, 1, 4, 1)
    with pytest.raises(NotFound, match="'n'"):
        store.report(suggestions=("n",))


def test_only_suggestions_of_unsupported_claims_count(store: Store) -> None:
    """By the same labels as people's annotations; a suggestion without a label counts."""
    suggest(store, label=BENIGN, a=(0, 2))
    suggest(store, label=None, b=(0, 2))
    (found,) = store.report(suggestions=(MAKER,)).spans
    assert (found.result.n, found.result.counts["sample"]) == (2, (1, 1, 2, 1))
    (found,) = store.report(suggestions=(MAKER,), unwanted=("Unwanted",)).spans
    assert found.result.counts["sample"] == (1, 1, 2, 1)


def test_white_space_at_the_ends_of_spans_does_not_count(store: Store) -> None:
    """Of suggestions and of marks; a span that ends with the next one's start is not joined."""
    places = {"spaced": [(0, 3), (3, 8)], "trimmed": [(0, 2), (3, 7)]}
    for maker, spans in places.items():
        run = ScoreRun(id=str(uuid4()), kind=RunKind.SUGGEST, maker=maker, dataset="d")
        claims = [(Anchor(Side.SUMMARY, 0, Span(*span)),) for span in spans]
        made = [Suggestion(id="", maker=maker, run="", claim=claim) for claim in claims]
        store.suggestions.add(run, [(SampleKey("d", "a"), each) for each in made])
    spaced, trimmed = store.report(suggestions=("spaced", "trimmed")).spans
    assert spaced.result == trimmed.result
    assert spaced.result.counts["span"] == (2, 1, 1, 1)
    assert spaced.result.counts["character"] == (6, 2, 2, 2)


def test_work_from_own_suggestions_is_reported_apart(store: Store) -> None:
    """And can be excluded, so that the maker is not measured by itself."""
    for name in "ghij":
        store.sample(name)
        origin = Provenance(suggestion=f"s-{name}", maker=MAKER)
        store.read(name, *([BAD] if name in "gh" else []), suggested=origin)
    suggest(store, a=(0, 2), b=(3, 7), g=(0, 2), h=(0, 2))
    state(store, c=0, d=0, i=0, j=0)
    (found,) = store.report(suggestions=(MAKER,)).spans
    assert found.suggested is not None
    assert found.independent is not None
    assert (found.suggested.n, found.independent.n) == (2, 6)
    apart = {
        name: next(each.value for each in part.figures if each.level == "span")
        for name, part in {"own": found.suggested, "other": found.independent}.items()
    }
    assert apart == {"own": 1.0, "other": 0.5}
    (without,) = store.report(suggestions=(MAKER,), without_suggested_work=True).spans
    assert (without.result.n, without.suggested) == (6, None)


def test_two_makers_are_compared_on_the_samples_of_both(store: Store) -> None:
    """A paired difference; both need a cluster of their own for an interval."""
    suggest(store, a=(0, 2), b=(0, 2), c=(3, 7), d=(3, 7))
    suggest(store, "n", a=(3, 7), b=(0, 2), c=(3, 7), e=(0, 2))
    both = store.report(suggestions=(MAKER, "n"), baseline="n")
    found = {each.maker: each for each in both.spans}
    assert found["n"].difference is None
    difference = found[MAKER].difference
    assert difference is not None
    assert (difference.n, difference.clusters, difference.baseline) == (3, 3, "n")
    figure = next(
        each for each in difference.figures if (each.level, each.measure) == ("span", "precision")
    )
    assert figure.value == pytest.approx(1 / 3)
    assert figure.interval is not None


def test_scores_of_sentences_are_calibrated(store: Store) -> None:
    """Each sentence is a case, whose outcome is whether people marked a part of it."""
    scores = {"a": 0.75, "b": 0.25, "d": 0.25}
    results = [
        SampleResult(SampleKey("d", name), MAKER, 0, (value, None)[:1])
        for name, value in scores.items()
    ]
    segments = len(store.corpus.sample(SampleKey("d", "a")).segments[1])
    results = [
        replace(each, sentences=each.sentences + (None,) * (segments - 1)) for each in results
    ]
    store_results(store.scores, results, {})
    (found,) = store.report(suggestions=(MAKER,)).spans
    assert found.sentence_calibration is not None
    assert [
        (each.n, each.mean, each.observed) for each in found.sentence_calibration.bins if each.n
    ] == [(2, 0.25, 0.5), (1, 0.75, 1.0)]
