"""Comments between people: threads between annotators and reviewers, and announcements."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from sqlalchemy import Connection, and_, bindparam, or_, select, text
from sqlalchemy.dialects.sqlite import insert

from tui_annotate.domain.annotations import Annotation, annotation_from_json
from tui_annotate.domain.comments import (
    ALL,
    REVIEWERS,
    CommentThread,
    PersonComment,
    check_text,
    quote_annotation,
)
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.people import (
    OPERATOR,
    Permission,
    Person,
    base_person,
    is_allowed,
    require_permission,
    second_reader,
)
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.codec import check_storable, from_json
from tui_annotate.storage.columns import REMARKS
from tui_annotate.storage.database import Store
from tui_annotate.storage.documents import read_text
from tui_annotate.storage.people.store import find_merged_ids, find_owner, read_merges
from tui_annotate.storage.second_readings import is_hidden, require_visible
from tui_annotate.storage.statements import sample_row, text_list

_INSERT: Final = insert(REMARKS)
_ABOUT: Final = f"{REVIEWERS}:"
"""Start of the recipient of a question about an annotation. The annotation follows: its id as JSON
with quote and labels, or the plain id in stores of earlier versions."""
_OWN_ANNOTATIONS: Final = text(
    "SELECT a.payload FROM annotations a JOIN samples s ON s.id = a.sample_id"
    " JOIN datasets d ON d.id = s.dataset_id WHERE a.person IN :people"
    " AND d.name = :dataset AND s.external = :sample ORDER BY a.id"
).bindparams(text_list("people"))
_DOCUMENTS: Final = text(
    "SELECT p.side, t.text, t.sha256 FROM sample_documents p"
    " JOIN documents t ON t.id = p.document_id JOIN samples s ON s.id = p.sample_id"
    " JOIN datasets d ON d.id = s.dataset_id"
    " WHERE d.name = :dataset AND s.external = :sample ORDER BY p.ordinal"
)
_PLAIN_FIELDS: Final = ("id", "author", "reader", "answers", "text", "at")
_THREADS: Final = (
    select(REMARKS).where(REMARKS.c.reader != ALL).order_by(REMARKS.c.at, REMARKS.c.id)
)
_ADDRESSED: Final = (
    select(REMARKS)
    .where(
        REMARKS.c.reader.in_(text_list("readers")),
        REMARKS.c.at > bindparam("since"),
    )
    .order_by(REMARKS.c.at, REMARKS.c.id)
)
_DATASET: Final = text("SELECT 1 FROM datasets WHERE name = :dataset")
_BY_ID: Final = select(REMARKS).where(REMARKS.c.id == bindparam("id"))


@dataclass(slots=True)
class CommentMerge:
    """Result of a merge of questions and replies from another workspace or a file.

    Attributes:
        added, known: numbers of new messages, and of messages that were stored before.
        refused: samples with the reason why a message about them was not stored.
    """

    added: int = 0
    known: int = 0
    refused: list[tuple[SampleKey, str]] = field(default_factory=list)


class CommentStore(Store):
    """Access to comments; reviewers can read all threads, annotators only their own ones."""

    def add(self, comment: PersonComment) -> PersonComment:
        """Store a comment, with text and labels of the annotation that it asks about.

        Raises:
            NotFound: the sample of a new thread, or its author's annotation, does not exist.
            NotAllowed: the question is about a first reading that its author must not see yet.
        """
        check_storable(comment.text, "the comment")
        with self._database.writing() as connection:
            # A reply to a question about a removed sample must still reach its annotator.
            if comment.sample and not comment.answers:
                sample_row(connection, comment.sample)
            if comment.sample and comment.reader == REVIEWERS:
                require_visible(connection, comment.author, comment.sample)
            if comment.annotation:
                comment = _add_quote(connection, comment)
            connection.execute(_INSERT, _build_row(comment))
        return comment

    @property
    def reads_all(self) -> bool:
        """Whether the user may read the questions of all annotators."""
        return is_allowed(self._actor, Permission.REVIEW)

    def list_threads(
        self, *, sample: SampleKey | None = None, person: str = ""
    ) -> list[CommentThread]:
        """Return readable threads, oldest first, of a sample or person (None and empty: all).

        Questions of one person about the same sample or annotation are one thread, also if they
        were begun on two machines, or by people who were merged.
        """
        query = _THREADS
        if sample is not None:
            query = query.where(REMARKS.c.dataset == sample.dataset, REMARKS.c.sample == sample.id)
        own = bool(person)
        with self._database.reading() as connection:
            if person:
                query = query.where(_match_askers(_find_ids(connection, [person])))
            if not self.reads_all:
                me = self._actor.person
                mine = _find_ids(connection, [me, _second_reading(me)])
                query = query.where(_match_askers(mine))
                own = True
            comments = map(_build_comment, connection.execute(query).mappings())
            found = _join_threads(connection, comments)
            if own:
                found = [each for each in found if not _is_hidden(connection, each)]
        return found

    def own_annotations(self, person: str, key: SampleKey) -> list[tuple[Annotation, str]]:
        """Return a person's annotations of a sample with their quoted texts.

        Raises:
            NotFound: the sample does not exist.
            NotAllowed: the actor may not read the person's work, or the person must not see it yet.
        """
        require_permission(self._actor, Permission.READ, person)
        with self._database.reading() as connection:
            require_visible(connection, person, key)
            sample_row(connection, key)
            found = _read_annotations(connection, person, key)
            return [(each, _quote_text(connection, each, key)) for each in found]

    def find_thread(self, start: str) -> CommentThread:
        """Return the only comment thread whose id begins with `start`, or raise NotFound."""
        found = [
            thread
            for thread in self.list_threads()
            if any(each.id.startswith(start) for each in thread.remarks if not each.answers)
        ]
        if len(found) != 1 or not start:
            ambiguous = f"several thread ids begin with {start!r}"
            what = ambiguous if found else f"no thread id begins with {start!r}"
            raise NotFound(what, "list all threads with: tui-annotate messages questions list")
        return found[0]

    def exchanged(
        self, person: str, *, sample: SampleKey | None = None, written: bool = False
    ) -> list[PersonComment]:
        """Return the messages of a person's threads, to be sent to another workspace of theirs.

        `written` adds the replies that the person, or the owner of this workspace, wrote to others.

        Raises:
            NotAllowed: the actor may not read the person's work.
        """
        require_permission(self._actor, Permission.READ, person)
        me = base_person(person)
        threads = [
            thread
            for who in (me, _second_reading(me))
            for thread in self.list_threads(sample=sample, person=who)
        ]
        found = {each.id: each for thread in threads for each in thread.remarks}
        if written and self.reads_all:
            authors = (me, OPERATOR.person)
            with self._database.reading() as connection:
                others = [one for one in self.list_threads() if not _is_hidden(connection, one)]
            for thread in others:
                found |= {
                    each.id: each
                    for each in thread.remarks
                    if each.author in authors and each.reader != REVIEWERS
                }
        return sorted(found.values(), key=lambda each: (each.at, each.id))

    def merge(
        self, comments: Iterable[PersonComment], *, person: str, replies: bool
    ) -> CommentMerge:
        """Store the messages of a person's file that are not stored yet; none is changed.

        Only messages that the person wrote or received are stored; without `replies`, and for
        annotators, only those that the person wrote to the reviewers.

        Raises:
            NotAllowed: the actor may not write for the person.
        """
        require_permission(self._actor, Permission.WRITE, person)
        offered = list(comments)
        replies = replies and self.reads_all
        if not offered:
            return CommentMerge()
        with self._database.writing() as connection:
            mine = find_merged_ids(connection, [base_person(person)])
            accepted = []
            for each in offered:
                author = base_person(each.author)
                is_question = author in mine and each.reader == REVIEWERS
                if is_question or (replies and mine & {author, base_person(each.reader)}):
                    accepted.append(each)
            return merge_comments(connection, accepted)

    def notices(self, *, since: str = "") -> list[PersonComment]:
        """Return the announcements that are newer than `since`, oldest first."""
        with self._database.reading() as connection:
            return _load_addressed(connection, [ALL], since)

    def replies(self, person: str, *, since: str = "") -> list[PersonComment]:
        """Return the replies to a person that are newer than `since`, oldest first."""
        if not is_allowed(self._actor, Permission.READ, person):
            return []
        with self._database.reading() as connection:
            found = _load_addressed(connection, _find_ids(connection, [person]), since)
            return [
                each
                for each in found
                if each.sample is None or not is_hidden(connection, person, each.sample)
            ]


def _load_addressed(
    connection: Connection, readers: Collection[str], since: str
) -> list[PersonComment]:
    scope = {"readers": list(readers), "since": since}
    return [_build_comment(row) for row in connection.execute(_ADDRESSED, scope).mappings()]


def _add_quote(connection: Connection, comment: PersonComment) -> PersonComment:
    """Add text and labels of the author's annotation; only a new thread needs its existence."""
    key = comment.sample or SampleKey("", "")
    own = _read_annotations(connection, comment.author, key)
    asked = next((each for each in own if each.id == comment.annotation), None)
    if asked is None:
        if comment.answers:
            return comment
        raise NotFound(
            f"you have no annotation {comment.annotation!r} on sample {comment.sample}",
            "ask about the sample instead, or about a stored annotation",
        )
    return replace(comment, quote=_quote_text(connection, asked, key), labels=asked.labels)


def _quote_text(connection: Connection, annotation: Annotation, key: SampleKey) -> str:
    texts: dict[str, list[str]] = {}
    scope = {"dataset": key.dataset, "sample": key.id}
    for side, content, sha256 in connection.execute(_DOCUMENTS, scope):
        texts.setdefault(side, []).append(read_text(connection, content, sha256))
    return quote_annotation(annotation, lambda side, index: texts[side.value][index])


def _read_annotations(connection: Connection, person: str, key: SampleKey) -> list[Annotation]:
    people = list(_find_ids(connection, [person]))
    scope = {"dataset": key.dataset, "sample": key.id, "people": people}
    payloads = connection.execute(_OWN_ANNOTATIONS, scope).scalars()
    return [annotation_from_json(from_json(each)) for each in payloads]


def merge_comments(connection: Connection, comments: Iterable[PersonComment]) -> CommentMerge:
    """Store messages that are not stored yet; a stored message with the same id stays as it is."""
    done = CommentMerge()
    for comment in comments:
        _merge_comment(connection, comment, done)
    return done


def _merge_comment(connection: Connection, comment: PersonComment, done: CommentMerge) -> None:
    key = comment.sample or SampleKey("", "")
    try:
        check_text(comment.text)
        for name in ("id", "author", "reader", "answers", "text", "at", "annotation", "quote"):
            check_storable(getattr(comment, name), f"the field {name} of a question")
    except InvalidInput as error:
        done.refused.append((key, f"a question: {error.message}"))
        return
    row = connection.execute(_BY_ID, {"id": comment.id}).mappings().first()
    if row is None:
        if connection.execute(_DATASET, {"dataset": key.dataset}).first() is None:
            done.refused.append((key, f"a question: there is no dataset {key.dataset!r} here"))
            return
        connection.execute(_INSERT, _build_row(comment))
        done.added += 1
        return
    here = _build_comment(row)
    if (here.sample, here.text) == (comment.sample, comment.text):
        done.known += 1
    else:
        message = f"a question has the id {comment.id!r}, which another message has here"
        done.refused.append((key, message))


def _find_ids(connection: Connection, people: Iterable[str]) -> set[str]:
    """Return the ids of readings, with those of people who were merged into their annotators."""
    found: set[str] = set()
    for person in people:
        base = base_person(person)
        merged = find_merged_ids(connection, [base])
        if base == person:
            found |= merged
        else:
            found |= {_second_reading(each) for each in merged}
    return found


def _join_threads(connection: Connection, comments: Iterable[PersonComment]) -> list[CommentThread]:
    """Group messages, which are in order of time, by annotator, sample and annotation."""
    merges = read_merges(connection)

    def owner(comment: PersonComment) -> tuple[str, bool]:
        base = base_person(comment.asker)
        return find_owner(merges, base), comment.asker == base

    found = list(comments)
    questions = {(owner(each), each.id): each for each in found if not each.answers}
    threads: dict[tuple[Any, ...], list[PersonComment]] = {}
    for each in found:
        # A file may name any thread, but no message joins the thread of another annotator.
        question = questions.get((owner(each), each.answers), each)
        about = (owner(each), question.sample, question.annotation)
        threads.setdefault(about, []).append(each)
    return [CommentThread(tuple(each)) for each in threads.values()]


def count_waiting(
    connection: Connection, *, sample: SampleKey | None = None
) -> Mapping[SampleKey, int]:
    """Return the number of threads that wait for a reviewer's reply, by sample.

    Samples without such a thread are missing. `sample`: count only those of one sample.
    """
    query = _THREADS
    if sample is not None:
        query = query.where(REMARKS.c.dataset == sample.dataset, REMARKS.c.sample == sample.id)
    comments = map(_build_comment, connection.execute(query).mappings())
    waiting = [each.question for each in _join_threads(connection, comments) if each.waiting]
    return Counter(question.sample for question in waiting if question.sample)


def _second_reading(person: str) -> str:
    return second_reader(Person(person, "")).id


def _is_hidden(connection: Connection, thread: CommentThread) -> bool:
    """Return whether a thread belongs to a first reading that its annotator must not see."""
    sample = thread.remarks[0].sample
    if sample is None or base_person(thread.person) != thread.person:
        return False
    owner = find_owner(read_merges(connection), thread.person)
    return is_hidden(connection, owner, sample)


def _match_askers(people: Collection[str]) -> Any:
    """Return an SQL condition that selects all messages in threads that these people began."""
    asked = or_(REMARKS.c.reader == REVIEWERS, REMARKS.c.reader.startswith(_ABOUT, autoescape=True))
    return or_(REMARKS.c.reader.in_(people), and_(asked, REMARKS.c.author.in_(people)))


def _build_row(comment: PersonComment) -> dict[str, Any]:
    dataset, sample = comment.sample or ("", "")
    row = {name: getattr(comment, name) for name in _PLAIN_FIELDS}
    row |= {"dataset": dataset, "sample": sample}
    if comment.annotation:
        about = {
            "id": comment.annotation,
            "quote": comment.quote,
            "labels": [list(path) for path in comment.labels],
        }
        row["reader"] = _ABOUT + json.dumps(about, ensure_ascii=False, separators=(",", ":"))
    return row


def _build_comment(row: Any) -> PersonComment:
    sample = SampleKey(row["dataset"], row["sample"]) if row["sample"] else None
    values = {name: row[name] for name in _PLAIN_FIELDS}
    if not row["reader"].startswith(_ABOUT):
        return PersonComment(sample=sample, **values)
    values["reader"] = REVIEWERS
    about = _read_about(row["reader"].removeprefix(_ABOUT))
    return PersonComment(
        sample=sample,
        annotation=about["id"],
        quote=about.get("quote", ""),
        labels=tuple(map(tuple, about.get("labels", ()))),
        **values,
    )


def _read_about(value: str) -> dict[str, Any]:
    """Return what a question is about; stores of earlier versions have only the annotation's id."""
    if value.startswith("{"):
        try:
            found = json.loads(value)
        except ValueError:
            found = {}
        if isinstance(found, dict) and isinstance(found.get("id"), str):
            return found
    return {"id": value}
