"""Queries of reviewers: annotations without annotators' names, review queue, and outcomes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import Lock
from typing import Any, Final

from tui_annotate.domain.adjudication_history import (
    AdjudicationHistory,
    PostAdjudicationCounts,
    count_later_work,
)
from tui_annotate.domain.annotations import REJECTED, Annotation
from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import Damaged, NotAllowed
from tui_annotate.domain.people import (
    OPERATOR,
    Actor,
    Permission,
    Person,
    PersonKind,
    require_permission,
    second_reader,
)
from tui_annotate.domain.people_directory import find_person, match_people
from tui_annotate.domain.records import Record, RecordFilter
from tui_annotate.domain.report_collections import has_rating_conflict, rating_scale
from tui_annotate.domain.samples import SampleKey
from tui_annotate.methods.adjudication import (
    CandidateGroup,
    DifferenceKind,
    GroupStatus,
    group_candidates,
)
from tui_annotate.methods.verdicts import find_verdict
from tui_annotate.services.review.decisions import FindName, ReviewDecision, list_decisions
from tui_annotate.services.review.review_sample import (
    AnnotationOutcome,
    QueuedSample,
    ReviewRefusal,
    ReviewSample,
    SampleOutcome,
    SampleWork,
    read_letters,
    read_sample_work,
)
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.labels.store import GuidanceKind, GuidanceStore, LabelSets
from tui_annotate.storage.log.annotation_store import AnnotationStore
from tui_annotate.storage.log.event_log import EventLog
from tui_annotate.storage.log.review_candidates import ReviewCandidate
from tui_annotate.storage.people.store import PeopleStore

_FEW_SAMPLES = 20
"""Number of changed samples above which all samples are read at once, not one by one."""


@dataclass(frozen=True, slots=True)
class _SampleCounts:
    """Counts of the work on a sample, which stay valid while `version` is the same.

    Attributes:
        rated: whether annotators' ratings differ.
        changed: number of people whose work is no longer the work that was adjudicated.
        open: number of decisions that the reviewer must still take.
    """

    version: tuple[object, ...] = ()
    annotations: int = 0
    statuses: Counter[GroupStatus] = field(default_factory=Counter)
    differences: Counter[DifferenceKind] = field(default_factory=Counter)
    rated: bool = False
    changed: int = 0
    open: int = 0


_NOT_READ: Final = _SampleCounts()


@dataclass(frozen=True)
class ReviewQueries:
    """Reads what a reviewer sees: the queue, the annotators' work, and decisions so far."""

    corpus: CorpusStore
    store: AnnotationStore
    people: PeopleStore
    guidance: GuidanceStore
    actor: Actor = OPERATOR
    own_allowed: bool = False
    ratings: tuple[str, ...] = ()
    _machine_differences: dict[SampleKey, float] = field(
        default_factory=dict, init=False, compare=False
    )
    _counts_by_sample: dict[SampleKey, _SampleCounts] = field(
        default_factory=dict, init=False, compare=False
    )
    _damaged_at: dict[SampleKey, int] = field(default_factory=dict, init=False, compare=False)
    """Version of the store (`moment`) in which the texts of a sample were found damaged."""

    _orders: dict[str, tuple[int, list[SampleKey]]] = field(
        default_factory=dict, init=False, compare=False
    )
    """Version of the store, and the order of `queue` in it, by reviewer."""

    _history: AdjudicationHistory = field(
        default_factory=AdjudicationHistory, init=False, compare=False
    )
    _history_lock: Any = field(default_factory=Lock, init=False, compare=False)

    def open(self, reviewer: str, key: SampleKey) -> ReviewSample:
        """Load a sample with all data that the review screen shows.

        Raises:
            NotFound: the sample does not exist.
            NotAllowed: the current user is not a reviewer.
        """
        self.check_reviewer(reviewer)
        stored = self.corpus.sample(key)
        with self.store.reading() as log:
            now = read_sample_work(log, stored.sample)
            refused = self.refusal(log, reviewer, now)
            pending = log.readers(key).pending
            locked = tuple(
                letter for letter, work in now.people.items() if log.is_locked(work.person, key)
            )
        line = self.queue(reviewer)
        labels = self.label_sets.in_use(key.dataset)
        guidelines = self.guidance.version(GuidanceKind.GUIDELINES, dataset=key.dataset)
        text = self.guidance.text(GuidanceKind.GUIDELINES, guidelines) if guidelines else ""
        later = self._adjudications().samples.get(key)
        edited = later.edited_by if later else ()
        return ReviewSample(
            sample=stored.sample,
            segments=stored.segments,
            layers=now.layers,
            groups=now.groups,
            settled=now.adjudicated,
            assignment=now.settled.assignment,
            pending=pending,
            position=_find_position(line, key),
            total=len(line),
            finished=sum(row.settled for row in line),
            labels=labels,
            guidelines=text,
            refused=refused,
            seen=now.seen_under(labels.version),
            scale=rating_scale(stored.sample.kind, self.ratings),
            edited=tuple(letter for letter, work in now.people.items() if work.person in edited),
            reopened=len(later.returned) if later else 0,
            open=now.open_parts,
            locked_people=locked,
        )

    def names(self, reviewer: str, key: SampleKey) -> dict[str, str]:
        """Return the real names of a sample's annotators, who are shown to reviewers as letters.

        People whose work is reopened are included.
        """
        self.check_reviewer(reviewer)
        with self.store.reading() as log:
            people = read_letters(log, key)
            there = set(log.workers(key, assigned=True))  # others were merged into another person
        return {
            letter: self.people.person(person).name
            for letter, person in people.items()
            if person in there
        }

    def find_annotator(self, reviewer: str, key: SampleKey, who: str) -> Person:
        """Find a person who works on a sample, by name or id.

        Raises:
            NotFound: no person who works on the sample matches, or several have
                the name.
        """
        self.check_reviewer(reviewer)
        with self.store.reading() as log:
            workers = [self.people.person(each) for each in log.workers(key, assigned=True)]
        names = ", ".join(each.name for each in workers)
        advice = f"annotators of the sample: {names}"
        owners = {owner.id for owner in self.people.find_named(who)}
        if not match_people(who, workers):  # the name of a merged person means the owner
            who = next((each.id for each in workers if each.id in owners), who)
        return find_person(who, workers, advice=advice, kind=f"annotator of {key}")

    def queue(self, reviewer: str, *, dataset: str = "") -> list[QueuedSample]:
        """Return the samples to review: those that are ready first, with most conflicts first.

        A sample waits for review once all its annotators completed it. Equal ranks: by arrival. See
        also `sort_against`.

        Raises:
            NotFound: the dataset does not exist.
        """
        there = [one for one in self._candidates(reviewer, dataset) if one.ready]
        self._update_counts(there)
        self._adjudications()
        questions = self._waiting_questions()
        rows = [self._queue_row(one, reviewer, questions) for one in there]
        # An adjudicated sample waits no more, but its annotator may wait for an answer.
        usual = sorted(
            rows,
            key=lambda row: (
                row.settled,
                row.settled and not row.unanswered_questions,
                -row.conflicts,
                -row.nearly_agreed,
            ),
        )
        return sorted(usual, key=lambda row: 1.0 if row.against is None else -row.against)

    def incomplete(self, reviewer: str, *, dataset: str = "") -> list[QueuedSample]:
        """Return the samples that some, but not all, of their annotators completed.

        Raises:
            NotFound: the dataset does not exist.
        """
        there = self._candidates(reviewer, dataset)
        self._adjudications()
        questions = self._waiting_questions()
        return [self._queue_row(one, reviewer, questions) for one in there if not one.ready]

    def _waiting_questions(self) -> Mapping[SampleKey, int]:
        with self.store.reading() as log:
            return log.waiting_questions()

    def decisions(
        self, *, dataset: str = "", find_name: FindName | None = None
    ) -> Iterator[ReviewDecision]:
        """Yield the decisions of reviewers on all samples, in order of the samples' arrival.

        Raises:
            NotFound: the dataset does not exist.
            NotAllowed: the current user may not review.
        """
        require_permission(self.actor, Permission.REVIEW)
        if dataset:
            self.guidance.require_dataset(dataset)
        for one in self.store.candidates():
            if one.state is not State.NEW and dataset in ("", one.key.dataset):
                sample = self.corpus.sample(one.key).sample
                with self.store.reading() as log:
                    yield from list_decisions(log, read_sample_work(log, sample), find_name)

    def count_later_work(self, dataset: str = "") -> PostAdjudicationCounts:
        """Count edits of annotators' work after its adjudication, and reopenings, from the log.

        `dataset` limits the counts to one dataset; by default they are of the workspace.

        Raises:
            NotAllowed: the current user may not see statistics of other people's work.
            NotFound: the dataset does not exist.
        """
        require_permission(self.actor, Permission.REPORT)
        if dataset:
            self.guidance.require_dataset(dataset)
        return count_later_work(self._adjudications(), dataset)

    def list_changed(self, *, dataset: str = "") -> list[SampleKey]:
        """Return the adjudicated samples whose annotators' work changed since, sorted.

        Raises:
            NotAllowed: the current user may not review.
            NotFound: the dataset does not exist.
        """
        require_permission(self.actor, Permission.REVIEW)
        if dataset:
            self.guidance.require_dataset(dataset)
        later = {key for key, _, _ in self._adjudications().later_work()}
        if not later:
            return []
        there = [one for one in self.store.candidates() if dataset in ("", one.key.dataset)]
        return sorted(self._find_changed([one for one in there if one.key in later]))

    def _find_changed(self, there: Sequence[ReviewCandidate]) -> set[SampleKey]:
        people = {one.key: [*(who for who, _ in one.finished), *one.set_aside] for one in there}
        with self.store.reading() as log:
            return log.list_changed(people)

    def _adjudications(self) -> AdjudicationHistory:
        with self._history_lock:
            return self.store.adjudications(self._history)

    def _candidates(self, reviewer: str, dataset: str) -> list[ReviewCandidate]:
        self.check_reviewer(reviewer)
        if dataset:
            self.guidance.require_dataset(dataset)
        return [one for one in self.store.candidates() if dataset in ("", one.key.dataset)]

    def sort_against(self, says: Mapping[SampleKey, float] | None) -> None:
        """Sort the samples to review by the disagreement of annotators with a machine.

        `says`: the machine's estimate, by sample, of how well the source supports the summary, in
        [0, 1]; None restores the default order. It is compared with the adjudication, else with the
        majority of annotators.

        Raises:
            NotAllowed: the current user may not review.
        """
        require_permission(self.actor, Permission.REVIEW)
        self._machine_differences.clear()
        self._orders.clear()
        for dataset in sorted({key.dataset for key in says or ()}):
            former = self.store.former_label_names(dataset)
            for record in self.corpus.records(RecordFilter(dataset=dataset)):
                found = find_verdict(record, former)
                score = (says or {}).get(record.sample.key)
                if found is not None and score is not None:
                    self._machine_differences[record.sample.key] = abs(found - score)

    def next(
        self,
        reviewer: str,
        after: SampleKey | None = None,
        *,
        without: Collection[SampleKey] = (),
    ) -> SampleKey | None:
        """Return the next sample to adjudicate, if possible not `after`; None if none is left.

        Samples of `without` are passed over, such as those whose texts are damaged.
        """
        wanted = [key for key in self.to_adjudicate(reviewer) if key not in without]
        others = [key for key in wanted if key != after]
        return next(iter(others or wanted), None)

    def to_adjudicate(self, reviewer: str) -> list[SampleKey]:
        """Return the samples that a reviewer can adjudicate, in the order of `queue`."""
        return [
            row.key
            for row in self.queue(reviewer)
            if not row.settled
            and row.annotators
            and (self.own_allowed or not row.annotated_by_reviewer)
        ]

    def neighbour(self, reviewer: str, key: SampleKey, step: int) -> SampleKey | None:
        """Return the sample `step` positions after another one in the reviewer's order."""
        self.check_reviewer(reviewer)
        moment = self.store.moment()
        read_at, keys = self._orders.get(reviewer, (None, []))
        if read_at != moment:  # one order serves all steps past damaged samples
            keys = [row.key for row in self.queue(reviewer)]
            self._orders[reviewer] = (moment, keys)
        at = keys.index(key) + step if key in keys else 0
        return keys[at] if 0 <= at < len(keys) else None

    def _queue_row(
        self, one: ReviewCandidate, reviewer: str, questions: Mapping[SampleKey, int]
    ) -> QueuedSample:
        counts = self._counts_by_sample.get(one.key, _NOT_READ) if one.ready else _NOT_READ
        later = self._history.samples.get(one.key)
        conflicts = counts.statuses[GroupStatus.CONFLICT]
        if counts.rated:
            conflicts += 1
        kinds = counts.differences
        return QueuedSample(
            key=one.key,
            group=one.group,
            summary=one.summary,
            annotators=len(one.finished),
            annotations=counts.annotations,
            pending=one.readers.pending,
            state=one.state,
            agreed=counts.statuses[GroupStatus.AGREED],
            nearly_agreed=counts.statuses[GroupStatus.NEARLY],
            conflicts=conflicts,
            conflicts_by_kind=tuple((kind, kinds[kind]) for kind in DifferenceKind if kinds[kind]),
            annotated_by_reviewer=reviewer in one.workers,
            against=self._machine_differences.get(one.key),
            ready=one.ready,
            edited=len(later.edited_by) if later else 0,
            reopened=len(later.returned) if later else 0,
            changed=counts.changed,
            open_decisions=counts.open,
            unanswered_questions=questions.get(one.key, 0),
        )

    def _update_counts(self, there: Sequence[ReviewCandidate]) -> None:
        known = self._counts_by_sample
        moment = self.store.moment()
        changed = [
            one
            for one in there
            if known.get(one.key, _NOT_READ).version != _version(one)
            # Damaged texts are read again only after a commit, which may have restored them.
            and self._damaged_at.get(one.key) != moment
        ]
        for one, found, ratings in self._read_groups(changed):
            statuses = Counter(group.status for group in found)
            rated = has_rating_conflict(ratings)
            undecided = statuses[GroupStatus.NEARLY] + statuses[GroupStatus.CONFLICT]
            if rated:
                undecided += 1
            known[one.key] = _SampleCounts(
                version=_version(one),
                annotations=sum(len(group.sources) for group in found),
                statuses=statuses,
                differences=Counter(kind for group in found for kind in group.differences),
                rated=rated,
                open=undecided if one.state is State.NEW else 0,
            )
        self._count_decisions([one for one in changed if one.key in known])
        for one in changed:
            if known.get(one.key, _NOT_READ).version != _version(one):
                self._damaged_at[one.key] = moment

    def _count_decisions(self, there: Sequence[ReviewCandidate]) -> None:
        """Count what is open or changed in samples whose review began, one by one."""
        history = self._adjudications().samples
        edited = [one for one in there if one.key in history and history[one.key].later]
        changed = self._find_changed([one for one in edited if one.state is State.DONE])
        for one in there:
            # Nothing is open in a completed adjudication of work that is still the same.
            if one.state is State.NEW or (one.state is State.DONE and one.key not in changed):
                continue
            with suppress(Damaged), self.store.reading() as log:
                now = read_sample_work(log, self.corpus.sample(one.key).sample)
                counts = self._counts_by_sample[one.key]
                self._counts_by_sample[one.key] = replace(
                    counts, changed=len(now.changed), open=now.count_open()
                )

    def _read_groups(
        self, wanted: Sequence[ReviewCandidate]
    ) -> Iterator[tuple[ReviewCandidate, Sequence[CandidateGroup], Collection[str]]]:
        """Yield the candidate groups and ratings of samples, except those with damaged texts."""
        left = {one.key: one for one in wanted}
        if len(left.keys() - self._damaged_at.keys()) > _FEW_SAMPLES:
            with suppress(Damaged):  # ends the stream: what is left is read one by one
                for record in self.corpus.records(RecordFilter()):
                    if one := left.pop(record.sample.key, None):
                        yield one, *_group_record(record, one)
        with self.store.reading() as log:
            for one in left.values():
                try:
                    sample = self.corpus.sample(one.key).sample
                except Damaged:
                    continue
                now = read_sample_work(log, sample)
                yield one, now.groups, now.ratings.values()

    def adjudication_notice(self, person: str, key: SampleKey) -> SampleOutcome | None:
        """Return the adjudication of a sample as one of its annotators may see it.

        None before the adjudication is complete, or for people who did nothing on the sample.

        Raises:
            NotAllowed: the work is not the current user's.
            NotFound: the sample does not exist.
        """
        require_permission(self.actor, Permission.READ, person)
        learnt = self.store.adjudication_notice(person, key)
        if learnt is None:
            return None
        settled = learnt.annotations
        own_work = self.store.stream(person, key)
        outcomes = []
        used: set[str] = set()
        for annotation in own_work.annotations:
            mine = {annotation.id}
            of_it = [one for one in settled if one.settled and mine & set(one.settled.sources)]
            result = next((one for one in of_it if one.origin != REJECTED), None)
            refusal = next((one for one in of_it if one.origin == REJECTED), None)
            outcomes.append(AnnotationOutcome(annotation, result, refusal))
            used.update(one.id for one in of_it)
        added = tuple(one for one in settled if one.origin != REJECTED and one.id not in used)
        return SampleOutcome(
            key=key,
            outcomes=tuple(outcomes),
            added=added,
            rated=own_work.assignment.rating,
            rating=learnt.rating,
            comment=learnt.comment,
        )

    @cached_property
    def label_sets(self) -> LabelSets:
        return LabelSets(self.guidance)

    def check_reviewer(self, reviewer: str) -> None:
        """Raise NotAllowed unless the user may review, and acts in no other reviewer's name."""
        require_permission(self.actor, Permission.REVIEW)
        if self.actor != OPERATOR and reviewer != self.actor.person:
            raise NotAllowed(
                "you cannot review in the name of another user",
                "sign in as the user who reviews",
                code="not-your-review",
            )

    def refusal(self, log: EventLog, reviewer: str, now: SampleWork) -> str:
        """Return why a reviewer cannot adjudicate a sample; empty if the reviewer can."""
        readers = log.readers(now.sample.key)
        if readers.practice:
            return ReviewRefusal.PRACTICE
        if not now.people:
            return ReviewRefusal.NOT_DONE
        begun = now.settled.assignment.state is not State.NEW
        if readers.planned and not (readers.ready or begun):
            return ReviewRefusal.WAITS
        if self.has_own_work(log, reviewer, now.sample.key) and not self.own_allowed:
            return ReviewRefusal.OWN_WORK
        return ""

    def has_own_work(self, log: EventLog, reviewer: str, key: SampleKey) -> bool:
        """Return whether a reviewer annotated a sample, in either reading."""
        second = second_reader(Person(reviewer, reviewer, PersonKind.LOCAL)).id
        streams = [log.stream(name, key) for name in (reviewer, second)]
        return any(one.annotations or one.assignment.begun for one in streams)


def _find_position(line: Sequence[QueuedSample], key: SampleKey) -> int:
    """Return the number of a sample in the order of work, from 1; 0 if it is not in the queue.

    The queue moves a sample to its end when it is adjudicated. Counted from the start of the queue,
    the next open sample would always be the first one.
    """
    # A queue in the order of a score does not move samples.
    order = sorted(
        line, key=lambda row: (row.against is None, row.against is None and not row.settled)
    )
    return next((number for number, row in enumerate(order, 1) if row.key == key), 0)


def _version(one: ReviewCandidate) -> tuple[object, ...]:
    return one.finished, one.head, one.set_aside


def _group_record(
    record: Record, candidate: ReviewCandidate
) -> tuple[Sequence[CandidateGroup], Collection[str]]:
    by_person: dict[str, list[Annotation]] = {who: [] for who, _ in candidate.finished}
    for owned in record.annotations:
        if owned.person in by_person:
            by_person[owned.person].append(owned.annotation)
    rated = {each.person: each.rating for each in record.assignments}
    ratings = [rated.get(who, "") for who in by_person]
    return group_candidates(record.sample, by_person), ratings
