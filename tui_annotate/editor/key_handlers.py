"""Key handlers of the annotating screen, one function for each action."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from tui_annotate.domain.samples import SampleKind, Side
from tui_annotate.domain.suggestions import Suggestion
from tui_annotate.editor import (
    citations,
    completion,
    cursor_actions,
    highlights,
    label_actions,
    navigation,
    notes,
    suggestion_actions,
)
from tui_annotate.editor.actions import action_of
from tui_annotate.editor.effects import Blink, Effects, Open, Page, Remove, Select, Undo, open_page
from tui_annotate.editor.messages import NO_MESSAGE, MessageCode
from tui_annotate.editor.state import Draft
from tui_annotate.editor.words import WARNING


def press(
    draft: Draft,
    action: str,
    *,
    digit: str = "",
    comment: str = "",
    more: Mapping[str, Callable[[Draft], Effects]] | None = None,
) -> Effects:
    """Run a user's action: change the sample on screen, and return requests to the screen.

    `digit` is for the action `option.choose`, the stored sample comment for `note.write`.
    """
    draft.message = NO_MESSAGE
    if draft.writing:
        return []
    if action in ("option.choose", "option.list"):
        return label_actions.choose(draft, digit or "0")
    if draft.pending and not action_of(action).while_pending:
        return [Blink()]
    if action == "note.write":
        return notes.write(draft, comment)
    if action == "comment.write":
        return notes.write_comment(draft, comment)
    handler = KEY_HANDLERS.get(action) or (more or {}).get(action)
    return handler(draft) if handler else [Blink()]


# annotations


def _edit(draft: Draft) -> Effects:
    if draft.editing:
        label_actions.leave_edit(draft)
        return [Select(Side.SUMMARY, None)]
    focused = draft.in_focus
    if focused is None:
        return draft.refuse_key(MessageCode.NO_ANNOTATION_TO_EDIT)
    if problem := completion.find_unsaved_work(draft):
        return draft.refuse_key(problem)
    if isinstance(focused, Suggestion):
        return suggestion_actions.change(draft, focused)
    draft.editing, draft.digits_off, draft.just_saved = focused, False, ""
    draft.labels, draft.evidence = list(focused.labels), list(focused.evidence)
    draft.note = focused.note
    return [Select(Side.SUMMARY, None)]


def _delete(draft: Draft) -> Effects:
    if draft.changing:
        label_actions.leave_edit(draft)
        return [Select(Side.SUMMARY, None), *suggestion_actions.ask_refusal_reason(draft)]
    if draft.focused_suggestion and not draft.editing:
        return suggestion_actions.ask_refusal_reason(draft)
    annotation = draft.editing or draft.focused_annotation
    if annotation is None:
        return draft.refuse_key(MessageCode.NO_ANNOTATION_TO_DELETE)
    if draft.editing:
        label_actions.leave_edit(draft)
    return [Remove(annotation)]


def _ask_about_annotation(draft: Draft) -> Effects:
    if draft.focused_annotation is None:
        return draft.refuse_key(MessageCode.NO_ANNOTATION_TO_ASK_ABOUT)
    return open_page(Page.ANNOTATION_TALK, draft)


# back, undo and finish


def _back(draft: Draft) -> Effects:
    if draft.pending:
        return label_actions.cancel(draft)
    if draft.hits:  # first, because the status line promises it during a search
        draft.hits = ()
        return []
    if draft.side is Side.SOURCE:
        draft.save_failed = draft.save_failed and not draft.is_passage_alone
        return cursor_actions.go_to_summary(draft)
    if draft.selection:
        draft.enable_digits()
        draft.save_failed = False
        return [Select(draft.side, None)]
    if draft.evidence:
        draft.evidence.pop()
    elif draft.editing:
        return _edit(draft)
    elif draft.note:
        draft.note = ""
    elif draft.focused:
        draft.enable_digits()
    return []


def _undo(draft: Draft, *, redo: bool = False) -> Effects:
    if draft.pending:
        return label_actions.cancel(draft)
    if draft.editing:
        label_actions.leave_edit(draft)
        return [Select(Side.SUMMARY, None)]
    return [Undo(redo=redo)]


def _finish_or_save(draft: Draft) -> Effects:
    if draft.pending:
        return label_actions.accept(draft)
    if draft.side is Side.SOURCE:
        return cursor_actions.leave_source(draft)
    if draft.editing:
        return label_actions.save_edit(draft)
    return completion.finish_sample(draft)


def leave_for(page: Page, step: int, draft: Draft) -> Effects:
    """Request to open another sample or a page; if work is unsaved, show a warning."""
    if problem := completion.find_leave_problem(draft):
        return draft.refuse_key(problem, WARNING)
    return [Open(page, step)]


def walk_documents(step: int, draft: Draft) -> Effects:
    """Show the next source document; for a citation, the next document that it cites."""
    if draft.sample.kind is SampleKind.CITATION and draft.tabs > 1:
        return leave_for(Page.TAB, step, draft)
    return cursor_actions.go_to_document(step, draft)


def walk_items(step: int, draft: Draft) -> Effects:
    """Go to the next item that needs work; in a report or citation without any, to a citation."""
    if draft.missing_words or draft.lacking():
        return navigation.go_to_item(step, draft)
    if draft.sample.kind is SampleKind.CITATION and draft.tabs:
        return leave_for(Page.CITATION, step, draft)
    if draft.citations and not draft.editing:
        return citations.walk(step, draft)
    return navigation.go_to_item(step, draft)


def _search_former(draft: Draft) -> Effects:
    if notes.claim_to_search(draft)[0] is None:
        return draft.refuse_key(MessageCode.NO_WORDS_TO_LOOK_FOR)
    return [Open(Page.PAST_ANNOTATIONS)]


KEY_HANDLERS: Final[Mapping[str, Callable[[Draft], Effects]]] = {
    **cursor_actions.KEY_HANDLERS,
    "document.next": partial(walk_documents, 1),
    "document.previous": partial(walk_documents, -1),
    "match.next": partial(highlights.walk_matches, 1),
    "match.previous": partial(highlights.walk_matches, -1),
    "evidence.take": highlights.take,
    "signals.next": partial(open_page, Page.SIGNALS),
    "label.repeat": label_actions.repeat,
    "label.former": _search_former,
    "back": _back,
    "annotation.next": partial(navigation.go_to_annotation, 1),
    "annotation.previous": partial(navigation.go_to_annotation, -1),
    "annotation.edit": _edit,
    "annotation.delete": _delete,
    "suggestion.accept": suggestion_actions.take,
    "suggestion.hide": suggestion_actions.hide,
    "undo": _undo,
    "redo": partial(_undo, redo=True),
    "sample.done": _finish_or_save,
    "sample.skip": partial(completion.leave, "skip"),
    "sample.flag": completion.ask_flag_reason,
    "sample.next": partial(leave_for, Page.SAMPLE, 1),
    "sample.previous": partial(leave_for, Page.SAMPLE, -1),
    "reading.other": partial(leave_for, Page.OTHER_READING, 0),
    "sample.go": partial(leave_for, Page.JUMP, 0),
    "sample.rivals": partial(leave_for, Page.SIBLINGS, 0),
    "queue.order": partial(leave_for, Page.QUEUE_ORDER, 0),
    "app.back": partial(leave_for, Page.QUEUE, 0),
    "text.find": partial(open_page, Page.FIND),
    "text.lacking": partial(open_page, Page.MISSING_WORDS),
    "item.next": partial(walk_items, 1),
    "item.previous": partial(walk_items, -1),
    "sample.rate": label_actions.ask_rating,
    "incomplete.next": partial(leave_for, Page.INCOMPLETE, 1),
    "collection.show": partial(leave_for, Page.COLLECTION, 0),
    "request.show": partial(open_page, Page.REQUEST),
    "layout.next": partial(open_page, Page.LAYOUT),
    "lesson.show": partial(open_page, Page.LESSON),
    "help.show": partial(open_page, Page.HELP),
    "palette.show": partial(open_page, Page.PALETTE),
    "app.quit": partial(open_page, Page.QUIT),
    "work.print": partial(leave_for, Page.PRINT_WORK, 0),
    "talk.write": partial(open_page, Page.TALK),
    "talk.annotation": _ask_about_annotation,
    "figures.show": partial(open_page, Page.STATISTICS),
    "sync.toggle": partial(open_page, Page.SYNC),
    "account.password": partial(open_page, Page.PASSWORD),
    "account.leave": partial(leave_for, Page.SIGN_OUT, 0),
}
