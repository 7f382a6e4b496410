"""The text of the status line in review: which key accepts or rejects which candidate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from tui_annotate.domain.adjudication import OpenKind, ReviewAction
from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.assignments import State
from tui_annotate.domain.line_text import cut
from tui_annotate.domain.report_collections import NOT_RATED
from tui_annotate.domain.samples import SampleKind, Side
from tui_annotate.editor import words
from tui_annotate.editor.key_state import REVIEWING
from tui_annotate.editor.messages import Kind
from tui_annotate.editor.review.messages import ReviewText
from tui_annotate.editor.review.questions import (
    CONFIRMING,
    LEAVING,
    REFUSING,
    REOPENING,
    describe_reason,
)
from tui_annotate.editor.review.state import ReviewDraft, ReviewPosition
from tui_annotate.editor.state import REASON
from tui_annotate.editor.words import (
    DRAFT,
    HINT,
    SAVED,
    describe_claim,
    describe_labels,
    fit_parts,
    quote_text,
    with_more,
)
from tui_annotate.methods.adjudication import (
    CandidateAnnotation,
    CandidateGroup,
    DifferenceKind,
    GroupDecision,
    GroupStatus,
)

_LENGTHS: Final = (
    *((quote, 9) for quote in (36, 30, 24, 20, 16, 13, 10)),
    *((quote, 1) for quote in (16, 10, 6)),
)
"""Steps in which the status line is shortened: (maximum quote width, minimum number of parts).

Widths are in terminal cells; the last part (a phrase) is dropped first.
"""

DIFFERENCES: Final = {
    DifferenceKind.LABEL: ReviewText.DIFFERENT_LABEL,
    DifferenceKind.EXTENT: ReviewText.DIFFERENT_EXTENT,
    DifferenceKind.EVIDENCE: ReviewText.DIFFERENT_EVIDENCE,
    DifferenceKind.NOTE: ReviewText.DIFFERENT_NOTE,
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
    asked = (REFUSING, LEAVING, CONFIRMING, REOPENING)
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
    kind: Kind = SAVED if not draft.count_open() and draft.progress is State.DONE else DRAFT
    text = fit_parts(partial(_describe_current, draft), _LENGTHS, cells)
    return text, HINT if draft.blocked_reason else kind


def _describe_question(draft: ReviewDraft, quote: int) -> list[str]:
    if draft.pending and draft.pending.kind == REOPENING:
        return [ReviewText.WHOSE_WORK.text()]
    if draft.pending and draft.pending.kind in (LEAVING, CONFIRMING):
        return _describe_open(draft, draft.asked_kind, quote)
    if draft.chosen is None:
        return [ReviewText.WHY_REJECT_ALL.text()]
    return [ReviewText.WHY_REJECT.text(candidate=_describe_candidate(draft, draft.chosen, quote))]


def _describe_open(draft: ReviewDraft, kind: OpenKind, quote: int) -> list[str]:
    """Name what is open, with the keys that leave it so or decide it."""
    parts = draft.open_parts
    match kind:
        case OpenKind.CONFLICTS:
            undecided = draft.undecided()
            code = ReviewText.WHY_OPEN
            if len(undecided) == 1:
                alone = len(undecided[0].candidates) == 1
                code = ReviewText.WHY_ONE_OPEN if alone else ReviewText.WHY_ALL_OPEN
            names = cut(_name_candidates(draft, undecided[0]), quote)
            why = code.text(count=len(undecided), candidates=names)
            return [why, ReviewText.DECIDE_INSTEAD.text()]
        case OpenKind.CHANGED:
            changed = cut("; ".join(_name_changed(draft)), quote)
            return [ReviewText.CHANGED.text(changed=changed), ReviewText.DECIDE_AGAIN.text()]
        case OpenKind.RATING:
            ratings = cut(_name_ratings(draft), quote)
            why = ReviewText.WHY_NO_RATING.text(ratings=ratings)
            return [why, ReviewText.CHOOSE_RATING.text()]
        case OpenKind.COMMENTS:
            people = draft.describe_people(parts.comments)
            return [ReviewText.COMMENTED.text(people=people), ReviewText.WRITE_COMMENT.text()]
        case OpenKind.QUESTIONS:
            one = parts.questions == 1
            code = ReviewText.ASKED_ONE if one else ReviewText.ASKED
            return [code.text(count=parts.questions), ReviewText.ANSWER_FIRST.text()]


def _name_candidates(draft: ReviewDraft, group: CandidateGroup) -> str:
    return ", ".join(
        f"{draft.label_names(each.labels)} {draft.describe_people(each.people)}"
        for each in group.candidates
    )


def _name_changed(draft: ReviewDraft) -> Iterator[str]:
    if draft.open_parts.stale_rating:
        ratings = _name_ratings(draft)
        yield ReviewText.CHANGED_RATING.text(rating=draft.rating, ratings=ratings)
    for position in draft.changed_positions():
        if position.group:
            yield _name_candidates(draft, position.group)
        elif position.own:
            yield draft.label_names(position.own.labels)


def _name_ratings(draft: ReviewDraft) -> str:
    rated = [f"{draft.describe_people(letters)} {word}" for word, letters in draft.ratings]
    given = {letter for _, letters in draft.ratings for letter in letters}
    silent = [letter for letter in draft.people if letter not in given]
    if silent:
        rated.append(f"{draft.describe_people(silent)} {NOT_RATED}")
    return ", ".join(rated)


def _next_key(draft: ReviewDraft) -> str:
    open_ = draft.undecided() or draft.changed_positions() or draft.incomplete_positions()
    return (ReviewText.NEXT_CONFLICT if open_ else ReviewText.COMPLETE).text()


def _describe_current(draft: ReviewDraft, quote: int) -> list[str]:
    selection = draft.selection
    if selection and draft.side is Side.SUMMARY:
        selected = quote_text(selection.of(draft.text(Side.SUMMARY)), cells=quote)
        add = ReviewText.ADD_SELECTION.text(selection=selected)
        return [add, ReviewText.DESELECT.text()]
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
        lost = draft.has_lost_sources(draft.position)
        code = ReviewText.SOURCE_LOST if lost else ReviewText.OWN
        return [code.text(annotation=own), *keys, end]
    if draft.position.group is None:
        return [end]
    decided = draft.decision_on(draft.position.group).decided
    return [*_describe_group(draft, draft.position.group, quote), end if decided else ""]


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
        case GroupDecision.CHANGED:
            return _describe_changed(draft, quote)
        case GroupDecision.AGREED:
            described = _describe_adjudicated(draft, group.candidates[0], quote)
            annotation = with_more(described, group.candidates)
            if lacking := draft.missing_parts(ReviewPosition(group)):
                parts = " and ".join(lacking)
                text = ReviewText.AGREED_LACKING.text(parts=parts, annotation=annotation)
                return [text, ReviewText.EDIT_KEY.text()]
            code = ReviewText.AGREED_SO_FAR if draft.reopened else ReviewText.AGREED
            return [code.text(annotation=annotation)]
    if group.proposal:
        return [_describe_proposal(draft, group, quote)]
    if len(group.candidates) == 1:
        return _describe_candidate_state(draft, group.candidates[0], quote)
    choose = ReviewText.CHOOSE.text(digits=_digit_range(draft))
    return [choose, ReviewText.MERGE_KEY.text(), ReviewText.REJECT_ALL_KEY.text()]


def _describe_changed(draft: ReviewDraft, quote: int) -> list[str]:
    if made := draft.adjudicated_here():
        described = _describe_adjudicated(draft, made[0], quote)
        what = ReviewText.DECIDED_BEFORE.text(annotation=with_more(described, made))
    else:
        what = ReviewText.REJECTED_BEFORE.text()
    if draft.in_hand:
        return [what, ReviewText.ACCEPT_AGAIN.text()]
    return [what, ReviewText.CHOOSE_AGAIN.text(digits=_digit_range(draft))]


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
    if draft.group and draft.decision_on(draft.group) is GroupDecision.CHANGED:
        return [ReviewText.ACCEPT.text(candidate=described), note]
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
    labels = draft.label_names(made.labels)
    anchors = _describe_anchors(draft, made, quote)
    return ReviewText.ADJUDICATED.text(labels=labels, anchors=anchors)


def _describe_anchors(draft: ReviewDraft, one: CandidateAnnotation | Annotation, quote: int) -> str:
    none = ReviewText.EVIDENCE_ONLY.text()
    claim = describe_claim(draft, one.claim, cells=quote, none=none)
    count = len(one.evidence)
    return ReviewText.WITH_EVIDENCE.text(claim=claim, count=count) if count else claim


def describe_refusal(refusal: Annotation | None) -> str:
    """Describe why a candidate annotation was rejected: the reason and the reviewer's note."""
    settled = refusal.settled if refusal else None
    reason = describe_reason(settled.reason) if settled else ""
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


UNDONE: Final[Mapping[str, ReviewText]] = {
    "take": ReviewText.UNDO_TAKE,
    "merge": ReviewText.UNDO_MERGE,
    "edit": ReviewText.UNDO_EDIT,
    "own": ReviewText.UNDO_OWN,
    "remove": ReviewText.UNDO_REMOVE,
    "reject": ReviewText.UNDO_REJECT,
    "done": ReviewText.UNDO_DONE,
    "reopen": ReviewText.UNDO_REOPEN,
    "rate": ReviewText.UNDO_RATE,
    "comment": ReviewText.UNDO_COMMENT,
}


def describe_group_status(draft: ReviewDraft, group: CandidateGroup) -> str:
    """Describe the decision on a group, or what its candidates agree or differ in."""
    decided = draft.decision_on(group)
    alone = draft.sample.kind is SampleKind.DOCUMENT and not draft.sample.side(Side.SOURCE)
    names = dict(DIFFERENCES)
    if alone:
        names[DifferenceKind.EVIDENCE] = ReviewText.DIFFERENT_PASSAGES
    parts = ", ".join(names[kind].text() for kind in group.differences if kind in names)
    differences = ReviewText.DIFFERENT.text(parts=parts) if parts else ""
    if decided is GroupDecision.KEPT:
        return ReviewText.STATUS_DECIDED.text()
    if decided is GroupDecision.REJECTED:
        return ReviewText.STATUS_REJECTED.text()
    if decided is GroupDecision.CHANGED:
        return ReviewText.STATUS_CHANGED.text()
    if group.status is GroupStatus.AGREED:
        code = ReviewText.STATUS_AGREED_BUT if differences else ReviewText.STATUS_AGREED
        return code.text(differences=differences)
    silent = ""
    if group.silent:
        silent = ReviewText.SILENT.text(people=draft.describe_people(group.silent))
    is_near = group.status is GroupStatus.NEARLY
    code = ReviewText.STATUS_NEARLY if is_near else ReviewText.STATUS_CONFLICT
    return code.text(differences=", ".join(filter(None, (silent, differences))))
