"""Suggestions of machines: told when a sample opens, answered in the store, open again by undo."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.errors import Conflict, TuiAnnotateError
from tui_annotate.domain.suggestions import Suggested, Suggestion
from tui_annotate.tui.draft import alone, offer_words, suggesting
from tui_annotate.tui.draft.effects import Accept, Decline, Effect, Open
from tui_annotate.tui.draft.relabelling import Relabelling
from tui_annotate.tui.draft.state import Draft, Kind
from tui_annotate.tui.saving import told
from tui_annotate.tui.screens.annotate.doing import AnnotateDoing
from tui_annotate.tui.screens.annotate.samples import NOT_SAVED

if TYPE_CHECKING:
    from tui_annotate.domain.samples import Sample
    from tui_annotate.services.annotate import Desk, Saved
    from tui_annotate.tui.session import Session

HIDDEN: Final = "hidden"
SHOWN: Final = "shown"
"""What is remembered of somebody who hides suggestions, and of who shows them again."""


class AnnotateSuggesting(AnnotateDoing):
    """What is proposed for a sample, beside what its annotator made.

    Attributes:
        hiding: this person has no suggestions shown.
    """

    def __init__(self) -> None:
        super().__init__()
        self.hiding = False

    # what is there

    def new_draft(self, desk: Desk) -> Draft:
        """Also with what is suggested, as far as this person answered it not yet."""
        draft = super().new_draft(desk)
        draft.suggestions, draft.hiding = _open(desk.sample, self.offers_of(desk)), self.hiding
        return draft

    def offers_of(self, desk: Desk) -> Sequence[Suggested]:
        """What is suggested for a sample."""
        return desk.suggestions

    def begin(self, session: Session, desk: Desk, *, words: str = "", kind: Kind = "hint") -> None:
        """Also says how many suggestions are open."""
        super().begin(session, desk, words=words, kind=kind)
        if (draft := self.draft) and (many := suggesting.opening(draft)):
            said, as_what = draft.message
            draft.say(f"{said} · {many}" if said else many, as_what if said else "hint")
            self.show_draft()

    def take_over(self, draft: Draft, now: Desk, change: Relabelling) -> None:
        """Also what is suggested now."""
        super().take_over(draft, now, change)
        draft.suggestions = _open(now.sample, self.offers_of(now))

    def _take_over(self, saved: Saved) -> None:
        """Also what is open now: an undo, or the removal of what was made of it, opens it again."""
        super()._take_over(saved)
        desk, draft = self.desk, self.draft
        if desk is None or draft is None or saved.key != desk.sample.key:
            return
        if not (before := self.offers_of(desk)):
            return
        now = tuple(_answered(each, saved) for each in before)
        self.desk = replace(desk, suggestions=now)
        draft.suggestions = _open(desk.sample, now)

    def words_of(self, draft: Draft, cells: int) -> tuple[str, Kind]:
        """Also of a suggestion in focus: what is proposed, by whom, why."""
        return offer_words.line(draft, cells) or super().words_of(draft, cells)

    def hide_suggestions(self, *, hiding: bool) -> None:
        """This person wants none, or wants them."""
        self.hiding = hiding
        if self.draft:
            self.draft.hiding = hiding

    # what is answered

    def store(self, effect: Effect) -> bool:
        """Also answers to suggestions, and whether they are shown."""
        session, desk, draft = self.session, self.desk, self.draft
        if session is None or desk is None or draft is None:
            return False
        match effect:
            case Accept(one, annotation, changed):
                made = annotation if changed else None
                self._answer(session, desk, draft, one=one, made=made)
            case Decline(one, reason):
                self._refuse(session, desk, draft, one=one, reason=reason)
            case Open("suggestions", step):
                self.hide_suggestions(hiding=not step)
                self.remember("suggestions", SHOWN if step else HIDDEN)
            case _:
                return super().store(effect)
        return True

    def remember(self, what: str, value: str) -> None:
        """Something that this person chose for themselves."""
        raise NotImplementedError

    def _answer(
        self,
        session: Session,
        desk: Desk,
        draft: Draft,
        *,
        one: Suggestion,
        made: Annotation | None,
    ) -> None:
        """Accepts a suggestion: as it is, or with changes where those are given."""
        annotate, who, key = session.annotate, session.person.id, desk.sample.key
        changed = alone.exchanged(desk.sample, made) if made else None
        accept = partial(
            annotate.accept, who, key, one.id, changed=changed, label_set=draft.tree.version
        )

        def done(saved: Saved) -> None:
            self._take_over(saved)
            mine = saved.annotation and alone.exchanged(desk.sample, saved.annotation)
            known = alone.all_exchanged(desk.sample, saved.annotations)
            self.perform(suggesting.accepted(draft, one, mine, annotations=known))
            self.keep_place()

        self._send(partial(self._timed, accept), done, partial(self._not_answered, draft, one))

    def _refuse(
        self, session: Session, desk: Desk, draft: Draft, *, one: Suggestion, reason: str
    ) -> None:
        annotate, who, key = session.annotate, session.person.id, desk.sample.key
        refuse = partial(annotate.refuse, who, key, one.id, reason=reason)

        def done(saved: Saved) -> None:
            self._take_over(saved)
            suggesting.declined(draft, one)
            self.perform([])

        self._send(partial(self._timed, refuse), done, partial(self._not_answered, draft, one))

    def _not_answered(self, draft: Draft, one: Suggestion, error: TuiAnnotateError) -> None:
        """The store has it not: it is open again; after a conflict beside what stands there now."""
        self.forget_keys()
        self.saved_words = NOT_SAVED

        def back(changed: str) -> None:
            self.forget_keys()
            words = f"{changed} · look, and do it again" if changed else told(error)
            effects = suggesting.failed(draft, one, words)
            if draft is self.draft:
                self.perform(effects)

        if isinstance(error, Conflict):
            self.read_again(draft, back)
        else:
            back("")


def _answered(each: Suggested, saved: Saved) -> Suggested:
    given = saved.answers.get(each.suggestion.id)
    stands = given is not None and any(one.id == given.annotation for one in saved.annotations)
    return Suggested.of(each.suggestion, given, stands=stands)


def _open(sample: Sample, found: Sequence[Suggested]) -> tuple[Suggestion, ...]:
    """Those that wait for an answer, as the screen takes them, in reading order."""
    turned = (alone.turned(sample, each.suggestion) for each in found if each.open)
    return tuple(sorted(turned, key=lambda one: one.claim or one.evidence))
