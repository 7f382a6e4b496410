"""Key handlers of the review screen, and functions that update its state after a save.

During an edit, keys act as on the annotating screen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tui_annotate.domain.adjudication import OpenKind, RejectionReason
from tui_annotate.domain.annotations import ADJUDICATED, Anchor, Annotation
from tui_annotate.domain.labels import MOST_OPTIONS
from tui_annotate.domain.samples import Side
from tui_annotate.editor import cursor_actions, notes
from tui_annotate.editor.effects import (
    Blink,
    CompleteReview,
    Effects,
    MergeCandidates,
    Open,
    Page,
    RejectCandidates,
    Remove,
    ReopenWork,
    Select,
    TakeCandidates,
    go_to_first,
    reveal_first,
)
from tui_annotate.editor.key_state import REVIEWING
from tui_annotate.editor.label_set_change import DraftLabelSetChange
from tui_annotate.editor.messages import MessageCode
from tui_annotate.editor.review.messages import ReviewText
from tui_annotate.editor.review.questions import (
    CONFIRMATIONS,
    CONFIRMING,
    LEAVING,
    REFUSING,
    REOPENING,
    WHY,
)
from tui_annotate.editor.review.state import ReviewDraft, ReviewPosition
from tui_annotate.editor.review.words import describe_refusal
from tui_annotate.editor.search_hits import NO_SEARCH
from tui_annotate.editor.state import REASON, Note, PendingQuestion
from tui_annotate.editor.words import SAVED, WARNING
from tui_annotate.methods.adjudication import GroupDecision

# decisions


def if_allowed(handler: Callable[[ReviewDraft], Effects]) -> Callable[[ReviewDraft], Effects]:
    """Return a handler that refuses its key if this reviewer may not adjudicate the sample."""

    def handle(draft: ReviewDraft) -> Effects:
        if reason := draft.blocked_reason:
            return draft.refuse_key(ReviewText.REVIEW_NOT_ALLOWED, WARNING, reason=reason)
        return handler(draft)

    return handle


def take_candidates(draft: ReviewDraft) -> Effects:
    """Accept the chosen candidate, the single one, or the majority's (key `y`)."""
    if draft.group is None:
        orphan = draft.position is not None and draft.has_lost_sources(draft.position)
        code = ReviewText.SOURCES_LOST if orphan else ReviewText.NO_CANDIDATE
        return draft.refuse_key(code)
    wanted = draft.in_hand
    if not wanted:
        return draft.refuse_key(ReviewText.NO_MAJORITY)
    again = draft.decision_on(draft.group) is GroupDecision.CHANGED
    fresh = [each for each in wanted if again or not draft.adjudicated_from(each)]
    if not fresh:
        return draft.refuse_key(ReviewText.ALREADY_TAKEN)
    return [TakeCandidates(tuple(candidate.sources for candidate in fresh))]


def merge_candidates(draft: ReviewDraft) -> Effects:
    """Merge all candidates of the group, if it is clear which labels the result gets (key `M`)."""
    candidates = draft.candidates
    if len(candidates) < 2:
        return draft.refuse_key(ReviewText.NO_CANDIDATES_TO_MERGE)
    kinds = {candidate.labels for candidate in candidates}
    proposed = {candidate.labels for candidate in draft.in_hand} or kinds
    if len(proposed) > 1:
        return draft.refuse_key(ReviewText.LABEL_TO_MERGE_UNCLEAR)
    return [MergeCandidates(tuple(candidate.sources for candidate in candidates), proposed.pop())]


def ask_refusal_reason(draft: ReviewDraft) -> Effects:
    """Ask why candidates are rejected (key `x`); delete an annotation of the reviewer at once."""
    if draft.position and draft.position.own:
        return [Remove(draft.position.own)]
    if draft.group is None:
        return draft.refuse_key(ReviewText.NO_CANDIDATE_TO_REFUSE)
    if all(map(draft.refusal_of, draft.refusable)):
        reason = describe_refusal(draft.refusal_of(draft.refusable[0]))
        return draft.refuse_key(ReviewText.ALREADY_REFUSED, reason=reason)
    draft.pending = PendingQuestion(REFUSING)
    return []


def answer_question(draft: ReviewDraft, action: str, digit: str) -> Effects:
    """Answer a question of the review by a digit key, cancel it, or refuse another key."""
    question = draft.pending.kind if draft.pending else REFUSING
    if action in ("back", "undo", "redo"):
        draft.pending = None
        return []
    if action == "app.quit":
        return [Open(Page.QUIT)]
    if question == REOPENING:
        return _choose_reopened(draft, action, digit)
    if draft.asks_open_work and action not in ("option.choose", "option.list"):
        return draft.refuse_key(ReviewText.ANSWER_OR_CANCEL)
    if question == CONFIRMING:
        return _confirm(draft) if action == "option.choose" and digit == "1" else [Blink()]
    if action == "option.list":
        draft.pending = None
        draft.asked = question
        return notes.open_reason(draft)
    reasons = list(WHY)
    if action != "option.choose" or not 0 < int(digit) <= len(reasons):
        return [Blink()]
    draft.pending = None
    return _effects_of_reason(draft, question, reasons[int(digit) - 1])


def ask_whom_to_reopen(draft: ReviewDraft) -> Effects:
    """Ask whose work is reopened, if any can be."""
    if not draft.reopenable:
        return draft.refuse_key(ReviewText.NOT_ADJUDICATED)
    draft.pending = PendingQuestion(REOPENING)
    return []


def _choose_reopened(draft: ReviewDraft, action: str, digit: str) -> Effects:
    people = draft.reopenable
    if action != "option.choose" or not 0 < int(digit) <= len(people):
        return [Blink()]
    draft.pending = None
    draft.asked = REOPENING
    draft.reopening = people[int(digit) - 1]
    return notes.open_reason(draft)


def _effects_of_reason(
    draft: ReviewDraft, question: str, reason: RejectionReason, *, note: str = ""
) -> Effects:
    if question == LEAVING:
        draft.answers[draft.asked_kind] = (reason, note)
        return _complete_or_ask(draft)
    if question == REOPENING:
        return [ReopenWork(draft.reopening, note)]
    sources = tuple(candidate.sources for candidate in draft.refusable)
    return [RejectCandidates(sources, reason, note)]


def _confirm(draft: ReviewDraft) -> Effects:
    draft.pending = None
    draft.answers[draft.asked_kind] = (RejectionReason.NONE, "")
    return _complete_or_ask(draft)


def give_reason(draft: ReviewDraft, text: str) -> Effects:
    """Answer the question `draft.asked` by a typed reason; without any text, ask for words."""
    draft.writing = None
    draft.kept_notes.pop(Note(REASON), None)
    text = text.strip()
    if text:
        return _effects_of_reason(draft, draft.asked, RejectionReason.NONE, note=text)
    reopening = draft.asked == REOPENING
    draft.say(
        ReviewText.REOPENING_NEEDS_WORDS if reopening else ReviewText.REFUSAL_NEEDS_WORDS, WARNING
    )
    return []


def complete(draft: ReviewDraft) -> Effects:
    """Complete the sample (Enter); in the source, go back to the summary instead."""
    if draft.side is Side.SOURCE:
        return cursor_actions.go_to_summary(draft)
    return if_allowed(_complete_summary_side)(draft)


def _complete_summary_side(draft: ReviewDraft) -> Effects:
    draft.answers = {}
    for at, position in enumerate(draft.positions):
        split = draft.has_split_label(position)
        lacking = draft.missing_parts(position)
        if split or lacking:
            effects = show_position(draft, at)
            code = ReviewText.NOT_SETTLED_LABEL_SPLIT if split else ReviewText.NOT_SETTLED_LACKING
            draft.say(code, WARNING, parts=" and ".join(lacking))
            return effects
    return _complete_or_ask(draft)


def _complete_or_ask(draft: ReviewDraft) -> Effects:
    """Ask for the next kind of open work without an answer, else complete the sample."""
    kind = next((kind for kind in draft.open_kinds() if kind not in draft.answers), None)
    if kind is None:
        return [Select(Side.SUMMARY, None), _completion(draft)]
    draft.asked_kind = kind
    draft.pending = PendingQuestion(CONFIRMING if kind in CONFIRMATIONS else LEAVING)
    wanted: Sequence[ReviewPosition] = ()
    if kind is OpenKind.CONFLICTS:
        undecided = draft.undecided()
        wanted = [each for each in draft.positions if each.group in undecided]
    elif kind is OpenKind.CHANGED:
        wanted = draft.changed_positions()
    return show_position(draft, draft.positions.index(wanted[0])) if wanted else []


def _completion(draft: ReviewDraft) -> CompleteReview:
    none = (RejectionReason.NONE, "")
    rest, note = draft.answers.get(OpenKind.CONFLICTS, none)
    reason, words = draft.answers.get(OpenKind.RATING, none)
    leave = tuple(kind.value for kind in draft.answers if kind in CONFIRMATIONS)
    return CompleteReview(rest, note, reason.value or words, leave)


def show_first_conflict(draft: ReviewDraft) -> Effects:
    """Go to the first conflict between annotators; if none is left, to the first annotation."""
    return show_position(draft, next(iter(_open_positions(draft)), 0)) if draft.positions else []


def show_position(draft: ReviewDraft, at: int) -> Effects:
    """Go to the entry with an index in `draft.positions`, and scroll to its claim and evidence."""
    draft.at = at
    draft.candidate = -1
    draft.page = 0
    return [*cursor_actions.go_to_summary(draft), *_reveal_chosen(draft)] if draft.position else []


def position_of(draft: ReviewDraft, made: Annotation) -> int:
    """Return the index of the entry in `draft.positions` that contains an adjudicated annotation.

    If no entry contains the annotation, return the current index `draft.at`. An annotation may
    belong to another entry after its claim was edited.
    """
    sources = set(made.settled.sources if made.settled else ())
    for at, position in enumerate(draft.positions):
        if position.own == made or (position.group and sources & position.group.sources):
            return at
    return draft.at


def follow_cursor(draft: ReviewDraft) -> None:
    """Go to the annotation under the cursor, or the group of candidate annotations there."""
    if draft.state != REVIEWING or draft.side is not Side.SUMMARY or draft.selection:
        return
    at = draft.position_at(draft.pointers[Side.SUMMARY].offset)
    if at not in (-1, draft.at):
        draft.at = at
        draft.candidate = -1
        draft.page = 0


def _reveal_chosen(draft: ReviewDraft) -> Effects:
    claims: Sequence[Anchor] = ()
    if draft.chosen:
        claims = draft.chosen.claim
    elif draft.position:
        claims = draft.position.claims
    return [*go_to_first(sorted(claims)), *reveal_first(draft.shown_evidence())]


def _open_positions(draft: ReviewDraft) -> list[int]:
    wanted = {id(group) for group in draft.undecided()}
    return [
        at
        for at, position in enumerate(draft.positions)
        if (position.group and id(position.group) in wanted)
        or draft.is_changed(position)
        or draft.has_split_label(position)
        or draft.missing_parts(position)
    ]


def walk_positions(step: int, draft: ReviewDraft) -> Effects:
    """Go to the next or previous group of candidate annotations; the first follows the last."""
    if not draft.positions:
        return draft.refuse_key(ReviewText.NOTHING_TO_REVIEW)
    return show_position(draft, (draft.at + step) % len(draft.positions) if draft.at >= 0 else 0)


def walk_conflicts(step: int, draft: ReviewDraft) -> Effects:
    """Go to the next or previous conflict of annotators without a decision; wrap at the ends."""
    found = _open_positions(draft)
    if not found:
        return draft.refuse_key(ReviewText.NO_CONFLICT_LEFT)
    if step > 0:
        return show_position(draft, next((at for at in found if at > draft.at), found[0]))
    return show_position(draft, next((at for at in reversed(found) if at < draft.at), found[-1]))


def choose_candidate(draft: ReviewDraft, digit: str) -> Effects:
    """Choose a candidate annotation by its digit key; key 0 shows the next nine candidates."""
    if digit == "0":
        pages = -(-len(draft.candidates) // MOST_OPTIONS)
        if pages < 2:
            return draft.refuse_key(MessageCode.KEY_WITHOUT_EFFECT, key=digit)
        draft.page = (draft.page + 1) % pages
        return []
    at = draft.page * MOST_OPTIONS + int(digit) - 1
    if at >= len(draft.candidates):
        return draft.refuse_key(MessageCode.KEY_WITHOUT_EFFECT, key=digit)
    draft.candidate = at
    return _reveal_chosen(draft)


def leave_innermost(draft: ReviewDraft) -> Effects:
    """Go back one step: end the text search, leave the source, or deselect words or candidate."""
    if draft.search.hits:
        draft.search = NO_SEARCH
    elif draft.side is Side.SOURCE:
        return cursor_actions.go_to_summary(draft)
    elif draft.selection:
        return [Select(draft.side, None)]
    else:
        draft.candidate = -1
    return []


def edit_focused(draft: ReviewDraft) -> Effects:
    """Open the adjudicated annotation for editing, or a candidate annotation if there is none."""
    made = draft.adjudicated_from(draft.chosen) if draft.chosen else draft.adjudicated_here()
    found = [one for one in draft.adjudicated_here() if one in made]
    if len(found) == 1:
        return load_for_edit(draft, found[0], ())
    if draft.group is None:
        return draft.refuse_key(ReviewText.NOTHING_TO_EDIT)
    candidates = draft.in_hand
    if len(candidates) != 1:
        return draft.refuse_key(ReviewText.CANDIDATE_TO_EDIT_UNCLEAR)
    one = candidates[0]
    content = (one.claim, one.evidence, one.labels, one.note)
    return load_for_edit(draft, Annotation(draft.new_id(), *content, ADJUDICATED), one.sources)


def add_own_annotation(draft: ReviewDraft) -> Effects:
    """Open the selected claim as the reviewer's own annotation, whose labels digits choose."""
    if draft.side is Side.SOURCE or not draft.selection or not draft.claim:
        return draft.refuse_key(ReviewText.NO_SELECTION_TO_ADD)
    fresh = Annotation(draft.new_id(), draft.claim, origin=ADJUDICATED)
    return load_for_edit(draft, fresh, ())


def load_for_edit(draft: ReviewDraft, annotation: Annotation, sources: tuple[str, ...]) -> Effects:
    """Open an annotation for editing as on the annotating screen; Enter saves the edit."""
    draft.sources[annotation.id] = sources
    draft.originals[annotation.id] = annotation
    # A label that the label set lacks could be neither saved nor removed.
    draft.begin_edit(annotation, [path for path in annotation.labels if draft.tree.find(path)])
    return [
        *cursor_actions.go_to_summary(draft),
        Select(Side.SUMMARY, None),
        *go_to_first(annotation.claim),
    ]


def restore_refused_edit(draft: ReviewDraft, annotation: Annotation, message: str) -> Effects:
    """Open an edit again that the store refused, with the reason as the message."""
    annotation = draft.saves.end(annotation).annotation
    before = draft.originals.get(annotation.id, annotation)
    effects = load_for_edit(draft, before, draft.sources.get(annotation.id, ()))
    draft.labels = list(annotation.labels)
    draft.evidence = list(annotation.evidence)
    draft.note = annotation.note
    if annotation.claim != before.claim:
        effects += [Select(anchor.side, anchor.span) for anchor in annotation.claim[:1]]
    draft.say(message, WARNING)
    return effects


def apply_relabelling(draft: ReviewDraft, change: DraftLabelSetChange) -> None:
    """Update a reviewer's unsaved edits after a change of the label set.

    The caller has already loaded the groups of candidates again. The annotation before an edit gets
    the new labels, and the edit gets the current source annotations of its candidate.
    """
    for name, sources in draft.sources.items():
        candidates = (candidate.sources for group in draft.groups for candidate in group.candidates)
        larger = (each for each in candidates if sources and set(sources) <= set(each))
        draft.sources[name] = next(larger, sources)
    draft.originals = {
        name: change.of(one, [change.path(path) for path in one.labels])
        for name, one in draft.originals.items()
    }


def apply_stored_result(draft: ReviewDraft, now: tuple[Annotation, ...], text: str) -> None:
    """Update the draft after a decision was stored; stay at the same entry if it still exists.

    Args:
        now: all adjudicated and rejected annotations of the sample.
        text: the message to show.
    """
    held = draft.position
    draft.saves.sent.clear()
    draft.settled = now
    draft.annotations = tuple(one for one in now if one.origin == ADJUDICATED)
    draft.enable_digits()
    if held and held.group:
        groups = (position.group for position in draft.positions)
        sources = [group.sources if group else None for group in groups]
        draft.at = sources.index(held.group.sources) if held.group.sources in sources else -1
    else:
        draft.at = min(draft.at, len(draft.positions) - 1)
    asks = draft.pending is not None and draft.pending.kind in (LEAVING, CONFIRMING)
    if asks and draft.asked_kind not in draft.open_kinds():
        draft.pending = None
    draft.say(text, SAVED)
