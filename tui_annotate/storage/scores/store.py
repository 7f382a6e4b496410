"""Scores of scorers and judges: admins store complete runs, screens read scores by sample."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby
from math import isfinite
from operator import itemgetter
from typing import Any, Final

from sqlalchemy import Connection, text

from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.keyword_names import check_keywords
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
from tui_annotate.storage.statements import dataset_row

_READ: Final = text("""
    SELECT CAST(k.key AS BIGINT), c.run, c.name, c.value, c.text
    FROM json_each(:keys) k
    JOIN datasets d ON d.name = json_extract(k.value, '$[0]')
    JOIN samples s ON s.dataset_id = d.id AND s.external = json_extract(k.value, '$[1]')
    JOIN scores c ON c.sample_id = s.id
      AND c.run IN (SELECT CAST(value AS BIGINT) FROM json_each(:runs))
    WHERE c.extra = 0
""")
_OTHER_RUN: Final = (None, False, False)  # for a score that a newer run replaced
_BATCH: Final = 2000

_INSERT: Final = text("""
    INSERT INTO scores (sample_id, run, name, extra, raw, value, text, parts, "of")
    SELECT id, CAST(:run AS BIGINT), :name, CAST(:extra AS BIGINT),
      CAST(:raw AS DOUBLE PRECISION), CAST(:value AS DOUBLE PRECISION), :text, :parts, :of
    FROM samples
    WHERE dataset_id = (SELECT dataset_id FROM runs WHERE number = :run) AND external = :sample
""")
_SCORES: Final = """
    SELECT s.external, c.name, c.raw, c.value, c.text, c.parts, c.of, c.extra, c.run
    FROM samples s JOIN scores c ON c.sample_id = s.id
    AND c.run IN (SELECT CAST(value AS BIGINT) FROM json_each(:runs))
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


@check_keywords
class ScoreStore(Store):
    """Access to runs of scorers and judges, and to their scores."""

    def write(self, run: ScoreRun, scores: Iterable[Score]) -> int:
        """Store a run and its scores, all visible at the same time; return the number of scores.

        Raises:
            NotAllowed: the actor may not manage the workspace.
            NotFound: there is no such dataset.
            InvalidInput: a score belongs to another dataset, is not a number, or has no name.
            Conflict: there is a run with this id already, or a score appears twice.
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
                stored += connection.execute(_INSERT, rows).rowcount
        return names, stored

    def runs(self, dataset: str = "") -> list[ScoreRun]:
        """Return the finished runs, in the order in which they began.

        Raises:
            NotFound: the dataset does not exist.
        """
        with self._database.reading() as connection:
            return [each.run for each in self._list_readable(connection, dataset)]

    def unfinished(self) -> list[ScoreRun]:
        """Return the runs of scorers that still go on or were interrupted."""
        with self._database.reading() as connection:
            return [each.run for each in self._list_readable(connection, finished=False)]

    def names(self, dataset: str = "") -> tuple[str, ...]:
        """Return the sorted names of the current scores of one dataset or of all datasets."""
        with self._database.reading() as connection:
            newest = runs.select_newest(self._list_readable(connection, dataset))
        return tuple(sorted({name for each in newest for name in each.names}))

    def _list_readable(
        self, connection: Connection, dataset: str = "", *, finished: bool = True
    ) -> list[StoredRun]:
        if dataset:
            dataset_row(connection, dataset)
        found = runs.list_runs(connection, dataset, finished=finished)
        hidden = () if is_allowed(self._actor, Permission.REPORT) else hidden_rows(connection)
        return [each for each in found if each.dataset_id not in hidden]

    def scores(
        self, dataset: str, *, names: Collection[str] = (), runs: Collection[str] = ()
    ) -> Iterator[tuple[SampleKey, tuple[Score, ...]]]:
        """Yield the scores of a dataset by sample, in the order of the samples.

        The scores of a sample are sorted by run, name and `extra`; samples without scores are
        skipped. Empty `runs` select the newest run of each maker.

        Raises:
            NotFound: the dataset has no such run, or the run never finished.
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

    def current_scores(
        self, dataset: str, *, names: Collection[str]
    ) -> Iterator[tuple[SampleKey, tuple[Score, ...]]]:
        """Yield the scores of a dataset as `scores` does, for each name from its newest run alone.

        Values of two models under one name are never mixed, not even if the newest run has fewer
        samples.
        """
        with self._database.reading() as connection:
            current = runs.current_runs(self._list_readable(connection, dataset))
            chosen = {(each.number, name) for (_, name), each in current.items() if name in names}
            wanted = {
                "dataset": dataset,
                "runs": to_json(sorted({number for number, _ in chosen})),
                "names": to_json(sorted(names)),
            }
            streamed = connection.execution_options(yield_per=_BATCH)
            rows = (
                row for row in streamed.execute(_NAMED, wanted) if (row.run, row.name) in chosen
            )
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
                f"dataset {dataset!r} has no run {missing[0]}",
                "list all runs with: tui-annotate lab scores list",
            )
        return [each for each in found if each.run.id in set(wanted)]

    def of(
        self, keys: Sequence[SampleKey], *, hidden: bool = False
    ) -> dict[SampleKey, tuple[Score, ...]]:
        """Return the scores of samples, by sample, without scores that are hidden from annotators.

        Samples without scores are absent. If several makers use the same score name, the newest run
        is used. `hidden` includes hidden scores for actors who may report: for files, not for
        screens.
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
        """Return each sample's support by a score, in [0, 1]; NotAllowed or InvalidInput."""
        require_permission(self._actor, Permission.REPORT)
        with self._database.reading() as connection:
            return orders.read_support(connection, name)

    def summarise(self, keys: Sequence[SampleKey], *, first: str = "") -> ScoreSummaries:
        """Return scores for the queue list; `first`: first column's score, empty: the commonest."""
        with self._database.reading() as connection:
            current_runs = list_visible_runs(connection)
            names = _select_columns(current_runs, first)
            # By run and score: column if shown, whether low is good, whether it is a ranking.
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
        """Return the sorted names of scores by which a queue can be sorted."""
        with self._database.reading() as connection:
            visible = list_visible_runs(connection)
        return tuple(sorted({name for (_, name), each in visible.items() if name in each.valued}))

    def forget(self, run_id: str) -> None:
        """Delete a run; the previous run of the same scorer or judge is used again.

        Raises:
            NotAllowed: the actor may not manage the workspace.
            NotFound: there is no such run.
        """
        require_permission(self._actor, Permission.MANAGE)
        with self._database.reading() as connection:
            found = [each for each in runs.list_runs(connection) if each.run.id == run_id]
        if not found:
            raise NotFound(
                f"there is no run {run_id}", "list all runs with: tui-annotate lab scores list"
            )
        runs.drop(self._database, found[0].number)
        orders.refresh_orders(self._database, found[0].names)


def _build_row(score: Score, dataset: str, number: int) -> dict[str, Any]:
    if score.key.dataset != dataset:
        raise InvalidInput(
            f"cannot store score {score.name!r}: sample {score.key} is not in dataset {dataset!r}"
            " of the run",
            "create a separate run for each dataset",
        )
    if not score.name:
        raise InvalidInput(f"a score of sample {score.key} has no name", "give the score a name")
    numbers = (score.raw, score.value, *score.parts)
    if not all(each is None or isfinite(each) for each in numbers):
        raise InvalidInput(
            f"score {score.name!r} of sample {score.key} is not a number: {numbers}",
            "omit scores that cannot be computed",
        )
    parts = to_json(score.parts) if score.parts else ""
    return {
        "run": number,
        "sample": score.key.id,
        "name": score.name,
        "extra": score.extra,
        "raw": score.raw,
        "value": score.value,
        "text": replace_unstorable(score.text),
        "parts": parts,
        "of": score.of,
    }


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
    """Return the names of scores for a sample list: `first`, then those that most samples have."""
    counts: Counter[str] = Counter()
    newest: dict[str, int] = {}
    for (_, name), each in current_runs.items():
        if name in each.valued and (each.run.kind is not RunKind.RANK or name == first):
            counts[name] += each.valued[name]
            newest[name] = max(newest.get(name, 0), each.number)
    names = sorted(counts, key=lambda name: (name != first, -counts[name], -newest[name], name))
    return tuple(names[:MOST])
