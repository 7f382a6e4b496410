"""First and second readings of samples by the same person, as they were independent of each other.

A second reading measures whether a person agrees with themselves. The first reading counts as it
was when the second began; if the person had reopened it by then, it is not complete and does not
count. The second reading counts as it was when it was first completed, because from then on the
person can see the first one. Later edits of both change no agreement; they are counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from tui_annotate.domain.adjudication_history import LoggedChange
from tui_annotate.domain.assignments import State
from tui_annotate.domain.history import DISCARD, DONE, IMPORT, READ, RELABEL, REOPEN, RETURN

_NO_CHANGE: Final = frozenset({READ, RELABEL, DISCARD})
"""Types of events that change no work of an annotator: time, label changes, removed samples."""
_REOPENING: Final = frozenset({"add", "edit", "remove", "clear", "accept", REOPEN, RETURN})
"""Types of events after which completed work is reopened; others name the state, or keep it."""


@dataclass(slots=True)
class RepeatedReading:
    """One person's two readings of a sample.

    Attributes:
        first_since: number of the first event of the first reading that came after the second
            reading had begun and may have changed the work; 0 if there is none.
        first_edits: number of edits of the first reading from then on.
        second_since, second_edits: the same of the second reading after its first completion.
        first_reopened: whether the first reading had been completed, but was not complete when the
            second reading began.
    """

    first_since: int = 0
    first_edits: int = 0
    second_since: int = 0
    second_edits: int = 0
    first_reopened: bool = False


@dataclass(frozen=True, slots=True)
class RepeatedReadingCounts:
    """Numbers of second readings that were begun, and of those whose readings were edited later.

    Attributes:
        readings: second readings that were begun.
        edited_first: readings whose first reading was edited after the second had begun.
        edited_second: readings whose second reading was edited after its completion.
        reopened_first: readings whose first reading had been completed, but was reopened when the
            second began; they are not compared.
    """

    readings: int = 0
    edited_first: int = 0
    edited_second: int = 0
    reopened_first: int = 0


def compare_readings(
    first: Sequence[LoggedChange], second: Sequence[LoggedChange]
) -> RepeatedReading | None:
    """Return what happened to a person's two readings of a sample; None if the second has no event.

    Args:
        first, second: the events of each reading, in order.
    """
    first = _without_discarded(first)
    second = _without_discarded(second)
    began = next((change for change in second if change.verb not in (RELABEL, RETURN)), None)
    if began is None:
        return None
    found = RepeatedReading()
    completed = False
    state = ""
    for change in first:
        # Work that arrives from another workspace arrives reading by reading, so that only its
        # times show what was edited later. Before the completion, a clock that was wrong must not
        # exclude the reading.
        later = change.arrival > began.arrival or (completed and change.at > began.at)
        if not later:
            completed = completed or change.state == State.DONE
            state = change.state or ("" if change.verb in _REOPENING else state)
        elif _is_label_reopening(change):
            found.first_since = found.first_since or change.seq
        elif not _is_original(change, imported=began.verb == IMPORT):
            found.first_since = found.first_since or change.seq
            if change.verb not in (DONE, RETURN):
                found.first_edits += 1
    found.first_reopened = completed and state != State.DONE
    completed = False
    for change in second:
        if not completed:
            completed = change.state == State.DONE
        elif _is_label_reopening(change):
            found.second_since = found.second_since or change.seq
        elif not _is_original(change, imported=began.verb == IMPORT):
            found.second_since = found.second_since or change.seq
            if change.verb not in (DONE, RETURN):
                found.second_edits += 1
    return found


def _is_label_reopening(change: LoggedChange) -> bool:
    """Return whether a label change reopened the work: what follows differs from what was done."""
    return change.verb == RELABEL and change.state == State.REOPENED


def _is_original(change: LoggedChange, *, imported: bool) -> bool:
    """Return whether an event changes no work, or brings work as it was made elsewhere."""
    if change.verb == IMPORT:
        # The batch of a merge of two people moves old work; a file may bring both readings.
        return imported or bool(change.batch)
    return change.verb in _NO_CHANGE


def _without_discarded(changes: Sequence[LoggedChange]) -> Sequence[LoggedChange]:
    ends = [at for at, change in enumerate(changes) if change.verb == DISCARD]
    return changes[ends[-1] + 1 :] if ends else changes


def count_repeated(readings: Iterable[RepeatedReading]) -> RepeatedReadingCounts:
    """Count readings that were repeated, and those that were edited or reopened later."""
    found = list(readings)
    return RepeatedReadingCounts(
        readings=len(found),
        edited_first=sum(bool(each.first_edits) for each in found),
        edited_second=sum(bool(each.second_edits) for each in found),
        reopened_first=sum(each.first_reopened for each in found),
    )
