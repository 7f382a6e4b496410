"""What a key press does to the open sample: it runs an action, or ends a note."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from tui_annotate.editor import label_actions, notes
from tui_annotate.editor.actions import action_of
from tui_annotate.editor.effects import Blink, Effects
from tui_annotate.editor.key_state import REVIEWING, VIEWING
from tui_annotate.editor.messages import NO_MESSAGE
from tui_annotate.editor.review import key_handlers as review_keys
from tui_annotate.editor.review.messages import ReviewText
from tui_annotate.editor.review.state import ReviewDraft
from tui_annotate.editor.state import REASON, Draft
from tui_annotate.editor.view import key_handlers as view_keys
from tui_annotate.editor.view.state import ViewDraft

Handlers = Mapping[str, Callable[[Draft], Effects]]
"""Handlers of actions by action id."""

_NO_HANDLERS: Final[Handlers] = MappingProxyType({})

_DECIDING: Final = frozenset({
    "proposal.take", "annotation.delete", "rivals.merge", "annotation.edit", "sample.rate",
    "note.write", "talk.write", "palette.show",
})  # fmt: skip
"""Actions that decide open work in review, or lead to it. They close the question about it."""

_IN_REVIEW_ALONE: Final = {
    "annotation.delete": ReviewText.EDIT_IS_OPEN,
    "comment.write": ReviewText.NO_COMMENT_IN_EDIT,
}
"""Why an action does nothing while a reviewer edits an annotation."""


def press(
    draft: Draft, action_id: str, *, digit: str = "", more: Handlers = _NO_HANDLERS
) -> Effects:
    """Run a user's action: change the sample on screen, and return requests to the screen.

    Args:
        digit: the key of `option.choose` or `option.list`.
        more: handlers of a research tool's actions, for which the table has none.
    """
    draft.message = NO_MESSAGE
    if isinstance(draft, ReviewDraft):
        if draft.asks_open_work and action_id in _DECIDING:
            draft.pending = None
        if draft.asks_reviewer:
            return review_keys.answer_question(draft, action_id, digit)
        if draft.state is not REVIEWING and action_id in _IN_REVIEW_ALONE:
            return draft.refuse_key(_IN_REVIEW_ALONE[action_id])
    if draft.writing:
        return []
    if action_id in ("option.choose", "option.list"):
        return _choose(draft, digit or "0")
    action = action_of(action_id)
    if draft.pending and not action.while_pending:
        return [Blink()]
    if draft.state in REVIEWING | VIEWING and draft.state not in action.states:
        return [Blink()]
    effects = action.run(draft)
    if effects is None and action_id in more:
        effects = more[action_id](draft)
    return [Blink()] if effects is None else effects


def finish_note(draft: Draft, text: str) -> Effects:
    """Handle Enter in the note line; a typed reason in review answers the review's question."""
    reason = draft.writing is not None and draft.writing.kind == REASON
    if reason and isinstance(draft, ReviewDraft):
        return review_keys.give_reason(draft, text)
    return notes.finish_note(draft, text)


def _choose(draft: Draft, digit: str) -> Effects:
    if isinstance(draft, ViewDraft):
        return view_keys.choose_by_digit(draft, digit)
    if isinstance(draft, ReviewDraft) and draft.state is REVIEWING:
        return review_keys.choose_candidate(draft, digit)
    return label_actions.choose(draft, digit)
