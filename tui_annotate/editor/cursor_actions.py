"""Actions that move the cursor and select text, in the summary and in the source.

Words can also be selected by typing letters that are shown on the words.
"""

from __future__ import annotations

from collections.abc import Sequence

from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span
from tui_annotate.editor.effects import (
    AskWords,
    Blink,
    Effects,
    Focus,
    GoTo,
    GrowSelection,
    Move,
    Open,
    Page,
    Select,
    SelectWord,
    SwapEnds,
)
from tui_annotate.editor.hints import WordHints
from tui_annotate.editor.messages import NO_MESSAGE, MessageCode
from tui_annotate.editor.search_hits import NO_SEARCH
from tui_annotate.editor.state import Draft, SideCursor


def move(unit: str, step: int, draft: Draft) -> Effects:
    """Move the cursor in the summary or source, or the free end of the selection, by units."""
    draft.enable_digits()
    return [Move(draft.side, unit, step, extend=draft.selection is not None)]


def extend(unit: str, step: int, draft: Draft) -> Effects:
    """Move the free end of the selection by units; without a selection, start one at the cursor."""
    draft.enable_digits()
    return [Move(draft.side, unit, step, extend=True)]


def grow(step: int, draft: Draft) -> Effects:
    """Grow (+1) or shrink (-1) the selection by a sentence."""
    draft.enable_digits()
    return [GrowSelection(draft.side, step)]


def select_here(draft: Draft) -> Effects:
    """Deselect the words; if nothing is selected, select the word at the cursor."""
    draft.enable_digits()
    return [Select(draft.side, None) if draft.selection else SelectWord(draft.side)]


def swap_ends(draft: Draft) -> Effects:
    """Move the cursor to the other end of the selection; no effect without a selection."""
    return [SwapEnds(draft.side)] if draft.selection else []


def ask_words(draft: Draft) -> Effects:
    """Request the words on screen, to which `show_hints` gives letter codes."""
    return [AskWords(draft.side)]


def show_hints(draft: Draft, words: Sequence[tuple[Span, ...]]) -> None:
    """Show letter codes on words, the shortest near the cursor; without words, a message."""
    near = draft.sentence(draft.side) or Span(draft.pointer.offset, draft.pointer.offset + 1)
    if words:
        draft.hints = WordHints.over(draft.side, words, near)
    else:
        draft.say(MessageCode.NO_WORDS_ON_SCREEN)


def press_hint_key(draft: Draft, key: str) -> Effects:
    """Handle a key while letter codes are shown on words.

    Letters select a word. Backspace removes the letters typed so far; without typed letters, it
    hides the codes, as Enter and Escape do.
    """
    hints = draft.hints
    draft.message = NO_MESSAGE
    if hints is None:
        return []
    if key in ("backspace", "escape", "enter"):
        if key == "backspace" and hints.typed:
            hints.typed = ""
        else:
            draft.hints = None
        return []
    first = hints.first
    span = hints.type(key) if len(key) == 1 else None
    if span is None:
        return [] if hints.typed else [Blink()]
    draft.enable_digits()
    if first is not None:
        draft.hints = None
    return [Select(hints.side, span)]


def go_to_other_side(draft: Draft) -> Effects:
    """Go to the focused match in the source, or back to the summary; keep the claim."""
    if draft.side is Side.SOURCE:
        return leave_source(draft)
    if not draft.sample.side(Side.SOURCE):
        return draft.refuse_key(MessageCode.NO_SOURCE)
    draft.side = Side.SOURCE
    match = draft.focused_match
    draft.viewed_matches.at(match)
    there: Effects = [GoTo(Side.SOURCE, match.document, match.span.start)] if match else []
    return [*there, Focus(Side.SOURCE)]


def leave_source(draft: Draft) -> Effects:
    """Go back to the summary, unless the store refused to save the selected passage."""
    if draft.save_failed and draft.is_passage_alone:
        return draft.refuse_key(MessageCode.PASSAGE_NOT_SAVED)
    return go_to_summary(draft)


def go_to_summary(draft: Draft) -> Effects:
    """Move the focus to the summary, and deselect the words of the source."""
    draft.side = Side.SUMMARY
    return [Select(Side.SOURCE, None), Focus(Side.SUMMARY)]


def drop_selections(draft: Draft) -> Effects:
    """Deselect the words of both sides; from the source, go to the summary."""
    return [
        Select(Side.SUMMARY, None),
        *(go_to_summary(draft) if draft.side is Side.SOURCE else []),
    ]


def go_to_document(step: int, draft: Draft) -> Effects:
    """Request the next or previous document of the source, if it has several."""
    if len(draft.sample.side(Side.SOURCE)) > 1:
        return [Open(Page.DOCUMENT, step)]
    return draft.refuse_key(MessageCode.ONE_DOCUMENT_ONLY)


def set_pointer(draft: Draft, side: Side, pointer: SideCursor, *, by_hand: bool = False) -> None:
    """Set the cursor of a side; a click (`by_hand`) focuses the side and enables the digit keys."""
    if by_hand and pointer != draft.pointers[side]:
        draft.message = NO_MESSAGE
        draft.side = side
        draft.hints = None
        draft.enable_digits()
    if pointer.document != draft.pointers[side].document and side is draft.search.side:
        draft.search = NO_SEARCH
    draft.pointers[side] = pointer
