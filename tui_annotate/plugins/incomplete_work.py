"""Marks the work of people as in progress if a part of their annotations was refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import Person
from tui_annotate.domain.records import Problem, Record
from tui_annotate.plugins.json_records import Doubt
from tui_annotate.plugins.record_validation import imported_person


def mark_incomplete(
    record: Record, refused: Iterable[str | Person], errors: list[Doubt] | list[Problem]
) -> Record:
    """Return the record with the work of people with a refused annotation in progress.

    A completed sample without an annotation counts as "nothing marked" in agreement, which is
    false if the annotation was refused. Skipped and flagged samples stay so.

    Args:
        refused: the people, or their ids, with at least one refused annotation or span.
        errors: the errors and warnings about the record. The last error gets the names of the
            people whose work is now in progress.
    """
    work = {one.person: one for one in record.assignments}
    people = {person.id: person for person in record.people}
    changed: list[str] = []
    for each in refused:
        person = each if isinstance(each, Person) else imported_person(each)
        people.setdefault(person.id, person)
        before = work.get(person.id, Assignment(person.id))
        if before.state in (State.DONE, State.NEW):
            work[person.id] = replace(before, state=State.DRAFT)
            changed.append(person.id)
    name_people_in_progress(changed, errors)
    return replace(record, assignments=tuple(work.values()), people=tuple(people.values()))


def name_people_in_progress(people: Sequence[str], errors: list[Any]) -> None:
    """Add the names of people whose work is in progress to the last error of a list.

    `errors` has errors and warnings as `Doubt`, or as `Problem`; it may have no error.
    """
    if not people:
        return
    addition = f" (the sample of {', '.join(map(repr, people))} counts as in progress)"
    for place in reversed(range(len(errors))):
        error = errors[place]
        if isinstance(error, InvalidInput):
            message = error.message + addition
            errors[place] = InvalidInput(message, error.hint, code=error.code)
            return
        if isinstance(error, Problem) and error.refuses_part:
            errors[place] = replace(error, message=error.message + addition)
            return


def list_people_with_less(given: Iterable[Any], record: Record) -> list[str]:
    """Return the people who have fewer annotations in a record than the file gives.

    `given` contains the annotator of each annotation of the file; values that are no text, and
    thus no annotator, are ignored.
    """
    kept = Counter(owned.person for owned in record.annotations)
    return list(Counter(each for each in given if isinstance(each, str) and each) - kept)
