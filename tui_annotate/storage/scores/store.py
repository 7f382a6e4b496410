"""The scores of machines: written as whole runs, read by sample; managers write, all read.

What a dataset hides is hidden from screens (`of`) for everybody; from annotators everywhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby, islice
from math import isfinite
from operator import itemgetter
from typing import Any, Final

from sqlalchemy import Connection, text

from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.glances import Glances
from tui_annotate.domain.people import OPERATOR, Actor, Verb, may, require
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.scores import Run, Score
from tui_annotate.storage.codec import from_json, plain, storable, to_json
from tui_annotate.storage.database import Database
from tui_annotate.storage.hiding import hidden_rows
from tui_annotate.storage.scores import orders, runs
from tui_annotate.storage.scores.glances import glances, orderable
from tui_annotate.storage.scores.runs import StoredRun

_BATCH: Final = 2000
"""Scores of one transaction."""

_INSERT: Final = """
    INSERT INTO scores SELECT id, ?, ?, ?, ?, ?, ?, ?, ?
    FROM samples
    WHERE dataset_id = (SELECT dataset_id FROM runs WHERE number = ?) AND external = ?
"""
_SCORES: Final = """
    SELECT s.external, c.name, c.raw, c.value, c.text, c.parts, c.of, c.extra, c.run
    FROM samples s JOIN scores c ON c.sample_id = s.id
    AND c.run IN (SELECT value FROM json_each(:runs))
    WHERE s.dataset_id = (SELECT id FROM datasets WHERE name = :dataset)
"""
_STREAMED: Final = text(_SCORES + " ORDER BY s.id, c.run, c.name, c.extra")
_NAMED: Final = text(
    _SCORES  # noqa: S608  constants alone
    + " AND c.name IN (SELECT value FROM json_each(:names)) ORDER BY s.id, c.run, c.name, c.extra"
)
_PAGE: Final = text(
    _SCORES  # noqa: S608  constants alone
    + " AND s.external IN (SELECT value FROM json_each(:ids)) ORDER BY c.run, c.name, c.extra"
)


class ScoreStore:
    """Runs and their scores; a sample's scores go when its texts change, or it goes."""

    def __init__(self, database: Database, *, actor: Actor = OPERATOR) -> None:
        self._database = database
        self._actor = actor

    def write(self, run: Run, scores: Iterable[Score]) -> int:
        """Stores a run; it counts, as a whole, once all its scores are in.

        Scores of samples that are not there, as taken out meanwhile, are passed over. What an
        earlier run of this maker left when it was killed is dropped.

        Returns:
            How many scores were stored.

        Raises:
            NotAllowed: the actor may not manage the workspace.
            NotFound: there is no such dataset.
            InvalidInput: a score is of another dataset, is no number, or bears no name.
            Conflict: there is a run of this id, or a score comes twice.
        """
        require(self._actor, Verb.MANAGE)
        with self._database.reading() as connection:
            left = runs.killed(connection, run)
        for number in left:
            runs.drop(self._database, number)
        with self._database.writing() as connection:
            number = runs.begin(connection, runs.by_actor(run, self._actor.person))
        try:
            names, stored = self._fill(run, number, scores)
            with self._database.writing() as connection:
                runs.finish(connection, number, names)
        except BaseException:
            runs.drop(self._database, number)
            raise
        orders.make_again(self._database, names)
        return stored

    def _fill(self, run: Run, number: int, scores: Iterable[Score]) -> tuple[dict[str, int], int]:
        """By name, how many samples have a value; and how many scores were stored."""
        names: dict[str, int] = {}
        stored = 0
        coming = iter(scores)
        while some := list(islice(coming, _BATCH)):
            for each in some:
                if each.name not in names:
                    names[storable(each.name, "name of a score")] = 0
                names[each.name] += each.value is not None and not each.extra
            rows = [_row(each, run.dataset, number) for each in some]
            with self._database.writing() as connection:
                stored += connection.exec_driver_sql(_INSERT, rows).rowcount
        return names, stored

    def runs(self, dataset: str = "") -> list[Run]:
        """The runs that ended, of one dataset or of all, in the order in which they began."""
        with self._database.reading() as connection:
            return [each.run for each in self._told(connection, runs.finished(connection, dataset))]

    def unfinished(self) -> list[Run]:
        """The runs that are on their way or were killed; what they say counts for nobody."""
        with self._database.reading() as connection:
            return [each.run for each in self._told(connection, runs.unfinished(connection))]

    def latest(self, dataset: str, maker: str) -> Run | None:
        """The run that stands for a maker; None where it never ended one."""
        return next((each for each in reversed(self.runs(dataset)) if each.maker == maker), None)

    def names(self, dataset: str = "") -> tuple[str, ...]:
        """The names of all scores that stand, of one dataset or of all, sorted."""
        with self._database.reading() as connection:
            told = self._told(connection, runs.finished(connection, dataset))
        return tuple(sorted({name for each in runs.newest(told) for name in each.names}))

    def _told(self, connection: Connection, found: list[StoredRun]) -> list[StoredRun]:
        """Without those that this actor may not read."""
        if may(self._actor, Verb.REPORT):
            return found
        gone = hidden_rows(connection)
        return [each for each in found if each.dataset_id not in gone]

    def scores(
        self, dataset: str, *, names: Collection[str] = (), runs: Collection[str] = ()
    ) -> Iterator[tuple[SampleKey, tuple[Score, ...]]]:
        """Scores of a dataset by sample, in the samples' order, streamed; of one moment.

        Of one sample they stand by run, name and `extra`; a sample without any is left out.

        Args:
            names: those of these names alone; all where empty.
            runs: those of the runs with these ids alone; where empty, of the newest of each maker.

        Raises:
            NotFound: there is no such run of this dataset, or it never ended.
        """
        with self._database.reading() as connection:
            chosen = self._chosen(connection, dataset, runs)
            wanted = {"dataset": dataset, "runs": to_json([each.number for each in chosen])}
            if names:
                wanted["names"] = to_json(sorted(names))
            streamed = connection.execution_options(yield_per=_BATCH)
            rows = streamed.execute(_NAMED if names else _STREAMED, wanted)
            for sample, own in groupby(rows, key=itemgetter(0)):
                key = SampleKey(dataset, sample)
                yield key, tuple(_score(key, row) for row in own)

    def _chosen(
        self, connection: Connection, dataset: str, wanted: Collection[str]
    ) -> Sequence[StoredRun]:
        told = self._told(connection, runs.finished(connection, dataset))
        if not wanted:
            return runs.newest(told)
        missing = sorted(set(wanted) - {each.run.id for each in told})
        if missing:
            raise NotFound(
                f"dataset {dataset!r} has no run {missing[0]}", "see: tui-annotate score list"
            )
        return [each for each in told if each.run.id in set(wanted)]

    def of(
        self, keys: Sequence[SampleKey], *, hidden: bool = False
    ) -> dict[SampleKey, tuple[Score, ...]]:
        """What screens show of some samples; absent where there is none, or a dataset hides it.

        Of several makers that bear the same name, the newest run speaks.

        Args:
            hidden: also what is hidden, for those who may report: for files, not for screens.
        """
        by_dataset: defaultdict[str, list[str]] = defaultdict(list)
        for key in keys:
            by_dataset[key.dataset].append(key.id)
        found: defaultdict[SampleKey, list[Score]] = defaultdict(list)
        with self._database.reading() as connection:
            shown = hidden and may(self._actor, Verb.REPORT)
            gone = frozenset() if shown else hidden_rows(connection)
            for dataset, ids in by_dataset.items():
                speaking = runs.speaking(runs.finished(connection, dataset))
                says = {
                    (one.number, name) for (at, name), one in speaking.items() if at not in gone
                }
                if not says:
                    continue
                numbers = to_json(sorted({number for number, _ in says}))
                wanted = {"dataset": dataset, "ids": to_json(ids), "runs": numbers}
                for row in connection.execute(_PAGE, wanted):
                    if (row.run, row.name) in says:
                        key = SampleKey(dataset, row[0])
                        found[key].append(_score(key, row))
        return {key: tuple(own) for key, own in found.items()}

    def support(self, name: str) -> dict[SampleKey, float]:
        """How well supported a score finds samples, in [0, 1], whichever way it goes.

        Raises:
            NotAllowed: the actor may not report.
            InvalidInput: no run gives values of that name.
        """
        require(self._actor, Verb.REPORT)
        with self._database.reading() as connection:
            return orders.support(connection, name)

    def glances(self, keys: Sequence[SampleKey], *, first: str = "") -> Glances:
        """What a list shows of some samples; see `storage.scores.glances`."""
        with self._database.reading() as connection:
            return glances(connection, keys, first=first)

    def orderable(self) -> tuple[str, ...]:
        """The names of the scores by which people can order their queue, sorted."""
        with self._database.reading() as connection:
            return orderable(connection)

    def forget(self, run_id: str) -> None:
        """Takes out a run; the one before it stands for its maker again.

        Raises:
            NotAllowed: the actor may not manage the workspace.
            NotFound: there is no such run.
        """
        require(self._actor, Verb.MANAGE)
        with self._database.reading() as connection:
            found = [each for each in runs.finished(connection) if each.run.id == run_id]
        if not found:
            raise NotFound(f"there is no run {run_id}", "see: tui-annotate score list")
        runs.drop(self._database, found[0].number)
        orders.make_again(self._database, found[0].names)


def _row(score: Score, dataset: str, number: int) -> tuple[Any, ...]:
    """The columns of a score behind its sample, and what names the sample."""
    if score.key.dataset != dataset:
        raise InvalidInput(
            f"the score {score.name!r} is of {score.key}, the run of dataset {dataset!r}",
            "a run is of one dataset",
        )
    if not score.name:
        raise InvalidInput(f"a score of {score.key} has no name", "name it")
    numbers = (score.raw, score.value, *score.parts)
    if not all(each is None or isfinite(each) for each in numbers):
        raise InvalidInput(
            f"the score {score.name!r} of {score.key} is no number: {numbers}",
            "leave out what can not be computed",
        )
    return (
        number,
        score.name,
        score.extra,
        score.raw,
        score.value,
        plain(score.text) if score.text else "",
        to_json(score.parts) if score.parts else "",
        score.of,
        number,
        score.key.id,
    )


def _score(key: SampleKey, row: Any) -> Score:
    _, name, raw, value, words, parts, of, extra, _ = row
    return Score(
        key=key,
        name=name,
        raw=raw,
        value=value,
        text=words,
        parts=tuple(from_json(parts)) if parts else (),
        of=of,
        extra=extra,
    )
