"""Human labels of samples: one label (unsupported or not) per sample, or why there is none.

A reader's labels count if the reader completed the sample, or if the annotations were imported
without states. Annotations by machines never count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum, unique
from typing import Final

from tui_annotate.domain.annotations import Annotation, LabelPath
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.people import SETTLED, base_person
from tui_annotate.domain.records import Record
from tui_annotate.domain.scores import Pooling, pool_verdicts

BENIGN: Final = "benign"
"""Top-level label of supported samples; by default, all other labels mean unsupported."""
MACHINE: Final = "machine:"
"""Prefix of the id of a model that annotated, and of the origin of the model's annotations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TruthOptions:
    """Options for the human labels with which scores are compared.

    Attributes:
        unwanted: labels of unsupported samples, with all their sub-labels; empty for all but
        Benign.
        unmarked_clean: count samples that no annotator marked as supported.
    """

    people: frozenset[str] = frozenset()
    unwanted: tuple[LabelPath, ...] = ()
    pool: Pooling = Pooling.WORST
    unmarked_clean: bool = False


@unique
class NoTruthReason(StrEnum):
    TIE = "equally many annotators call the sample unsupported and supported"
    UNREAD = "no annotator completed the sample"


@dataclass(slots=True)
class HumanTruths:
    """Human labels of samples, each combined from the work of several annotators."""

    options: TruthOptions
    unjudged: Counter[str] = field(default_factory=Counter)
    ignored_readings: Counter[str] = field(default_factory=Counter)

    def label(self, record: Record) -> bool | None:
        """Return whether annotators call a sample unsupported; None for a tie or no judgement."""
        marks: dict[str, list[Annotation]] = {}
        for owned in record.annotations:
            if not owned.annotation.origin.startswith(MACHINE):
                marks.setdefault(owned.person, []).append(owned.annotation)
        verdicts = [self._unsupported(own) for own in self._readings(record, marks)]
        if not verdicts and not marks and self.options.unmarked_clean:
            return False
        verdict = pool_verdicts(verdicts, self.options.pool)
        if verdict is None:
            why = NoTruthReason.TIE if verdicts else NoTruthReason.UNREAD
            self.unjudged[why] += 1
        return verdict

    def _readings(
        self, record: Record, marks: Mapping[str, list[Annotation]]
    ) -> Iterator[list[Annotation]]:
        for work in record.assignments:
            own = marks.get(work.person, [])
            if self._counts(work.person) and self._is_done(work, own):
                yield own

    def _counts(self, person: str) -> bool:
        if self.options.people:
            return person in self.options.people
        again = base_person(person) != person
        return not (again or person == SETTLED or person.startswith(MACHINE))

    def _is_done(self, work: Assignment, own: Iterable[Annotation]) -> bool:
        if work.state is State.DONE or (work.state is State.NEW and own):
            return True
        if work.state is not State.NEW:
            self.ignored_readings[
                f"the annotator has not completed the sample (state: {work.state.value})"
            ] += 1
        return False

    def _unsupported(self, own: Iterable[Annotation]) -> bool:
        unwanted = self.options.unwanted
        if not unwanted:
            return any(
                not each.labels or any(path[0].casefold() != BENIGN for path in each.labels)
                for each in own
            )
        return any(
            path[: len(one)] == one for each in own for path in each.labels for one in unwanted
        )
