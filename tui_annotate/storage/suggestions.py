"""Suggestions of machines: written as whole runs; read with the answers of one person, no other's.

What a dataset hides is not there for whoever annotates it; lists and counts of all are for those
who may report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from sqlalchemy import Connection, bindparam, delete, select, text

from tui_annotate.domain.errors import Conflict, InvalidInput, NotFound
from tui_annotate.domain.people import OPERATOR, Actor, Verb, require
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.scores import Run, RunKind
from tui_annotate.domain.suggestions import (
    Suggested,
    Suggestion,
    proposed,
)
from tui_annotate.storage import suggestion_lists
from tui_annotate.storage.codec import storable
from tui_annotate.storage.columns import DATASETS, RUNS, SAMPLES, SUGGESTIONS
from tui_annotate.storage.database import Database
from tui_annotate.storage.guidance.store import Guidance, GuidanceStore
from tui_annotate.storage.hiding import hidden, hidden_datasets
from tui_annotate.storage.scores import runs
from tui_annotate.storage.statements import add_missing, sample_row
from tui_annotate.storage.suggestion_lists import Listed
from tui_annotate.storage.suggestion_rows import Reader, payload, reading_order

_BATCH: Final = 500
"""Suggestions of one transaction."""

_INSERT: Final = add_missing(SUGGESTIONS)
_ROWS: Final = (
    select(SAMPLES.c.external, SAMPLES.c.id)
    .join(DATASETS, DATASETS.c.id == SAMPLES.c.dataset_id)
    .where(
        DATASETS.c.name == bindparam("dataset"),
        SAMPLES.c.external.in_(bindparam("ids", expanding=True)),
    )
)
_ONE: Final = text(
    "SELECT s.payload FROM suggestions s JOIN runs r ON r.number = s.run AND r.finished <> ''"
    " WHERE s.id = :name AND s.sample_id = :row"
)
_OF: Final = text(
    "SELECT s.payload, a.payload, n.id IS NOT NULL FROM suggestions s"
    " JOIN runs r ON r.number = s.run AND r.finished <> ''"
    " LEFT JOIN answers a ON a.person = :person AND a.sample_id = s.sample_id"
    "   AND a.suggestion = s.id"
    " LEFT JOIN annotations n ON n.id = json_extract(a.payload, '$.annotation')"
    "   AND n.person = :person AND n.sample_id = s.sample_id"
    " WHERE s.sample_id = :row"
)


class SuggestionStore:
    """What machines suggest. `add` and `forget` are for those who manage the workspace."""

    def __init__(self, database: Database, *, actor: Actor = OPERATOR) -> None:
        self._database = database
        self._actor = actor

    def add(
        self,
        run: Run,
        suggestions: Iterable[tuple[SampleKey, Suggestion]],
        *,
        copied: bool = False,
    ) -> int:
        """Stores what a run suggests; it is shown, as a whole, once all of it is in.

        What was suggested by the same maker before adds nothing; samples that are not there are
        passed over. A run of which nothing is new leaves nothing behind.

        Args:
            run: of kind `suggest`; maker and run of the suggestions become its own.
            copied: out of another workspace, whose ids stay, also where labels were renamed there.

        Returns:
            How many were new.

        Raises:
            NotAllowed: the actor may not manage the workspace.
            NotFound: there is no such dataset.
            InvalidInput: the run is of another kind, or a suggestion of another dataset.
            Conflict: there is a run of this id.
        """
        require(self._actor, Verb.MANAGE)
        if run.kind is not RunKind.SUGGEST:
            raise InvalidInput(f"a run of kind {run.kind} suggests nothing", "make it of 'suggest'")
        with self._database.reading() as connection:
            left = runs.killed(connection, run)
        for number in left:
            runs.drop(self._database, number)
        with self._database.writing() as connection:
            number = runs.begin(connection, runs.by_actor(run, self._actor.person))
        labels = GuidanceStore(self._database).version(Guidance.LABELS, dataset=run.dataset)
        stored = 0
        try:
            coming = iter(suggestions)
            while some := list(islice(coming, _BATCH)):
                with self._database.writing() as connection:
                    named = some if copied else [(key, _named(key, one, run)) for key, one in some]
                    stored += _write(connection, run, named, place=(number, labels))
            if stored:
                with self._database.writing() as connection:
                    runs.finish(connection, number)
        finally:
            if not stored or not self._finished(number):
                runs.drop(self._database, number)
        return stored

    def _finished(self, number: int) -> bool:
        query = select(RUNS.c.finished).where(RUNS.c.number == number)
        with self._database.reading() as connection:
            return bool(connection.execute(query).scalar())

    def of(self, person: str, key: SampleKey) -> tuple[Suggested, ...]:
        """What machines suggest on a sample, with this person's answers, in reading order.

        Returns:
            None of it where the dataset hides what machines say.

        Raises:
            NotAllowed: it is not the actor's to read.
            NotFound: there is no such sample.
        """
        require(self._actor, Verb.READ, person)
        with self._database.reading() as connection:
            row = sample_row(connection, key)
            if hidden(connection, key.dataset):
                return ()
            rows = connection.execute(_OF, {"person": person, "row": row}).all()
            reader = Reader(connection)
            found = [
                reader.suggested(key.dataset, column, answer=answer, stands=stands)
                for column, answer, stands in rows
            ]
        return tuple(sorted(found, key=reading_order))

    def listed(self, *, dataset: str = "", maker: str = "") -> Iterator[Listed]:
        """Suggestions with all people's answers, in the order of the samples; streamed.

        Args:
            dataset, maker: those of these alone; all where empty.

        Raises:
            NotAllowed: the actor may not report on others.
        """
        require(self._actor, Verb.REPORT)
        with self._database.reading() as connection:
            yield from suggestion_lists.listed(connection, dataset=dataset, maker=maker)

    def runs(self) -> list[Run]:
        """The runs that suggested something, in the order in which they began.

        Raises:
            NotAllowed: the actor may not report on others.
        """
        require(self._actor, Verb.REPORT)
        with self._database.reading() as connection:
            found = [each.run for each in runs.finished(connection)]
        return [run for run in found if run.kind is RunKind.SUGGEST]

    def forget(self, *, run: str = "", maker: str = "", dataset: str = "") -> int:
        """Takes suggestions out; what people made of them stays theirs, and in the log.

        Args:
            run: its id, or how that begins.
            maker: all that it ever suggested; of a run and a maker one is named.
            dataset: those in it alone; all where empty.

        Returns:
            How many there were.

        Raises:
            NotAllowed: the actor may not manage the workspace.
            NotFound: there is no such run or maker.
            InvalidInput: neither or both are named, or the run's id begins like others.
        """
        require(self._actor, Verb.MANAGE)
        if bool(run) == bool(maker):
            raise InvalidInput("name a run or a maker", "see: tui-annotate suggestions list")
        with self._database.reading() as connection:
            known = [
                each
                for each in runs.finished(connection, dataset)
                if each.run.kind is RunKind.SUGGEST
            ]
        chosen = [
            each
            for each in known
            if (each.run.id.startswith(run) if run else each.run.maker == maker)
        ]
        if not chosen:
            named = f"run {run}" if run else f"maker {maker!r}"
            raise NotFound(f"no {named} suggested anything", "see: tui-annotate suggestions list")
        if run and len(chosen) > 1:
            raise InvalidInput(f"{len(chosen)} runs begin with {run!r}", "give more of the id")
        count = 0
        for each in chosen:
            with self._database.writing() as connection:
                mine = SUGGESTIONS.c.run == each.number
                count += connection.execute(delete(SUGGESTIONS).where(mine)).rowcount
                connection.execute(delete(RUNS).where(RUNS.c.number == each.number))
        return count

    def bundled(
        self, wanted: Callable[[SampleKey], bool]
    ) -> Iterator[tuple[Run, SampleKey, Suggestion]]:
        """What is suggested on the samples that are wanted, but where it is hidden.

        By run, then as the samples came.

        Raises:
            NotAllowed: the actor may not manage the workspace.
        """
        require(self._actor, Verb.MANAGE)
        with self._database.reading() as connection:
            gone, reader = hidden_datasets(connection), Reader(connection)
            for each in runs.finished(connection):
                if each.run.kind is not RunKind.SUGGEST or each.run.dataset in gone:
                    continue
                for sample, column in connection.execute(_OF_RUN, {"run": each.number}):
                    key = SampleKey(each.run.dataset, sample)
                    if wanted(key):
                        yield each.run, key, reader.suggestion(key.dataset, column)


_OF_RUN: Final = (
    select(SAMPLES.c.external, SUGGESTIONS.c.payload)
    .join(SAMPLES, SAMPLES.c.id == SUGGESTIONS.c.sample_id)
    .where(SUGGESTIONS.c.run == bindparam("run"))
    .order_by(SAMPLES.c.id, SUGGESTIONS.c.id)
)


def shown(connection: Connection, key: SampleKey, name: str) -> Suggestion:
    """A suggestion on a sample, for whoever answers it.

    Raises:
        NotFound: there is none of that id, or no such sample.
        Conflict: the dataset hides what machines say.
    """
    row = sample_row(connection, key)
    if hidden(connection, key.dataset):
        raise Conflict(
            f"in dataset {key.dataset!r} people annotate without suggestions", "ask an admin"
        )
    column = connection.execute(_ONE, {"name": name, "row": row}).scalar()
    if column is None:
        raise NotFound(f"there is no such suggestion on sample {key}", "was it removed meanwhile?")
    return Reader(connection).suggestion(key.dataset, column)


def _named(key: SampleKey, suggestion: Suggestion, run: Run) -> Suggestion:
    return proposed(key, replace(suggestion, maker=storable(run.maker, "maker"), run=run.id))


def _write(
    connection: Connection,
    run: Run,
    some: Sequence[tuple[SampleKey, Suggestion]],
    *,
    place: tuple[int, str],
) -> int:
    """Stores some of a run; `place` is its number, and the version of the labels in force."""
    number, label_set = place
    for key, _ in some:
        if key.dataset != run.dataset:
            raise InvalidInput(
                f"a suggestion is of {key}, the run of dataset {run.dataset!r}",
                "a run is of one dataset",
            )
    wanted = {"dataset": run.dataset, "ids": sorted({key.id for key, _ in some})}
    rows = {row[0]: row[1] for row in connection.execute(_ROWS, wanted)}
    stored = 0
    for key, suggestion in some:
        if key.id in rows:
            row = {
                "id": suggestion.id,
                "sample_id": rows[key.id],
                "run": number,
                "maker": suggestion.maker,
                "payload": payload(suggestion, label_set=label_set),
            }
            stored += connection.execute(_INSERT, row).rowcount
    return stored
