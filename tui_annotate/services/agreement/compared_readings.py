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
from functools import cache
from itertools import accumulate
from typing import Final

from tui_annotate.domain.agreement_options import AgreementOptions
from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.checked_readings import CheckedReading
from tui_annotate.domain.label_changes import Renames
from tui_annotate.domain.labels import JOINER, Label, LabelTree
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

NOTHING: Final[LabelPath] = ()
"""Substitute label for a sample or sentence in which an annotator marked nothing."""


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
    return f"the sample is in the state {state.value}, not {wanted}"


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
        return [order.worse(labels) if labels else NOTHING for labels in found]


class ReadingBuilder:
    """Selects the annotations and ratings that agreement statistics compare.

    `versions` returns the versions of label set and guidelines, by name, under which a person
    completed a sample; it is called for readings without annotations, which have no versions.
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
        self.label_sets: Counter[str] = Counter()
        self.guidelines: Counter[str] = Counter()
        self.mixed_label_sets = 0
        self.mixed_guidelines = 0
        self.suggested: dict[str, SuggestedReadings] = {}
        """Readings with answers to suggestions, by maker; also if they are excluded."""

    def readings(self, record: Record, answers: Answers | None = None) -> list[SampleReading]:
        """Return the readings of a sample; `answers`: people's answers to suggestions."""
        work: dict[str, list[Annotation]] = {}
        for owned in record.annotations:
            work.setdefault(owned.person, []).append(owned.annotation)
        found = []
        for assignment in sorted(record.assignments, key=lambda each: each.person):
            allowed = self._only_person in ("", base_person(assignment.person))
            own = work.get(assignment.person, [])
            if (
                assignment.person != SETTLED
                and allowed
                and self._counts(assignment, own, record.sample.key)
                and self._is_independent(assignment, own, record.sample.key, answers=answers or {})
            ):
                kept = list(self._filter_annotations(own, record.sample))
                found.append(self._make_reading(assignment, record.sample, kept))
                self._count_versions(assignment, own, record.sample.key)
        return found

    def leave_out_checked(self, checked: Iterable[CheckedReading], chosen: Collection[str]) -> None:
        """Count the readings of practice and of checks of accuracy that would count otherwise.

        Args:
            chosen: ids of the people that are compared; empty for all.
        """
        options = self._options
        for each in checked:
            person = base_person(each.person)
            if (
                each.read
                and options.state in ("", each.state)
                and options.kind in ("", each.kind)
                and each.updated >= options.since
                and self._only_person in ("", person)
                and (not chosen or person in chosen)
            ):
                self.left.work[each.reason] += 1

    def _counts(self, assignment: Assignment, own: Sequence[Annotation], key: SampleKey) -> bool:
        options = self._options
        state = assignment.state
        if options.state and state != options.state:
            self.left.work[other_state_reason(state, options.state)] += 1
            return False
        if assignment.updated < options.since:
            self.left.work[LeftOutReason.TOO_OLD] += 1
            return False
        if not (own or assignment.rating) and state is not State.DONE:
            self.left.work[LeftOutReason.NOT_READ] += 1
            return False
        if not (options.label_set or options.guidelines):
            return True
        label_sets, guidelines = self._versions_of(assignment, own, key)
        if options.label_set and label_sets - {options.label_set}:
            self.left.work[LeftOutReason.OTHER_LABEL_SET] += 1
            return False
        if options.guidelines and guidelines - {options.guidelines}:
            self.left.work[LeftOutReason.OTHER_GUIDELINES] += 1
            return False
        return True

    def _versions_of(
        self, assignment: Assignment, own: Sequence[Annotation], key: SampleKey
    ) -> tuple[set[str], set[str]]:
        """Return the versions of label set and guidelines of a reading.

        An annotation without a version has an empty one.
        """
        if own:
            return {each.label_set for each in own}, {each.guidelines for each in own}
        completed = self._versions(assignment.person, key)
        # Imported work has no versions: it is never left out for them.
        return (
            {completed["labels"]} if "labels" in completed else set(),
            {completed["guidelines"]} if "guidelines" in completed else set(),
        )

    def _count_versions(
        self, assignment: Assignment, own: Sequence[Annotation], key: SampleKey
    ) -> None:
        label_sets, guidelines = self._versions_of(assignment, own, key)
        known_label_sets = label_sets - {""}
        if len(known_label_sets) == 1:
            self.label_sets.update(known_label_sets)
        elif known_label_sets:
            self.mixed_label_sets += 1
        known_guidelines = guidelines - {""}
        if len(known_guidelines) == 1:
            self.guidelines.update(known_guidelines)
        elif known_guidelines:
            self.mixed_guidelines += 1

    def _is_independent(
        self,
        assignment: Assignment,
        own: Sequence[Annotation],
        key: SampleKey,
        *,
        answers: Answers,
    ) -> bool:
        """Count answers to suggestions; return whether the options keep the reading."""
        work = {assignment.person: own}
        answered = count_suggested_reading(self.suggested, answers, key, work=work)
        if answered and self._options.without_suggested_work:
            self.left.work[LeftOutReason.SUGGESTED] += 1
            return False
        return True

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
        axis = Axis(sample)
        for each in own:
            label = self._order.worst(each.labels)
            claim, taken = _marked_anchors(each, sample)
            given = {axis.place(anchor) for anchor in taken}
            for anchor in claim:
                span = anchor.span.trim(sample.document(anchor.side, anchor.index).text)
                if span is not None:
                    labels.setdefault(span, []).append(label)
                    evidence.setdefault(span, set()).update(filter(None, given))
                    by_label.setdefault(label, []).append(span)
        marked = [anchor for each in own for anchor in _marked_anchors(each, sample)[0]]
        cited = own if sample.kind is SampleKind.CITATION else ()
        sources = (axis.place(anchor) for each in cited for anchor in each.evidence)
        return SampleReading(
            person=assignment.person,
            worst=self._order.worse(self._order.worst(each.labels) for each in own),
            spans=frozenset(anchor.span for anchor in marked),
            units={
                span: MarkedUnit(self._order.worse(found), frozenset(evidence[span]))
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


UNLABELLED: Final[LabelPath] = ("",)
"""Substitute label for annotations that have no label; no real label has this name."""

_Key = tuple[int, int, LabelPath]


class LabelOrder:
    """Order of labels by severity: that of label sets.

    `renames`: changes of labels since an old label set, one for each compared dataset. A label that
    was renamed keeps its rank; a label into which others were merged has the most severe rank.
    """

    def __init__(
        self, trees: Iterable[LabelTree], *, level: int = 0, renames: Sequence[Renames] = ()
    ) -> None:
        paths = dict.fromkeys(
            changed.get(path, path)
            for tree in trees
            for root in tree.roots
            for path in _walk_leaves_first(root)
            for changed in renames or ({},)
        )
        self._level = level or None
        self._places = {path: place for place, path in enumerate(paths)}
        self._key = cache(self._compute_key)
        self.strangers: set[LabelPath] = set()

    def worst(self, labels: Iterable[LabelPath]) -> LabelPath:
        """Return the most severe of an annotation's labels, cut to the compared level.

        `UNLABELLED` for an annotation without labels.
        """
        cut = [path[: self._level] for path in labels]
        return min(cut, key=self._key) if cut else UNLABELLED

    def worse(self, found: Iterable[LabelPath]) -> LabelPath:
        """Return the most severe of labels that `worst` returned; `NOTHING` for no labels."""
        return min(found, key=self._key, default=NOTHING)

    def sorted(self, found: Iterable[LabelPath]) -> list[LabelPath]:
        """Return the distinct labels, most severe first."""
        return sorted(set(found), key=self._key)

    def _compute_key(self, path: LabelPath) -> _Key:
        beyond = len(self._places)
        if path == UNLABELLED:
            return beyond + 1, 0, path
        if path == NOTHING:
            return beyond + 2, 0, path
        if path in self._places:
            return self._places[path], 1, path
        self.strangers.add(path)
        kin = (path[:depth] for depth in range(len(path) - 1, 0, -1))
        place = next((self._places[above] for above in kin if above in self._places), beyond)
        return place, 0, path


def _walk_leaves_first(label: Label) -> Iterator[LabelPath]:
    for child in label.children:
        yield from _walk_leaves_first(child)
    yield label.path


def format_labels(paths: Sequence[LabelPath]) -> list[str]:
    """Return labels as text with dots, and words for a missing label and for nothing marked."""
    special = {NOTHING: "nothing", UNLABELLED: "(no label)"}
    return [special.get(path, JOINER.join(path)) for path in paths]
