"""Comments between people: threads between annotators and reviewers, and announcements."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Connection, and_, bindparam, or_, select, text
from sqlalchemy.dialects.sqlite import insert

from tui_annotate.domain.comments import ALL, REVIEWERS, CommentThread, PersonComment
from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.people import Permission, Person, is_allowed, second_reader
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.codec import check_storable
from tui_annotate.storage.columns import REMARKS
from tui_annotate.storage.database import Store
from tui_annotate.storage.second_readings import is_hidden
from tui_annotate.storage.statements import sample_row

_INSERT: Final = insert(REMARKS)
_ABOUT: Final = f"{REVIEWERS}:"
"""Start of the recipient of a question about an annotation, before the annotation's id."""
_IS_OWN: Final = text(
    "SELECT 1 FROM annotations a JOIN samples s ON s.id = a.sample_id"
    " JOIN datasets d ON d.id = s.dataset_id WHERE a.id = :annotation AND a.person = :person"
    " AND d.name = :dataset AND s.external = :sample"
)
_PLAIN_FIELDS: Final = ("id", "author", "reader", "answers", "text", "at")
_FIRST = REMARKS.alias("first")
_THREADS: Final = (
    select(REMARKS)
    .join(_FIRST, _FIRST.c.id == REMARKS.c.answers, isouter=True)
    .where(REMARKS.c.reader != ALL)
    .order_by(REMARKS.c.at, REMARKS.c.id)
)
_ADDRESSED: Final = (
    select(REMARKS)
    .where(REMARKS.c.reader == bindparam("reader"), REMARKS.c.at > bindparam("since"))
    .order_by(REMARKS.c.at, REMARKS.c.id)
)


class CommentStore(Store):
    """Access to comments; reviewers can read all threads, annotators only their own ones."""

    def add(self, comment: PersonComment) -> None:
        """Store a comment; NotFound if its sample or its author's annotation does not exist."""
        check_storable(comment.text, "the comment")
        dataset, sample = comment.sample or ("", "")
        row = {name: getattr(comment, name) for name in _PLAIN_FIELDS}
        row |= {"dataset": dataset, "sample": sample}
        if comment.annotation:
            row["reader"] = _ABOUT + comment.annotation
        with self._database.writing() as connection:
            if comment.sample:
                sample_row(connection, comment.sample)
            if comment.annotation and not comment.answers:
                scope = {"annotation": comment.annotation, "person": comment.author}
                scope |= {"dataset": dataset, "sample": sample}
                if connection.execute(_IS_OWN, scope).first() is None:
                    raise NotFound(
                        f"you have no annotation {comment.annotation!r} on sample {comment.sample}",
                        "ask about the sample instead, or about a stored annotation",
                    )
            connection.execute(_INSERT, row)

    def list_threads(
        self, *, sample: SampleKey | None = None, person: str = ""
    ) -> list[CommentThread]:
        """Return readable threads, oldest first, of a sample or person (None and empty: all)."""
        query = _THREADS
        if sample is not None:
            query = query.where(REMARKS.c.dataset == sample.dataset, REMARKS.c.sample == sample.id)
        if person:
            query = query.where(_match_starter(person))
        own = bool(person)
        if not is_allowed(self._actor, Permission.REVIEW):
            me = self._actor.person
            query = query.where(or_(_match_starter(me), _match_starter(_second_reading(me))))
            own = True
        with self._database.reading() as connection:
            threads: dict[str, list[PersonComment]] = {}
            for each in map(_build_comment, connection.execute(query).mappings()):
                threads.setdefault(each.answers or each.id, []).append(each)
            found = [CommentThread(tuple(comments)) for comments in threads.values()]
            if own:
                found = [each for each in found if not _is_hidden(connection, each)]
        return found

    def find_thread(self, start: str) -> CommentThread:
        """Return the only comment thread whose id begins with `start`, or raise NotFound."""
        found = [thread for thread in self.list_threads() if thread.id.startswith(start)]
        if len(found) != 1 or not start:
            ambiguous = f"several thread ids begin with {start!r}"
            what = ambiguous if found else f"no thread id begins with {start!r}"
            raise NotFound(what, "list all threads with: tui-annotate questions list")
        return found[0]

    def notices(self, *, since: str = "") -> list[PersonComment]:
        """Return the announcements that are newer than `since`, oldest first."""
        return self._load_addressed(ALL, since)

    def replies(self, person: str, *, since: str = "") -> list[PersonComment]:
        """Return the replies to a person that are newer than `since`, oldest first."""
        if not is_allowed(self._actor, Permission.READ, person):
            return []
        found = self._load_addressed(person, since)
        with self._database.reading() as connection:
            return [
                each
                for each in found
                if each.sample is None or not is_hidden(connection, person, each.sample)
            ]

    def _load_addressed(self, reader: str, since: str) -> list[PersonComment]:
        with self._database.reading() as connection:
            rows = connection.execute(_ADDRESSED, {"reader": reader, "since": since}).mappings()
            return [_build_comment(row) for row in rows]


def count_waiting(connection: Connection, key: SampleKey) -> int:
    """Return the number of annotators' questions about a sample that no reviewer has answered."""
    query = (
        select(REMARKS.c.id, REMARKS.c.answers, REMARKS.c.reader)
        .where(REMARKS.c.dataset == key.dataset, REMARKS.c.sample == key.id)
        .where(REMARKS.c.reader != ALL)
        .order_by(REMARKS.c.at, REMARKS.c.id)
    )
    last = {row.answers or row.id: row.reader for row in connection.execute(query)}
    return sum(reader == REVIEWERS or reader.startswith(_ABOUT) for reader in last.values())


def _second_reading(person: str) -> str:
    return second_reader(Person(person, "")).id


def _is_hidden(connection: Connection, thread: CommentThread) -> bool:
    """Return whether a thread belongs to a first reading that its annotator must not see."""
    sample = thread.remarks[0].sample
    return sample is not None and is_hidden(connection, thread.person, sample)


def _match_starter(person: str) -> Any:
    return or_(
        and_(REMARKS.c.answers == "", REMARKS.c.author == person),
        and_(REMARKS.c.answers != "", _FIRST.c.author == person),
    )


def _build_comment(row: Any) -> PersonComment:
    sample = SampleKey(row["dataset"], row["sample"]) if row["sample"] else None
    values = {name: row[name] for name in _PLAIN_FIELDS}
    annotation = ""
    if row["reader"].startswith(_ABOUT):
        values["reader"], annotation = REVIEWERS, row["reader"].removeprefix(_ABOUT)
    return PersonComment(sample=sample, annotation=annotation, **values)
