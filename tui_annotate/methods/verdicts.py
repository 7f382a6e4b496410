"""People's verdict on a sample from its annotations: supported, unsupported or undecided."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tui_annotate.domain.annotations import REJECTED, Annotation
from tui_annotate.domain.assignments import State
from tui_annotate.domain.label_changes import FormerNames, find_labels_once_named
from tui_annotate.domain.people import SETTLED, PersonKind
from tui_annotate.domain.records import Record

HARMLESS: Final = frozenset({"Benign", "Consistent"})
"""Top-level labels of claims that do not make a sample unsupported."""
OPEN: Final = frozenset({"Questionable"})
"""Top-level labels of claims whose support the annotators could not decide."""


def find_verdict(record: Record, former: FormerNames = ()) -> bool | None:
    """Return whether annotators found a summary supported by its source; None if undecided.

    Adjudicated work takes precedence; without it, the majority of people who completed the sample
    decides, and a tie is undecided. One person's verdict is "unsupported" if a claim has no label
    or a label outside `HARMLESS` and `OPEN`; else undecided if a claim is `OPEN`; else "supported".
    Second readings and machine annotations are ignored. `former`: former names of labels of the
    record's dataset; a label that was renamed keeps its meaning.
    """
    again = {person.id for person in record.people if person.kind is PersonKind.AGAIN}
    work: dict[str, list[Annotation]] = {
        each.person: [] for each in record.assignments if each.state is State.DONE
    }
    for owned in record.annotations:
        if owned.person in work and _is_counted(owned.annotation):
            work[owned.person].append(owned.annotation)
    harmless = find_labels_once_named(HARMLESS, former)
    undecided = find_labels_once_named(OPEN, former)

    def judge(found: Iterable[Annotation]) -> bool | None:
        tops = {
            label[0].casefold() if label else "" for one in found for label in one.labels or ((),)
        }
        if tops - harmless - undecided:
            return False
        return None if tops & undecided else True

    if SETTLED in work:
        return judge(work[SETTLED])
    said = [judge(found) for person, found in work.items() if person not in again]
    right = said.count(True)
    wrong = said.count(False)
    return None if right == wrong else right > wrong


def _is_counted(annotation: Annotation) -> bool:
    machine = annotation.origin.startswith("machine:")
    return bool(annotation.claim) and annotation.origin != REJECTED and not machine
