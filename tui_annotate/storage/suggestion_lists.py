"""Suggestions with what all people made of them, for those who may report."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from sqlalchemy import Connection, text

from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.suggestions import Suggested, Suggestion
from tui_annotate.storage.codec import from_json
from tui_annotate.storage.hiding import hidden_datasets
from tui_annotate.storage.suggestion_rows import Reader

_BATCH: Final = 500
_ALL: Final = text(
    "SELECT d.name AS dataset, p.external AS sample, s.payload AS suggestion, r.id AS run,"
    "   r.at AS at, a.person AS person, a.payload AS answer, n.id IS NOT NULL AS stands,"
    "   (SELECT json_array(count(*), coalesce(sum(w.state = 'done'), 0))"
    "     FROM assignments w JOIN people h ON h.id = w.person"
    "     WHERE w.sample_id = s.sample_id AND w.updated > r.at"
    "     AND (w.state <> 'new' OR w.seconds > 0) AND h.kind <> 'settled' AND (h.kind <> 'imported'"
    "       OR EXISTS (SELECT 1 FROM answers e WHERE e.person = w.person))"
    "     AND NOT EXISTS (SELECT 1 FROM answers b WHERE b.person = w.person"
    "       AND b.sample_id = s.sample_id AND b.suggestion = s.id)) AS silent"
    " FROM suggestions s JOIN runs r ON r.number = s.run AND r.finished <> ''"
    " JOIN samples p ON p.id = s.sample_id JOIN datasets d ON d.id = p.dataset_id"
    " LEFT JOIN answers a ON a.sample_id = s.sample_id AND a.suggestion = s.id"
    " LEFT JOIN annotations n ON n.id = json_extract(a.payload, '$.annotation')"
    "   AND n.person = a.person AND n.sample_id = a.sample_id"
    " WHERE (:dataset = '' OR d.name = :dataset) AND (:maker = '' OR s.maker = :maker)"
    " ORDER BY d.name, p.id, s.id, a.person"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A suggestion with what all people made of it.

    Attributes:
        run: of the machine that said it first.
        answers: one a person who answered; whose they are is not told.
        seen: how many people had it before them: those who answered, and those who worked on the
            sample since it was made, unless the dataset hides it now; not review, nor those whose
            work came from elsewhere and never answered any.
        passed: how many of these did not answer, and have finished the sample.
    """

    key: SampleKey
    suggestion: Suggestion
    run: str
    answers: tuple[Suggested, ...] = ()
    seen: int = 0
    passed: int = 0

    @property
    def open(self) -> bool:
        """Whether nobody's answer stands."""
        return all(each.open for each in self.answers)


def listed(connection: Connection, *, dataset: str, maker: str) -> Iterator[Listed]:
    """As `SuggestionStore.listed`."""
    gone, reader = hidden_datasets(connection), Reader(connection)
    scope = {"dataset": dataset, "maker": maker}
    rows = connection.execution_options(yield_per=_BATCH).execute(_ALL, scope).mappings()
    for _, mine in groupby(rows, key=lambda row: row["suggestion"]):
        yield _listed(list(mine), gone, reader)


def _listed(rows: Sequence[Any], gone: Collection[str], reader: Reader) -> Listed:
    first = rows[0]
    dataset, column = first["dataset"], first["suggestion"]
    answers = tuple(
        reader.suggested(dataset, column, answer=row["answer"], stands=row["stands"])
        for row in rows
        if row["answer"] is not None
    )
    silent, passed = (0, 0) if dataset in gone else from_json(first["silent"])
    return Listed(
        key=SampleKey(dataset, first["sample"]),
        suggestion=reader.suggestion(dataset, column),
        run=first["run"],
        answers=answers,
        seen=len(answers) + silent,
        passed=passed,
    )
