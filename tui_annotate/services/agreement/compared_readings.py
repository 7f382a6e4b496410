"""Selects the annotators' work that agreement statistics compare; counts excluded work.

A reading is one annotator's completed pass over one sample. The order of annotations has no
influence on a reading; a span that occurs twice counts once, with the labels and the evidence of
both.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum, unique
from itertools import accumulate

from tui_annotate.domain.agreement_options import AgreementOptions
from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.checked_readings import CheckedReading
from tui_annotate.domain.labels import JOINER
from tui_annotate.domain.people import SETTLED, base_person
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Sample, SampleKey, SampleKind, Segment, Side
from tui_annotate.domain.spans import Span
from tui_annotate.domain.suggested_work import (
    SUGGESTED_READING,
    Answers,
    SuggestedReadings,
    count_suggested_reading,
)
from tui_annotate.methods.span_agreement import count_stacked
from tui_annotate.services.agreement.label_order import NOTHING, LabelOrder


@unique
class LeftOutReason(StrEnum):
    """Why work is not part of a comparison between annotators."""

    TOO_OLD = "the annotator's last change to the sample was before the requested start time"
    NOT_READ = "the annotator made no annotations and did not complete the sample"
    OTHER_LABEL_SET = "the sample was not annotated with the requested version of the label set"
    OTHER_GUIDELINES = "the sample was not annotated with the requested version of the guidelines"
    OTHER_ORIGIN = "the annotation's origin is not the requested origin"
    OTHER_LABELS = "the annotation does not have the requested label"
    EVIDENCE_ALONE = "the annotation has no claim, so statistics of spans and sentences ignore it"
    SECOND_ALONE = "the annotator's first reading of the sample is missing or excluded"
    SUGGESTED = SUGGESTED_READING
    ONE_READER = "only one annotator's work on the sample can be compared"


def other_state_reason(state: State, wanted: str) -> str:
    """Return why work in a state is excluded if only another state is compared."""
    wanted_name = State(wanted).display_name if wanted in list(State) else wanted
    return f"the sample is {state.display_name}, not {wanted_name}"


@dataclass(slots=True)
class LeftOutCounts:
    """Numbers of samples and annotations that agreement statistics exclude, by reason."""

    work: Counter[str] = field(default_factory=Counter)
    annotations: Counter[str] = field(default_factory=Counter)
    samples: Counter[str] = field(default_factory=Counter)

    def add(self, more: LeftOutCounts) -> None:
        self.work += more.work
        self.annotations += more.annotations
        self.samples += more.samples


@dataclass(frozen=True, slots=True)
class MarkedUnit:
    """Span that an annotator marked in a text, with its label and evidence."""

    label: LabelPath
    evidence: frozenset[Span]


@dataclass(frozen=True, slots=True)
class SampleReading:
    """The work of an annotator on a sample that the annotator has completed.

    Attributes:
        worst: the most severe label of all annotations.
        spans: marked spans of the summary as stored; of the source if there is no summary.
        units: marked spans by their extent without white space at the edges.
        stacked: number of spans that overlap another span of the annotator with the same label.
        sources: spans of the cited document (citations only), in the joined source text.
    """

    person: str
    worst: LabelPath
    spans: frozenset[Span]
    units: Mapping[Span, MarkedUnit]
    stacked: int
    sources: frozenset[Span] = frozenset()
    rating: str = ""

    def of_segments(self, segments: Sequence[Segment], order: LabelOrder) -> list[LabelPath]:
        """Return the most severe label that an annotator used in each sentence of a text."""
        found: list[list[LabelPath]] = [[] for _ in segments]
        starts = [segment.start for segment in segments]
        for span, unit in self.units.items():
            place = max(bisect_right(starts, span.start) - 1, 0)
            while place < len(segments) and segments[place].start < span.end:
                found[place].append(unit.label)
                place += 1
        return [order.most_severe(labels) if labels else NOTHING for labels in found]


@dataclass(slots=True)
class VersionCounts:
    """Numbers of compared readings by the version under which they were made.

    Attributes:
        readings: number of readings by version; of those that were made under a single one.
        mixed: number of readings whose annotations were made under several versions.
    """

    readings: Counter[str] = field(default_factory=Counter)
    mixed: int = 0

    def add(self, versions: Collection[str]) -> None:
        """Count a reading with its versions; empty ones do not count."""
        known = set(versions) - {""}
        if len(known) == 1:
            self.readings.update(known)
        elif known:
            self.mixed += 1


class ReadingBuilder:
    """Selects the annotations and ratings that agreement statistics compare.

    `versions` returns the versions of label set and guidelines, by name, under which a person
    completed a sample; it is called for readings without annotations, which have no versions.

    Attributes:
        left: what was excluded.
        label_sets, guidelines: the versions under which the compared readings were made.
        suggested: readings with answers to suggestions, by maker; also if they are excluded.
    """

    def __init__(
        self,
        options: AgreementOptions,
        order: LabelOrder,
        *,
        only: str = "",
        versions: Callable[[str, SampleKey], Mapping[str, str]] = lambda _person, _key: {},
    ) -> None:
        self._options = options
        self._order = order
        self._only_person = only
        self._versions = versions
        self._label = tuple(options.label.split(JOINER)) if options.label else ()
        self.left = LeftOutCounts()
        self.label_sets = VersionCounts()
        self.guidelines = VersionCounts()
        self.suggested: dict[str, SuggestedReadings] = {}

    def readings(self, record: Record, answers: Answers | None = None) -> list[SampleReading]:
        """Return the readings of a sample that are compared, sorted by the person's id.

        Adjudicated results are no readings. Each call adds to the counts of this object, so call
        this once for each sample.

        Args:
            answers: people's answers to suggestions.
        """
        key = record.sample.key
        work: dict[str, list[Annotation]] = {}
        for owned in record.annotations:
            work.setdefault(owned.person, []).append(owned.annotation)
        found = []
        for assignment in sorted(record.assignments, key=lambda each: each.person):
            person = assignment.person
            if person == SETTLED or self._only_person not in ("", base_person(person)):
                continue
            own = work.get(person, [])
            reason = self._exclusion_reason(assignment, own, key)
            if reason is None:
                answered = count_suggested_reading(
                    self.suggested, answers or {}, key, work={person: own}
                )
                if answered and self._options.without_suggested_work:
                    reason = LeftOutReason.SUGGESTED
            if reason is not None:
                self.left.work[reason] += 1
                continue
            kept = list(self._filter_annotations(own, record.sample))
            found.append(self._make_reading(assignment, record.sample, kept))
            label_sets, guidelines = self._versions_of(person, own, key)
            self.label_sets.add(label_sets)
            self.guidelines.add(guidelines)
        return found

    def leave_out_checked(self, checked: Iterable[CheckedReading], chosen: Collection[str]) -> None:
        """Count the readings of practice and of checks of accuracy that the filters select.

        The filters are those of person, state, kind and time. Those of versions and of suggestions
        are not applied: they need the annotations and answers of the readings, which are not read.

        Args:
            chosen: ids of the people that are compared; empty for all.
        """
        options = self._options
        for each in checked:
            person = base_person(each.person)
            if (
                (each.read or each.rated)
                and options.state in ("", each.state)
                and options.kind in ("", each.kind)
                and each.updated >= options.since
                and self._only_person in ("", person)
                and (not chosen or person in chosen)
            ):
                self.left.work[each.reason] += 1

    def _exclusion_reason(
        self, assignment: Assignment, own: Sequence[Annotation], key: SampleKey
    ) -> str | None:
        """Return why the options exclude a reading; None if they do not."""
        options = self._options
        state = assignment.state
        if options.state and state != options.state:
            return other_state_reason(state, options.state)
        if assignment.updated < options.since:
            return LeftOutReason.TOO_OLD
        if not (own or assignment.rating) and state is not State.DONE:
            return LeftOutReason.NOT_READ
        if options.label_set or options.guidelines:
            label_sets, guidelines = self._versions_of(assignment.person, own, key)
            if options.label_set and label_sets - {options.label_set}:
                return LeftOutReason.OTHER_LABEL_SET
            if options.guidelines and guidelines - {options.guidelines}:
                return LeftOutReason.OTHER_GUIDELINES
        return None

    def _versions_of(
        self, person: str, own: Sequence[Annotation], key: SampleKey
    ) -> tuple[set[str], set[str]]:
        """Return the versions of label set and guidelines under which a reading was made.

        They are those of its annotations or, without annotations, of its completion. Work from
        before the first guidelines has the empty version. Imported work that states neither a label
        set nor guidelines has no version at all, because it is not known.
        """
        if own:
            versions = {(each.label_set, each.guidelines) for each in own}
        else:
            completed = self._versions(person, key)
            versions = {(completed.get("labels", ""), completed.get("guidelines", ""))}
        known = versions - {("", "")}
        return {label_set for label_set, _ in known}, {guidelines for _, guidelines in known}

    def _filter_annotations(
        self, own: Iterable[Annotation], sample: Sample
    ) -> Iterator[Annotation]:
        left = self.left.annotations
        wanted_origin = self._options.origin
        label = self._label
        needs_claim = sample.kind is not SampleKind.CITATION and bool(sample.side(Side.SUMMARY))
        for each in own:
            if wanted_origin and wanted_origin not in (each.origin, each.origin.partition(":")[0]):
                left[LeftOutReason.OTHER_ORIGIN] += 1
            elif label and not any(path[: len(label)] == label for path in each.labels):
                left[LeftOutReason.OTHER_LABELS] += 1
            else:
                if needs_claim and not each.claim:
                    left[LeftOutReason.EVIDENCE_ALONE] += 1
                yield each

    def _make_reading(
        self, assignment: Assignment, sample: Sample, own: Sequence[Annotation]
    ) -> SampleReading:
        labels: dict[Span, list[LabelPath]] = {}
        evidence: dict[Span, set[Span]] = {}
        by_label: dict[LabelPath, list[Span]] = {}
        used_labels: list[LabelPath] = []
        spans: set[Span] = set()
        axis = Axis(sample)
        for each in own:
            label = self._order.label_of_annotation(each.labels)
            used_labels.append(label)
            claim, taken = _marked_anchors(each, sample)
            given = {axis.place(anchor) for anchor in taken}
            for anchor in claim:
                spans.add(anchor.span)
                span = anchor.span.trim(sample.document(anchor.side, anchor.index).text)
                if span is not None:
                    labels.setdefault(span, []).append(label)
                    evidence.setdefault(span, set()).update(filter(None, given))
                    by_label.setdefault(label, []).append(span)
        cited = own if sample.kind is SampleKind.CITATION else ()
        sources = (axis.place(anchor) for each in cited for anchor in each.evidence)
        return SampleReading(
            person=assignment.person,
            worst=self._order.most_severe(used_labels),
            spans=frozenset(spans),
            units={
                span: MarkedUnit(self._order.most_severe(found), frozenset(evidence[span]))
                for span, found in labels.items()
            },
            stacked=sum(map(count_stacked, by_label.values())),
            sources=frozenset(filter(None, sources)),
            rating=assignment.rating,
        )


def _marked_anchors(
    annotation: Annotation, sample: Sample
) -> tuple[Sequence[Anchor], Sequence[Anchor]]:
    if sample.side(Side.SUMMARY):
        return annotation.claim, annotation.evidence
    return [anchor for anchor in annotation.evidence if anchor.index == 0], ()


class Axis:
    """The source documents of a sample, joined into one text with a gap of one character."""

    def __init__(self, sample: Sample) -> None:
        self._texts = [document.text for document in sample.side(Side.SOURCE)]
        self._starts = [0, *accumulate(len(text) + 1 for text in self._texts)]

    @property
    def text(self) -> str:
        """The joined source texts of the sample."""
        return "\n".join(self._texts)

    def place(self, anchor: Anchor) -> Span | None:
        """Return a span's position in the joined source texts of a sample; None if it is blank."""
        found = anchor.span.trim(self._texts[anchor.index])
        return found.shift(self._starts[anchor.index]) if found else None
