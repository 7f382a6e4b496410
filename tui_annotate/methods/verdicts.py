"""What people's work says of a sample as a whole: supported or not; nothing where they differ."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tui_annotate.domain.annotations import REJECTED, Annotation
from tui_annotate.domain.assignments import State
from tui_annotate.domain.people import SETTLED, PersonKind
from tui_annotate.domain.records import Record

HARMLESS: Final = frozenset({"Benign", "Consistent"})
"""Top labels of what a summary may say all the same."""
OPEN: Final = frozenset({"Questionable"})
"""Top labels of what can not be decided."""


def find_verdict(record: Record) -> bool | None:
    """Whether people found a sample supported by its source; None where they do not say.

    What review settled goes before all else; without it, most of those who are done decide. Of
    one person: a claim under any label but `HARMLESS` and `OPEN`, or under none, makes it
    unsupported; to be done without such a claim makes it supported, unless one is `OPEN`. Second
    readings and the work of machines do not count. A tie says nothing.
    """
    again = {person.id for person in record.people if person.kind is PersonKind.AGAIN}
    work: dict[str, list[Annotation]] = {
        each.person: [] for each in record.assignments if each.state is State.DONE
    }
    for owned in record.annotations:
        if owned.person in work and _is_counted(owned.annotation):
            work[owned.person].append(owned.annotation)
    if SETTLED in work:
        return _verdict_of_person(work[SETTLED])
    said = [_verdict_of_person(found) for person, found in work.items() if person not in again]
    right, wrong = said.count(True), said.count(False)
    return None if right == wrong else right > wrong


def _is_counted(annotation: Annotation) -> bool:
    machine = annotation.origin.startswith("machine:")
    return bool(annotation.claim) and annotation.origin != REJECTED and not machine


def _verdict_of_person(found: Iterable[Annotation]) -> bool | None:
    tops = {label[0] if label else "" for one in found for label in one.labels or ((),)}
    if tops - HARMLESS - OPEN:
        return False
    return None if tops & OPEN else True
