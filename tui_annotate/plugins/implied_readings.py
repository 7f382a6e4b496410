"""Completes, for each annotator of a file, the samples in which the annotator marked nothing.

Source: FaithBench's table of verdicts, in which each annotator of a batch read all of its samples.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.people import MAJORITY, SETTLED, Person, PersonKind
from tui_annotate.domain.records import Problem, Record


def list_annotators(items: Iterable[Record | Problem]) -> dict[str, Person]:
    """Return the people who annotated or began samples, by id; reviews and repeats don't count."""
    found: dict[str, Person] = {}
    for record in items:
        if isinstance(record, Record):
            active = {owned.person for owned in record.annotations}
            active |= {work.person for work in record.assignments if work.begun}
            found |= {each.id: each for each in record.people if each.id in active}
    for person in list(found.values()):
        if person.id in (SETTLED, MAJORITY) or person.kind is PersonKind.AGAIN:
            del found[person.id]
    return found


def complete_readings(record: Record, annotators: Mapping[str, Person]) -> Record:
    """Mark a sample as completed by all annotators who did not draft, skip or flag the sample."""
    begun = {work.person: work for work in record.assignments if work.begun}
    work = {each.person: each for each in record.assignments}
    done = {
        name: replace(work.get(name, Assignment(name)), state=State.DONE) for name in annotators
    }
    people = {person.id: person for person in record.people}
    work |= done | begun
    return replace(
        record,
        assignments=tuple(work.values()),
        people=tuple((dict(annotators) | people).values()),
    )
