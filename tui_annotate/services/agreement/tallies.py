"""Sums up comparisons of annotators' work on each sample, as the basis of agreement statistics."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

import numpy as np

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.report_collections import rating_scale
from tui_annotate.domain.sample_clusters import join_clusters
from tui_annotate.domain.samples import SampleKey, SampleKind, Segment
from tui_annotate.domain.spans import Span
from tui_annotate.methods.agreement import Numbers
from tui_annotate.methods.span_agreement import (
    EvidenceRelation,
    SpanF1,
    compare_evidence,
    find_overlaps,
    span_f1,
)
from tui_annotate.services.agreement.compared_readings import SampleReading
from tui_annotate.services.agreement.label_order import NOTHING, LabelOrder

Group = Sequence[SampleReading]
"""Two or more annotators' work on one sample, to be compared; or one annotator's two passes."""

PASSAGES: Final = tuple(EvidenceRelation)


@dataclass(frozen=True, slots=True)
class Summary:
    """The text of a sample that is compared; `shared`: what the sample shares with others."""

    key: SampleKey
    text: str
    segments: Sequence[Segment]
    cited: str | None = None
    kind: SampleKind = SampleKind.PAIR
    shared: tuple[str, ...] = ()


class Ratings:
    """Labels that annotators gave to samples, sentences or spans, one label per annotator."""

    def __init__(self) -> None:
        self.patterns: dict[tuple[LabelPath, ...], int] = {}
        self._samples = array("q")
        self._found = array("q")

    def add(self, sample: int, labels: Sequence[LabelPath]) -> None:
        """Add a unit of a sample, by the sample's index, with one label from each annotator."""
        self._samples.append(sample)
        self._found.append(self.patterns.setdefault(tuple(labels), len(self.patterns)))

    @property
    def sizes(self) -> Counter[int]:
        """Number of units by their number of annotators."""
        each = np.bincount(np.asarray(self._found), minlength=len(self.patterns))
        found: Counter[int] = Counter()
        for labels, place in self.patterns.items():
            found[len(labels)] += int(each[place])
        return found

    def __len__(self) -> int:
        return len(self._found)

    def summed(self, by_pattern: Numbers, samples: int) -> Numbers:
        """Sum `by_pattern` (patterns, columns) over each sample's units: (samples, columns)."""
        rows = np.zeros((samples, by_pattern.shape[1]))
        # Not `rows[...] += ...`: a sample has several units, and each must be added.
        np.add.at(rows, np.asarray(self._samples), by_pattern[np.asarray(self._found)])
        return rows


Differences = defaultdict[tuple[LabelPath, LabelPath], list[SampleKey]]
"""Samples in which two annotators gave different labels, by the two labels."""


@dataclass(slots=True)
class PairTally:
    """Sums of agreement over all samples that both of two annotators read.

    Attributes:
        both: label pairs of samples, with their frequencies.
        matched: label pairs of overlapping spans, with their frequencies.
        spans: sums of the four F1 values over the `marked` samples, in which at least one of the
            two marked something.
        units: number of spans of both annotators; overlapping spans count once for each pair.
        differing: samples of the spans with different labels, once for each span.
    """

    both: Counter[tuple[LabelPath, LabelPath]] = field(default_factory=Counter)
    spans: list[float] = field(default_factory=lambda: [0.0] * len(SpanF1._fields))
    marked: int = 0
    matched: Counter[tuple[LabelPath, LabelPath]] = field(default_factory=Counter)
    rated: dict[str, Counter[tuple[LabelPath, LabelPath]]] = field(default_factory=dict)
    units: int = 0
    differing: Differences = field(default_factory=lambda: defaultdict(list))
    differing_ratings: Differences = field(default_factory=lambda: defaultdict(list))


@dataclass(frozen=True, slots=True)
class ScaleRatings:
    """Ratings of one kind of samples, with the scale from which annotators chose them."""

    scale: Sequence[str]
    given: Ratings = field(default_factory=Ratings)

    def words(self) -> list[str]:
        """Return the words of the scale, then given ratings outside the scale, sorted."""
        given = {word for pattern in self.given.patterns for (word,) in pattern}
        return [*self.scale, *sorted(given.difference(self.scale))]


_SCALE_NAMES: Final = {SampleKind.PAIR: "pairs", SampleKind.QUESTION: "questions"}
_COLLECTION_SCALE: Final = "items"


class PairMarks:
    """F1 scores of the spans of each pair of annotators, by sample."""

    def __init__(self) -> None:
        self.neither = 0
        self._found: list[tuple[int, SpanF1]] = []

    def __len__(self) -> int:
        return self.neither + len(self._found)

    def add(self, sample: int, found: SpanF1 | None) -> None:
        """Add two annotators' scores on a sample, by its index; None if neither marked anything."""
        if found is None:
            self.neither += 1
        else:
            self._found.append((sample, found))

    def summed(self, samples: int) -> Numbers:
        """Return an array (samples, 5): four F1 sums over annotator pairs, and the pair count."""
        rows = np.zeros((samples, len(SpanF1._fields) + 1))
        for sample, found in self._found:
            rows[sample] += (*found, 1)
        return rows


class AgreementTally:
    """Sums over all comparisons of annotators' work, the basis of agreement statistics."""

    def __init__(self, order: LabelOrder, chosen: Sequence[str] = ()) -> None:
        self._order = order
        self._chosen = chosen
        self.samples = 0
        self._shared: list[tuple[str, ...]] = []
        self.of_samples = Ratings()
        self.of_segments = Ratings()
        self.of_matched = Ratings()
        self.rated: dict[str, ScaleRatings] = {}
        self.pairs: dict[tuple[str, str], PairTally] = {}
        self.stacked = 0
        self.marks = PairMarks()
        self.cited = PairMarks()
        self._passages: Counter[tuple[int, EvidenceRelation]] = Counter()

    def clusters(self) -> list[str]:
        """Return the cluster of each compared sample, by which intervals are resampled."""
        return join_clusters(self._shared)

    @property
    def people(self) -> set[str]:
        return {person for pair in self.pairs for person in pair}

    def add(self, groups: Sequence[Group], summary: Summary) -> None:
        """Compare annotators' work on one sample, and add the results to the sums."""
        readers = {one.person: one for group in groups for one in group}
        self.stacked += sum(each.stacked for each in readers.values())
        for group in groups:
            self.of_samples.add(self.samples, [reading.worst for reading in group])
            rated: list[LabelPath] = [(each.rating,) for each in group if each.rating]
            if len(rated) > 1:
                words = rating_scale(summary.kind, self._chosen)
                mine = self.rated.setdefault(self._scale_name(summary.kind), ScaleRatings(words))
                mine.given.add(self.samples, rated)
            columns = [reading.of_segments(summary.segments, self._order) for reading in group]
            for labels in zip(*columns, strict=True):
                self.of_segments.add(self.samples, labels)
            for one, other in combinations(group, 2):
                self._add_pair(one, other, summary)
        self.samples += 1
        self._shared.append(summary.shared or (f"sample {summary.key}",))

    def _add_pair(self, one: SampleReading, other: SampleReading, summary: Summary) -> None:
        pair = self.pairs.setdefault((one.person, other.person), PairTally())
        pair.both[one.worst, other.worst] += 1
        if one.rating and other.rating:
            rated = pair.rated.setdefault(self._scale_name(summary.kind), Counter())
            rated[(one.rating,), (other.rating,)] += 1
            if one.rating != other.rating:
                pair.differing_ratings[(one.rating,), (other.rating,)].append(summary.key)
        if summary.cited is not None:
            found = span_f1(one.sources, other.sources, text=summary.cited)
            self.cited.add(self.samples, found)
        found = span_f1(one.spans, other.spans, text=summary.text)
        self.marks.add(self.samples, found)
        if found is None:
            return
        pair.marked += 1
        pair.spans = [sum(each) for each in zip(pair.spans, found, strict=True)]
        overlaps = find_overlaps(one.units, other.units)
        _add_differences(pair, one, other, overlaps=overlaps, key=summary.key)
        for ours, theirs in overlaps:
            unit = one.units[ours]
            its = other.units[theirs]
            pair.matched[unit.label, its.label] += 1
            self.of_matched.add(self.samples, (unit.label, its.label))
            self._passages[self.samples, compare_evidence(unit.evidence, its.evidence)] += 1

    def passages(self) -> Numbers:
        """Count overlapping claims of two annotators by how their evidence overlaps."""
        rows = np.zeros((self.samples, len(PASSAGES)))
        for (sample, passage), count in self._passages.items():
            rows[sample, PASSAGES.index(passage)] = count
        return rows

    def _scale_name(self, kind: SampleKind) -> str:
        return "" if self._chosen else _SCALE_NAMES.get(kind, _COLLECTION_SCALE)

    def labels(self) -> list[LabelPath]:
        """Return the distinct labels that were compared, most severe first."""
        every = (self.of_samples, self.of_segments, self.of_matched)
        return self._order.sorted(
            label for ratings in every for labels in ratings.patterns for label in labels
        )


def _add_differences(
    pair: PairTally,
    one: SampleReading,
    other: SampleReading,
    *,
    overlaps: Sequence[tuple[Span, Span]],
    key: SampleKey,
) -> None:
    labels = [(one.units[ours].label, other.units[theirs].label) for ours, theirs in overlaps]
    our_shared = {ours for ours, _ in overlaps}
    their_shared = {theirs for _, theirs in overlaps}
    labels += [(unit.label, NOTHING) for span, unit in one.units.items() if span not in our_shared]
    labels += [
        (NOTHING, unit.label) for span, unit in other.units.items() if span not in their_shared
    ]
    pair.units += len(labels)
    for both in labels:
        if both[0] != both[1]:
            pair.differing[both].append(key)
