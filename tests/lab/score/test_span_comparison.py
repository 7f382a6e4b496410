"""Suggestions against people's spans over a store: which samples count, and circular work."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.helpers.stores import SEGMENTER, new
from tests.lab.score.test_comparison import ANA, BAD, BEN, BENIGN, Store
from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.people import Person
from tui_annotate.domain.provenance import Provenance
from tui_annotate.domain.samples import Document, Sample, SampleKey, Side
from tui_annotate.domain.scores import Pooling, RunKind, ScoreRun
from tui_annotate.domain.spans import Span
from tui_annotate.domain.suggestions import Suggestion
from tui_annotate.lab.score import comparison_output as shapes
from tui_annotate.lab.score.comparison import Comparison
from tui_annotate.lab.score.detection_metrics import ChoiceOrigin
from tui_annotate.lab.score.human_truths import NoTruthReason
from tui_annotate.lab.score.span_comparison import LeftOut, SpanComparison
from tui_annotate.methods.agreement import UndefinedReason
from tui_annotate.methods.bootstrap import explain_no_interval
from tui_annotate.methods.span_detection import MEASURES, NOTHING_COMPARED
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
    shape = printed(store.report(suggestions=(MAKER,)))
    assert shape["machines"] == []
    (own,) = shape["suggestions"]
    assert [each["level"] for each in own["levels"]] == ["character", "span", "sentence", "sample"]
    rows = csv_cells(store.report(suggestions=(MAKER,)))
    assert [row["measure"] for row in rows][:3] == [
        "character: precision",
        "character: recall",
        "character: f1",
    ]
    assert [row["value"] for row in rows[:12]] == [
        measure["value"] for level in own["levels"] for measure in level["measures"]
    ]
    error = next(row for row in rows if row["measure"].endswith("expected_calibration_error"))
    assert error["value"] == own["calibration"]["expected_calibration_error"]
    assert (rows[-1]["measure"], rows[-1]["value"]) == ("left out: samples", 1)


def printed(found: Comparison) -> Any:
    """A comparison as JSON."""
    return shapes.as_json(found)


def csv_cells(found: Comparison) -> list[dict[str, Any]]:
    """The rows of CSV, by the names of their columns."""
    return [dict(zip(shapes.COLUMNS, row, strict=True)) for row in shapes.csv_rows(found)]


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
    (found,) = store.report(suggestions=(MAKER,), unsupported_labels=("Unwanted",)).spans
    assert found.result.counts["sample"] == (1, 1, 2, 1)


def test_spans_that_only_white_space_joins_stay_apart(store: Store) -> None:
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


def test_white_space_at_the_ends_of_spans_does_not_count(store: Store) -> None:
    """Neither of people's spans, nor of the machine's: the summary is "It cost 15."."""
    suggest(store, a=(0, 3), b=(2, 8))
    state(store, c=0)
    (found,) = store.report(suggestions=(MAKER,)).spans
    # "It" has 2 characters, "cost" has 4.
    assert found.result.counts["character"] == (6, 2, 6, 2)
    assert found.result.counts["span"] == (2, 1, 3, 1)


def score_sentences(store: Store, maker: str = MAKER, /, **scores: Any) -> None:
    """The maker's file scores both sentences of samples, and lists no suggestions."""
    results = [
        SampleResult(SampleKey("d", name), maker, None, sentences)
        for name, sentences in scores.items()
    ]
    store_results(store.scores, results, {})


def test_scores_of_sentences_are_calibrated(store: Store) -> None:
    """Each sentence is a case, whose outcome is whether people marked a part of it."""
    score_sentences(store, a=(0.75, None), b=(0.25, None), d=(0.25, None))
    (found,) = store.report(suggestions=(MAKER,)).spans
    assert found.sentence_calibration is not None
    assert [
        (each.n, each.mean, each.observed) for each in found.sentence_calibration.bins if each.n
    ] == [(2, 0.25, 0.5), (1, 0.75, 1.0)]


SENTENCE_SCORES = {
    "a": (0.9, 0.2),
    "b": (0.3, 0.6),
    "c": (0.5, None),
    "d": (0.7, 0.1),
    "e": (0.2, 0.1),
}
"""People marked the first sentence in a, b and c, and nothing in d, e and f."""


def test_scores_of_sentences_are_decisions_above_a_threshold(store: Store) -> None:
    """By default .5, which does not count as above; a sample is called by its worst sentence."""
    score_sentences(store, **SENTENCE_SCORES)
    (found,) = store.report(suggestions=(MAKER,)).spans
    scores = found.result.sentence_scores
    assert scores is not None
    assert (scores.threshold, found.threshold_origin) == (0.5, ChoiceOrigin.DEFAULT)
    assert (scores.n, scores.sentences, scores.clusters) == (5, 9, 5)
    assert scores.counts == {"sentence": (3, 1, 3, 1), "sample": (3, 2, 3, 2)}
    figures = {(each.level, each.measure): each for each in scores.figures}
    assert [figures["sentence", name].value for name in MEASURES] == pytest.approx([1 / 3] * 3)
    assert [figures["sample", name].value for name in MEASURES] == pytest.approx([2 / 3] * 3)
    assert all(figure.interval is not None for figure in figures.values())
    for thresholds in ({MAKER: 0.4}, {"": 0.4}):
        (other,) = store.report(suggestions=(MAKER,), thresholds=thresholds).spans
        lower = other.result.sentence_scores
        assert lower is not None
        assert lower.counts == {"sentence": (4, 2, 3, 2), "sample": (4, 3, 3, 3)}
        assert other.threshold_origin is ChoiceOrigin.GIVEN
    (shape,) = printed(store.report(suggestions=(MAKER,)))["suggestions"]
    assert shape["sentence_scores"]["threshold_from"] == "default"
    rows = [
        row
        for row in csv_cells(store.report(suggestions=(MAKER,)))
        if row["measure"].startswith("sentence scores: ")
    ]
    levels = shape["sentence_scores"]["levels"]
    assert [(row["value"], row["low"], row["high"], row["threshold"]) for row in rows] == [
        (each["value"], each["low"], each["high"], 0.5)
        for level in levels
        for each in level["measures"]
    ]


def test_scores_of_sentences_alone_do_not_state_that_nothing_was_found(store: Store) -> None:
    """The machine has no suggestions to compare; it has not called all samples clean."""
    score_sentences(store, **SENTENCE_SCORES)
    (found,) = store.report(suggestions=(MAKER,)).spans
    assert (found.result.n, found.clean, found.not_run) == (0, 0, 6)
    assert set(values(found).values()) == {UndefinedReason(NOTHING_COMPARED)}
    assert [(each.what, each.count) for each in found.left_out] == [
        ("samples", 6), ("samples", 1), ("sentences", 1)
    ]  # fmt: skip


def test_two_makers_of_sentence_scores_are_compared_on_the_same_sentences(store: Store) -> None:
    """A sentence that one of them did not score counts for neither."""
    score_sentences(store, **SENTENCE_SCORES)
    score_sentences(store, "n", a=(0.1, 0.2), b=(0.9, None), c=(0.9, 0.9), f=(0.9, 0.9))
    both = store.report(suggestions=(MAKER, "n"), baseline="n").spans
    difference = {each.maker: each for each in both}[MAKER].sentence_difference
    assert difference is not None
    assert (difference.n, difference.sentences, difference.only_one) == (3, 4, 3)
    figures = {(each.level, each.measure): each.value for each in difference.figures}
    # Of a1, a2, b1 and c1, m calls a1, and n calls b1 and c1; people marked a1, b1 and c1.
    assert figures["sentence", "precision"] == 0.0
    assert figures["sentence", "recall"] == pytest.approx(1 / 3 - 2 / 3)
    assert figures["sample", "f1"] == pytest.approx(0.5 - 0.8)


def test_a_threshold_that_applies_to_nothing_is_refused(store: Store) -> None:
    """Suggestions have no threshold, and no direction."""
    suggest(store, a=(0, 2, 0.9))
    with pytest.raises(InvalidInput, match="'m' has no sentence scores"):
        store.report(suggestions=(MAKER,), thresholds={MAKER: 0.5})
    with pytest.raises(InvalidInput, match="'m' is not part"):
        store.report(suggestions=(MAKER,), lower_is_better=frozenset({MAKER}))


def test_a_threshold_may_be_that_of_a_column_with_the_name_of_a_maker(store: Store) -> None:
    """The suggestions have no threshold; with sentence scores, it is that of both."""
    store.sample("g", m=0.7)
    store.read("g", BAD)
    store.sample("h", m=0.2)
    store.read("h")
    suggest(store, g=(0, 2, 0.9))
    report = store.report(columns=(MAKER,), suggestions=(MAKER,), thresholds={MAKER: 0.4})
    assert [each.threshold for each in report.machines] == [0.4]
    score_sentences(store, g=(0.45, None))
    report = store.report(columns=(MAKER,), suggestions=(MAKER,), thresholds={MAKER: 0.4})
    scores = report.spans[0].result.sentence_scores
    assert scores is not None
    assert (report.machines[0].threshold, scores.threshold) == (0.4, 0.4)


def test_a_threshold_of_sentence_scores_is_a_probability(store: Store) -> None:
    """Named, or for all; other scores have any scale."""
    store.score("s", "q", a=1.0, b=8.0)
    score_sentences(store, a=(0.9, None))
    for thresholds in ({MAKER: 7.0}, {"": -0.1}, {"": 1.5, "q": 0.5}):
        with pytest.raises(InvalidInput, match=r"'m' are probabilities.*not between 0 and 1"):
            store.report(scores=("q",), suggestions=(MAKER,), thresholds=thresholds)
    report = store.report(scores=("q",), suggestions=(MAKER,), thresholds={MAKER: 1.0, "": 7.0})
    assert report.machines[0].threshold == 7.0
    assert not report.unused_threshold


def test_a_threshold_for_all_others_that_applies_to_none_is_reported(store: Store) -> None:
    """There are no others if each score has its own threshold."""
    suggest(store, a=(0, 2, 0.9))
    assert store.report(suggestions=(MAKER,), thresholds={"": 0.9}).unused_threshold
    assert not store.report(suggestions=(MAKER,)).unused_threshold
    store.score("s", "q", a=1.0, b=8.0)
    assert store.report(scores=("q",), thresholds={"q": 2.0, "": 3.0}).unused_threshold
    assert not store.report(scores=("q",), thresholds={"": 3.0}).unused_threshold


def test_all_that_is_not_compared_is_counted(store: Store) -> None:
    """With a reason each, in JSON and in CSV as in the text."""
    store.corpus.add(
        [new(Sample("d", "bare", (Document(Side.SOURCE, "A bare source."),)))], segmenter=SEGMENTER
    )
    store.read("bare")
    store.sample("unread")
    suggest(store, a=(0, 2, 0.9), b=(0, 2), unread=(0, 2))
    suggest(store, label=BENIGN, c=(0, 2))
    state(store, e=0)
    report = store.report(suggestions=(MAKER,))
    (found,) = report.spans
    assert (found.without_summary, found.not_run, found.result.n) == (1, 2, 4)
    counts = [(each.what, each.reason, each.count) for each in found.left_out]
    assert [(what, count) for what, _, count in counts] == [
        ("samples", 1), ("samples", 2), ("suggestions", 1), ("suggestions", 1), ("suggestions", 1)
    ]  # fmt: skip
    shape = printed(report)
    assert [tuple(each.values()) for each in shape["suggestions"][0]["left_out"]] == counts
    rows = [row for row in csv_cells(report) if row["measure"].startswith("left out: ")]
    assert [(row["measure"], row["note"], row["value"]) for row in rows] == [
        *((f"left out: {what}", reason, count) for what, reason, count in counts),
        ("left out: samples", NoTruthReason.UNREAD, 1),
    ]


def test_what_has_no_interval_says_why(tmp_path: Path) -> None:
    """Samples of one source are one cluster: there are values, but nothing to resample."""
    store = Store(tmp_path)
    for name in "abc":
        store.sample(name, source="One source.")
        store.read(name, *([BAD] if name == "a" else []))
    suggest(store, a=(0, 2, 0.9), b=(0, 2, 0.4))
    state(store, c=0)
    score_sentences(store, a=(0.9, 0.2), b=(0.3, 0.6))
    report = store.report(suggestions=(MAKER,))
    (shape,) = printed(report)["suggestions"]
    for part in (shape, shape["sentence_scores"]):
        assert part["clusters"] == 1
        for level in part["levels"]:
            for each in level["measures"]:
                assert isinstance(each["value"], float)
                assert (each["low"], each["high"]) == (None, None)
                assert each["no_interval"] == explain_no_interval(1)
    assert {
        row["note"]
        for row in csv_cells(report)
        if row["value"] != "" and not row["measure"].startswith("left out: ")
        if not row["measure"].endswith("error") and "observed" not in row["measure"]
    } == {f"no interval: {explain_no_interval(1)}"}
    store.database.close()


def test_calibration_on_own_suggestions_is_reported_apart(store: Store) -> None:
    """A suggestion that people accepted proves nothing about the machine's probabilities."""
    for name in "gh":
        store.sample(name)
        store.read(name, BAD, suggested=Provenance(suggestion=f"s-{name}", maker=MAKER))
    suggest(store, a=(0, 2, 0.5), d=(0, 2, 0.5), g=(0, 2, 0.5), h=(0, 2, 0.5))
    (found,) = store.report(suggestions=(MAKER,)).spans
    observed = {
        name: next(each.observed for each in result.calibration.bins if each.n)
        for name, result in {
            "all": found.result, "own": found.suggested, "other": found.independent
        }.items()
        if result is not None and result.calibration is not None
    }  # fmt: skip
    assert observed == {"all": 0.75, "own": 1.0, "other": 0.5}
    (shape,) = printed(store.report(suggestions=(MAKER,)))["suggestions"]
    assert shape["independent"]["calibration"]["n"] == 2
    measures = {row["measure"] for row in csv_cells(store.report(suggestions=(MAKER,)))}
    assert {"suggested: calibration: brier", "independent: span: recall"} <= measures


def test_unsupported_samples_without_a_common_span_count_only_as_samples(store: Store) -> None:
    """Three people mark different spans of g: most call it unsupported, but no span of it."""
    store.sample("g")
    store.sample("h")
    for number, person in enumerate((ANA, BEN, Person("cem", "Cem"))):
        store.read("g", BAD, by=person, span=Span(number * 3, number * 3 + 2))
        store.read("h", BAD, by=person)
    suggest(store, g=(0, 2, 0.9), h=(0, 2, 0.8))
    suggest(store, "n", g=(0, 2, 0.9), h=(3, 7, 0.8))
    score_sentences(store, g=(0.9, None), h=(0.8, None))
    score_sentences(store, "n", g=(0.1, None), h=(0.8, None))
    report = store.report(suggestions=(MAKER, "n"), aggregate=Pooling.MAJORITY, baseline="n")
    found = {each.maker: each for each in report.spans}[MAKER]
    assert found.result.counts == {
        "character": (2, 2, 2, 2), "span": (1, 1, 1, 1), "sentence": (1, 1, 1, 1),
        "sample": (2, 2, 2, 2),
    }  # fmt: skip
    assert (found.result.n, found.result.unplaced) == (2, 1)
    scores = found.result.sentence_scores
    assert scores is not None
    assert scores.counts == {"sentence": (1, 1, 1, 1), "sample": (2, 2, 2, 2)}
    assert (scores.n, scores.sentences) == (2, 1)
    for calibration in (found.calibration, found.sentence_calibration):
        assert calibration is not None
        assert calibration.n == 1
    assert found.difference is not None
    assert (found.difference.n, found.difference.unplaced) == (2, 1)
    assert found.sentence_difference is not None
    assert found.sentence_difference.sentences == 1
    reason = "people marked no span, or not the same one: counted only as unsupported samples"
    assert LeftOut("samples", reason, 1) in found.left_out
    shape = {each["maker"]: each for each in printed(report)["suggestions"]}[MAKER]
    for part in (shape, shape["sentence_scores"]):
        for level in part["levels"]:
            assert level["n"] == (2 if level["level"] == "sample" else 1)
    for row in csv_cells(report):
        if row["machine"] == MAKER and row["measure"].endswith(("precision", "recall", "f1")):
            assert row["n"] == (2 if "sample: " in row["measure"] else 1)


def test_unsupported_samples_without_a_common_span_are_counted_for_sentence_scores_alone(
    store: Store,
) -> None:
    """A machine that makes no suggestions has such samples, too."""
    store.sample("g")
    for number, person in enumerate((ANA, BEN, Person("cem", "Cem"))):
        store.read("g", BAD, by=person, span=Span(number * 3, number * 3 + 2))
    score_sentences(store, g=(0.9, None))
    (found,) = store.report(suggestions=(MAKER,), aggregate=Pooling.MAJORITY).spans
    reasons = {each.reason: each.count for each in found.left_out}
    assert (
        reasons.pop(
            "people marked no span, or not the same one: counted only as unsupported samples"
        )
        == 1
    )
