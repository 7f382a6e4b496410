"""What people say of samples as one word each: unsupported or not; and why of some nothing is said.

A reader counts who is done, or whose marks came in without states. What machines marked never does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from tui_annotate.domain.annotations import Annotation, LabelPath
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.people import SETTLED, reader
from tui_annotate.domain.pooling import Pooling, pooled
from tui_annotate.domain.records import Record

BENIGN: Final = "benign"
"""The top label, in whatever case, that calls nothing unsupported where no label is named."""
MACHINE: Final = "machine:"
"""Begins the origin of what a machine marked, and the id of a machine among the people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Whose word counts, and what of it.

    Attributes:
        people: ids; empty for all readers, without review.
        unwanted: paths of labels that call a sample unsupported, with all below them; empty for
            all but Benign, marks without a label among them.
        clean: samples in which nobody marked anything, and which nobody is said to have read, are
            taken for read and supported.
    """

    people: frozenset[str] = frozenset()
    unwanted: tuple[LabelPath, ...] = ()
    pool: Pooling = Pooling.WORST
    clean: bool = False


@dataclass(slots=True)
class Truths:
    """Makes one word of a sample's readings.

    Attributes:
        left: why nothing is said of samples, with how many.
        work: why readings did not count, with how many.
        labels: that were met.
    """

    wanted: Wanted
    left: Counter[str] = field(default_factory=Counter)
    work: Counter[str] = field(default_factory=Counter)
    labels: set[LabelPath] = field(default_factory=set)

    def of(self, record: Record) -> bool | None:
        """Whether a sample is unsupported; None where nobody says, or as many say so as not."""
        marks: dict[str, list[Annotation]] = {}
        for owned in record.annotations:
            if not owned.annotation.origin.startswith(MACHINE):
                marks.setdefault(owned.person, []).append(owned.annotation)
                self.labels.update(owned.annotation.labels)
        words = [self._unsupported(own) for own in self._readings(record, marks)]
        if not words and not marks and self.wanted.clean:
            return False
        word = pooled(words, self.wanted.pool)
        if word is None:
            why = "as many call it unsupported as do not" if words else "nobody read it"
            self.left[why] += 1
        return word

    def _readings(
        self, record: Record, marks: Mapping[str, list[Annotation]]
    ) -> Iterator[list[Annotation]]:
        for work in record.assignments:
            own = marks.get(work.person, [])
            if self._counts(work.person) and self._is_done(work, own):
                yield own

    def _counts(self, person: str) -> bool:
        if self.wanted.people:
            return person in self.wanted.people
        again = reader(person) != person
        return not (again or person == SETTLED or person.startswith(MACHINE))

    def _is_done(self, work: Assignment, own: Iterable[Annotation]) -> bool:
        if work.state is State.DONE or (work.state is State.NEW and own):
            return True
        if work.state is not State.NEW:
            self.work[f"{work.state.value}, not done"] += 1
        return False

    def _unsupported(self, own: Iterable[Annotation]) -> bool:
        unwanted = self.wanted.unwanted
        if not unwanted:
            return any(
                not each.labels or any(path[0].casefold() != BENIGN for path in each.labels)
                for each in own
            )
        return any(
            path[: len(one)] == one for each in own for path in each.labels for one in unwanted
        )
