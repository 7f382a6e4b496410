"""Documents that an answer was retrieved from: their order, their worth, and what is right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tui_annotate.domain.samples import Kind, Side
from tui_annotate.tui.draft.contexts import TRUTH, Contexts, contexts, pages
from tui_annotate.tui.draft.effects import Effect, Open
from tui_annotate.tui.draft.state import Draft
from tui_annotate.tui.screens.annotate.asking import AnnotateAsking
from tui_annotate.tui.screens.annotate.rows import Title

if TYPE_CHECKING:
    from tui_annotate.domain.samples import SampleKey
    from tui_annotate.services.annotate import Desk
    from tui_annotate.tui.session import Session

_ASKED: Final = frozenset({Kind.PAIR, Kind.QUESTION})
"""Kinds of samples that contexts are known of."""


class AnnotateContexts(AnnotateAsking):
    """Several documents of one question.

    Attributes:
        judged: they are walked in the judge's order.
    """

    def __init__(self) -> None:
        super().__init__()
        self.judged = False
        self._told: tuple[SampleKey | None, Contexts] = (None, Contexts())

    # samples

    def _opened(self, key: SampleKey) -> Desk:
        """In the store's thread; also what a judge said of its documents."""
        desk = super()._opened(key)
        if self.session:
            self._hear(self.session, desk)
        return desk

    def first(self, session: Session, sample: str) -> Desk | None:
        """In the store's thread; also what a judge said of its documents."""
        desk = super().first(session, sample)
        if desk:
            self._hear(session, desk)
        return desk

    def _hear(self, session: Session, desk: Desk) -> None:
        """Reads only where there is something to sort, or a question that has an answer."""
        sample = desk.sample
        asked = len(sample.side(Side.SOURCE)) > 1 or TRUTH in sample.meta
        if sample.kind in _ASKED and asked and session.machines:
            scores = session.machines().scores.of([sample.key]).get(sample.key, ())
            self._told = (sample.key, contexts(sample, scores))

    def new_draft(self, desk: Desk) -> Draft:
        """Also with what is known of its documents."""
        draft = super().new_draft(desk)
        key, known = self._told
        draft.contexts = known if key == desk.sample.key else contexts(desk.sample, ())
        return draft

    # what is asked

    def ask(self, effect: Effect) -> bool:
        """Does what an effect asks for; False where it asks for nothing of this."""
        if effect == Open("contexts") and self.draft:
            self._turn(self.draft)
            return True
        return super().ask(effect)

    def _turn(self, draft: Draft) -> None:
        self.judged = not self.judged
        whose = "the judge's" if self.judged else "the retriever's"
        self.show_document(Side.SOURCE, self._walked(draft)[0])
        draft.say(f"documents in {whose} order · d D walk them")

    def _walked(self, draft: Draft) -> tuple[int, ...]:
        """Indices of the documents in the order of walking."""
        usual = tuple(range(len(draft.sample.side(Side.SOURCE))))
        return (draft.contexts.order if self.judged else ()) or usual

    def next_document(self, step: int) -> None:
        """The next or previous document in the order that was chosen, round and round."""
        if draft := self.draft:
            order = self._walked(draft)
            at = order.index(draft.pointers[Side.SOURCE].document)
            self.show_document(Side.SOURCE, order[(at + step) % len(order)])

    # what is shown

    def title_of(self, draft: Draft, side: Side) -> Title:
        """Also the places of the document on screen."""
        usual = super().title_of(draft, side)
        if side is Side.SUMMARY or not draft.sample.side(side):
            return usual
        at = draft.pointers[side].document
        if not (told := draft.contexts.words(at)):
            return usual
        name = usual.name.removesuffix(f" {at + 1}")  # a key that is a place is told already
        return usual._replace(name=name, notes=(told, *usual.notes))

    def pages_of(self, desk: Desk) -> tuple[list[tuple[str, str]], int]:
        """Also what is right, and the documents with their places."""
        usual, page = super().pages_of(desk)
        known = self.draft.contexts if self.draft else Contexts()
        return [*usual, *pages(desk.sample, known)], page
