"""Reports how annotators used the matches that the program showed for their selections.

The report counts assist snapshots, taken when annotations were saved: ranks of the chosen evidence,
and first matches that an annotator viewed but did not choose. It cannot show whether chosen
evidence is correct, nor what annotators overlooked because of a match.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from functools import partial
from typing import Any, Final, TypedDict

from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.assist_traces import AssistTrace
from tui_annotate.domain.labels import JOINER
from tui_annotate.domain.people import Person
from tui_annotate.domain.records import OwnedAnnotation
from tui_annotate.domain.samples import SampleKey, Signals
from tui_annotate.methods.intervals import cluster_interval

DEPTHS: Final = (1, 3, 5)
NO_LABEL: Final = "(no label)"
_DIGITS = 4


class Period(StrEnum):
    """Length of the periods into which a report divides time."""

    MONTH = "month"
    WEEK = "week"

    def of(self, moment: str) -> str:
        """Return the month (2026-11) or week (2026-W47) of an ISO 8601 time; empty if invalid."""
        try:
            day = date.fromisoformat(moment[:10])
        except ValueError:  # imported work may contain any text as its time
            return ""
        year, week, _ = day.isocalendar()
        return f"{day:%Y-%m}" if self is Period.MONTH else f"{year}-W{week:02}"


class PrintedShare(TypedDict):
    """A count with its share of a total, and the share's 95 % interval.

    Attributes:
        share: null if there is nothing to count.
        low, high: null for fewer than 3 clusters.
    """

    count: int
    share: float | None
    low: float | None
    high: float | None


class PrintedAssistCounts(TypedDict):
    """How annotators used the matches that were displayed to them.

    Attributes:
        annotations: annotations with an assist snapshot; `without_snapshot` has none.
        clusters: clusters of samples that share a document.
        spans: spans of evidence.
        top_1, top_3, top_5: spans in a match of that rank or better.
        outside_matches: spans in no match.
        exact: spans equal to a match.
        without_matches: annotations without a displayed match.
        viewed_best_match: annotations whose best match the annotator viewed.
        rejected_best_match: those of these without evidence in the best match.
    """

    annotations: int
    without_snapshot: int
    clusters: int
    spans: int
    top_1: PrintedShare
    top_3: PrintedShare
    top_5: PrintedShare
    outside_matches: PrintedShare
    exact: PrintedShare
    without_matches: PrintedShare
    viewed_best_match: PrintedShare
    rejected_best_match: PrintedShare


@dataclass(slots=True)
class AssistCounts:
    """Counts of annotations, by how annotators used the matches that were shown.

    Attributes:
        unknown: number of annotations without a record of the shown matches.
        within: number of evidence spans in a match of at most this rank, by rank.
        outside: number of evidence spans outside all matches.
        exact: number of evidence spans that are only a part of a match.
        nothing_lit: number of annotations for which no match was shown.
        looked: number of annotations whose first match the annotator viewed.
        refused: number of `looked` annotations without evidence in the first match.
        clusters: the same counts, by cluster of samples that share a document.
    """

    annotations: int = 0
    unknown: int = 0
    spans: int = 0
    within: dict[int, int] = field(default_factory=lambda: dict.fromkeys(DEPTHS, 0))
    outside: int = 0
    exact: int = 0
    nothing_lit: int = 0
    looked: int = 0
    refused: int = 0
    clusters: dict[str, AssistCounts] = field(default_factory=dict)

    def count(self, trace: AssistTrace | None, cluster: str = "") -> None:
        """Count one annotation by how the annotator used the matches that were shown."""
        if cluster:
            self.clusters.setdefault(cluster, AssistCounts()).count(trace)
        if trace is None:
            self.unknown += 1
            return
        self.annotations += 1
        if not trace.offered:
            self.nothing_lit += 1
        if trace.looked_at_best:
            self.looked += 1
        if trace.refused_best:
            self.refused += 1
        for place in trace.places:
            self.spans += 1
            if not place.rank:
                self.outside += 1
            elif not place.whole:
                self.exact += 1
            for depth in DEPTHS:
                if 0 < place.rank <= depth:
                    self.within[depth] += 1

    def as_json(self) -> PrintedAssistCounts:
        """Return the counts as JSON; each share has an interval that resamples clusters."""
        return {
            "annotations": self.annotations,
            "without_snapshot": self.unknown,
            "clusters": sum(own.annotations > 0 for own in self.clusters.values()),
            "spans": self.spans,
            "top_1": self._share(partial(_count_within, 1)),
            "top_3": self._share(partial(_count_within, 3)),
            "top_5": self._share(partial(_count_within, 5)),
            "outside_matches": self._share(lambda own: (own.spans, own.outside)),
            "exact": self._share(lambda own: (own.spans, own.exact)),
            "without_matches": self._share(lambda own: (own.annotations, own.nothing_lit)),
            "viewed_best_match": self._share(lambda own: (own.annotations, own.looked)),
            "rejected_best_match": self._share(lambda own: (own.looked, own.refused)),
        }

    def _share(self, pick: Callable[[AssistCounts], tuple[int, int]]) -> PrintedShare:
        """Return a count, its fraction of a total, and the fraction's interval by cluster."""
        of, count = pick(self)
        interval = cluster_interval([pick(own) for own in self.clusters.values()])
        low, high = interval or (None, None)
        return {
            "count": count,
            "share": _round(count / of if of else None),
            "low": _round(low),
            "high": _round(high),
        }


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)


def _count_within(depth: int, own: AssistCounts) -> tuple[int, int]:
    return own.spans, own.within[depth]


def report(
    work: Iterable[OwnedAnnotation],
    people: Mapping[str, Person],
    *,
    clusters: Mapping[SampleKey, str],
    period: Period = Period.MONTH,
) -> dict[str, Any]:
    """Report how annotators used the matches shown to them, by annotator, label and time.

    `clusters`: cluster of each sample, by which intervals are resampled.
    """
    groupings: dict[str, Callable[[str, Annotation], Iterable[str]]] = {
        "by_annotator": lambda person, _: [people[person].name if person in people else person],
        "by_label": lambda _, one: map(JOINER.join, one.labels) if one.labels else [NO_LABEL],
        f"by_{period}": lambda _, one: filter(None, [period.of(one.created)]),
        "by_ranking": lambda _, one: [_describe_ranking(one.trace)] if one.trace else [],
    }
    whole = AssistCounts()
    groups: dict[str, dict[str, AssistCounts]] = {name: {} for name in groupings}
    for owned in work:
        trace = owned.annotation.trace
        cluster = clusters[owned.sample] if owned.sample else ""
        whole.count(trace, cluster)
        for grouping, names in groupings.items():
            for name in names(owned.person, owned.annotation):
                groups[grouping].setdefault(name, AssistCounts()).count(trace, cluster)
    grouped = {
        grouping: [{"name": name, **tallies[name].as_json()} for name in sorted(tallies)]
        for grouping, tallies in groups.items()
    }
    return {"period": period.value, **whole.as_json(), **grouped}


def _describe_ranking(trace: AssistTrace) -> str:
    model = f"{trace.embedder} {trace.version}".strip()
    if model and trace.by is not Signals.FUSED:
        model += f", {trace.by} alone"
    ranking = model or "words"
    return f"{ranking}, weights {trace.weights}" if trace.weights else ranking
