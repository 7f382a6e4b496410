"""Remarks: talks of annotators with reviewers about samples, and notices to all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from sqlalchemy import and_, bindparam, or_, select
from sqlalchemy.dialects.sqlite import insert

from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.people import OPERATOR, Actor, Verb, may
from tui_annotate.domain.remarks import ALL, Remark, Talk
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.codec import storable
from tui_annotate.storage.columns import REMARKS
from tui_annotate.storage.database import Database
from tui_annotate.storage.statements import sample_row

_INSERT: Final = insert(REMARKS)
_FIRST = REMARKS.alias("first")
_TALKS: Final = (
    select(REMARKS)
    .join(_FIRST, _FIRST.c.id == REMARKS.c.answers, isouter=True)
    .where(REMARKS.c.reader != ALL)
    .order_by(REMARKS.c.at, REMARKS.c.id)
)
_NOTICES: Final = (
    select(REMARKS)
    .where(REMARKS.c.reader == ALL, REMARKS.c.at > bindparam("since"))
    .order_by(REMARKS.c.at, REMARKS.c.id)
)
_REPLIES: Final = (
    select(REMARKS)
    .where(REMARKS.c.reader == bindparam("person"), REMARKS.c.at > bindparam("since"))
    .order_by(REMARKS.c.at, REMARKS.c.id)
)


class RemarkStore:
    """Remarks as far as the actor may read them: reviewers all, an annotator their own talks."""

    def __init__(self, database: Database, *, actor: Actor = OPERATOR) -> None:
        self._database = database
        self._actor = actor

    def add(self, remark: Remark) -> None:
        """Stores a remark.

        Raises:
            NotFound: its sample is not there.
            InvalidInput: its text holds what can not be stored.
        """
        dataset, sample = remark.sample or ("", "")
        row = {
            "id": remark.id,
            "dataset": dataset,
            "sample": sample,
            "author": remark.author,
            "reader": remark.reader,
            "answers": remark.answers,
            "text": storable(remark.text, "the remark"),
            "at": remark.at,
        }
        with self._database.writing() as connection:
            if remark.sample:
                sample_row(connection, remark.sample)
            connection.execute(_INSERT, row)

    def talks(self, *, sample: SampleKey | None = None, person: str = "") -> list[Talk]:
        """Talks that the actor may read, by when they began.

        Args:
            sample: those about this sample alone.
            person: those that this annotator began.
        """
        query = _TALKS
        if sample is not None:
            query = query.where(REMARKS.c.dataset == sample.dataset, REMARKS.c.sample == sample.id)
        if person:
            query = query.where(_begun_by(person))
        if not may(self._actor, Verb.REVIEW):
            query = query.where(_begun_by(self._actor.person))
        with self._database.reading() as connection:
            return _joined(_remark(row) for row in connection.execute(query).mappings())

    def talk(self, start: str) -> Talk:
        """The talk whose id begins so.

        Raises:
            NotFound: none does that the actor may read, or several do.
        """
        found = [talk for talk in self.talks() if talk.id.startswith(start)]
        if len(found) != 1 or not start:
            how = "several talks begin" if found else "no talk begins"
            raise NotFound(f"{how} with {start!r}", "see: tui-annotate remarks list")
        return found[0]

    def notices(self, *, since: str = "") -> list[Remark]:
        """Notices after a moment, in order."""
        with self._database.reading() as connection:
            rows = connection.execute(_NOTICES, {"since": since}).mappings()
            return [_remark(row) for row in rows]

    def replies(self, person: str, *, since: str = "") -> list[Remark]:
        """What was answered to a person after a moment, in order."""
        if not may(self._actor, Verb.READ, person):
            return []
        with self._database.reading() as connection:
            rows = connection.execute(_REPLIES, {"person": person, "since": since}).mappings()
            return [_remark(row) for row in rows]


def _begun_by(person: str) -> Any:
    return or_(
        and_(REMARKS.c.answers == "", REMARKS.c.author == person),
        and_(REMARKS.c.answers != "", _FIRST.c.author == person),
    )


def _joined(remarks: Iterable[Remark]) -> list[Talk]:
    talks: dict[str, list[Remark]] = {}
    for remark in remarks:
        talks.setdefault(remark.answers or remark.id, []).append(remark)
    return [Talk(tuple(each)) for each in talks.values()]


def _remark(row: Any) -> Remark:
    sample = SampleKey(row["dataset"], row["sample"]) if row["sample"] else None
    values = {name: row[name] for name in ("id", "author", "reader", "answers", "text", "at")}
    return Remark(sample=sample, **values)
