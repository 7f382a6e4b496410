"""Remarks: an annotator writes to the reviewers about a sample, they answer; notices to all."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tui_annotate.domain.people import OPERATOR, Actor, Verb, reader, require
from tui_annotate.domain.remarks import ALL, REVIEWERS, Remark, Talk, checked_text
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.work.remarks import RemarkStore


def _new_id() -> str:
    return uuid.uuid4().hex


@dataclass(frozen=True, slots=True)
class Remarks:
    """What people say to one another, as far as the actor may read and write it.

    Attributes:
        names: of people, by id.
        clock: gives this moment, ISO 8601.
    """

    store: RemarkStore
    names: Callable[[], Mapping[str, str]]
    actor: Actor = OPERATOR
    clock: Callable[[], str] = utc_now
    new_id: Callable[[], str] = _new_id

    def write(self, person: str, key: SampleKey, text: str) -> Talk:
        """Says something to the reviewers about a sample; goes on with the person's talk of it.

        Raises:
            NotAllowed: the person is somebody else.
            InvalidInput: the text is empty, too long, or can not be stored.
            NotFound: there is no such sample.
        """
        mine = reader(person)
        require(self.actor, Verb.WRITE, mine)
        talk = self.talk(mine, key)
        answers = talk.id if talk else ""
        now = self.clock()
        said = Remark(self.new_id(), key, mine, REVIEWERS, answers, checked_text(text), now)
        self.store.add(said)
        return Talk((*(talk.remarks if talk else ()), said))

    def reply(self, talk: str, text: str) -> Talk:
        """Answers in a talk, as a reviewer.

        Args:
            talk: the first characters of its id.

        Raises:
            NotAllowed: the actor is no reviewer.
            NotFound: there is no such talk, or its sample is gone.
            InvalidInput: as `write`.
        """
        require(self.actor, Verb.REVIEW)
        found = self.store.talk(talk)
        said = Remark(
            self.new_id(), found.remarks[0].sample, self.actor.person, found.person, found.id,
            checked_text(text), self.clock(),
        )  # fmt: skip
        self.store.add(said)
        return Talk((*found.remarks, said))

    def notice(self, text: str) -> Remark:
        """Says something to all, which each sees once when they begin.

        Raises:
            NotAllowed: the actor is no admin.
            InvalidInput: as `write`.
        """
        require(self.actor, Verb.MANAGE)
        said = Remark(
            self.new_id(), None, self.actor.person, ALL, "", checked_text(text), self.clock()
        )
        self.store.add(said)
        return said

    def talk(self, person: str, key: SampleKey) -> Talk | None:
        """The talk of a person about a sample; None where they said nothing."""
        found = self.store.talks(sample=key, person=reader(person))
        return found[0] if found else None

    def talks(self, *, waiting: bool = False, sample: SampleKey | None = None) -> list[Talk]:
        """Talks that the actor may read, by when they began.

        Args:
            waiting: those alone in which the annotator said the last word.
        """
        found = self.store.talks(sample=sample)
        return [talk for talk in found if talk.waiting or not waiting]

    def notices(self) -> list[Remark]:
        """All notices, the oldest first."""
        return self.store.notices()

    def name(self, person: str) -> str:
        """Who that is, for people; whoever owns the files is the admin."""
        return self.names().get(person, person) if person else "admin"
