"""The scores of machines: written as whole runs, read by sample; managers write, all read.

What a dataset hides is hidden from screens (`of`) for everybody; from annotators everywhere.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby
from math import isfinite
from operator import itemgetter
from typing import Any, Final

from sqlalchemy import Connection, text

from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.people import Permission, is_allowed, require_permission
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.scores import (
    LABELS,
    MOST,
    RunKind,
    Score,
    ScoreRun,
    ScoreSummaries,
    ScoreSummary,
)
from tui_annotate.storage.batches import split_batches
from tui_annotate.storage.blind_datasets import hidden_rows
from tui_annotate.storage.codec import check_storable, from_json, replace_unstorable, to_json
from tui_annotate.storage.database import Store
from tui_annotate.storage.scores import orders, runs
from tui_annotate.storage.scores.runs import StoredRun, list_visible_runs

_READ: Final = text("""
    SELECT k.key, c.run, c.name, c.value, c.text
    FROM json_each(:keys) k
    JOIN datasets d ON d.name = k.value ->> 0
    JOIN samples s ON s.dataset_id = d.id AND s.external = k.value ->> 1
    JOIN scores c ON c.sample_id = s.id AND c.run IN (SELECT value FROM json_each(:runs))
    WHERE c.extra = 0
""")
_OTHER_RUN: Final = (None, False, False)  # another run says that now
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


class ScoreStore(Store):
    """Runs and their scores; a sample's scores go when its texts change, or it goes."""

    def write(self, run: ScoreRun, scores: Iterable[Score]) -> int:
        """Store a run, which counts once all its scores are in; return how many there are.

        Scores of samples that are not there, as taken out meanwhile, are passed over. What an
        earlier run of this maker left when it was killed is dropped.

        Raises:
            NotAllowed: the actor may not manage the workspace.
            NotFound: there is no such dataset.
            InvalidInput: a score is of another dataset, is no number, or bears no name.
            Conflict: there is a run of this id, or a score comes twice.
        """
        require_permission(self._actor, Permission.MANAGE)
        number = runs.begin(self._database, run, by=self._actor.person)
        try:
            names, stored = self._write_scores(run, number, scores)
            with self._database.writing() as connection:
                runs.finish(connection, number, names)
        except BaseException:
            runs.drop(self._database, number)
            raise
        orders.refresh_orders(self._database, names)
        return stored

    def _write_scores(
        self, run: ScoreRun, number: int, scores: Iterable[Score]
    ) -> tuple[dict[str, int], int]:
        names: dict[str, int] = {}
        stored = 0
        for some in split_batches(scores, _BATCH):
            for each in some:
                if each.name not in names:
                    names[check_storable(each.name, "name of a score")] = 0
                names[each.name] += each.value is not None and not each.extra
            rows = [_build_row(each, run.dataset, number) for each in some]
            with self._database.writing() as connection:
                stored += connection.exec_driver_sql(_INSERT, rows).rowcount
        return names, stored

    def runs(self, dataset: str = "") -> list[ScoreRun]:
        """The runs that ended, of one dataset or of all, in the order in which they began."""
        with self._database.reading() as connection:
            return [each.run for each in self._list_readable(connection, dataset)]

    def unfinished(self) -> list[ScoreRun]:
        """The runs that are on their way or were killed; what they say counts for nobody."""
        with self._database.reading() as connection:
            return [each.run for each in self._list_readable(connection, finished=False)]

    def names(self, dataset: str = "") -> tuple[str, ...]:
        """The names of all scores that stand, of one dataset or of all, sorted."""
        with self._database.reading() as connection:
            newest = runs.select_newest(self._list_readable(connection, dataset))
        return tuple(sorted({name for each in newest for name in each.names}))

    def _list_readable(
        self, connection: Connection, dataset: str = "", *, finished: bool = True
    ) -> list[StoredRun]:
        found = runs.list_runs(connection, dataset, finished=finished)
        hidden = () if is_allowed(self._actor, Permission.REPORT) else hidden_rows(connection)
        return [each for each in found if each.dataset_id not in hidden]

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
            chosen = self._select_runs(connection, dataset, runs)
            wanted = {"dataset": dataset, "runs": to_json([each.number for each in chosen])}
            if names:
                wanted["names"] = to_json(sorted(names))
            streamed = connection.execution_options(yield_per=_BATCH)
            rows = streamed.execute(_NAMED if names else _STREAMED, wanted)
            for sample, own in groupby(rows, key=itemgetter(0)):
                key = SampleKey(dataset, sample)
                yield key, tuple(_build_score(key, row) for row in own)

    def _select_runs(
        self, connection: Connection, dataset: str, wanted: Collection[str]
    ) -> Sequence[StoredRun]:
        found = self._list_readable(connection, dataset)
        if not wanted:
            return runs.select_newest(found)
        missing = sorted(set(wanted) - {each.run.id for each in found})
        if missing:
            raise NotFound(
                f"dataset {dataset!r} has no run {missing[0]}", "see: tui-annotate score list"
            )
        return [each for each in found if each.run.id in set(wanted)]

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
            everything = hidden and is_allowed(self._actor, Permission.REPORT)
            left_out = frozenset() if everything else hidden_rows(connection)
            for dataset, ids in by_dataset.items():
                current_runs = runs.current_runs(runs.list_runs(connection, dataset))
                shown = {
                    (one.number, name)
                    for (at, name), one in current_runs.items()
                    if at not in left_out
                }
                if not shown:
                    continue
                numbers = to_json(sorted({number for number, _ in shown}))
                wanted = {"dataset": dataset, "ids": to_json(ids), "runs": numbers}
                for row in connection.execute(_PAGE, wanted):
                    if (row.run, row.name) in shown:
                        key = SampleKey(dataset, row[0])
                        found[key].append(_build_score(key, row))
        return {key: tuple(own) for key, own in found.items()}

    def support(self, name: str) -> dict[SampleKey, float]:
        """How well supported a score finds samples, in [0, 1], whichever way it goes.

        Raises:
            NotAllowed: the actor may not report.
            InvalidInput: no run gives values of that name.
        """
        require_permission(self._actor, Permission.REPORT)
        with self._database.reading() as connection:
            return orders.read_support(connection, name)

    def summarise(self, keys: Sequence[SampleKey], *, first: str = "") -> ScoreSummaries:
        """Return the scores of some samples for a list; `first` names the first column."""
        with self._database.reading() as connection:
            current_runs = list_visible_runs(connection)
            names = _select_columns(current_runs, first)
            plan = {
                (each.number, name): (
                    names.index(name) if name in names else None,
                    name in each.run.low,
                    each.run.kind is RunKind.RANK,
                )
                for (_, name), each in current_runs.items()
                if name in names or each.run.kind is RunKind.RANK
            }
            if not plan:
                return ScoreSummaries()
            numbers = sorted({number for number, _ in plan})
            wanted = {"keys": to_json(keys), "runs": to_json(numbers)}
            values: list[list[float | None]] = [[None] * len(names) for _ in keys]
            labels = [""] * len(keys)
            scored: set[int] = set()
            for at, run, name, value, words in connection.execute(_READ, wanted):
                column, low, ranked = plan.get((run, name), _OTHER_RUN)
                if column is not None and value is not None:
                    values[at][column] = min(max(1.0 - value if low else value, 0.0), 1.0)
                    scored.add(at)
                if ranked and words in LABELS:
                    labels[at] = words
                    scored.add(at)
            found = {keys[at]: ScoreSummary(tuple(values[at]), labels[at]) for at in scored}
            return ScoreSummaries(names, any(ranked for _, _, ranked in plan.values()), found)

    def orderable(self) -> tuple[str, ...]:
        """The names of the scores by which people can order their queue, sorted."""
        with self._database.reading() as connection:
            visible = list_visible_runs(connection)
        return tuple(sorted({name for (_, name), each in visible.items() if name in each.valued}))

    def forget(self, run_id: str) -> None:
        """Takes out a run; the one before it stands for its maker again.

        Raises:
            NotAllowed: the actor may not manage the workspace.
            NotFound: there is no such run.
        """
        require_permission(self._actor, Permission.MANAGE)
        with self._database.reading() as connection:
            found = [each for each in runs.list_runs(connection) if each.run.id == run_id]
        if not found:
            raise NotFound(f"there is no run {run_id}", "see: tui-annotate score list")
        runs.drop(self._database, found[0].number)
        orders.refresh_orders(self._database, found[0].names)


def _build_row(score: Score, dataset: str, number: int) -> tuple[Any, ...]:
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
    parts = to_json(score.parts) if score.parts else ""
    values = (
        score.name,
        score.extra,
        score.raw,
        score.value,
        replace_unstorable(score.text),
        parts,
        score.of,
    )
    return (number, *values, number, score.key.id)


def _build_score(key: SampleKey, row: Any) -> Score:
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


def _select_columns(current_runs: dict[tuple[int, str], StoredRun], first: str) -> tuple[str, ...]:
    """The columns: what is asked for, then what is said of most, the newest first; labels not."""
    counts: Counter[str] = Counter()
    newest: dict[str, int] = {}
    for (_, name), each in current_runs.items():
        if name in each.valued and (each.run.kind is not RunKind.RANK or name == first):
            counts[name] += each.valued[name]
            newest[name] = max(newest.get(name, 0), each.number)
    names = sorted(counts, key=lambda name: (name != first, -counts[name], -newest[name], name))
    return tuple(names[:MOST])
