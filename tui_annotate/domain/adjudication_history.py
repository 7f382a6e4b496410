"""What happened to annotators' work after its sample was adjudicated, computed from the event log.

The first completed adjudication of a sample closes it: from then on its annotators can see the
result, and their work is locked. A reviewer reopens the work of one person, or the sample with the
work of everyone. The next completed adjudication closes all of it again. Only events in the order
in which this store received them decide; the clock of another machine does not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from tui_annotate.domain.assignments import State
from tui_annotate.domain.history import (
    ALLOW,
    DISCARD,
    DONE,
    IMPORT,
    JOIN,
    READ,
    REDO,
    RELABEL,
    REOPEN,
    RETURN,
    UNDO,
)
from tui_annotate.domain.people import SETTLED, base_person
from tui_annotate.domain.samples import SampleKey

UNLOCKED_VERBS: Final = frozenset({READ, RELABEL, RETURN, DISCARD, IMPORT, JOIN})
"""Types of events that a lock never refuses: they are no action of an annotator.

They record working time, changes of the label set, reopening, removed samples, imported files and
merged people, and work that arrives from another workspace.
"""

LOCKED_CODE: Final = "adjudicated"
"""Code of the error that refuses an annotator's change of locked work."""

_NO_EDITS: Final = UNLOCKED_VERBS - {IMPORT, JOIN}


class LoggedChange(NamedTuple):
    """The fields of a stored event that determine what happened after an adjudication.

    Attributes:
        arrival: number of the event in the order in which this store received all events.
        state: the new state of the person's work on the sample; empty if the event keeps it.
        reason: the reason of a reviewer who reopened work; empty for all other events.
        batch: id that the events of one action share; empty for a single event.
    """

    arrival: int
    id: str
    person: str
    key: SampleKey
    seq: int
    verb: str
    state: str = ""
    undoes: str = ""
    batch: str = ""
    at: str = ""
    by: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Reopening:
    """A reviewer's reopening of one person's work; `person` is empty for the sample itself."""

    key: SampleKey
    person: str
    by: str
    at: str
    reason: str


@dataclass(slots=True)
class LaterWork:
    """One person's events on a sample after its first adjudication.

    Attributes:
        since: number of the person's first event on the sample that is no longer the work as it was
            adjudicated: an edit, or the reopening before it, by a reviewer or a change of labels.
        after_reopening: number of edits after a reviewer, or a change of labels, reopened the work.
        unasked: number of other edits: the dataset allows edits after adjudication, the work
            arrived from another workspace, or the adjudication was undone.
    """

    since: int = 0
    after_reopening: int = 0
    unasked: int = 0

    @property
    def edits(self) -> int:
        return self.after_reopening + self.unasked


@dataclass(slots=True)
class AdjudicatedSample:
    """A sample whose adjudication was completed at least once.

    Attributes:
        closed: whether the adjudication is complete, or is only being changed by a reviewer.
        reopened: whether a reviewer has reopened the sample for all its annotators.
        returned: people whose work was reopened, and who have not completed it since; the next
            completed adjudication ends it.
        excused: those of them without whom an admin allowed the next adjudication.
        imported: whether the adjudication came from a file.
        checked: people for whom the sample is practice or a check of their accuracy: their work is
            no part of the review, so that it is not counted, and locked only with other samples.
        reasons: reason of the last reopening of each person's work.
    """

    imported: bool
    checked: Collection[str] = ()
    closed: bool = True
    reopened: bool = False
    returned: set[str] = field(default_factory=set)
    excused: set[str] = field(default_factory=set)
    reasons: dict[str, str] = field(default_factory=dict)
    later: dict[str, LaterWork] = field(default_factory=dict)
    reopenings: list[Reopening] = field(default_factory=list)

    def locks(self, person: str) -> bool:
        """Return whether a person may no longer change their own work on the sample."""
        return self.closed and person not in self.returned and person not in self.checked

    @property
    def edited_by(self) -> tuple[str, ...]:
        """Sorted ids of the people who edited their work after the first adjudication."""
        return tuple(sorted(who for who, work in self.later.items() if work.edits))


class _AdjudicationState(NamedTuple):
    """What an undo restores of a sample."""

    closed: bool = False
    reopened: bool = False
    returned: frozenset[str] = frozenset()


@dataclass(slots=True)
class AdjudicationHistory:
    """All adjudicated samples, from events that `take` gets in the order of their arrival.

    Attributes:
        last: number of the last event in the order of arrival.
    """

    samples: dict[SampleKey, AdjudicatedSample] = field(default_factory=dict)
    last: int = 0
    _checked: Mapping[SampleKey, Collection[str]] = field(default_factory=dict)
    _before: dict[str, _AdjudicationState] = field(default_factory=dict)

    def set_checked(self, checked: Mapping[SampleKey, Collection[str]]) -> None:
        """Set for whom samples are practice or checks of accuracy, before `take` is called."""
        self._checked = checked
        for key, people in checked.items():
            if sample := self.samples.get(key):
                sample.checked = people

    def take(self, changes: Iterable[LoggedChange]) -> None:
        """Apply events that arrived after those of earlier calls, in the order of their arrival.

        Work on samples that were never adjudicated is ignored.
        """
        for change in changes:
            self.last = max(self.last, change.arrival)
            if change.person == SETTLED:
                self._take_review(change)
            elif (sample := self.samples.get(change.key)) and change.person not in sample.checked:
                _take_work(sample, change)

    def _take_review(self, change: LoggedChange) -> None:
        sample = self.samples.get(change.key)
        before = _AdjudicationState()
        if sample:
            before = _AdjudicationState(sample.closed, sample.reopened, frozenset(sample.returned))
        self._before[change.id] = before
        if change.verb == DISCARD:
            self.samples.pop(change.key, None)
        elif change.verb in (UNDO, REDO):
            if sample:
                _restore(sample, change.verb, self._before.get(change.undoes, before))
        elif change.state == State.DONE:
            if sample is None:
                checked = self._checked.get(change.key, ())
                self.samples[change.key] = AdjudicatedSample(change.verb == IMPORT, checked)
            else:
                sample.closed = True
                sample.reopened = False
                # Otherwise those who did not complete it could still copy the new result.
                sample.returned.clear()
                sample.excused.clear()
        elif sample and change.verb == ALLOW:
            sample.excused |= sample.returned
        elif sample and change.verb == REOPEN and change.reason:
            # Without a reason, a reviewer only changes the adjudication: the work stays locked.
            sample.closed = False
            sample.reopened = True
            sample.reopenings.append(Reopening(change.key, "", change.by, change.at, change.reason))

    def locks(self, person: str, key: SampleKey) -> bool:
        """Return whether a person may no longer change their own work on a sample.

        False for a sample whose adjudication was never completed.
        """
        sample = self.samples.get(key)
        return sample is not None and sample.locks(person)

    def later_work(self) -> Iterator[tuple[SampleKey, str, LaterWork]]:
        """Yield (sample, person, work) wherever work has changed since it was adjudicated."""
        for key, sample in self.samples.items():
            for person, work in sample.later.items():
                yield key, person, work


def _restore(sample: AdjudicatedSample, verb: str, state: _AdjudicationState) -> None:
    if sample.closed and not state.closed:
        sample.returned |= state.returned
    elif state.closed and verb == REDO:
        # An undo of a reopening closes the sample too, but the work has begun to change.
        sample.returned &= state.returned
    sample.closed = state.closed
    sample.reopened = state.reopened


def _take_work(sample: AdjudicatedSample, change: LoggedChange) -> None:
    person = change.person
    if change.verb == RETURN:
        sample.returned.add(person)
        sample.excused.discard(person)
        sample.reasons[person] = change.reason
        sample.reopenings.append(Reopening(change.key, person, change.by, change.at, change.reason))
        _later_work(sample, change)
    elif change.verb == RELABEL and change.state == State.REOPENED:
        sample.returned.add(person)  # the label set asks for a new choice
        _later_work(sample, change)
    elif _is_edit(sample, change):
        work = _later_work(sample, change)
        if sample.reopened or person in sample.returned:
            work.after_reopening += 1
        else:
            work.unasked += 1
    if change.state and State(change.state).finished:
        sample.returned.discard(person)


def _is_edit(sample: AdjudicatedSample, change: LoggedChange) -> bool:
    if base_person(change.person) != change.person:
        return False  # a second reading is no part of the review
    if change.verb == IMPORT:
        # The batch of a merge of two people moves old work; a file may bring both at once.
        return not (change.batch or sample.imported)
    if change.verb == DONE and change.person in sample.returned:
        return False  # completed again, perhaps without a change
    return change.verb not in _NO_EDITS


def _later_work(sample: AdjudicatedSample, change: LoggedChange) -> LaterWork:
    return sample.later.setdefault(change.person, LaterWork(change.seq))


@dataclass(frozen=True, slots=True)
class PostAdjudicationCounts:
    """Counts of what happened to annotators' work after it was adjudicated.

    A reading is one person's work on one sample.

    Attributes:
        adjudicated: number of samples whose adjudication was completed at least once.
        edited_samples: number of adjudicated samples in which an annotator edited the work after
            the first adjudication.
        edited_readings: number of readings of adjudicated samples that were edited so.
        edits_after_reopening: number of edits after a reviewer, or a change of labels, reopened the
            work.
        edits_without_reopening: number of all other edits after the first adjudication.
        reopenings: reopenings of adjudicated work by reviewers: in JSON their number, in Python
            each with its reason, in the order of the log.
    """

    adjudicated: int = 0
    edited_samples: int = 0
    edited_readings: int = 0
    edits_after_reopening: int = 0
    edits_without_reopening: int = 0
    reopenings: tuple[Reopening, ...] = ()

    @property
    def edits(self) -> int:
        return self.edits_after_reopening + self.edits_without_reopening


def count_later_work(history: AdjudicationHistory, dataset: str = "") -> PostAdjudicationCounts:
    """Count what happened after adjudication, in one dataset or (empty) in the workspace."""
    chosen = {
        key: sample for key, sample in history.samples.items() if dataset in ("", key.dataset)
    }
    work = [each for sample in chosen.values() for each in sample.later.values()]
    reopenings = [each for sample in chosen.values() for each in sample.reopenings]
    return PostAdjudicationCounts(
        adjudicated=len(chosen),
        edited_samples=sum(bool(sample.edited_by) for sample in chosen.values()),
        edited_readings=sum(bool(each.edits) for each in work),
        edits_after_reopening=sum(each.after_reopening for each in work),
        edits_without_reopening=sum(each.unasked for each in work),
        reopenings=tuple(sorted(reopenings, key=lambda each: each.at)),
    )
