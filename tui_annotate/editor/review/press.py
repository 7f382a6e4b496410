"""What a key press does in review, and the actions that reviewers do in their own way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from tui_annotate.editor import label_actions, notes
from tui_annotate.editor.effects import Effects, Page, open_page
from tui_annotate.editor.key_state import REVIEWING
from tui_annotate.editor.messages import NO_MESSAGE
from tui_annotate.editor.press import NO_HANDLERS, Handlers
from tui_annotate.editor.press import press as run_action
from tui_annotate.editor.review import key_handlers
from tui_annotate.editor.review.key_handlers import if_allowed
from tui_annotate.editor.review.messages import ReviewText
from tui_annotate.editor.review.state import ReviewDraft
from tui_annotate.editor.state import REASON

REVIEW_HANDLERS: Final[Mapping[str, Callable[[ReviewDraft], Effects]]] = {
    "back": key_handlers.leave_innermost,
    "annotation.next": partial(key_handlers.walk_positions, 1),
    "annotation.previous": partial(key_handlers.walk_positions, -1),
    "annotation.edit": if_allowed(key_handlers.edit_focused),
    "annotation.delete": if_allowed(key_handlers.ask_refusal_reason),
    "note.write": if_allowed(notes.write_comment),
    "item.next": partial(key_handlers.walk_conflicts, 1),
    "item.previous": partial(key_handlers.walk_conflicts, -1),
    "sample.rate": if_allowed(label_actions.ask_rating),
    "sample.done": key_handlers.complete,
    "sample.reopen": if_allowed(key_handlers.ask_whom_to_reopen),
    "proposal.take": if_allowed(key_handlers.take_candidates),
    "rivals.merge": if_allowed(key_handlers.merge_candidates),
    "own.add": if_allowed(key_handlers.add_own_annotation),
    "names.show": partial(open_page, Page.PEOPLE_NAMES),
}
"""Handlers, by action id, that are used instead of the table's while no edit is open."""

_DECIDING: Final = frozenset({
    "proposal.take", "annotation.delete", "rivals.merge", "annotation.edit", "sample.rate",
    "note.write", "talk.write", "palette.show",
})  # fmt: skip
"""Actions that decide open work, or lead to it. They close the question about it."""

_NOT_IN_EDIT: Final = {
    "annotation.delete": ReviewText.EDIT_IS_OPEN,
    "comment.write": ReviewText.NO_COMMENT_IN_EDIT,
}
"""Why an action does nothing while a reviewer edits an annotation."""


def press(
    draft: ReviewDraft, action_id: str, *, digit: str = "", more: Handlers = NO_HANDLERS
) -> Effects:
    """Run a reviewer's action, as `editor.press.press` runs an annotator's.

    While an edit is open, keys act as on the annotating screen.
    """
    draft.message = NO_MESSAGE
    if draft.asks_open_work and action_id in _DECIDING:
        draft.pending = None
    if draft.asks_reviewer:
        return key_handlers.answer_question(draft, action_id, digit)
    if draft.state is not REVIEWING:
        if action_id in _NOT_IN_EDIT:
            return draft.refuse_key(_NOT_IN_EDIT[action_id])
        return run_action(draft, action_id, digit=digit, more=more)
    return run_action(
        draft,
        action_id,
        digit=digit,
        own=REVIEW_HANDLERS,
        choose=key_handlers.choose_candidate,
        more=more,
    )


def finish_note(draft: ReviewDraft, text: str) -> Effects:
    """Handle Enter in the note line; a typed reason answers the review's question."""
    if draft.writing is not None and draft.writing.kind == REASON:
        return key_handlers.give_reason(draft, text)
    return notes.finish_note(draft, text)
