"""Agreement between annotators, and of annotators with themselves in samples they read twice.

The service changes nothing. Adjudicated annotations are not an annotator's reading and never count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final

from tui_annotate.domain.agreement_options import AgreementOptions
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.event_streams import EventStream
from tui_annotate.domain.history import DISCARD
from tui_annotate.domain.keyword_names import check_keywords, earlier_keywords
from tui_annotate.domain.label_files import parse_stored_labels
from tui_annotate.domain.people import (
    OPERATOR,
    Actor,
    Permission,
    base_person,
    is_allowed,
    require_permission,
)
from tui_annotate.domain.records import OwnedAnnotation, Record, RecordFilter
from tui_annotate.domain.repeated_readings import (
    RepeatedReading,
    RepeatedReadingCounts,
    count_repeated,
)
from tui_annotate.domain.sample_clusters import shared_names
from tui_annotate.domain.samples import Document, Sample, SampleKey, SampleKind, Segment, Side
from tui_annotate.domain.suggested_work import Answers, SuggestedReadings
from tui_annotate.domain.suggestions import UNDONE
from tui_annotate.methods.bootstrap import count_clusters
from tui_annotate.services.agreement.compared_readings import (
    Axis,
    LeftOutCounts,
    LeftOutReason,
    ReadingBuilder,
    SampleReading,
)
from tui_annotate.services.agreement.disagreements import Disagreement, list_disagreements
from tui_annotate.services.agreement.figures import (
    AgreementFigure,
    PairFigures,
    all_figures,
    pair_figures,
)
from tui_annotate.services.agreement.label_order import LabelOrder, format_labels
from tui_annotate.services.agreement.tallies import AgreementTally, Group, Summary
from tui_annotate.storage.labels.store import GuidanceKind

if TYPE_CHECKING:
    from tui_annotate.domain.adjudication_history import AdjudicatedSample, AdjudicationHistory
    from tui_annotate.domain.label_changes import Renames
    from tui_annotate.domain.labels import LabelTree
    from tui_annotate.storage.corpus.store import CorpusStore, SegmentStore
    from tui_annotate.storage.labels.store import GuidanceStore
    from tui_annotate.storage.log.annotation_store import AnnotationStore
    from tui_annotate.storage.log.repeated_readings import RepeatedReadings
    from tui_annotate.storage.people.store import PeopleStore

__all__ = [
    "Agreement",
    "AgreementComparison",
    "AgreementFigure",
    "AgreementOptions",
    "AgreementService",
    "Disagreement",
    "LeftOutCounts",
    "PairFigures",
    "ReviewedWork",
]

_PAGE_SIZE: Final = 100


@dataclass(frozen=True, slots=True)
class AgreementComparison:
    """Agreement statistics; `clusters`: number of clusters that the intervals resample."""

    samples: int
    clusters: int
    people: tuple[str, ...]
    stacked: int
    figures: tuple[AgreementFigure, ...]
    pairs: tuple[PairFigures, ...]
    disagreements: tuple[Disagreement, ...]


@dataclass(slots=True)
class ReviewedWork:
    """Which work of adjudicated samples was compared, and how much of it was edited later.

    Attributes:
        after_review: whether the work was compared as it is now; otherwise as it was when its
            sample was first adjudicated.
        adjudicated: selected samples whose adjudication was completed at least once.
        edited_samples: number of these samples in which an annotator edited the work after the
            first adjudication.
        edited_readings: number of their readings that were edited so; a reading is one person's
            work on one sample.
    """

    after_review: bool = False
    adjudicated: int = 0
    edited_samples: int = 0
    edited_readings: int = 0


@dataclass(frozen=True, slots=True)
class EarlierWork:
    """Which events of a person's work on a sample are no longer the work that is compared.

    Empty if the work is compared as it is now.
    """

    history: AdjudicationHistory | None = None
    repeated: RepeatedReadings = field(default_factory=dict)

    def cut(self, person: str, key: SampleKey, *, oneself: bool = False) -> int:
        """Return the number of the first event that does not count; 0 if all count.

        Args:
            oneself: whether a first reading is compared with the person's second reading.
        """
        cuts = []
        sample = self.history.samples.get(key) if self.history else None
        if sample and person in sample.later:
            cuts.append(sample.later[person].since)
        if reading := self.repeated.get((base_person(person), key)):
            if base_person(person) != person:
                cuts.append(reading.second_since)
            elif oneself:
                cuts.append(reading.first_since)
        return min(filter(None, cuts), default=0)

    def cuts(self, record: Record, *, oneself: bool) -> dict[str, int]:
        """Return the people of a record some of whose events do not count, with the first such."""
        found = {
            each.person: self.cut(each.person, record.sample.key, oneself=oneself)
            for each in record.assignments
        }
        return {person: cut for person, cut in found.items() if cut}


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement statistics: between annotators, and of annotators who annotated samples twice.

    Attributes:
        label_sets, guidelines: compared readings by the only version under which they were made;
            readings without a known version are in neither.
        suggested: readings with answers to suggestions, by maker; also if they are excluded.
        mixed_label_sets, mixed_guidelines: compared readings that were made under several versions.
    """

    asked: AgreementOptions
    names: dict[str, str]
    labels: list[str]
    strangers: list[str]
    scales: dict[str, list[str]]
    label_sets: dict[str, int]
    together: AgreementComparison
    oneself: AgreementComparison
    left: LeftOutCounts
    work: ReviewedWork = field(default_factory=ReviewedWork)
    guidelines: dict[str, int] = field(default_factory=dict)
    repeated: RepeatedReadingCounts = field(default_factory=RepeatedReadingCounts)
    suggested: dict[str, SuggestedReadings] = field(default_factory=dict)
    mixed_label_sets: int = 0
    mixed_guidelines: int = 0


@check_keywords
@dataclass(frozen=True, slots=True)
class AgreementService:
    """Computes agreement statistics of annotators; most users see only those of their own work.

    By default, the work on an adjudicated sample is that before its first adjudication, because
    annotators may see the result afterwards. For the same reason, agreement of annotators with
    themselves takes the first reading as it was when the second began, and the second reading as it
    was when it was first completed. `answers` returns a dataset's answers to suggestions.
    """

    corpus: CorpusStore
    people: PeopleStore
    guidance: GuidanceStore
    segments: SegmentStore
    log: AnnotationStore
    labels: Callable[[str], LabelTree]
    check: Callable[[RecordFilter], RecordFilter]
    actor: Actor = OPERATOR
    ratings: tuple[str, ...] = ()
    answers: Callable[[str], Answers] = lambda _dataset: {}

    @earlier_keywords(asked="options")
    def report(self, options: AgreementOptions | None = None) -> Agreement:
        """Compute all agreement statistics of the samples that the given filters select.

        Raises:
            NotAllowed: the current user may not see the agreement of the named annotators.
            InvalidInput: a filter names something that does not exist.
        """
        options = options or AgreementOptions()
        only = "" if is_allowed(self.actor, Permission.REPORT) else self._require_own_id(options)
        wanted = self._resolve_options(options)
        order = LabelOrder(
            self._label_trees(wanted),
            level=wanted.label_level,
            renames=self._label_renames(wanted),
        )
        history = self.log.adjudications()
        repeated = self.log.repeated_readings()
        earlier = EarlierWork() if wanted.after_review else EarlierWork(history, repeated)
        work = ReviewedWork(wanted.after_review)
        compared_twice: list[RepeatedReading] = []
        answers = {
            key: given
            for name in self._dataset_names(wanted)
            for key, given in self.answers(name).items()
        }

        def build_readings(*, oneself: bool) -> ReadingBuilder:
            def find_versions(person: str, key: SampleKey) -> Mapping[str, str]:
                cut = earlier.cut(person, key, oneself=oneself)
                return self.log.completion_versions(person, key, before=cut)

            return ReadingBuilder(wanted, order, only=only, versions=find_versions)

        # The second counts nothing that is left out: it repeats what the first has counted.
        readers = build_readings(oneself=False)
        own_readers = build_readings(oneself=True)
        chosen = frozenset(
            base_person(each.id) for who in wanted.people for each in self.people.find_named(who)
        )
        # A single person is compared with all others, whose readings are left out alike.
        compared = chosen if len(chosen) > 1 else frozenset[str]()
        readers.leave_out_checked(self.log.checked_readings(wanted.dataset), compared)
        together = AgreementTally(order, self.ratings)
        oneself = AgreementTally(order, self.ratings)
        for record, summary in self._read_records(wanted):
            if sample := history.samples.get(record.sample.key):
                _count_edits(work, record, sample)
            compared_twice += _find_repeated(record, repeated)
            cuts = earlier.cuts(record, oneself=False)
            readings = own_readings = readers.readings(*self._as_of(record, answers, cuts))
            own_cuts = earlier.cuts(record, oneself=True)
            if own_cuts != cuts:
                own_readings = own_readers.readings(*self._as_of(record, answers, own_cuts))
            own = _first_and_second_readings(own_readings, chosen)
            groups = [] if only else _groups_to_compare(_without_second_readings(readings), chosen)
            if own:
                oneself.add(own, summary())
            if groups:
                together.add(groups, summary())
            left = _count_left_out(readings, own_readings, chosen, compared=bool(only or groups))
            readers.left.add(left)
        labels = order.sorted({*together.labels(), *oneself.labels()})
        both = _make_comparison(together)
        own_work = _make_comparison(oneself)
        suggested_by = {person for each in readers.suggested.values() for person in each.people}
        return Agreement(
            asked=wanted,
            names=self._unique_names({*both.people, *own_work.people, *suggested_by}),
            labels=format_labels(labels),
            strangers=format_labels(order.sorted(order.unlisted.intersection(labels))),
            scales=_scale_words(together, oneself),
            label_sets=dict(sorted(readers.label_sets.readings.items())),
            together=both,
            oneself=own_work,
            left=readers.left,
            work=work,
            guidelines=dict(sorted(readers.guidelines.readings.items())),
            repeated=count_repeated(compared_twice),
            suggested=dict(sorted(readers.suggested.items())),
            mixed_label_sets=readers.label_sets.mixed,
            mixed_guidelines=readers.guidelines.mixed,
        )

    def _as_of(
        self, record: Record, answers: Answers, cuts: Mapping[str, int]
    ) -> tuple[Record, Answers]:
        """Return a record and its people's answers before their events of the given numbers."""
        key = record.sample.key
        changed = {
            person: self.log.former_work(person, key, before=cut) for person, cut in cuts.items()
        }
        if not changed:
            return record, answers
        # Answers that the user may not see are not added.
        given = {
            (key, each.person): answers[key, each.person]
            for each in record.assignments
            if (key, each.person) in answers
        }
        given |= {
            (key, person): self._former_answers(stream, before=cuts[person])
            for person, stream in changed.items()
            if (key, person) in given
        }
        kept = [each for each in record.annotations if each.person not in changed]
        former = [
            OwnedAnnotation(person, annotation)
            for person, stream in changed.items()
            for annotation in stream.annotations
        ]
        assignments = [
            changed[each.person].assignment if each.person in changed else each
            for each in record.assignments
        ]
        earlier_record = replace(
            record, annotations=(*kept, *former), assignments=tuple(assignments)
        )
        return earlier_record, given

    def _former_answers(self, stream: EventStream, *, before: int) -> list[tuple[str, str]]:
        """Return maker and kind of a person's answers before an event, as `Answers` has them."""
        undone: dict[str, str] = {}
        for event in self.log.events(stream.person, stream.key)[: before - 1]:
            if event.action.verb == DISCARD:
                undone.clear()
            elif event.action.verb == "accept":
                accepted = event.action.after.suggestions.items()
                undone |= {name: answer["maker"] for name, answer in accepted if answer}
        given = [(each.maker, each.answer.value) for each in stream.answers.values()]
        given += [(maker, UNDONE) for name, maker in undone.items() if name not in stream.answers]
        return given

    def _require_own_id(self, options: AgreementOptions) -> str:
        require_permission(self.actor, Permission.REPORT, self.actor.person)
        own = self.people.person(self.actor.person)
        for person in options.people:
            if person != own.name:
                require_permission(self.actor, Permission.REPORT, person)
        return own.id

    def _resolve_options(self, options: AgreementOptions) -> AgreementOptions:
        checked = self.check(
            RecordFilter(
                dataset=options.dataset,
                origin=options.origin,
                state=options.state,
                label=options.label,
                since=options.since,
            )
        )
        for person in options.people:
            self.check(RecordFilter(person=person))
        return replace(
            options,
            label=checked.label,
            since=checked.since,
            label_set=self._resolve_version(GuidanceKind.LABELS, options.label_set),
            guidelines=self._resolve_version(GuidanceKind.GUIDELINES, options.guidelines),
        )

    def _resolve_version(self, kind: GuidanceKind, start: str) -> str:
        if not start:
            return ""
        found = [each for each in self.guidance.versions(kind) if each.startswith(start)]
        if len(found) != 1:
            known_names = ", ".join(each[:12] for each in found) or "none"
            what = "label set version" if kind is GuidanceKind.LABELS else "guidelines version"
            raise InvalidInput(
                f"several {what}s have a hash that begins with {start!r}"
                if found
                else f"no {what} has a hash that begins with {start!r}",
                f"matching versions: {known_names}",
            )
        return found[0]

    def _label_trees(self, options: AgreementOptions) -> Iterator[LabelTree]:
        if options.label_set:
            yield parse_stored_labels(self.guidance.text(GuidanceKind.LABELS, options.label_set))
            return
        for name in self._dataset_names(options):
            with suppress(NotFound):
                yield self.labels(name)

    def _label_renames(self, options: AgreementOptions) -> list[Renames]:
        """Return the changes of labels since the chosen label set, by dataset.

        Annotations have the current names of their labels, also those made under an old label set.
        """
        if not options.label_set:
            return []
        return [
            self.guidance.renames_since(options.label_set, dataset=name)
            for name in self._dataset_names(options)
        ]

    def _dataset_names(self, options: AgreementOptions) -> list[str]:
        return [options.dataset] if options.dataset else [d.name for d in self.corpus.datasets()]

    def _unique_names(self, ids: Iterable[str]) -> dict[str, str]:
        names = {person.id: person.name for person in self.people.all()}
        found = {each: names.get(each, each) for each in sorted(ids)}
        times = Counter(found.values())
        return {
            each: name if times[name] == 1 else f"{name} ({each})" for each, name in found.items()
        }

    def _read_records(
        self, options: AgreementOptions
    ) -> Iterator[tuple[Record, Callable[[], Summary]]]:
        records = self.corpus.records(RecordFilter(dataset=options.dataset), worked=True)
        worked = (
            record
            for record in records
            if record.assignments and options.kind in ("", record.sample.kind)
        )
        while page := list(islice(worked, _PAGE_SIZE)):
            lengths = {
                document.sha256: len(document.text)
                for record in page
                for document in _marked_documents(record.sample)[:1]
                if len(record.assignments) > 1
            }
            segments = self.segments.of(lengths)
            for record in page:
                yield record, partial(_make_summary, record, segments)


def _count_edits(work: ReviewedWork, record: Record, sample: AdjudicatedSample) -> None:
    edited = {each.person for each in record.assignments}.intersection(sample.edited_by)
    work.adjudicated += 1
    work.edited_readings += len(edited)
    if edited:
        work.edited_samples += 1


def _find_repeated(record: Record, repeated: RepeatedReadings) -> Iterator[RepeatedReading]:
    for each in record.assignments:
        reading = repeated.get((base_person(each.person), record.sample.key))
        if reading and base_person(each.person) != each.person:
            yield reading


def _make_summary(record: Record, segments: Mapping[str, tuple[Segment, ...]]) -> Summary:
    sample = record.sample
    documents = _marked_documents(sample)
    text = documents[0].text if documents else ""
    found = segments.get(documents[0].sha256, ()) if documents else ()
    return Summary(
        key=sample.key,
        text=text,
        segments=[each for each in found if text[each.start : each.end].strip()],
        cited=Axis(sample).text if sample.kind is SampleKind.CITATION else None,
        kind=sample.kind,
        shared=shared_names(sample),
    )


def _marked_documents(sample: Sample) -> tuple[Document, ...]:
    return sample.side(Side.SUMMARY) or sample.side(Side.SOURCE)


def _without_second_readings(readings: Iterable[SampleReading]) -> list[SampleReading]:
    return [each for each in readings if base_person(each.person) == each.person]


def _count_left_out(
    readings: Sequence[SampleReading],
    own: Sequence[SampleReading],
    chosen: frozenset[str],
    *,
    compared: bool,
) -> LeftOutCounts:
    first = {each.person for each in _without_second_readings(readings)}
    own_first = {each.person for each in _without_second_readings(own)}
    second = sum(base_person(each.person) not in own_first for each in own)
    left = LeftOutCounts(work=Counter({LeftOutReason.SECOND_ALONE: second}))
    if not compared and (chosen & first if chosen else first):
        left.samples[LeftOutReason.ONE_READER] = 1
    return left


def _groups_to_compare(first: Sequence[SampleReading], chosen: frozenset[str]) -> list[Group]:
    if len(chosen) == 1:
        own = [each for each in first if each.person in chosen]
        return [(one, other) for one in own for other in first if other is not one]
    group = [each for each in first if not chosen or each.person in chosen]
    return [group] if len(group) > 1 else []


def _first_and_second_readings(
    readings: Sequence[SampleReading], chosen: frozenset[str]
) -> list[Group]:
    first = {each.person: each for each in _without_second_readings(readings)}
    return [
        (first[base_person(each.person)], each)
        for each in readings
        if each.person not in first
        and base_person(each.person) in first
        and (not chosen or base_person(each.person) in chosen)
    ]


def _scale_words(*tallies: AgreementTally) -> dict[str, list[str]]:
    found: dict[str, dict[str, None]] = {}
    for tally in tallies:
        for name, rated in tally.rated.items():
            found.setdefault(name, {}).update(dict.fromkeys(rated.words()))
    return {name: list(words) for name, words in sorted(found.items())}


def _make_comparison(tally: AgreementTally) -> AgreementComparison:
    return AgreementComparison(
        samples=tally.samples,
        clusters=count_clusters(tally.clusters()),
        people=tuple(sorted(tally.people)),
        stacked=tally.stacked,
        figures=tuple(all_figures(tally)),
        pairs=tuple(pair_figures(tally)),
        disagreements=tuple(list_disagreements(tally)),
    )
