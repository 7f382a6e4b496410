"""What a key press does in the viewer, and the actions that it does in its own way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from tui_annotate.editor import cursor_actions
from tui_annotate.editor.effects import Effects, Page, open_page
from tui_annotate.editor.press import NO_HANDLERS, Handlers
from tui_annotate.editor.press import press as run_action
from tui_annotate.editor.view import key_handlers
from tui_annotate.editor.view.state import ViewDraft

VIEW_HANDLERS: Final[Mapping[str, Callable[[ViewDraft], Effects]]] = {
    "back": key_handlers.leave_innermost,
    "document.next": partial(cursor_actions.go_to_document, 1),
    "document.previous": partial(cursor_actions.go_to_document, -1),
    "annotation.next": partial(key_handlers.walk, 1),
    "annotation.previous": partial(key_handlers.walk, -1),
    "person.next": partial(key_handlers.person, 1),
    "person.previous": partial(key_handlers.person, -1),
    "item.next": partial(key_handlers.walk_missing_words, 1),
    "item.previous": partial(key_handlers.walk_missing_words, -1),
    "sample.next": partial(open_page, Page.SAMPLE, step=1),
    "sample.previous": partial(open_page, Page.SAMPLE, step=-1),
    "sample.go": partial(open_page, Page.JUMP),
    "app.back": partial(open_page, Page.QUEUE),
}
"""Handlers, by action id, that are used instead of the table's."""


def press(
    draft: ViewDraft, action_id: str, *, digit: str = "", more: Handlers = NO_HANDLERS
) -> Effects:
    """Run a reader's action, as `editor.press.press` runs an annotator's."""
    return run_action(
        draft,
        action_id,
        digit=digit,
        own=VIEW_HANDLERS,
        choose=key_handlers.choose_by_digit,
        more=more,
    )
