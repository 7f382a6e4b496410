"""Questions of annotators, replies of reviewers, announcements of admins, and unseen news."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from tui_annotate.domain.comments import (
    ALL,
    REVIEWERS,
    CommentThread,
    NewsItem,
    PersonComment,
    check_text,
)
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.keyword_names import check_keywords, earlier_keywords
from tui_annotate.domain.people import (
    OPERATOR,
    Actor,
    Permission,
    Person,
    base_person,
    require_permission,
    second_reader,
)
from tui_annotate.domain.plural import format_count
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.text_diff import DiffPart, diff_lines
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.labels.store import GuidanceEdition, GuidanceKind, GuidanceStore
from tui_annotate.storage.log.comments import CommentStore
from tui_annotate.storage.people.store import PeopleStore

_SEEN_PREFERENCE: Final = "news_seen"
_MAX_LINES: Final = 60
_MAX_LISTED: Final = 10


@dataclass(frozen=True, slots=True)
class News:
    """News for users (announcements, replies, changed guidelines and labels), each shown once."""

    guidance: GuidanceStore
    remarks: CommentStore
    people: PeopleStore
    names: Callable[[], Mapping[str, str]]
    clock: Callable[[], str] = utc_now

    def of(self, person: str) -> list[NewsItem]:
        """Return the news that a user has not seen; at first use, only announcements."""
        me = base_person(person)
        since = self._seen_until(me)
        names = self.names()
        items = [
            NewsItem(
                f"Announcement from {names.get(each.author, 'the admin')}", _text_parts(each.text)
            )
            for each in self.remarks.notices(since=since)
        ]
        if not since:
            return items
        readings = (me, second_reader(Person(me, "")).id)
        threads = [one for who in readings for one in self.remarks.list_threads(person=who)]
        quotes = {each.id: thread.about for thread in threads for each in thread.remarks}
        replies = [each for who in readings for each in self.remarks.replies(who, since=since)]
        for each in sorted(replies, key=lambda reply: reply.at):
            author = names.get(each.author, "a reviewer")
            about = quotes.get(each.answers, "")
            title = f"{author} replied to your question about {each.sample}"
            if about:
                title += f", {about}"
            items.append(NewsItem(title, _text_parts(each.text)))
        return [*items, *self._changed_guidance(since)]

    def _seen_until(self, person: str) -> str:
        return str(self.people.preferences(person).get(_SEEN_PREFERENCE, ""))

    def saw(self, person: str) -> None:
        """Record that a user has seen all news up to now, also for their second readings."""
        self.people.keep_preference(base_person(person), _SEEN_PREFERENCE, self.clock())

    def _changed_guidance(self, since: str) -> Iterator[NewsItem]:
        for kind in (GuidanceKind.GUIDELINES, GuidanceKind.LABELS):
            scopes: dict[str, list[GuidanceEdition]] = {}
            for each in self.guidance.editions(kind):
                scopes.setdefault(each.dataset, []).append(each)
            for dataset, editions in scopes.items():
                known = [each for each in editions if each.at <= since]
                last = editions[-1]
                if last.at > since and (not known or known[-1].version != last.version):
                    old = self.guidance.text(kind, known[-1].version) if known else ""
                    new = self.guidance.text(kind, last.version)
                    yield NewsItem(_title(kind, dataset, known=bool(old)), _changed_lines(old, new))


def _title(kind: GuidanceKind, dataset: str, *, known: bool) -> str:
    what = "guidelines" if kind is GuidanceKind.GUIDELINES else "labels"
    where = f" of {dataset}" if dataset else ""
    return f"The {what}{where} {'changed' if known else 'are new'}"


def _changed_lines(old: str, new: str) -> tuple[DiffPart, ...]:
    lines = [piece for group in diff_lines(old, new, around=1) for piece in group]
    more = len(lines) - _MAX_LINES
    cut = [DiffPart(" ", f"... and {format_count(more, 'line')} more")] if more > 0 else []
    return (*lines[:_MAX_LINES], *cut)


def _text_parts(text: str) -> tuple[DiffPart, ...]:
    return tuple(DiffPart(" ", line) for line in text.splitlines())


@check_keywords
@dataclass(frozen=True, slots=True)
class CommentService:
    """Stores annotators' questions and reviewers' answers."""

    store: CommentStore
    names: Callable[[], Mapping[str, str]]
    actor: Actor = OPERATOR
    clock: Callable[[], str] = utc_now
    new_id: Callable[[], str] = lambda: uuid.uuid4().hex

    def write(
        self, person: str, key: SampleKey, text: str, *, annotation: str = ""
    ) -> CommentThread:
        """Add an annotator's question about a sample, or about one of their annotations.

        Each sample and each annotation has its own thread, and so has a second reading.
        `annotation` is the id of an annotation; empty for the sample.

        Raises:
            NotAllowed: the annotator is not the current user, or must not see their first reading
                of the sample before the second one is complete.
            InvalidInput: the text is empty, too long, or cannot be stored.
            NotFound: the sample does not exist, or the annotator has no such annotation in it.
        """
        require_permission(self.actor, Permission.WRITE, person)
        thread = self.find_thread(person, key, annotation=annotation)
        start = thread.id if thread else ""
        added = self._add(text, key, by=person, to=REVIEWERS, thread=start, annotation=annotation)
        return CommentThread((*(thread.remarks if thread else ()), added))

    def find_annotation(
        self, person: str, key: SampleKey, *, start: str = "", quote: str = ""
    ) -> str:
        """Return the id of the one annotation of a person that has an id or contains a text.

        Args:
            start: the id, or its beginning.
            quote: the text of the annotation's claim or evidence, or a part that no other has.

        Raises:
            NotFound: no annotation of the person in this sample matches.
            InvalidInput: several annotations match.
            NotAllowed: the annotator is not the current user, or must not see this work yet.
        """
        require_permission(self.actor, Permission.WRITE, person)
        own = self.store.own_annotations(person, key)
        if start:
            named = [each.id for each, _ in own if each.id.startswith(start)]
            matches = [start] if start in named else named
        else:
            same = [each.id for each, text in own if text == quote]
            matches = same or [each.id for each, text in own if quote in text]
        if len(matches) == 1:
            return matches[0]
        wanted = f"the id {start!r}" if start else f"the text {quote!r}"
        listed = "; ".join(f"{each.id}: {text:.60}" for each, text in own[:_MAX_LISTED])
        if matches:
            raise InvalidInput(
                f"{len(matches)} of your annotations on sample {key} match {wanted}",
                f"give the id of one annotation: {listed}",
            )
        raise NotFound(
            f"you have no annotation with {wanted} on sample {key}",
            f"give the id or text of one of them: {listed}"
            if own
            else "ask about the sample instead: omit the annotation",
        )

    def reply(self, start: str, text: str) -> CommentThread:
        """Reply to an annotator's question, as a reviewer.

        Raises:
            NotAllowed: the current user is not a reviewer.
            NotFound: the thread does not exist.
            InvalidInput: same as for `write`.
        """
        require_permission(self.actor, Permission.REVIEW)
        found = self.store.find_thread(start)
        added = self._add(
            text,
            found.question.sample,
            by=self.actor.person,
            to=found.person,
            thread=found.id,
        )
        return CommentThread((*found.remarks, added))

    def notice(self, text: str) -> PersonComment:
        """Show an announcement to every annotator at their next session.

        Raises:
            NotAllowed: the current user is not an admin.
            InvalidInput: same as for `write`.
        """
        require_permission(self.actor, Permission.MANAGE)
        return self._add(text, None, by=self.actor.person, to=ALL)

    def _add(
        self,
        text: str,
        sample: SampleKey | None,
        *,
        by: str,
        to: str,
        thread: str = "",
        annotation: str = "",
    ) -> PersonComment:
        added = PersonComment(
            id=self.new_id(),
            sample=sample,
            author=by,
            reader=to,
            answers=thread,
            text=check_text(text),
            at=self.clock(),
            annotation=annotation,
        )
        return self.store.add(added)

    def find_thread(
        self, person: str, key: SampleKey, *, annotation: str = ""
    ) -> CommentThread | None:
        """Return a person's thread about a sample or an annotation; None if there is none."""
        found = self.store.list_threads(sample=key, person=person)
        return next((each for each in found if each.annotation == annotation), None)

    def list_own_threads(self, person: str, key: SampleKey) -> list[CommentThread]:
        """Return a person's threads about a sample and its annotations; that of the sample last."""
        found = self.store.list_threads(sample=key, person=person)
        return sorted(found, key=lambda thread: not thread.annotation)

    def annotation_ids(self, person: str, key: SampleKey) -> set[str]:
        """Return the ids of a person's annotations of a sample; errors as `find_annotation`."""
        return {each.id for each, _ in self.store.own_annotations(person, key)}

    @earlier_keywords(waiting="unanswered")
    def list_threads(
        self, *, unanswered: bool = False, sample: SampleKey | None = None
    ) -> list[CommentThread]:
        """Return the threads of questions and replies that a user may read, oldest first."""
        found = self.store.list_threads(sample=sample)
        return [talk for talk in found if talk.waiting or not unanswered]

    def notices(self) -> list[PersonComment]:
        """Return all announcements, oldest first."""
        return self.store.notices()

    def name(self, person: str) -> str:
        """Return the displayed name of a message's author or recipient."""
        if person == REVIEWERS:
            return "a reviewer"
        return self.names().get(person, person) if person else "admin"
