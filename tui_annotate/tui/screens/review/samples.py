"""From sample to sample in review: what is shown first, what is seen, what counts as work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from tui_annotate.domain.assignments import worked
from tui_annotate.domain.errors import Unavailable
from tui_annotate.tui.draft import alone
from tui_annotate.tui.draft.citations import citations
from tui_annotate.tui.draft.contexts import contexts
from tui_annotate.tui.draft.judging import places
from tui_annotate.tui.draft.judging.state import Judging
from tui_annotate.tui.draft.state import Draft, Kind
from tui_annotate.tui.draft.words import HINT
from tui_annotate.tui.saving import Job
from tui_annotate.tui.screens.annotate.screen import AnnotateScreen

if TYPE_CHECKING:
    from tui_annotate.domain.suggestions import Suggested
    from tui_annotate.services.annotate import Desk
    from tui_annotate.services.review import Review, ReviewDesk
    from tui_annotate.tui.session import Session


@dataclass
class Token:
    """What the reviewer looked at; the store's thread keeps it true from one deed to the next."""

    seen: str


class ReviewSamples(AnnotateScreen):
    """One sample after the other, and the time that each takes."""

    walks = False

    def __init__(self, leave: Callable[[], None]) -> None:
        super().__init__(leave)
        self._token = Token("")

    @property
    def judging(self) -> Judging | None:
        """What the reviewer has in hand."""
        return self.draft if isinstance(self.draft, Judging) else None

    def _review(self) -> Review:
        """In the store's thread."""
        if self.session is None:
            raise Unavailable("no workspace is open")
        return self.session.team().review

    # samples

    def first(self, session: Session, sample: str) -> Desk | None:
        """The sample that is named, else the first that waits, else one that is settled."""
        review, who = session.team().review, session.person.id
        key = review.find(sample) if sample else review.next(who)
        if key is None:
            rows = review.queue(who)
            key = rows[0].key if rows else None
        return cast("Desk", review.open(who, key)) if key else None

    def begin(self, session: Session, desk: Desk, *, words: str = "", kind: Kind = HINT) -> None:
        """Also: the first conflict comes into hand; on the same sample, the place stays in hand."""
        before = self.judging if self.desk and self.desk.sample.key == desk.sample.key else None
        super().begin(session, desk, words=words, kind=kind)
        draft = self.judging
        if draft is None:
            return
        if before and 0 <= before.at < len(draft.spots):
            self.perform(places.show(draft, before.at))
        else:
            self.perform(places.begin(draft))

    def new_draft(self, desk: Desk) -> Draft:
        """With what people said, and what was made of it."""
        found = cast("ReviewDesk", desk)
        self._token = Token(found.seen)
        draft = Judging(
            alone.on_screen(desk.sample),
            desk.segments,
            desk.labels,
            last_label=self.last_label,
            citations=citations(desk.sample),
            contexts=contexts(desk.sample, ()),
            people=tuple(layer.letter for layer in found.layers),
        )
        take_over(draft, found)
        return draft

    def offers_of(self, desk: Desk) -> Sequence[Suggested]:
        """None: what a machine proposes is an annotator's to answer."""
        del desk
        return ()

    def _opened(self, key: Any) -> Desk:
        """In the store's thread."""
        if self.session is None:
            raise Unavailable("no workspace is open")
        return cast("Desk", self._review().open(self.session.person.id, key))

    def leaving(self) -> Callable[[], None]:
        """What keeps the time."""
        return self._timing(self.stopwatch.take())

    def _timing(self, seconds: float) -> Callable[[], None]:
        session, desk, draft = self.session, self.desk, self.judging
        if session is None or desk is None or draft is None or draft.barred or not worked(seconds):
            return lambda: None
        who, key = session.person.id, desk.sample.key
        return lambda: self._review().read(who, key, seconds=seconds)

    def keep_place(self) -> None:
        """Nobody remembers where a reviewer was."""

    def spend(self) -> None:
        """Something was done: its time counts, and is sent before the store would cut it."""
        self.stopwatch.touch()
        if self.stopwatch.full:
            timing = self._timing(self.stopwatch.take())
            self.saver.send(Job(timing, lambda _: None, self._refused))


def take_over(draft: Judging, found: ReviewDesk) -> None:
    """What people said and review made, as the store has it."""
    sample = found.sample
    draft.groups = alone.groups_exchanged(sample, found.groups)
    draft.settled = alone.all_exchanged(sample, found.settled)
    draft.annotations = alone.all_exchanged(sample, found.annotations)
    rivals = [word for word, _ in found.ratings if word not in found.scale]
    draft.scale, draft.rating = (*found.scale, *rivals), found.assignment.rating
    draft.rated_apart = found.rated_apart
    draft.progress, draft.barred = found.assignment.state, found.refused
