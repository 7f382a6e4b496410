"""Controller of the summary and the source on screen: cursors, documents, matches and search.

A thread prepares the assist, which finds the matches. The prepared assist finds them in memory.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

from textual.widget import Widget
from textual.worker import Worker, WorkerState, get_current_worker

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.assist_snapshot import AssistSnapshot
from tui_annotate.domain.errors import UNKNOWN_WORDS, NotAllowed, Unavailable, VectorsPending
from tui_annotate.domain.samples import Match, Sample, Segment, Side, Signals
from tui_annotate.domain.spans import Span
from tui_annotate.editor import citations, cursor_actions, highlights
from tui_annotate.editor.effects import (
    AskWords,
    Effect,
    Effects,
    Focus,
    GoTo,
    GrowSelection,
    Move,
    Reveal,
    Select,
    SelectWord,
    SwapEnds,
)
from tui_annotate.editor.screen_message import error_texts
from tui_annotate.editor.search_hits import NO_SEARCH, SearchHits
from tui_annotate.editor.state import Citation, Draft, SideCursor
from tui_annotate.editor.words import quote_text
from tui_annotate.tui.screens.sample import signals
from tui_annotate.tui.screens.sample.rows import SampleMessage
from tui_annotate.tui.widgets.document_pane import DocumentPane

if TYPE_CHECKING:
    from textual.app import App
    from textual.timer import Timer

    from tui_annotate.services.assist.sample import SampleAssist
    from tui_annotate.services.assist.search import AssistService
    from tui_annotate.tui.dialogs.find import FindDialog
    from tui_annotate.tui.screens.sample.comparison import TextComparison

Segments = Sequence[Sequence[Segment]]

_log = logging.getLogger(__name__)

VECTORS_INTERVAL: Final = 5.0
"""Seconds after which the screen looks again for the vectors of the sample."""


class PaneHost(Protocol):
    """What the controller of the panes needs of the screen of a sample."""

    @property
    def app(self) -> App[object]: ...
    @property
    def draft(self) -> Draft | None: ...
    @property
    def comparison(self) -> TextComparison: ...
    @property
    def shows_matches(self) -> bool: ...

    def citations(self, draft: Draft) -> Sequence[Citation]: ...
    def surroundings(self, draft: Draft, side: Side) -> tuple[str, str]: ...
    def follow(self) -> None: ...
    def forget_shown(self) -> None: ...
    def show_draft(self) -> None: ...
    def run_in_thread(self, group: str, call: Callable[[], None]) -> None: ...
    def set_timer(self, delay: float, callback: Callable[[], None]) -> Timer: ...


class PaneController:
    """Controller of the cursors, documents and matches of the summary and the source."""

    def __init__(self, screen: PaneHost) -> None:
        self._screen = screen
        self._panes: dict[Side, DocumentPane] = {}
        self.signals = signals.SignalsStatus()
        self.by = Signals.FUSED
        self._assist: SampleAssist | None = None
        self._assist_state = ""
        self._first_sample = True
        self._anchors: dict[Side, Anchor | None] = {}
        self._number = 0
        self._documents: dict[Side, int] = {}
        self._offsets: dict[tuple[Side, int], int] = {}

    def build(self) -> None:
        """Create the widgets of both texts, which the screen composes."""
        self._panes = {side: DocumentPane(id=side.value) for side in Side}

    def __getitem__(self, side: Side) -> DocumentPane:
        return self._panes[side]

    def side_of(self, pane: Widget) -> Side | None:
        """Return whether a widget shows the summary or the source; None for neither."""
        return next((side for side in Side if self[side] is pane), None)

    # documents

    def reset(self) -> None:
        """Forget the previous sample, and drop its matches that are found later."""
        self._anchors = {}
        self._documents = {}
        self._offsets = {}
        self._assist = None
        self._assist_state = ""
        self.signals = signals.SignalsStatus()
        self._number += 1

    def load(self, draft: Draft) -> None:
        """Show both texts of a new draft with its cursors, and focus the text at work."""
        for side in Side:
            pointer = draft.pointers[side]
            self.show_document(side, pointer.document, offset=pointer.offset)
            if pointer.selection:
                self[side].go_to(pointer.offset, select=pointer.selection)
        self[draft.side].focus()

    def show_document(self, side: Side, index: int, *, offset: int | None = None) -> None:
        """Show another document of a side, with the cursor at its last position there."""
        draft = self._screen.draft
        screen = self._screen
        if draft is None:
            return
        if side in self._documents:
            self._offsets[side, self._documents[side]] = self[side].cursor_offset
        documents = draft.sample.side(side)
        text = documents[index].text if index < len(documents) else ""
        tags = citations.format_marks(screen.citations(draft)) if side is Side.SUMMARY else None
        sentences = draft.sentences(side, index)
        around = screen.surroundings(draft, side)
        self[side].load(text, sentences, tags=tags, around=around)
        self._documents[side] = index
        screen.forget_shown()
        wanted = self._offsets.get((side, index), 0) if offset is None else offset
        if text and wanted:
            self[side].go_to(min(wanted, len(text)))

    def next_document(self, step: int) -> None:
        """Show the next or previous source document; the first document follows the last one."""
        if draft := self._screen.draft:
            count = len(draft.sample.side(Side.SOURCE))
            self.show_document(Side.SOURCE, (self._documents[Side.SOURCE] + step) % count)

    # effects on the panes

    def handle(self, effect: Effect) -> bool:
        """Move a cursor, change a selection or show a document; return False for other effects."""
        match effect:
            case Move(side, unit, step, extend):
                self[side].move(unit, step, extend=extend)
            case SelectWord(side):
                self[side].select_word()
            case GrowSelection(side, step):
                self[side].grow(step)
            case SwapEnds(side):
                self[side].swap_ends()
            case Select(side, span):
                self[side].select(span)
            case _:
                return self._handle_position(effect)
        return True

    def _handle_position(self, effect: Effect) -> bool:
        match effect:
            case GoTo(side, document, offset):
                self._ensure_document(side, document)
                self[side].go_to(offset)
            case Reveal(side, document, span):
                self._ensure_document(side, document)
                self[side].reveal(span)
            case Focus(side):
                self[side].focus()
            case AskWords(side) if draft := self._screen.draft:
                cursor_actions.show_hints(draft, self[side].words_on_screen())
            case _:
                return False
        return True

    def _ensure_document(self, side: Side, index: int) -> None:
        if self._documents.get(side) != index:
            self.show_document(side, index)

    # cursors and matches

    def pointer(self, side: Side) -> SideCursor:
        """Return the document, cursor and selection that a pane shows, in code points."""
        pane = self[side]
        return SideCursor(self._documents.get(side, 0), pane.cursor_offset, pane.selection)

    def follow(self) -> None:
        """Copy the cursors of both panes to the draft, and update the matches."""
        draft = self._screen.draft
        if draft is None:
            return
        for side in Side:
            cursor_actions.set_pointer(draft, side, self.pointer(side))
        for effect in self._update_matches(draft):
            self.handle(effect)
        for side in Side:  # a match may have shown another document of its side
            cursor_actions.set_pointer(draft, side, self.pointer(side))

    def forget_matches(self) -> None:
        """Make the next cursor update search for matches, even if the selection is unchanged."""
        self._anchors.clear()

    def _update_matches(self, draft: Draft) -> Effects:
        """Search for matches of a changed selection; return screen changes, such as scrolling."""
        # Matches in the summary are shown only while a selection in the source is at work.
        if draft.side is Side.SUMMARY and self._anchors.pop(Side.SOURCE, None):
            highlights.show_matches(draft, Side.SUMMARY, ())
        anchor = draft.current_anchor(draft.side)
        if draft.side in self._anchors and anchor == self._anchors[draft.side]:
            return []
        self._anchors[draft.side] = anchor
        if draft.side is Side.SUMMARY:
            draft.viewed_matches.begin(anchor if self._assist else None)
        self._update_signals(draft)
        return highlights.show_matches(draft, draft.side.other, self._find_matches(anchor))

    def _find_matches(self, anchor: Anchor | None) -> tuple[Match, ...]:
        """Return the matches of a selection, best first; empty without a selection or assist."""
        made = self._assist if self._screen.shows_matches else None
        if made is None or anchor is None or anchor.side not in made.sides:
            return ()  # a single document is shown on another side than it is stored
        return made.match(anchor, by=self.by)

    # the signals

    def next_signals(self) -> None:
        """Use the next matching mode: words and vectors together, words only, vectors only."""
        draft = self._screen.draft
        if draft is None:
            return
        choices = list(Signals)
        self.by = choices[(choices.index(self.by) + 1) % len(choices)]
        self._rank_again(draft)
        draft.say(*signals.describe_change(self.by, self.signals))
        if match := draft.focused_match:
            self.handle(Reveal(Side.SOURCE, match.document, match.span))

    def _update_signals(self, draft: Draft) -> None:
        self.signals = signals.describe_signals(
            self._assist, self._assist_state, by=self.by, side=draft.side
        )

    def complete_snapshot(self, offer: AssistSnapshot | None) -> AssistSnapshot | None:
        """Add the matching mode and the embedder to a record of the matches that were shown."""
        made = self._assist
        if offer is None or made is None:
            return offer and replace(offer, by=self.by)
        offer = replace(offer, by=self.by, weights=made.weights)
        vectors = made.vectors
        if self.by is Signals.WORDS or not vectors or not signals.uses_vectors(made, Side.SUMMARY):
            return offer
        return replace(offer, embedder=vectors.label, version=vectors.version)

    # the assist

    def prepare_assist(
        self, load: Callable[[], AssistService], sample: Sample, segments: Segments
    ) -> None:
        """Prepare the search for matches in a thread; results for an older sample are dropped."""
        self._show_searching()
        call = partial(self._prepare, load, sample, segments, number=self._number)
        self._screen.run_in_thread("assist", call)

    def count_words(self, sample: Sample, segments: Segments) -> None:
        """Prepare matching by words in a thread; this takes a second for texts of a megabyte."""
        self._show_searching()
        number = self._number

        def prepare() -> None:
            from tui_annotate.services.assist.sample import prepare_sample

            made = prepare_sample(sample, segments)
            self._screen.app.call_from_thread(self.use_assist, number, made, "words")

        self._screen.run_in_thread("assist", prepare)

    def _show_searching(self) -> None:
        """Show that there are no matches yet, if none could be found so far."""
        if self._assist is None and (draft := self._screen.draft):
            self._assist_state = signals.SignalMessage.SEARCHING.text()
            self._update_signals(draft)

    def _prepare(
        self, load: Callable[[], AssistService], sample: Sample, segments: Segments, *, number: int
    ) -> None:
        """Prepare the search for matches in a thread, by words first if vectors may take longer."""
        from tui_annotate.services.assist.sample import settle

        assist = load()
        worker = get_current_worker()
        words = assist.prepare(sample, segments, vectors=False, words=self._assist)
        loading = signals.SignalMessage.LOADING_VECTORS.text()
        if self._first_sample or not signals.is_quick(sample):
            self._screen.app.call_from_thread(self.use_assist, number, words, loading)
        if worker.is_cancelled:
            return
        try:
            full = assist.prepare(sample, segments, vectors=True, words=words)
            state = full.signals or words.signals
        except VectorsPending as error:
            full = words
            state = signals.describe_pending(error)
            again = partial(self.prepare_assist, load, sample, segments)
            self._screen.app.call_from_thread(self._call_later, again, number=number)
        except (Unavailable, NotAllowed) as error:
            _log.info("no vectors for the assist: %s", error.message)
            reason, _ = error_texts(error)
            if error.code == UNKNOWN_WORDS:
                reason = signals.SignalMessage.UNKNOWN_WORDS.text()
            full = words
            state = signals.SignalMessage.WORDS_ONLY.text(reason=reason)
        self._first_sample = False
        self._screen.app.call_from_thread(self.use_assist, number, full, state)
        settle()

    def _call_later(self, call: Callable[[], None], *, number: int) -> None:
        """Call a function after `VECTORS_INTERVAL`, unless another sample is open then."""

        def call_if_current() -> None:
            if number == self._number:
                call()

        self._screen.set_timer(VECTORS_INTERVAL, call_if_current)

    def worker_changed(self, event: Worker.StateChanged) -> None:
        """Log the error of a thread; without the assist, show why there are no matches."""
        error = event.worker.error
        group = event.worker.group
        if event.state is not WorkerState.ERROR or error is None:
            return
        _log.error("%s failed: %s", group, type(error).__name__, exc_info=error)
        if group == "assist":
            message = signals.SignalMessage.NO_ASSIST
            if self._assist:
                message = signals.SignalMessage.WORDS_ONLY
            reason = signals.SignalMessage.SEE_LOG.text(error=type(error).__name__)
            self._assist_state = message.text(reason=reason)
            if draft := self._screen.draft:
                self._update_signals(draft)
            self._screen.show_draft()

    def use_assist(self, number: int, made: SampleAssist, state: str) -> None:
        """Show matches once found, and again after vectors are loaded, with the same focus."""
        draft = self._screen.draft
        if number != self._number or draft is None:
            return
        if made.vectors is None and self._assist is not None and state == self._assist_state:
            return  # the vectors are still being computed
        first = self._assist is None
        self._assist = made
        self._assist_state = state
        if first:
            self._anchors.clear()
            self._screen.follow()
        else:
            self._rank_again(draft)
        self._screen.show_draft()
        # The vectors are wanted before the missing words.
        if state != signals.SignalMessage.LOADING_VECTORS.text():
            self._screen.comparison.find_marks()

    def _rank_again(self, draft: Draft) -> None:
        """Rank the matches of both texts again; the focused match stays focused if it remains."""
        self._update_signals(draft)
        for side, anchor in self._anchors.items():
            other = side.other
            before = draft.focused_ranks[other]
            old = next((match for match in draft.matches[other] if match.rank == before), None)
            highlights.show_matches(draft, other, self._find_matches(anchor))
            for match in draft.matches[other]:
                if old and (match.document, match.segment) == (old.document, old.segment):
                    draft.focused_ranks[other] = match.rank


MOST_HITS: Final = 10_000


class SearchHost(Protocol):
    """What the search for words needs of the screen of a sample."""

    @property
    def draft(self) -> Draft | None: ...

    def perform(self, effects: Effects) -> None: ...
    def show_draft(self) -> None: ...
    def open_dialog(self, dialog: FindDialog, closed: Callable[[str | None], None]) -> None: ...


class TextSearch:
    """Search for words in the text at work; the last query is the default of the next one."""

    def __init__(self, screen: SearchHost) -> None:
        self._screen = screen
        self._query = ""

    def ask(self, draft: Draft) -> None:
        """Ask the user for words to find in the text; the last search is the default."""
        from tui_annotate.tui.dialogs.find import FindDialog

        side = draft.side
        screen = self._screen

        def search(query: str) -> str:
            draft.search = SearchHits(query, side, find_hits(draft.text(side), query))
            screen.show_draft()
            return SampleMessage.FOUND.text(count=len(draft.search.hits)) if query else ""

        def ended(query: str | None) -> None:
            draft.search = NO_SEARCH
            if query and draft is screen.draft:
                self._query = query
                name = quote_text(query, cells=24)
                hits = find_hits(draft.text(side), query)
                screen.perform(highlights.show_hits(draft, name, hits))
            screen.show_draft()

        name = draft.tree.summary_title if side is Side.SUMMARY else draft.tree.source_title
        title = SampleMessage.FIND_IN.text(side=name.lower())
        dialog = FindDialog(self._query, search=search, title=title)
        screen.open_dialog(dialog, ended)


def find_hits(text: str, query: str) -> tuple[Span, ...]:
    """Return the spans where a text contains the query, ignoring case, in order."""
    if not query:
        return ()
    found = re.compile(re.escape(query), re.IGNORECASE).finditer(text)
    return tuple(Span(*hit.span()) for hit, _ in zip(found, range(MOST_HITS), strict=False))
