"""What people read: from a record to the readings that count, and why others do not.

A reading is one person's work on one sample. Nothing of it depends on the order of annotations; a
span that stands there twice is one, with the labels and the evidence of both.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.labels import JOINER
from tui_annotate.domain.people import SETTLED, reader
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Kind, Sample, Segment, Side
from tui_annotate.domain.spans import Span
from tui_annotate.methods.span_agreement import stacked
from tui_annotate.services.agree.order import NOTHING, Order


@dataclass(frozen=True, slots=True)
class Asked:
    """Whose work is compared, and what of it; an empty value lets everything through.

    Attributes:
        people: ids or names: these among themselves; one alone, with each of the others.
        origin, label: of annotations, as in `RecordFilter`; who has none of them found nothing.
        state: of the person's assignment of the sample; who is not done, and marked nothing, is
            left out all the same.
        label_level: how many names of a label's path count; 0 for all.
        label_set: the hash of a label set, or its start: work under another one is left out.
        since: ISO 8601: work on a sample that last changed then or later, as a whole.
        kind: samples of it alone.
    """

    dataset: str = ""
    people: tuple[str, ...] = ()
    origin: str = ""
    state: str = State.DONE.value
    label: str = ""
    label_level: int = 0
    label_set: str = ""
    since: str = ""
    kind: str = ""


@dataclass(slots=True)
class Left:
    """What does not count, by reason: work of a person on a sample, annotations, samples."""

    work: Counter[str] = field(default_factory=Counter)
    annotations: Counter[str] = field(default_factory=Counter)
    samples: Counter[str] = field(default_factory=Counter)

    def add(self, more: Left) -> None:
        """More of the same; what did not occur is no reason."""
        self.work += more.work
        self.annotations += more.annotations
        self.samples += more.samples


@dataclass(frozen=True, slots=True)
class Unit:
    """A span of what was read that a person marked, without white space at its edges.

    Attributes:
        label: the worst of those it has.
        evidence: trimmed; the documents of the source side follow one another on one axis.
    """

    label: LabelPath
    evidence: frozenset[Span]


@dataclass(frozen=True, slots=True)
class Reading:
    """One person's work on one sample.

    Attributes:
        worst: label of the whole sample.
        spans: of the summary as they were marked; without one, of the source.
        units: by trimmed span.
        stacked: marked spans that lie on another one with the same label.
        label_sets: versions under which it was made, where that is known.
        sources: of a citation, what was marked of the cited document, trimmed, on one axis.
        rating: of the sample as a whole; empty for none.
    """

    person: str
    worst: LabelPath
    spans: frozenset[Span]
    units: Mapping[Span, Unit]
    stacked: int
    label_sets: frozenset[str]
    sources: frozenset[Span] = frozenset()
    rating: str = ""

    def of_segments(self, segments: Sequence[Segment], order: Order) -> list[LabelPath]:
        """The worst label of what was marked in each segment."""
        found: list[list[LabelPath]] = [[] for _ in segments]
        starts = [segment.start for segment in segments]
        for span, unit in self.units.items():
            place = max(bisect_right(starts, span.start) - 1, 0)
            while place < len(segments) and segments[place].start < span.end:
                found[place].append(unit.label)
                place += 1
        return [order.worse(labels) if labels else NOTHING for labels in found]


class Reader:
    """Makes readings of records.

    Attributes:
        left: what did not count so far.
        label_sets: by version, the readings under it.
    """

    def __init__(self, asked: Asked, order: Order, *, only: str = "") -> None:
        """Nothing is left out yet.

        Args:
            only: a person whose work alone may be looked at; empty for everybody's.
        """
        self._asked = asked
        self._order = order
        self._only = only
        self._label = tuple(asked.label.split(JOINER)) if asked.label else ()
        self.left = Left()
        self.label_sets: Counter[str] = Counter()

    def readings(self, record: Record) -> list[Reading]:
        """Those that count, by person."""
        work: dict[str, list[Annotation]] = {}
        for owned in record.annotations:
            work.setdefault(owned.person, []).append(owned.annotation)
        found = []
        for assignment in sorted(record.assignments, key=lambda each: each.person):
            if assignment.person == SETTLED or self._only not in ("", reader(assignment.person)):
                continue
            own = work.get(assignment.person, [])
            if not self._passes(assignment, own):
                continue
            kept = list(self._kept(own, record.sample))
            found.append(self._reading(assignment, record.sample, kept))
            self.label_sets.update(found[-1].label_sets)
        return found

    def _passes(self, assignment: Assignment, own: Sequence[Annotation]) -> bool:
        asked, state = self._asked, assignment.state
        if asked.state and state != asked.state:
            self.left.work[f"{state.value}, not {asked.state}"] += 1
            return False
        if assignment.updated < asked.since:
            self.left.work["last changed before that time"] += 1
            return False
        if not (own or assignment.rating) and state is not State.DONE:
            self.left.work["nothing marked, and not said to be done"] += 1
            return False
        versions = {each.label_set for each in own}
        if asked.label_set and versions - {asked.label_set}:
            self.left.work["under another label set"] += 1
            return False
        return True

    def _kept(self, own: Iterable[Annotation], sample: Sample) -> Iterator[Annotation]:
        asked, label, left = self._asked, self._label, self.left.annotations
        needed = sample.kind is not Kind.CITATION and bool(sample.side(Side.SUMMARY))
        for each in own:
            origin = each.origin
            if asked.origin and asked.origin not in (origin, origin.partition(":")[0]):
                left["of another origin"] += 1
            elif label and not any(path[: len(label)] == label for path in each.labels):
                left["with other labels"] += 1
            else:
                if needed and not each.claim:
                    left["evidence alone: of no span or sentence"] += 1
                yield each

    def _reading(
        self, assignment: Assignment, sample: Sample, own: Sequence[Annotation]
    ) -> Reading:
        labels: dict[Span, list[LabelPath]] = {}
        evidence: dict[Span, set[Span]] = {}
        by_label: dict[LabelPath, list[Span]] = {}
        axis = Axis(sample)
        for each in own:
            label = self._order.worst(each.labels)
            claim, taken = _marked(each, sample)
            given = {axis.place(anchor) for anchor in taken}
            for anchor in claim:
                span = anchor.span.trim(sample.document(anchor.side, anchor.index).text)
                if span is not None:
                    labels.setdefault(span, []).append(label)
                    evidence.setdefault(span, set()).update(filter(None, given))
                    by_label.setdefault(label, []).append(span)
        cited = own if sample.kind is Kind.CITATION else ()
        sources = (axis.place(anchor) for each in cited for anchor in each.evidence)
        return Reading(
            assignment.person,
            self._order.worse(self._order.worst(each.labels) for each in own),
            frozenset(anchor.span for each in own for anchor in _marked(each, sample)[0]),
            {
                span: Unit(self._order.worse(found), frozenset(evidence[span]))
                for span, found in labels.items()
            },
            sum(map(stacked, by_label.values())),
            frozenset(each.label_set for each in own if each.label_set),
            frozenset(filter(None, sources)),
            assignment.rating,
        )


def _marked(annotation: Annotation, sample: Sample) -> tuple[Sequence[Anchor], Sequence[Anchor]]:
    """What an annotation marks of what is read, and its evidence.

    Where there is no summary, the first source is read, and there is nothing to take evidence of.
    """
    if sample.side(Side.SUMMARY):
        return annotation.claim, annotation.evidence
    return [anchor for anchor in annotation.evidence if anchor.index == 0], ()


class Axis:
    """The source documents of a sample, laid end to end with a gap, so that spans can be compared.

    The gap keeps the last words of one from touching the first of the next.
    """

    def __init__(self, sample: Sample) -> None:
        """All of them, in order."""
        self._texts = [document.text for document in sample.side(Side.SOURCE)]
        self._starts = [0, *accumulate(len(text) + 1 for text in self._texts)]

    @property
    def text(self) -> str:
        """What spans on the axis are of."""
        return "\n".join(self._texts)

    def place(self, anchor: Anchor) -> Span | None:
        """A trimmed span of evidence on the axis; None for white space alone."""
        found = anchor.span.trim(self._texts[anchor.index])
        return found.shift(self._starts[anchor.index]) if found else None
