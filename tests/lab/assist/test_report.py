"""The report of the assist: real counts of real saves, in groups, with intervals."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assist_traces import OUTSIDE, AssistTrace, MatchPosition
from tui_annotate.domain.people import Person, PersonKind
from tui_annotate.domain.records import OwnedAnnotation
from tui_annotate.domain.samples import SampleKey, Side, Signals
from tui_annotate.domain.spans import Span
from tui_annotate.lab.assist.report import Period
from tui_annotate.lab.assist.report import report as report_clusters
from tui_annotate.methods.intervals import cluster_interval

ANA, BO = Person("a", "ana", PersonKind.LOCAL), Person("b", "bo", PersonKind.LOCAL)
PEOPLE = {"a": ANA, "b": BO}


def report(work: list[OwnedAnnotation], people: dict[str, Person], **how: Any) -> dict[str, Any]:
    """The report of annotations that are each on a sample of its own."""
    alone = [replace(each, sample=SampleKey("d", str(at))) for at, each in enumerate(work)]
    clusters = {SampleKey("d", str(at)): str(at) for at in range(len(work))}
    return report_clusters(alone, people, clusters=clusters, **how)


def made(
    trace: AssistTrace | None,
    *,
    person: str = "a",
    label: str = "Unwanted.Intrinsic",
    created: str = "2026-11-21T09:00:00.000000+00:00",
) -> OwnedAnnotation:
    """An annotation with as many spans of evidence as the trace has places."""
    evidence = tuple(
        Anchor(Side.SOURCE, 0, Span(at, at + 1)) for at in range(len(trace.places) if trace else 0)
    )
    claim = (Anchor(Side.SUMMARY, 0, Span(0, 1)),)
    labels = (tuple(label.split(".")),) if label else ()
    annotation = Annotation("id", claim, evidence, labels, created=created, trace=trace)
    return OwnedAnnotation(person, annotation)


def seen(*ranks: int, whole: bool = True, looked: tuple[int, ...] = (), **how: Any) -> AssistTrace:
    """A trace of evidence at some ranks of five."""
    places = tuple(MatchPosition(rank, 0.5, whole) if rank else OUTSIDE for rank in ranks)
    values = {"offered": 5, "best": 0.9, "looked": looked, "places": places, **how}
    return AssistTrace(**values)


def rows(found: dict[str, Any], grouping: str) -> dict[str, tuple[int, int]]:
    """By name, annotations and spans of a grouping."""
    return {row["name"]: (row["annotations"], row["spans"]) for row in found[grouping]}


def test_spans_count_by_the_rank_that_they_were_taken_from() -> None:
    """Cumulative to 1, 3, 5; outside is what no match holds; exact words are told apart."""
    work = [
        made(seen(1)),
        made(seen(1, 2)),
        made(seen(4, whole=False)),
        made(seen(0, looked=(1,))),
        made(seen(offered=0, best=0.0)),
        made(None),
    ]
    found = report(work, PEOPLE)
    assert (found["annotations"], found["without_snapshot"], found["spans"]) == (5, 1, 5)
    counts = {
        name: found[name]["count"]
        for name in ("top_1", "top_3", "top_5", "outside_matches", "exact")
    }
    assert counts == {"top_1": 2, "top_3": 3, "top_5": 4, "outside_matches": 1, "exact": 1}
    low, high = cluster_interval([(1, 1), (2, 1), (1, 0), (1, 0)]) or (0, 0)
    assert found["top_1"] == {
        "count": 2, "share": 0.4, "low": round(low, 4), "high": round(high, 4)
    }  # fmt: skip
    assert found["without_matches"]["count"] == 1
    assert (found["viewed_best_match"]["count"], found["rejected_best_match"]["share"]) == (1, 1.0)


def test_a_refusal_is_of_those_who_looked() -> None:
    """Not of all saves."""
    work = [made(seen(1, looked=(1,))), made(seen(2, looked=(1, 2))), made(seen(2))]
    found = report(work, PEOPLE)
    assert found["viewed_best_match"]["count"] == 2
    assert (found["rejected_best_match"]["count"], found["rejected_best_match"]["share"]) == (
        1,
        0.5,
    )


def test_work_is_counted_in_groups() -> None:
    """Several labels count in each; who is unknown is named by id; nothing is guessed of time."""
    work = [
        made(seen(1)),
        made(seen(1), person="b", label="Benign", created="2026-12-31T23:00:00.000000+00:00"),
        made(seen(2), person="x", label="", created="once"),
        made(seen(1, embedder="m", version="7")),
        made(seen(1, embedder="m", version="7", by=Signals.VECTORS), created=""),
        made(None, label="Benign"),
    ]
    found = report(work, PEOPLE)
    assert rows(found, "by_annotator") == {"ana": (3, 3), "bo": (1, 1), "x": (1, 1)}
    labels = rows(found, "by_label")
    assert (labels.pop("Benign"), labels.pop("Unwanted.Intrinsic")) == ((1, 1), (3, 3))
    assert list(labels.values()) == [(1, 1)]  # without a label
    assert rows(found, "by_month") == {"2026-11": (2, 2), "2026-12": (1, 1)}
    rankings = rows(found, "by_ranking")
    assert rankings.pop("m 7") == (1, 1)
    reported = {("m 7" in name, counts) for name, counts in rankings.items()}
    assert reported == {(False, (3, 3)), (True, (1, 1))}  # by words; by the vectors alone
    weeks = report(work, PEOPLE, period=Period.WEEK)
    assert rows(weeks, "by_week") == {"2026-W47": (2, 2), "2026-W53": (1, 1)}
    assert weeks["period"] == "week"


@pytest.mark.parametrize(
    ("moment", "month", "week"),
    [
        ("2027-01-01T00:00:00+00:00", "2027-01", "2026-W53"),
        ("2026-03-02", "2026-03", "2026-W10"),
        ("", "", ""),
        ("2026-13-01", "", ""),
    ],
)
def test_weeks_are_those_of_the_standard(moment: str, month: str, week: str) -> None:
    """A week belongs to the year that has its Thursday."""
    assert (Period.MONTH.of(moment), Period.WEEK.of(moment)) == (month, week)


def test_of_nothing_no_share_is_told() -> None:
    """Null, not zero."""
    found = report([], PEOPLE)
    assert found["top_1"] == {"count": 0, "share": None, "low": None, "high": None}
    assert found["by_label"] == []


def test_intervals_of_shares_resample_clusters() -> None:
    """Ten annotations on samples of one source count as one case; two clusters give no interval."""
    work = [
        replace(made(seen(rank)), sample=SampleKey("d", f"{cluster}{at}"))
        for cluster, rank in {"a": 1, "b": 1, "c": 0, "e": 2}.items()
        for at in range(10)
    ]
    clusters = {each.sample: each.sample.id[0] for each in work if each.sample}
    found = report_clusters(work, PEOPLE, clusters=clusters)
    assert (found["clusters"], found["top_1"]["share"]) == (4, 0.5)
    assert found["top_1"]["high"] - found["top_1"]["low"] > 0.5
    few = report_clusters(work[10:30], PEOPLE, clusters=clusters)
    assert (few["clusters"], few["top_1"]) == (
        2,
        {"count": 10, "share": 0.5, "low": None, "high": None},
    )
