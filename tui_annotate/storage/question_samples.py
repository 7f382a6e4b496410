"""Questions of a dataset with their answers and ratings, without their source passages.

In a study with 18,000 prompts the passages take 200 MB, and counting does not need them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from sqlalchemy import Connection, select, text

from tui_annotate.domain.assignments import Assignment
from tui_annotate.domain.people import Permission, base_person, require_permission, visible_people
from tui_annotate.domain.samples import SampleKey, SampleKind
from tui_annotate.storage.codec import from_json
from tui_annotate.storage.columns import DATASETS
from tui_annotate.storage.database import Store
from tui_annotate.storage.queue import QueueRow, build_row, is_practising
from tui_annotate.storage.queue_orders import PRACTICE, SHARE, assigned_datasets
from tui_annotate.storage.second_readings import hidden_first_reading
from tui_annotate.storage.statements import seen_scope, text_list

_WHERE: Final = " s.dataset_id = d.id AND d.name = :dataset AND s.kind = :kind"
_ROWS: Final = text(
    'SELECT s.external, s."group", s.meta, t.text, a.person, a.rating'  # noqa: S608  constants
    " FROM datasets d CROSS JOIN samples s"
    " LEFT JOIN sample_documents l ON l.sample_id = s.id AND l.side = 'summary'"
    " LEFT JOIN documents t ON t.id = l.document_id"
    " LEFT JOIN assignments a ON a.sample_id = s.id AND a.rating <> ''"
    f"   AND (:everybody OR a.person IN :seen AND NOT {hidden_first_reading('a')})"
    f" WHERE {_WHERE} ORDER BY s.id, a.person"
).bindparams(text_list("seen"))
_ENTRIES: Final = text(
    "SELECT s.external, s.\"group\", coalesce(a.state, 'new'),"  # noqa: S608
    f" CASE WHEN {hidden_first_reading('a')} THEN 0 ELSE coalesce(a.annotations, 0) END,"
    " s.summary, coalesce(a.updated, '') FROM datasets d"
    " CROSS JOIN samples s"
    " LEFT JOIN assignments a ON a.sample_id = s.id AND a.person = :person"
    f" WHERE {_WHERE} AND (:common OR EXISTS (SELECT 1 FROM ranks r JOIN orders o"
    "   ON o.id = r.order_id WHERE r.sample_id = s.id AND o.name IN (:practice, :share)))"
    " ORDER BY s.id"
)
_MARK: Final = '"gold_position"'
_DATASETS: Final = text(
    "SELECT d.name FROM datasets d WHERE EXISTS (SELECT 1 FROM samples s"
    " WHERE s.dataset_id = d.id AND s.kind = :kind AND instr(s.meta, :mark) > 0) ORDER BY d.name"
)


@dataclass(frozen=True, slots=True)
class StoredQuestion:
    """A question with answer and ratings; `work`: an assignment for each visible annotator."""

    key: SampleKey
    group: str
    meta: dict[str, Any]
    answer: str | None
    work: tuple[Assignment, ...] = ()


class QuestionStore(Store):
    """Access to the questions of a dataset; an annotator sees no work of other annotators."""

    def datasets(self) -> list[str]:
        """Return the names of the datasets whose questions record the position of their answer."""
        with self._database.reading() as connection:
            scope = {"kind": SampleKind.QUESTION.value, "mark": _MARK}
            return list(connection.execute(_DATASETS, scope).scalars())

    def questions(self, dataset: str) -> Iterator[StoredQuestion]:
        """Yield the questions of a dataset in the order of import."""
        scope = {"dataset": dataset, "kind": SampleKind.QUESTION.value}
        with self._database.reading() as connection:
            found = connection.execute(_ROWS, scope | seen_scope(visible_people(self._actor)))
            for name, rows in groupby(found, key=lambda row: row[0]):
                yield _build_question(SampleKey(dataset, name), list(rows))

    def entries(self, person: str, dataset: str) -> dict[SampleKey, QueueRow]:
        """Return a dataset's questions in a person's queue, with the person's state, in order."""
        require_permission(self._actor, Permission.READ, person)
        scope = {"dataset": dataset, "kind": SampleKind.QUESTION.value, "person": person}
        with self._database.reading() as connection:
            found = connection.execute(
                _ENTRIES, scope | _build_queue_scope(connection, person, dataset)
            )
            rows = [build_row((dataset, *row)) for row in found]
        return {row.key: row for row in rows}


def _build_queue_scope(connection: Connection, person: str, dataset: str) -> dict[str, Any]:
    practice = is_practising(connection, person)
    own = {"practice": PRACTICE + person, "share": "" if practice else SHARE + person}
    if practice or base_person(person) != person:
        return own | {"common": False}
    query = select(DATASETS.c.id).where(DATASETS.c.name == dataset)
    return own | {"common": connection.execute(query).scalar() not in assigned_datasets(connection)}


def _build_question(key: SampleKey, rows: list[Any]) -> StoredQuestion:
    _, group, meta, answer, _, _ = rows[0]
    work = tuple(Assignment(person, rating=rating) for *_, person, rating in rows if person)
    fields = from_json(meta) if meta else {}
    return StoredQuestion(key, group, fields, None if answer is None else answer.decode(), work)
