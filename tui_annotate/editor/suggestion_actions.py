"""Key actions that accept, change or reject suggestions, and texts that describe suggestions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.labels import Requirement
from tui_annotate.domain.line_text import cut
from tui_annotate.domain.line_text import text_width as cells_of
from tui_annotate.domain.samples import Side
from tui_annotate.domain.suggestions import Suggestion
from tui_annotate.editor import completion, label_actions, notes, save_results
from tui_annotate.editor.effects import Effects, Open, Page, Select, go_to_first
from tui_annotate.editor.key_state import READING
from tui_annotate.editor.messages import (
    NO_MESSAGE,
    Kind,
    LineText,
    MessageCode,
    StatusMessage,
    join_parts,
)
from tui_annotate.editor.navigation import show
from tui_annotate.editor.pending_saves import PendingSave
from tui_annotate.editor.state import DECLINE, Draft, PendingQuestion
from tui_annotate.editor.suggestion_answers import send_acceptance, to_annotation
from tui_annotate.editor.words import (
    ERROR,
    QUOTE_CELLS,
    SAVED,
    WARNING,
    describe_anchor,
    describe_claim,
    describe_evidence,
    describe_labels,
    describe_maker,
    describe_origin,
    digit_range,
    quote_text,
)


def take(draft: Draft) -> Effects:
    """Accept the suggestion in focus unchanged (key `y`), unless other work is unsaved."""
    one = draft.focused_suggestion
    obstacle = _find_obstacle(draft)
    if one is None:
        return draft.refuse_key(obstacle or _explain_none(draft))
    if problem := obstacle or _find_problem(draft, one):
        return draft.refuse_key(problem, WARNING)
    return send_acceptance(draft, one, to_annotation(draft, one))


def change(draft: Draft, one: Suggestion) -> Effects:
    """Load a suggestion for editing (key `e`); Enter saves the result as an annotation."""
    annotation = to_annotation(draft, one)
    # A label that the set lacks could be neither saved nor removed.
    labels = [path for path in one.labels if draft.tree.find(path)]
    draft.begin_edit(annotation, labels, changing=one)
    return [Select(Side.SUMMARY, None)]


def ask_refusal_reason(draft: Draft) -> Effects:
    """Ask why the suggestion in focus is rejected, unless other work is unsaved."""
    if problem := _find_obstacle(draft):
        return draft.refuse_key(problem)
    draft.pending = PendingQuestion(DECLINE)
    return []


def hide(draft: Draft) -> Effects:
    """Hide all suggestions, or show them again (key `Y`)."""
    if draft.changing:
        return draft.refuse_key(MessageCode.FINISH_EDIT_FIRST)
    if draft.focused_suggestion:
        draft.enable_digits()
    draft.suggestions_hidden = not draft.suggestions_hidden
    if draft.suggestions_hidden:
        draft.say(MessageCode.SUGGESTIONS_HIDDEN_NOW)
    else:
        draft.say(describe_open_suggestions(draft) or MessageCode.SUGGESTIONS_SHOWN_NOW)
    return [Open(Page.SUGGESTIONS, 0 if draft.suggestions_hidden else 1)]


def describe_open_suggestions(draft: Draft) -> StatusMessage:
    """Return a message with the number of suggestions to answer; empty for none."""
    if not draft.offered:
        return NO_MESSAGE
    fields = {"count": len(draft.offered), "key": draft.suggestion_key}
    return StatusMessage(MessageCode.SUGGESTIONS_OPEN, fields)


def _explain_none(draft: Draft) -> StatusMessage:
    if draft.offered:
        return StatusMessage(MessageCode.NO_SUGGESTION_IN_FOCUS, {"key": draft.suggestion_key})
    if draft.suggestions_hidden and draft.suggestions:
        return StatusMessage(MessageCode.SUGGESTIONS_HIDDEN)
    return StatusMessage(MessageCode.NO_SUGGESTIONS)


def _find_obstacle(draft: Draft) -> StatusMessage:
    if draft.editing:
        return StatusMessage(MessageCode.FINISH_EDIT_FIRST)
    if draft.side is Side.SOURCE:
        return StatusMessage(MessageCode.SUGGESTION_ON_OTHER_SIDE)
    if draft.selection:
        return StatusMessage(MessageCode.SELECTION_IN_HAND)
    return completion.find_unsaved_work(draft)


def _find_problem(draft: Draft, one: Suggestion) -> StatusMessage:
    if not one.labels:
        return StatusMessage(MessageCode.NO_LABEL_PROPOSED)
    for path in one.labels:
        found = draft.tree.find(path)
        if found is None:
            label = quote_text(describe_labels([path]))
            return StatusMessage(MessageCode.UNKNOWN_LABEL_PROPOSED, {"label": label})
        if problem := label_actions.closed_label_reason(draft, found):
            return problem
        of = one.claim or one.evidence
        if problem := label_actions.conflicting_label_reason(draft, found, of):
            return problem
        if found.evidence is Requirement.NONE and one.evidence:
            return StatusMessage(MessageCode.PROPOSED_TAKES_NO_EVIDENCE, {"label": found.name})
    return NO_MESSAGE


# answers of the store


def apply_accepted(
    draft: Draft, one: Suggestion, made: Annotation | None, *, annotations: Sequence[Annotation]
) -> Effects:
    """Focus the annotation made from an accepted suggestion, and ask for a required note."""
    draft.answering.pop(one.id, None)
    draft.annotations = tuple(annotations)
    if made is None or draft.focused != one.id:
        return []
    draft.focus_annotation(made.id, just_saved=True)
    return notes.write(draft) if save_results.wants_note(draft, made) and not draft.writing else []


def apply_declined(draft: Draft, one: Suggestion) -> None:
    """Show the message that a rejection was stored."""
    draft.answering.pop(one.id, None)
    what = cut(draft.label_names(one.labels), QUOTE_CELLS)
    if not one.labels and one.claim:
        what = describe_anchor(draft, one.claim[0])
    code = MessageCode.SUGGESTION_REFUSED
    if draft.offered:
        code = MessageCode.SUGGESTION_REFUSED_MORE_OPEN
    maker = cut(one.maker, QUOTE_CELLS)
    draft.say(code, SAVED, what=what, maker=maker, key=draft.suggestion_key)


def reopen_suggestion(draft: Draft, one: Suggestion, message: StatusMessage | str) -> Effects:
    """Show a suggestion again whose answer the store refused, with the user's changes to it.

    If the user has begun other work, the changes are restored later, as a new annotation.
    """
    made = draft.answering.pop(one.id, None)
    draft.say(MessageCode.NOT_SAVED, ERROR, reason=message)
    if draft.open or draft.selection or draft.writing:
        if made and made != to_annotation(draft, one):
            draft.saves.keep(PendingSave(replace(made, id=draft.new_id()), new=True))
        return []
    effects = [] if draft.suggestions_hidden else show(draft, one)
    if made is None or made == to_annotation(draft, one):
        return effects
    effects += change(draft, one)
    draft.save_failed = True
    draft.labels, draft.evidence, draft.note = [*made.labels], [*made.evidence], made.note
    if made.claim != one.claim:
        effects += go_to_first(made.claim)
        effects += [Select(anchor.side, anchor.span) for anchor in made.claim[:1]]
    return effects


def find_reopened(draft: Draft, before: Sequence[Suggestion]) -> Suggestion | None:
    """Return the suggestion that must be answered again after an undo; None for none or several."""
    known = {one.id for one in before}
    fresh = [one for one in draft.offered if one.id not in known]
    return fresh[0] if len(fresh) == 1 else None


OFFER: Final = "offer"


class _Widths(NamedTuple):
    """Maximum widths, in cells, of quotes, labels and model name in a suggestion's text."""

    quote: int
    labels: int
    maker: int
    spans: int = 1


_WIDTHS: Final = (
    _Widths(200, 60, 60, 99),
    _Widths(60, 60, 60, 99),
    _Widths(36, 40, 40),
    _Widths(24, 24, 24),
    _Widths(16, 16, 14),
    _Widths(10, 14, 10),
    _Widths(6, 10, 6),
    _Widths(6, 6, 6),
)
_REASON: Final = 24  # cells reserved for a reason
_LEAST_QUOTE: Final = 6  # minimum cells of a quote of the source
_LEAST_REASON: Final = 8  # minimum cells of a reason


def describe_line(draft: Draft, cells: int = 1000) -> tuple[str, Kind] | None:
    """Return the status line, if possible in `cells` cells, and its kind; None without a focus."""
    if draft.message or draft.hints:
        return None
    if draft.writing:
        return (LineText.REJECTED_BECAUSE.text(), OFFER) if draft.writing.kind == DECLINE else None
    if draft.pending:
        return (_describe_question(draft, cells), OFFER) if draft.pending.kind == DECLINE else None
    if draft.answering and draft.digits_off and draft.focused in ("", *draft.answering):
        return LineText.SAVING.text(), OFFER
    one = draft.focused_suggestion if draft.digits_off and draft.state is READING else None
    return (_describe_suggestion(draft, one, cells), OFFER) if one else None


def _describe_question(draft: Draft, cells: int) -> str:
    text = LineText.REJECT.text(digits=digit_range(draft.options()))
    longer = join_parts(text, LineText.CANCEL_KEY.text())
    return longer if cells_of(longer) <= cells else text


def _describe_suggestion(draft: Draft, one: Suggestion, cells: int) -> str:
    """Describe a suggestion and the model that made it, then its reason and keys if they fit."""
    why = " ".join(one.note.split())
    reserved = min(cells_of(why) + len(': ""'), _REASON) if why else 0
    fitting = (each for each in _WIDTHS if each.quote <= max(cells, _WIDTHS[-1].quote))
    texts = (_describe_proposal(draft, one, each) for each in fitting)
    text = next((each for each in texts if cells_of(each) + reserved <= cells), "")
    text = text or _describe_proposal(draft, one, _WIDTHS[-1])
    left = cells - cells_of(text) - len(': ""')
    if why and left >= _LEAST_REASON:
        text = LineText.REASON.text(what=text, reason=quote_text(why, cells=left))
    change = LineText.CHANGE_KEY.text() if one.labels else ""
    longer = join_parts(text, change, LineText.REJECT_KEY.text())
    return longer if cells_of(longer) <= cells else text


def _describe_proposal(draft: Draft, one: Suggestion, widths: _Widths) -> str:
    what = describe_claim(draft, one.claim, cells=widths.quote)
    if one.labels:
        labels = cut(draft.label_names(one.labels), widths.labels)
        what = LineText.SUGGESTED_LABELS.text(claim=what, labels=labels)
    if one.evidence:
        cells = widths.quote // 3
        spans = describe_evidence(draft, one.evidence, cells=cells, most=widths.spans)
        # A quote that is too short to read is dropped: the source marks the words anyway.
        is_readable = cells >= _LEAST_QUOTE or '"' not in spans
        code = LineText.WITH_EVIDENCE if is_readable else LineText.UNNAMED_EVIDENCE
        what = code.text(what=what, spans=spans)
    maker = cut(one.maker, widths.maker)
    maker = maker if one.score is None else f"{maker} {one.score:.2f}"
    code = LineText.SUGGESTION if one.labels else LineText.SUGGESTION_WITHOUT_LABEL
    return code.text(what=what, maker=maker)


def describe_suggestion(draft: Draft) -> str:
    """Describe the focused suggestion under headings, or the origin of the focused annotation."""
    one = draft.changing or draft.focused_suggestion
    known = draft.focused_annotation
    if one is None:
        if known is None or known.suggested is None:
            return ""
        origin = describe_origin(known.suggested)
        return LineText.MADE_FROM.text(labels=describe_labels(known.labels), origin=origin)
    parts = [f"# {describe_labels(one.labels)}\n{describe_maker(one)}"]
    if one.note:
        parts.append(LineText.REASON_PAGE.text(reason=one.note))
    pages = ((LineText.CLAIM_PAGE, one.claim), (LineText.EVIDENCE_PAGE, one.evidence))
    for page, anchors in pages:
        texts = [at.span.of(draft.text(at.side, at.index)) for at in anchors]
        if texts:
            parts.append(page.text(texts="\n\n".join(texts)))
    return "\n\n".join(parts)
