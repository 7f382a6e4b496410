"""Handlers of keys whose effect depends on the state of the draft, such as Esc and Enter.

Handlers of keys with one effect are in the modules of their topics. The draft is the last parameter
of a handler, so that the table of actions can bind the others by `partial`.
"""

from __future__ import annotations

from tui_annotate.domain.samples import SampleKind, Side
from tui_annotate.domain.suggestions import Suggestion
from tui_annotate.editor import (
    citations,
    completion,
    cursor_actions,
    label_actions,
    navigation,
    notes,
    suggestion_actions,
)
from tui_annotate.editor.effects import Effects, Open, Page, Remove, Select, Undo, open_page
from tui_annotate.editor.messages import MessageCode
from tui_annotate.editor.search_hits import NO_SEARCH
from tui_annotate.editor.state import Draft
from tui_annotate.editor.words import WARNING

# annotations


def edit(draft: Draft) -> Effects:
    """Edit the annotation or suggestion in focus (key `e`); cancel the edit if one is open."""
    if draft.editing:
        draft.end_edit()
        return [Select(Side.SUMMARY, None)]
    focused = draft.in_focus
    if focused is None:
        return draft.refuse_key(MessageCode.NO_ANNOTATION_TO_EDIT)
    if problem := completion.find_unsaved_work(draft):
        return draft.refuse_key(problem)
    if isinstance(focused, Suggestion):
        return suggestion_actions.change(draft, focused)
    draft.begin_edit(focused, focused.labels)
    return [Select(Side.SUMMARY, None)]


def delete(draft: Draft) -> Effects:
    """Delete the annotation in focus, or ask why the suggestion in focus is rejected (key `x`)."""
    if draft.changing:
        draft.end_edit()
        return [Select(Side.SUMMARY, None), *suggestion_actions.ask_refusal_reason(draft)]
    if draft.focused_suggestion and not draft.editing:
        return suggestion_actions.ask_refusal_reason(draft)
    annotation = draft.editing or draft.focused_annotation
    if annotation is None:
        return draft.refuse_key(MessageCode.NO_ANNOTATION_TO_DELETE)
    if draft.editing:
        draft.end_edit()
    return [Remove(annotation)]


def ask_about_annotation(draft: Draft) -> Effects:
    """Request the questions about the annotation in focus."""
    if draft.focused_annotation is None:
        return draft.refuse_key(MessageCode.NO_ANNOTATION_TO_ASK_ABOUT)
    return open_page(Page.ANNOTATION_TALK, draft)


# back, undo and finish


def back(draft: Draft) -> Effects:
    """Go back one step (Esc): close the question or the search, else drop what is not saved."""
    if draft.pending:
        return label_actions.cancel(draft)
    if draft.search.hits:  # before the selection, because the status line promises it
        draft.search = NO_SEARCH
        return []
    if draft.side is Side.SOURCE:
        if draft.is_passage_alone:  # without its passage, nothing of the refused draft is left
            draft.save_failed = False
        return cursor_actions.go_to_summary(draft)
    if draft.selection:
        draft.enable_digits()
        draft.save_failed = False
        return [Select(draft.side, None)]
    if draft.evidence:
        draft.evidence.pop()
    elif draft.editing:
        return edit(draft)
    elif draft.note:
        draft.note = ""
    elif draft.focused:
        draft.enable_digits()
    return []


def undo(draft: Draft, *, redo: bool = False) -> Effects:
    """Undo the last stored action, or redo it; cancel an open question or edit instead."""
    if draft.pending:
        return label_actions.cancel(draft)
    if draft.editing:
        draft.end_edit()
        return [Select(Side.SUMMARY, None)]
    return [Undo(redo=redo)]


def finish_or_save(draft: Draft) -> Effects:
    """Answer the question, leave the source, save the edit or complete the sample (Enter)."""
    if draft.pending:
        return label_actions.accept(draft)
    if draft.side is Side.SOURCE:
        return cursor_actions.leave_source(draft)
    if draft.editing:
        return label_actions.save_edit(draft)
    return completion.finish_sample(draft)


# other samples, documents and items


def leave_for(page: Page, step: int, draft: Draft) -> Effects:
    """Request to open another sample or a page; if work is unsaved, show a warning."""
    if problem := completion.find_leave_problem(draft):
        return draft.refuse_key(problem, WARNING)
    return [Open(page, step)]


def walk_documents(step: int, draft: Draft) -> Effects:
    """Show the next or previous source document; for a citation, one that its sentence cites."""
    if draft.sample.kind is SampleKind.CITATION and draft.tabs > 1:  # one is already shown
        return leave_for(Page.TAB, step, draft)
    return cursor_actions.go_to_document(step, draft)


def walk_items(step: int, draft: Draft) -> Effects:
    """Go to the next or previous item that needs work.

    Without such items, go to the next or previous citation of the report, also from a citation.
    """
    if not (draft.missing_words or draft.lacking()):
        # One tab is enough: the report may have citations of other sentences.
        if draft.sample.kind is SampleKind.CITATION and draft.tabs:
            return leave_for(Page.CITATION, step, draft)
        if draft.citations and not draft.editing:
            return citations.walk(step, draft)
    return navigation.go_to_item(step, draft)


def search_former(draft: Draft) -> Effects:
    """Request the annotator's similar annotations, if there is a claim to compare with."""
    claim, _ = notes.claim_to_search(draft)
    if claim is None:
        return draft.refuse_key(MessageCode.NO_WORDS_TO_LOOK_FOR)
    return [Open(Page.PAST_ANNOTATIONS)]
