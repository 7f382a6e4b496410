"""The panes and the assist: cursors are moved as the draft wants, and what they mean is lit up.

What is asked of the assist here happens in memory, at once; preparing it is a thread's work.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from textual.widget import Widget
from textual.worker import Worker, WorkerState, get_current_worker

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.errors import Unavailable
from tui_annotate.domain.offers import Offer
from tui_annotate.domain.samples import Kind, Match, Side, Signals
from tui_annotate.tui.draft import citations, lighting, moving
from tui_annotate.tui.draft.effects import (
    AskWords,
    Effect,
    Effects,
    Focus,
    GoTo,
    Grow,
    Move,
    Reveal,
    Select,
    SelectWord,
    SwapEnds,
)
from tui_annotate.tui.draft.sheet import Pointer
from tui_annotate.tui.draft.state import Draft
from tui_annotate.tui.draft.words import HINT, WARNING
from tui_annotate.tui.screens.annotate import signals
from tui_annotate.tui.screens.annotate.heights import AnnotateHeights

if TYPE_CHECKING:
    from tui_annotate.services.annotate import Desk
    from tui_annotate.services.assist import SampleAssist

_log = logging.getLogger(__name__)


class AnnotatePanes(AnnotateHeights):
    """Cursors, documents and matches of the two panes."""

    def __init__(self) -> None:
        super().__init__()
        self._assist: SampleAssist | None = None
        self._state, self._cold = "", True
        self._asked: dict[Side, Anchor | None] = {}
        self._number = 0
        self._documents: dict[Side, int] = {}
        self._offsets: dict[tuple[Side, int], int] = {}

    def side_of(self, pane: Widget) -> Side | None:
        """The side of a pane; None for one that is not this screen's."""
        return next((side for side in Side if self.pane(side) is pane), None)

    # documents

    def load_documents(self, draft: Draft) -> None:
        """Puts the draft's documents on screen, cursors and selection as it has them."""
        self._asked, self._documents, self._offsets = {}, {}, {}
        self._assist, self._state, self.signals = None, "", ""
        self._number += 1
        single = draft.sample.kind is Kind.DOCUMENT and not all(map(draft.sample.side, Side))
        if single != self.single:
            self.single = single
            self._arrange()
        for side in Side:
            pointer = draft.pointers[side]
            self.show_document(side, pointer.document, offset=pointer.offset)
            if pointer.selection:
                self.pane(side).go_to(pointer.offset, select=pointer.selection)
        self.pane(draft.side).focus()

    def show_document(self, side: Side, index: int, *, offset: int | None = None) -> None:
        """Puts another document of a side on screen, with the cursor where it was in it."""
        if self.draft is None:
            return
        if side in self._documents:
            self._offsets[side, self._documents[side]] = self.pane(side).cursor_offset
        documents = self.draft.sample.side(side)
        text, language = "", "en"
        if index < len(documents):
            text, language = documents[index].text, documents[index].language
        tags = citations.tags(self.cited(self.draft)) if side is Side.SUMMARY else None
        sentences, around = self.draft.sentences(side, index), self.around(self.draft, side)
        self.pane(side).load(text, sentences, language=language, tags=tags, around=around)
        self._documents[side] = index
        self.forget_shown()
        wanted = self._offsets.get((side, index), 0) if offset is None else offset
        if text and wanted:
            self.pane(side).go_to(min(wanted, len(text)))

    def cited(self, draft: Draft) -> Sequence[citations.Citation]:
        """What has its marks behind the sentences of a summary."""
        return draft.citations

    def around(self, draft: Draft, side: Side) -> tuple[str, str]:
        """What stands before and after the text of a side where it is a part of something."""
        del draft, side
        return "", ""

    def next_document(self, step: int) -> None:
        """The next or previous document of the source side, round and round."""
        if self.draft:
            count = len(self.draft.sample.side(Side.SOURCE))
            self.show_document(Side.SOURCE, (self._documents[Side.SOURCE] + step) % count)

    # what the draft wants moved

    def move_panes(self, effect: Effect) -> bool:
        """Does what an effect asks of a pane; False where it asks nothing of one."""
        match effect:
            case Move(side, unit, step, extend):
                self.pane(side).move(unit, step, extend=extend)
            case SelectWord(side):
                self.pane(side).select_word()
            case Grow(side, step):
                self.pane(side).grow(step)
            case SwapEnds(side):
                self.pane(side).swap_ends()
            case Select(side, span):
                self.pane(side).select(span)
            case _:
                return self._show_places(effect)
        return True

    def _show_places(self, effect: Effect) -> bool:
        match effect:
            case GoTo(side, document, offset):
                self._document_on_screen(side, document)
                self.pane(side).go_to(offset)
            case Reveal(side, document, span):
                self._document_on_screen(side, document)
                self.pane(side).reveal(span)
            case Focus(side):
                self.pane(side).focus()
            case AskWords(side) if self.draft:
                moving.hint(self.draft, self.pane(side).words_on_screen())
            case _:
                return False
        return True

    def _document_on_screen(self, side: Side, index: int) -> None:
        if self._documents.get(side) != index:
            self.show_document(side, index)

    # what the draft is told

    def pointer(self, side: Side) -> Pointer:
        """Where a pane's cursor is."""
        pane = self.pane(side)
        return Pointer(self._documents.get(side, 0), pane.cursor_offset, pane.selection)

    def follow(self) -> None:
        """Tells the draft where the cursors are, and lights up what belongs to the one in hand."""
        draft = self.draft
        if draft is None:
            return
        for side in Side:
            moving.pointed(draft, side, self.pointer(side))
        for effect in self._light(draft):
            self.move_panes(effect)
        for side in Side:  # a match may have brought another document of its side on screen
            moving.pointed(draft, side, self.pointer(side))

    def _light(self, draft: Draft) -> Effects:
        """Asks the assist where the anchor in hand is another than before."""
        if draft.side is Side.SUMMARY and self._asked.pop(Side.SOURCE, None):
            lighting.lit(draft, Side.SUMMARY, ())
        anchor = draft.here(draft.side)
        if draft.side in self._asked and anchor == self._asked[draft.side]:
            return []
        self._asked[draft.side] = anchor
        if draft.side is Side.SUMMARY:
            draft.looking.begin(anchor if self._assist else None)
        self._tell_signals(draft)
        return lighting.lit(draft, draft.side.other, self._found(anchor))

    def _found(self, anchor: Anchor | None) -> tuple[Match, ...]:
        made = self._assist
        if made is None or anchor is None or anchor.side not in made.sides:
            return ()  # a document alone is on another side than in the store
        return made.match(anchor, by=self.by)

    # the signals

    def next_signals(self) -> None:
        """Words and vectors, words, vectors: another ranking of what is in hand."""
        draft = self.draft
        if draft is None:
            return
        self.by = signals.following(self.by)
        self._light_again(draft)
        words, poor = signals.changed(self.by, self.signals)
        draft.say(words, WARNING if poor else HINT)
        if match := draft.focused_match:
            self.move_panes(Reveal(Side.SOURCE, match.document, match.span))

    def _tell_signals(self, draft: Draft) -> None:
        self.signals = signals.told(self._assist, self._state, by=self.by, side=draft.side)

    def told_offer(self, offer: Offer | None) -> Offer | None:
        """An offer of the draft, with what ranked its matches."""
        made = self._assist
        if offer is None or made is None or made.vectors is None:
            return offer and replace(offer, by=self.by)
        if self.by is Signals.WORDS or not signals.uses_vectors(made, Side.SUMMARY):
            return replace(offer, by=self.by)
        vectors = made.vectors
        return replace(offer, by=self.by, embedder=vectors.label, version=vectors.version)

    # the assist

    def prepare_assist(self, desk: Desk) -> None:
        """Has the assist prepared in a thread; answers for an older sample are dropped."""
        self._in_thread("assist", partial(self._prepare, desk, self._number))

    def _in_thread(self, group: str, call: Callable[[], None]) -> None:
        """Runs a call in place of those of its group before it.

        It is described: Textual would else write out what it is called with, which takes 10 ms for
        the texts of a megabyte.
        """
        self.run_worker(
            call,
            thread=True,
            group=group,
            description=group,
            exclusive=True,
            exit_on_error=False,
        )

    def _prepare(self, desk: Desk, number: int) -> None:
        """In a thread: words first where vectors may take longer, so in the first sample."""
        from tui_annotate.services.assist.memory import settle

        if self.session is None:
            return
        assist, worker = self.session.assist(), get_current_worker()
        words = assist.prepare(desk.sample, desk.segments, vectors=False)
        if self._cold or not signals.is_quick(desk.sample):
            self.app.call_from_thread(self.prepared, number, words, signals.LOADING)
        if worker.is_cancelled:
            return
        try:
            full = assist.prepare(desk.sample, desk.segments, vectors=True, words=words)
            state = full.signals or words.signals
        except Unavailable as error:
            _log.info("no vectors for the assist: %s", error.message)
            full, state = words, f"words only: {error.message}"
        self._cold = False
        self.app.call_from_thread(self.prepared, number, full, state)
        settle()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """What nobody expected is logged, and told of the assist; annotating goes on without it."""
        error, group = event.worker.error, event.worker.group
        if event.state is not WorkerState.ERROR or error is None:
            return
        _log.error("%s failed: %s", group, type(error).__name__, exc_info=error)
        if group == "assist":
            kind = "words only" if self._assist else "no assist"
            self._state = f"{kind}: {type(error).__name__}, see the log"
            if self.draft:
                self._tell_signals(self.draft)
            self.show_draft()

    def prepared(self, number: int, made: SampleAssist, state: str) -> None:
        """The assist is ready, or better than before: lights up, and moves nothing it need not."""
        draft = self.draft
        if number != self._number or draft is None:
            return
        first = self._assist is None
        self._assist, self._state = made, state
        if first:
            self._asked.clear()
            self.follow()
        else:
            self._light_again(draft)
        self.show_draft()

    def _light_again(self, draft: Draft) -> None:
        """Another ranking of the same anchors: the segment in focus stays in focus if it is lit."""
        self._tell_signals(draft)
        for side, anchor in self._asked.items():
            other = side.other
            before = draft.lit[other]
            old = next((match for match in draft.matches[other] if match.rank == before), None)
            lighting.lit(draft, other, self._found(anchor))
            for match in draft.matches[other]:
                if old and (match.document, match.segment) == (old.document, old.segment):
                    draft.lit[other] = match.rank
