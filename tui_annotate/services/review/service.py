"""Reviewing: what a reviewer makes of what several people said; each action whole, and undoable.

What people did stays as it was. All of it goes into the streams of one owner who is nobody, and
each event says which reviewer did it; each takes back what they did themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from tui_annotate.domain import deeds
from tui_annotate.domain.annotations import Annotation, LabelPath
from tui_annotate.domain.assignments import State, worked
from tui_annotate.domain.errors import Conflict, NotAllowed
from tui_annotate.domain.history import READ, Action
from tui_annotate.domain.items import scale
from tui_annotate.domain.people import SETTLED, Person, PersonKind
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.settlements import How, Reason
from tui_annotate.services.review.desk import Judged
from tui_annotate.services.review.looking import Looking
from tui_annotate.services.review.making import Making, Sources, Stamp
from tui_annotate.services.review.work import Work, work
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.codec import storable
from tui_annotate.storage.guidance.store import Guidance
from tui_annotate.storage.work.ledger import Done, Ledger, new_id
from tui_annotate.storage.work.log import Log, Stream

_NOBODY = Person(SETTLED, SETTLED, PersonKind.SETTLED)


@dataclass(frozen=True)
class Review(Looking):
    """The deeds of reviewers, and what they see. Threads may share it.

    Every deed takes `seen`, which stands for what the reviewer looked at, and the seconds since
    their last one; all raise NotAllowed for who may not settle the sample, Conflict where anything
    of it changed since, and NotFound for a sample that is not there.

    Attributes:
        clock: gives this moment, ISO 8601.
        new_id: gives a new id for an annotation or an event.
    """

    clock: Callable[[], str] = utc_now
    new_id: Callable[[], str] = new_id

    def take(
        self,
        reviewer: str,
        key: SampleKey,
        rivals: Sequence[Sources],
        *,
        seen: str,
        seconds: float,
    ) -> Judged:
        """Keeps rivals as they are, with the evidence of all who said so.

        Raises:
            Conflict: also where it stands already, or a label must stand alone on its claim.
        """

        def change(making: Making) -> None:
            if not rivals:
                raise Conflict("no majority proposes anything here", "choose a rival first")
            for sources in rivals:
                making.take(making.work.rival(sources), How.TAKEN)

        return self._do(reviewer, key, ("take", change), seen=seen, seconds=seconds)

    def merge(
        self,
        reviewer: str,
        key: SampleKey,
        rivals: Sequence[Sources],
        *,
        labels: tuple[LabelPath, ...],
        seen: str,
        seconds: float,
    ) -> Judged:
        """Makes one of several rivals: all their words, all their evidence.

        Args:
            labels: those of one of them.

        Raises:
            InvalidInput: there are not two rivals, or none of them has these labels.
            Conflict: also as `take`.
        """
        change = partial(Making.merge, rivals=rivals, labels=labels)
        return self._do(reviewer, key, ("merge", change), seen=seen, seconds=seconds)

    def edit(
        self,
        reviewer: str,
        key: SampleKey,
        annotation: Annotation,
        *,
        sources: Sources = (),
        seen: str,
        seconds: float,
    ) -> Judged:
        """Keeps a rival with changes, or changes what was made before.

        Args:
            annotation: the content; under the id of one that stands, else under a new one.
            sources: of the rival; not looked at for one that stands.

        Raises:
            InvalidInput: the annotation is not well made, or its labels break their rules.
            Conflict: also where it lacks what its label requires, or stands already.
        """
        change = partial(Making.edit, annotation=annotation, sources=sources)
        return self._do(reviewer, key, ("edit", change), seen=seen, seconds=seconds)

    def own(
        self,
        reviewer: str,
        key: SampleKey,
        annotation: Annotation,
        *,
        seen: str,
        seconds: float,
    ) -> Judged:
        """Adds what nobody marked.

        Raises:
            InvalidInput, Conflict: as `edit`.
        """
        change = partial(Making.edit, annotation=annotation, sources=())
        return self._do(reviewer, key, ("own", change), seen=seen, seconds=seconds)

    def remove(
        self, reviewer: str, key: SampleKey, annotation_id: str, *, seen: str, seconds: float
    ) -> Judged:
        """Gives back something that was made here; what it was made of is open again.

        Raises:
            Conflict: also where it does not stand any more.
        """

        def change(making: Making) -> None:
            gone = [one for one in making.standing if one.id == annotation_id]
            if not gone:
                raise Conflict(f"{annotation_id} does not stand any more", "was it taken back?")
            making.drop(gone)

        return self._do(reviewer, key, ("remove", change), seen=seen, seconds=seconds)

    def reject(
        self,
        reviewer: str,
        key: SampleKey,
        rivals: Sequence[Sources],
        *,
        reason: Reason = Reason.NONE,
        note: str = "",
        seen: str,
        seconds: float,
    ) -> Judged:
        """Refuses rivals, and what was made of them; they are kept with the reason.

        Raises:
            InvalidInput: there is neither a reason nor a note.
        """
        change = partial(
            Making.reject, rivals=rivals, reason=reason, note=storable(note.strip(), "note")
        )
        return self._do(reviewer, key, ("reject", change), seen=seen, seconds=seconds)

    def rate(
        self, reviewer: str, key: SampleKey, rating: str, *, seen: str, seconds: float
    ) -> Judged:
        """Settles the rating of the sample as a whole; empty takes it back.

        Raises:
            InvalidInput: it is neither of the sample's scale nor what somebody rated.
        """
        word = storable(rating.strip(), "rating")
        words = scale(self.corpus.sample(key).sample.kind, self.ratings)
        change = partial(Making.rate, word=word, scale=words)
        return self._do(reviewer, key, ("rate", change), seen=seen, seconds=seconds)

    def comment(
        self, reviewer: str, key: SampleKey, text: str, *, seen: str, seconds: float
    ) -> Judged:
        """A comment on the sample as a whole, in place of the one that was there; may be empty."""
        words = {"comment": storable(text.strip(), "comment")}

        def change(making: Making) -> None:
            making.words.update(words)

        return self._do(reviewer, key, ("comment", change), seen=seen, seconds=seconds)

    def finish(
        self,
        reviewer: str,
        key: SampleKey,
        *,
        rest: Reason = Reason.NONE,
        note: str = "",
        seen: str,
        seconds: float,
    ) -> Judged:
        """The sample is settled, also with nothing found; what all agreed on is taken with it.

        Args:
            rest, note: why nothing is taken of places that are still open.

        Raises:
            Conflict: also where places or the rating are open, and no reason is given.
        """
        change = partial(Making.finish, rest=rest, note=storable(note.strip(), "note"))
        return self._do(reviewer, key, ("done", change), seen=seen, seconds=seconds)

    def reopen(self, reviewer: str, key: SampleKey, *, seen: str, seconds: float) -> Judged:
        """A settled sample is open again, with all that was settled.

        Raises:
            Conflict: also where it is not settled.
        """

        def change(making: Making) -> None:
            if making.work.settled.assignment.state is not State.DONE:
                raise Conflict(f"{key} is not settled", "there is nothing to reopen")

        return self._do(reviewer, key, ("reopen", change), seen=seen, seconds=seconds)

    def read(self, reviewer: str, key: SampleKey, *, seconds: float) -> None:
        """Time on a sample that no action told of."""
        self.check_reviewer(reviewer)
        if worked(seconds):
            self._ledger(reviewer).do(
                SETTLED,
                key,
                lambda _log, stream: deeds.assign(stream.state, READ, {}),
                seconds=seconds,
            )

    def undo(self, reviewer: str) -> Done | None:
        """Takes back the last thing that this reviewer did and did not take back, on any sample.

        Returns:
            None where nothing is left.

        Raises:
            Conflict: what it would take back was changed by somebody since.
        """
        self.check_reviewer(reviewer)
        return self._ledger(reviewer).undo(SETTLED)

    def redo(self, reviewer: str) -> Done | None:
        """Does again what this reviewer took back last; None where they did something since."""
        self.check_reviewer(reviewer)
        return self._ledger(reviewer).redo(SETTLED)

    # how ---------------------------------------------------------------------------------------

    def _ledger(self, reviewer: str) -> Ledger:
        self.people.keep(_NOBODY)
        return Ledger(self.store, self.guidance, self.clock, self.new_id, by=reviewer)

    def _do(
        self,
        reviewer: str,
        key: SampleKey,
        deed: tuple[str, Callable[[Making], None]],
        *,
        seen: str,
        seconds: float,
    ) -> Judged:
        """One action: its verb, and what it makes of the sample."""
        self.check_reviewer(reviewer)
        sample = self.corpus.sample(key).sample
        verb, change = deed
        before: list[tuple[Work, str]] = []

        def prepare(log: Log, stream: Stream) -> Action:
            now = work(log, sample)
            if refused := self.refusal(log, reviewer, now):
                raise NotAllowed(refused, "leave it to another reviewer")
            stamp = self._stamp(reviewer, key)
            now.check(seen, same=lambda version: self.label_sets.same(version, stamp.labels))
            change(making := Making(log, now, stamp))
            before.append((now, stamp.labels.version))
            return making.action(stream.state, verb)

        done = self._ledger(reviewer).do(SETTLED, key, prepare, seconds=seconds)
        found, label_set = before[0]
        now = replace(found, settled=done.stream)
        seen = now.seen_under(label_set)
        return Judged(key, verb, now.standing, done.stream.assignment, seen)

    def _stamp(self, reviewer: str, key: SampleKey) -> Stamp:
        guidelines = self.guidance.version(Guidance.GUIDELINES, dataset=key.dataset)
        labels = self.label_sets.in_force(key.dataset)
        return Stamp(reviewer, self.clock(), labels, guidelines, self.new_id)
