"""Human labels of samples: one label (unsupported or not) per sample, or why there is none.

A reader's labels count if the reader completed the sample, or if the annotations were imported
without states. Annotations by machines never count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum, unique
from typing import Final

from tui_annotate.domain.annotations import Annotation, LabelPath
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.checked_readings import CheckedReading
from tui_annotate.domain.people import SETTLED, base_person
from tui_annotate.domain.records import Record
from tui_annotate.domain.scores import Pooling, pool_verdicts
from tui_annotate.domain.suggested_work import (
    SUGGESTED_READING,
    Answers,
    SuggestedReadings,
    count_suggested_reading,
)

BENIGN: Final = "benign"
"""Top-level label of supported samples; by default, all other labels mean unsupported."""
MACHINE: Final = "machine:"
"""Prefix of the id of a model that annotated, and of the origin of the model's annotations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TruthOptions:
    """Options for the human labels with which scores are compared.

    Attributes:
        unwanted: labels of unsupported samples, with all their sub-labels; empty for all but those
            in `benign`.
        benign: top-level labels of supported samples, casefolded; the label Benign under all of
            its names.
        unmarked_clean: count samples that no annotator marked as supported.
        without_suggested_work: exclude the work of annotators on samples in which they answered a
            machine's suggestion. Rejections are excluded, too: work of which only acceptances are
            excluded would count against the machine.
    """

    people: frozenset[str] = frozenset()
    unwanted: tuple[LabelPath, ...] = ()
    benign: frozenset[str] = frozenset({BENIGN})
    pool: Pooling = Pooling.WORST
    unmarked_clean: bool = False
    without_suggested_work: bool = False


@dataclass(frozen=True, slots=True)
class SampleTruth:
    """The human label of a sample, True for unsupported; None for a tie or no judgement.

    Attributes:
        readings: the annotations of each annotator whose work counts.
        makers: makers of the suggestions that these annotators answered on the sample.
    """

    unsupported: bool | None
    readings: tuple[tuple[Annotation, ...], ...] = ()
    makers: frozenset[str] = frozenset()


@unique
class NoTruthReason(StrEnum):
    """Why a sample has no human label."""

    SUGGESTED = "all annotators of the sample answered a machine's suggestion"
    TIE = "equally many annotators call the sample unsupported and supported"
    UNREAD = "no annotator completed the sample"


@dataclass(slots=True)
class HumanTruths:
    """Human labels of samples, each combined from the work of several annotators."""

    options: TruthOptions
    answers: Answers = field(default_factory=dict)
    unjudged: Counter[str] = field(default_factory=Counter)
    ignored_readings: Counter[str] = field(default_factory=Counter)
    suggested: dict[str, SuggestedReadings] = field(default_factory=dict)
    """Work that began with suggestions, by maker; also if it is excluded."""

    def judge(self, record: Record) -> SampleTruth:
        """Return whether annotators call a sample unsupported, and the work that shows it."""
        marks: dict[str, list[Annotation]] = {}
        for owned in record.annotations:
            if not owned.annotation.origin.startswith(MACHINE):
                marks.setdefault(owned.person, []).append(owned.annotation)
        readings: list[tuple[Annotation, ...]] = []
        makers: set[str] = set()
        excluded = 0
        for person, own in self._readings(record, marks):
            answered = self._count_answers(record, person, marks)
            if answered and self.options.without_suggested_work:
                self.ignored_readings[SUGGESTED_READING] += 1
                excluded += 1
                continue
            makers |= answered
            readings.append(tuple(own))
        if not readings and not marks and not excluded and self.options.unmarked_clean:
            return SampleTruth(unsupported=False)
        verdicts = [self.is_unsupported(own) for own in readings]
        verdict = pool_verdicts(verdicts, self.options.pool)
        if verdict is None:
            without = NoTruthReason.SUGGESTED if excluded else NoTruthReason.UNREAD
            self.unjudged[NoTruthReason.TIE if verdicts else without] += 1
        return SampleTruth(verdict, tuple(readings), frozenset(makers))

    def leave_out_checked(self, checked: Iterable[CheckedReading]) -> None:
        """Count the readings of practice and of checks of accuracy that would count otherwise."""
        for each in checked:
            if each.read and self._counts(each.person):
                self.ignored_readings[each.reason] += 1

    def _count_answers(
        self, record: Record, person: str, marks: Mapping[str, Sequence[Annotation]]
    ) -> set[str]:
        """Count a person's answers to suggestions on a sample; return the suggestions' makers.

        An adjudicated result rests on the work of all annotators of the sample.
        """
        people = [person]
        if person == SETTLED:
            people = [work.person for work in record.assignments]
        work = {each: marks.get(each, ()) for each in people}
        return count_suggested_reading(self.suggested, self.answers, record.sample.key, work=work)

    def _readings(
        self, record: Record, marks: Mapping[str, list[Annotation]]
    ) -> Iterator[tuple[str, list[Annotation]]]:
        for work in record.assignments:
            own = marks.get(work.person, [])
            if self._counts(work.person) and self._is_done(work, own):
                yield work.person, own

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

    def is_unsupported(self, own: Iterable[Annotation]) -> bool:
        """Return whether any annotation of a reading marks an unsupported claim."""
        return any(self.marks_unsupported(each.labels) for each in own)

    def marks_unsupported(self, labels: Sequence[LabelPath]) -> bool:
        """Return whether an annotation with these labels marks an unsupported claim."""
        unwanted = self.options.unwanted
        if not unwanted:
            benign = self.options.benign
            return not labels or any(path[0].casefold() not in benign for path in labels)
        return any(path[: len(one)] == one for path in labels for one in unwanted)
