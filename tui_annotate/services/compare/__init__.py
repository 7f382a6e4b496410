"""Machines held to account: each score, and each detector's column, against what people say.

Reads alone. A sample is one case; summaries of one text are drawn together for intervals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

import numpy as np

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.labels import JOINER
from tui_annotate.domain.nearest import meant
from tui_annotate.domain.people import OPERATOR, SETTLED, Actor, Verb, require
from tui_annotate.domain.pooling import Pooling
from tui_annotate.domain.records import RecordFilter
from tui_annotate.domain.scores import Run, RunKind
from tui_annotate.methods.detection import area, best_threshold, detected
from tui_annotate.services.compare.cases import (
    SHOWN,
    Cases,
    Machine,
    Said,
    Told,
    number,
    told_apart,
)
from tui_annotate.services.compare.truths import Truths, Wanted

if TYPE_CHECKING:
    from tui_annotate.storage.corpus.store import CorpusStore
    from tui_annotate.storage.people.store import PeopleStore
    from tui_annotate.storage.scores.store import ScoreStore

__all__ = ["Against", "Asked", "Compare", "Comparison", "Machine", "Told"]

_TWO: Final = 2
"""Values between which there is one threshold alone."""
_CHANCE: Final = 0.5
"""The area of what tells nothing."""


class Against(StrEnum):
    """Whose word counts where no person is named."""

    PEOPLE = "people"
    SETTLED = "settled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is compared with whom.

    Attributes:
        scores: names of scores or of their makers; where no columns are named either, all.
        columns: names of meta that hold detectors' numbers.
        against: `people`, `settled`, or a person's id or name.
        unwanted: labels that call a sample unsupported; empty for all but Benign.
        clean: see `truths.Wanted`.
        thresholds: by score or column; for the name "" of all that are not named.
        low, high: scores and columns of which a low value, or a high one, is the better supported.
    """

    dataset: str
    scores: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    against: str = Against.PEOPLE
    unwanted: tuple[str, ...] = ()
    pool: Pooling = Pooling.WORST
    clean: bool = False
    thresholds: Mapping[str, float] = field(default_factory=dict)
    low: frozenset[str] = frozenset()
    high: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What was found.

    Attributes:
        asked: as it was taken: labels in full.
        samples: of the dataset.
        unsupported, supported: as people say.
        left: samples of which nothing is said, and why; then readings that did not count.
    """

    asked: Asked
    samples: int
    unsupported: int
    supported: int
    left: Mapping[str, int]
    work: Mapping[str, int]
    machines: tuple[Machine, ...]


@dataclass(frozen=True, slots=True)
class Compare:
    """Compares machines with people.

    Attributes:
        check: what makes filters those of the stores, and refuses what names nothing.
        actor: who asks; who may not report on all is refused.
    """

    corpus: CorpusStore
    scores: ScoreStore
    people: PeopleStore
    check: Callable[[RecordFilter], RecordFilter]
    actor: Actor = OPERATOR

    def report(self, asked: Asked) -> Comparison:
        """All figures; the work is read once.

        Raises:
            NotAllowed: this actor may not report on everybody.
            InvalidInput: something names nothing that is there, or there is nothing to compare.
            NotFound: no sample has a column.
        """
        require(self.actor, Verb.REPORT)
        asked = self._checked(asked)
        runs = self._runs(asked)
        truths = Truths(self._wanted(asked))
        cases = self._cases(asked, truths)
        said = told_apart([*self._scored(asked, runs, cases), *cases.columned(asked.columns)])
        if not said:
            raise _nothing(asked, runs, cases)
        _refuse_strangers(asked, [each.name for each in said])
        return Comparison(
            asked=asked,
            samples=cases.samples,
            unsupported=sum(cases.unsupported),
            supported=len(cases.unsupported) - sum(cases.unsupported),
            left=dict(sorted(truths.left.items())),
            work=dict(sorted(truths.work.items())),
            machines=tuple(_machine(each, asked, cases) for each in said),
        )

    # what is asked for --------------------------------------------------------------------------

    def _checked(self, asked: Asked) -> Asked:
        self.check(RecordFilter(dataset=asked.dataset))
        labels = (self.check(RecordFilter(label=each)).label for each in asked.unwanted)
        if asked.against not in list(Against):
            self.check(RecordFilter(person=asked.against))
        return replace(asked, unwanted=tuple(labels))

    def _wanted(self, asked: Asked) -> Wanted:
        people = {
            person.id for person in self.people.all() if asked.against in (person.id, person.name)
        }
        named = {Against.PEOPLE.value: set(), Against.SETTLED.value: {SETTLED}}
        return Wanted(
            people=frozenset(named.get(asked.against, people)),
            unwanted=tuple(tuple(each.split(JOINER)) for each in asked.unwanted),
            pool=asked.pool,
            clean=asked.clean,
        )

    def _runs(self, asked: Asked) -> list[Run]:
        """The newest of each maker and kind that scores, by when they began."""
        runs = self.scores.runs(asked.dataset)
        newest = {(run.kind, run.maker): run for run in runs if run.kind is not RunKind.SUGGEST}
        known = {*self.scores.names(asked.dataset), *(maker for _, maker in newest)}
        for name in asked.scores:
            if name not in known:
                there = ", ".join(sorted(known)[:SHOWN]) or "none; make some: tui-annotate score"
                hint = f"{meant(name, known)}there are: {there}"
                raise InvalidInput(f"dataset {asked.dataset!r} has no score {name!r}", hint)
        return list(newest.values())

    # what is read -------------------------------------------------------------------------------

    def _cases(self, asked: Asked, truths: Truths) -> Cases:
        cases = Cases(asked.columns)
        for record in self.corpus.records(RecordFilter(dataset=asked.dataset)):
            cases.add(record.sample, unsupported=truths.of(record))
        return cases

    def _scored(self, asked: Asked, runs: Iterable[Run], cases: Cases) -> Iterator[Said]:
        if asked.columns and not asked.scores:
            return
        for run in runs:
            found: dict[str, dict[int, float]] = {}
            for key, scores in self.scores.scores(asked.dataset, runs=[run.id]):
                for score in scores if key in cases.places else ():
                    if score.extra == 0 and score.raw is not None:
                        found.setdefault(score.name, {})[cases.places[key]] = score.raw
            for name, values in found.items():
                if not asked.scores or {name, run.maker} & {*asked.scores}:
                    yield Said(name, run.maker, run.id, values, low=name in run.low)


def _nothing(asked: Asked, runs: Sequence[Run], cases: Cases) -> InvalidInput:
    """Why there is nothing to compare: no scores, no numbers among them, or nobody's word."""
    if not runs:
        hint = cases.hint("make some, or name a detector's --column;")
        return InvalidInput(f"dataset {asked.dataset!r} has no scores", hint)
    if not cases.places:
        hint = "people annotate and finish samples first, or --unmarked-clean"
        return InvalidInput(f"dataset {asked.dataset!r} has no sample that people judged", hint)
    named = ", ".join(asked.scores) or "the scores"
    hint = "see what each holds: tui-annotate score list"
    return InvalidInput(f"{named}: no number of any sample that people judged", hint)


def _refuse_strangers(asked: Asked, names: Sequence[str]) -> None:
    """Refuses thresholds and directions of what is not compared, and two directions of one."""
    for name in sorted({*asked.thresholds, *asked.low, *asked.high} - {*names, ""}):
        hint = f"{meant(name, names)}there are: {', '.join(names[:SHOWN])}"
        raise InvalidInput(f"{name!r} is not compared", hint)
    for name in sorted(asked.low & asked.high):
        raise InvalidInput(f"{name!r} can not be better both low and high", "say one of them")


def _machine(said: Said, asked: Asked, cases: Cases) -> Machine:
    """How well one score or column tells."""
    numbers = {place: number(value) for place, value in said.values.items()}
    places = sorted(place for place, value in numbers.items() if value is not None)
    values = np.array([numbers[place] for place in places], np.float64)
    unsupported = np.array([cases.unsupported[place] for place in places], np.bool_)
    low, direction = said.low, Told.GIVEN
    if said.name in asked.low | asked.high:
        low = said.name in asked.low
    elif low is None:
        low, direction = area(values, unsupported, low=False) < _CHANCE, Told.FOUND
    at = asked.thresholds.get(said.name, asked.thresholds.get(""))
    cut = Told.GIVEN
    if at is None and places:
        cut = Told.FOUND if len(np.unique(values)) > _TWO else Told.ONLY
        at = best_threshold(values, unsupported, low=low)
    return Machine(
        name=said.name,
        maker=said.maker,
        run=said.run,
        n=len(places),
        missing=len(cases.unsupported) - len(places),
        odd=len(numbers) - len(places),
        low=low,
        direction=direction,
        threshold=at,
        cut=cut,
        detected=detected(
            values,
            unsupported,
            low=low,
            threshold=at or 0.0,
            clusters=[cases.clusters[place] for place in places],
        ),
    )
