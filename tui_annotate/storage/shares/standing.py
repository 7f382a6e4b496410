"""How far handed-out work is, and what waits for somebody."""

from __future__ import annotations

from typing import Final, NamedTuple

from sqlalchemy import Connection, text

from tui_annotate.domain.handouts import Escalation, HandoutKind, Pool, Practice
from tui_annotate.storage.codec import from_json
from tui_annotate.storage.shares import escalation
from tui_annotate.storage.statements import worked_on

_STANDS: Final = text(
    "SELECT d.name, a.person, count(*), sum(coalesce(w.finished, 0)),"  # noqa: S608  constants
    f"  sum(coalesce(NOT w.finished AND {worked_on('w')}, 0)),"
    "  sum(h.kind = 'pool'), sum(a.practice)"
    " FROM allotments a JOIN samples s ON s.id = a.sample_id JOIN datasets d"
    "   ON d.id = s.dataset_id JOIN people p ON p.id = a.person"
    " JOIN handouts h ON h.id = a.handout LEFT JOIN assignments w"
    "   ON w.person = a.person AND w.sample_id = a.sample_id"
    " WHERE :dataset IN ('', d.name) GROUP BY d.id, p.id ORDER BY d.name, p.name, p.id"
)
_RULES: Final = text(
    "SELECT d.name, t.name, t.value FROM dataset_settings t JOIN datasets d"
    " ON d.id = t.dataset_id WHERE t.name IN ('pool', 'escalate', 'practice')"
    " AND :dataset IN ('', d.name) ORDER BY d.name, t.name"
)
_TO_DRAW: Final = text(
    "SELECT count(*) FROM pool p JOIN datasets d ON d.id = p.dataset_id"
    " WHERE d.name = :dataset AND p.room > 0"
)
_KINDS: Final[dict[str, type[Pool | Escalation | Practice]]] = {
    HandoutKind.POOL: Pool,
    HandoutKind.ESCALATE: Escalation,
    HandoutKind.PRACTICE: Practice,
}


class StandRow(NamedTuple):
    """What somebody has of a dataset, and how far they are."""

    dataset: str
    person: str
    samples: int
    finished: int
    begun: int
    drawn: int
    practice: int


def stands(connection: Connection, dataset: str) -> list[StandRow]:
    """By dataset, then by name of person; of one dataset, or of all where it is empty."""
    return [StandRow(*row) for row in connection.execute(_STANDS, {"dataset": dataset})]


def rules(connection: Connection, dataset: str) -> list[tuple[str, Pool | Escalation | Practice]]:
    """The rules that hold: dataset and rule."""
    rows = connection.execute(_RULES, {"dataset": dataset})
    return [(row[0], _KINDS[row[1]](**from_json(row[2]))) for row in rows]


def waiting(connection: Connection, dataset: str, rule: Pool | Escalation | Practice) -> int:
    """How many samples wait to be drawn, or for somebody to be added."""
    if isinstance(rule, Pool):
        return int(connection.execute(_TO_DRAW, {"dataset": dataset}).scalar_one())
    return escalation.waiting(connection, dataset) if isinstance(rule, Escalation) else 0
