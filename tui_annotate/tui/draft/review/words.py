"""The text of the status line in review: which key accepts or rejects which candidate."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from tui_annotate.domain.adjudication import ReviewAction
from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.assignments import State
from tui_annotate.domain.samples import SampleKind, Side
from tui_annotate.methods.adjudication import (
    CandidateAnnotation,
    CandidateGroup,
    DifferenceKind,
    GroupDecision,
    GroupStatus,
)
from tui_annotate.tui.draft import words
from tui_annotate.tui.draft.messages import Kind
from tui_annotate.tui.draft.review.messages import ReviewText
from tui_annotate.tui.draft.review.state import WHY, ReviewDraft
from tui_annotate.tui.draft.state import REASON
from tui_annotate.tui.draft.words import (
    DRAFT,
    HINT,
    SAVED,
    describe_claim,
    describe_labels,
    fit_parts,
    quote_text,
    with_more,
)
from tui_annotate.tui.keys.actions import REVIEWING
from tui_annotate.tui.keys.key_lines import LEAVING, REFUSING, REOPENING

_LENGTHS: Final = (
    *((quote, 9) for quote in (36, 30, 24, 20, 16, 13, 10)),
    *((quote, 1) for quote in (16, 10, 6)),
)
"""Steps in which the status line is shortened: (maximum quote width, minimum number of parts).

Widths are in terminal cells; the last part (a phrase) is dropped first.
"""

DIFFERENCES: Final = {
    DifferenceKind.LABEL: "label",
    DifferenceKind.EXTENT: "extent",
    DifferenceKind.EVIDENCE: "evidence",
    DifferenceKind.NOTE: "note",
}
"""Names of what differs between candidate annotations, shown in the title of the summary."""

_DECISIONS: Final = {
    ReviewAction.TAKEN: ReviewText.DECISION_ACCEPTED,
    ReviewAction.MERGED: ReviewText.DECISION_MERGED,
    ReviewAction.EDITED: ReviewText.DECISION_EDITED,
    ReviewAction.OWN: ReviewText.DECISION_OWN,
    ReviewAction.REJECTED: ReviewText.DECISION_REJECTED,
}


def draft_line(draft: ReviewDraft, cells: int = 1000) -> tuple[str, Kind]:
    """Return the review screen's status line and its kind, such as `hint`."""
    asked = (REFUSING, LEAVING, REOPENING)
    question = draft.pending is not None and draft.pending.kind in asked
    if draft.message and not (question and draft.message.kind == SAVED):
        return draft.message.text, draft.message.kind
    if draft.writing and draft.writing.kind == REASON:
        reopening = draft.asked == REOPENING
        code = ReviewText.REOPENED_BECAUSE if reopening else ReviewText.REJECTED_BECAUSE
        return code.text(), DRAFT
    if question:
        return fit_parts(partial(_describe_question, draft), _LENGTHS, cells), DRAFT
    if draft.hints or draft.state != REVIEWING:
        return words.draft_line(draft, cells)
    kind: Kind = SAVED if not draft.undecided() and draft.progress is State.DONE else DRAFT
    text = fit_parts(partial(_describe_current, draft), _LENGTHS, cells)
    return text, HINT if draft.blocked_reason else kind


def _describe_question(draft: ReviewDraft, quote: int) -> list[str]:
    if draft.pending and draft.pending.kind == REOPENING:
        return [ReviewText.WHOSE_WORK.text()]
    if draft.pending and draft.pending.kind == LEAVING:
        count = len(draft.undecided())
        if not count:
            return [ReviewText.WHY_NO_RATING.text(), ReviewText.CHOOSE_RATING.text()]
        code = ReviewText.WHY_ONE_OPEN if count == 1 else ReviewText.WHY_OPEN
        return [code.text(count=count)]
    if draft.chosen is None:
        return [ReviewText.WHY_REJECT_ALL.text()]
    return [ReviewText.WHY_REJECT.text(candidate=_describe_candidate(draft, draft.chosen, quote))]


def _next_key(draft: ReviewDraft) -> str:
    return (ReviewText.NEXT_CONFLICT if draft.undecided() else ReviewText.COMPLETE).text()


def _describe_current(draft: ReviewDraft, quote: int) -> list[str]:
    selection = draft.selection
    if selection and draft.side is Side.SUMMARY:
        selected = quote_text(selection.of(draft.text(Side.SUMMARY)), cells=quote)
        add = ReviewText.ADD_SELECTION.text(selection=selected)
        return [add, ReviewText.DROP_SELECTION.text()]
    end = _next_key(draft)
    if draft.blocked_reason:
        return [draft.blocked_reason, ReviewText.NEXT_SAMPLE.text()]
    if draft.position is None:
        if draft.groups:
            return [ReviewText.GO_TO.text(), end]
        nothing = ReviewText.NOTHING_ELSE if draft.settled else ReviewText.NOTHING
        return [nothing.text(), ReviewText.SELECT_AND_ADD.text()]
    if draft.position.own:
        own = _describe_adjudicated(draft, draft.position.own, quote)
        keys = (ReviewText.EDIT_KEY.text(), ReviewText.REMOVE_KEY.text())
        return [ReviewText.OWN.text(annotation=own), *keys, end]
    if draft.position.group is None:
        return [end]
    open_ = draft.decision_on(draft.position.group) is GroupDecision.OPEN
    return [*_describe_group(draft, draft.position.group, quote), "" if open_ else end]


def _describe_group(draft: ReviewDraft, group: CandidateGroup, quote: int) -> list[str]:
    if draft.chosen:
        return _describe_candidate_state(draft, draft.chosen, quote)
    match draft.decision_on(group):
        case GroupDecision.KEPT:
            made = draft.adjudicated_here()
            described = with_more(_describe_adjudicated(draft, made[0], quote), made)
            decision = _describe_decision(made[0])
            return [ReviewText.DECIDED.text(decision=decision, annotation=described)]
        case GroupDecision.REJECTED:
            reason = describe_refusal(draft.refusal_of(group.candidates[0]))
            accept = ReviewText.DIGIT_AND_ACCEPT.text(digits=_digit_range(draft))
            return [ReviewText.REJECTED_REASON.text(reason=reason), accept]
        case GroupDecision.AGREED:
            described = _describe_adjudicated(draft, group.candidates[0], quote)
            return [ReviewText.AGREED.text(annotation=with_more(described, group.candidates))]
    if group.proposal:
        return [_describe_proposal(draft, group, quote)]
    if len(group.candidates) == 1:
        return _describe_candidate_state(draft, group.candidates[0], quote)
    choose = ReviewText.CHOOSE.text(digits=_digit_range(draft))
    return [choose, ReviewText.MERGE_KEY.text(), ReviewText.REJECT_ALL_KEY.text()]


def _describe_proposal(draft: ReviewDraft, group: CandidateGroup, quote: int) -> str:
    if len(group.proposal) == 1:
        candidate = group.proposal[0]
        return ReviewText.ACCEPT_VOTES.text(
            candidate=_describe_candidate(draft, candidate, quote),
            votes=len(candidate.people),
            people=len(draft.people),
        )
    indices = [group.candidates.index(each) for each in group.proposal]
    several = [
        ReviewText.NUMBERED.text(digit=at + 1, candidate=draft.candidate_words(at))
        for at in indices
    ]
    return ReviewText.ACCEPT.text(candidate=with_more(", ".join(several[:2]), several, 2))


def _describe_candidate_state(
    draft: ReviewDraft, candidate: CandidateAnnotation, quote: int
) -> list[str]:
    described = _describe_candidate(draft, candidate, quote)
    note = ""
    if candidate.note:
        note = ReviewText.NOTE.text(note=quote_text(candidate.note, cells=quote))
    if made := draft.adjudicated_from(candidate):
        decision = _describe_decision(made[0])
        return [ReviewText.DECIDED.text(decision=decision, annotation=described), note]
    if refusal := draft.refusal_of(candidate):
        reason = describe_refusal(refusal)
        rejected = ReviewText.DECIDED_REJECTED.text(reason=reason, candidate=described)
        return [rejected, note, ReviewText.ACCEPT_AFTER_ALL.text()]
    return [ReviewText.ACCEPT.text(candidate=described), note]


def _describe_decision(made: Annotation) -> str:
    return _DECISIONS[made.settled.how if made.settled else ReviewAction.TAKEN].text()


def _digit_range(draft: ReviewDraft) -> str:
    count = len(draft.options())
    return f"1-{count}" if count > 1 else "1"


def _describe_candidate(draft: ReviewDraft, candidate: CandidateAnnotation, quote: int) -> str:
    return ReviewText.CANDIDATE.text(
        labels=draft.label_names(candidate.labels),
        people=draft.describe_people(candidate.people),
        anchors=_describe_anchors(draft, candidate, quote),
    )


def _describe_adjudicated(
    draft: ReviewDraft, made: CandidateAnnotation | Annotation, quote: int
) -> str:
    labels, anchors = draft.label_names(made.labels), _describe_anchors(draft, made, quote)
    return ReviewText.ADJUDICATED.text(labels=labels, anchors=anchors)


def _describe_anchors(draft: ReviewDraft, one: CandidateAnnotation | Annotation, quote: int) -> str:
    none = ReviewText.EVIDENCE_ONLY.text()
    claim, count = describe_claim(draft, one.claim, cells=quote, none=none), len(one.evidence)
    return ReviewText.WITH_EVIDENCE.text(claim=claim, count=count) if count else claim


def describe_refusal(refusal: Annotation | None) -> str:
    """Describe why a candidate annotation was rejected: the reason and the reviewer's note."""
    settled = refusal.settled if refusal else None
    reason = WHY.get(settled.reason, "") if settled else ""
    note = quote_text(settled.note) if settled and settled.note else ""
    return ", ".join(filter(None, (reason, note))) or ReviewText.NO_REASON.text()


_DONE: Final = {
    "take": ReviewText.ACCEPTED_LABELS,
    "merge": ReviewText.MERGED_LABELS,
    "edit": ReviewText.SAVED_LABELS,
    "own": ReviewText.ADDED_LABELS,
    "remove": ReviewText.REMOVED,
    "reject": ReviewText.REJECTED,
    "reopen": ReviewText.REOPENED,
    "rate": ReviewText.RATED,
    "comment": ReviewText.COMMENT_DONE,
}


def describe_action(draft: ReviewDraft, verb: str, made: Sequence[Annotation]) -> str:
    """Describe the last action of the reviewer, with the keys for undo and for the next step."""
    labels = ", ".join(describe_labels(one.labels) for one in made[:2])
    code = ReviewText.NO_RATING if verb == "rate" and not draft.rating else _DONE[verb]
    done = code.text(labels=labels, rating=draft.rating)
    return ReviewText.ACTION_DONE.text(done=done, next=_next_key(draft))


UNDONE: Final = {
    "take": ReviewText.UNDO_TAKE.text(),
    "merge": ReviewText.UNDO_MERGE.text(),
    "edit": ReviewText.UNDO_EDIT.text(),
    "own": ReviewText.UNDO_OWN.text(),
    "remove": ReviewText.UNDO_REMOVE.text(),
    "reject": ReviewText.UNDO_REJECT.text(),
    "done": ReviewText.UNDO_DONE.text(),
    "reopen": ReviewText.UNDO_REOPEN.text(),
    "rate": ReviewText.UNDO_RATE.text(),
    "comment": ReviewText.UNDO_COMMENT.text(),
}


def describe_group_status(draft: ReviewDraft, group: CandidateGroup) -> str:
    decided = draft.decision_on(group)
    alone = draft.sample.kind is SampleKind.DOCUMENT and not draft.sample.side(Side.SOURCE)
    names = {**DIFFERENCES, DifferenceKind.EVIDENCE: "passages"} if alone else DIFFERENCES
    differences = ", ".join(names[kind] for kind in group.differences if kind in names)
    if decided is GroupDecision.KEPT:
        return ReviewText.STATUS_DECIDED.text()
    if decided is GroupDecision.REJECTED:
        return ReviewText.STATUS_REJECTED.text()
    if group.status is GroupStatus.AGREED:
        code = ReviewText.STATUS_AGREED_BUT if differences else ReviewText.STATUS_AGREED
        return code.text(differences=differences)
    silent = ""
    if group.silent:
        silent = ReviewText.SILENT.text(people=draft.describe_people(group.silent))
    is_near = group.status is GroupStatus.NEARLY
    code = ReviewText.STATUS_NEARLY if is_near else ReviewText.STATUS_CONFLICT
    return code.text(differences=", ".join(filter(None, (silent, differences))))
