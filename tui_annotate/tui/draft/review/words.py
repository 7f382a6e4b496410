"""The text of the draft line in review: what the next key would do at the current position."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from tui_annotate.domain.adjudication import ReviewAction
from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.assignments import State
from tui_annotate.domain.plural import format_count
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
from tui_annotate.tui.draft.review.state import WHY, ReviewDraft
from tui_annotate.tui.draft.state import REASON
from tui_annotate.tui.draft.words import (
    DRAFT,
    HINT,
    SAVED,
    and_more,
    describe_claim,
    describe_labels,
    fit_parts,
    quote_text,
)
from tui_annotate.tui.keys.actions import REVIEWING
from tui_annotate.tui.keys.key_lines import LEAVING, REFUSING

_LENGTHS: Final = (
    *((quote, 9) for quote in (36, 30, 24, 20, 16, 13, 10)),
    *((quote, 1) for quote in (16, 10, 6)),
)
"""(cells of a quote, least number of parts), the fullest first."""

DIFFERENCES: Final = {
    DifferenceKind.LABEL: "label",
    DifferenceKind.EXTENT: "extent",
    DifferenceKind.EVIDENCE: "evidence",
    DifferenceKind.NOTE: "note",
}
"""Kinds of difference between annotators; those who marked nothing are named instead."""

_ACTIONS: Final = {
    ReviewAction.TAKEN: "taken",
    ReviewAction.MERGED: "merged",
    ReviewAction.EDITED: "edited",
    ReviewAction.OWN: "your own",
    ReviewAction.REJECTED: "refused",
}


def draft_line(draft: ReviewDraft, cells: int = 1000) -> tuple[str, Kind]:
    """(text, kind) of the draft line."""
    question = draft.pending is not None and draft.pending.kind in (REFUSING, LEAVING)
    if draft.message and not (question and draft.message.kind == SAVED):
        return draft.message.text, draft.message.kind
    if draft.writing and draft.writing.kind == REASON:
        return "refused because:", DRAFT
    if question:
        return fit_parts(partial(_describe_question, draft), _LENGTHS, cells), DRAFT
    if draft.hints or draft.state != REVIEWING:
        return words.draft_line(draft, cells)
    kind: Kind = SAVED if not draft.undecided() and draft.progress is State.DONE else DRAFT
    text = fit_parts(partial(_describe_current, draft), _LENGTHS, cells)
    return text, HINT if draft.blocked_reason else kind


def _describe_question(draft: ReviewDraft, quote: int) -> list[str]:
    if draft.pending and draft.pending.kind == LEAVING:
        count = len(draft.undecided())
        if not count:
            return ["the rating is not settled: why is none taken?", "Backspace, then * chooses"]
        places = format_count(count, "place is", "places are")
        return [f"{places} open, with nothing taken: why?"]
    what = _describe_candidate(draft, draft.chosen, quote) if draft.chosen else "all of this place"
    return [f"refuse {what}: why?"]


def _describe_current(draft: ReviewDraft, quote: int) -> list[str]:
    selection = draft.selection
    if selection and draft.side is Side.SUMMARY:
        picked = quote_text(selection.of(draft.text(Side.SUMMARY)), cells=quote)
        return [f"+ adds {picked} as your own", "Backspace drops the selection"]
    end = "Enter settles" if not draft.undecided() else "c next conflict"
    if draft.blocked_reason:
        return [draft.blocked_reason, "> next sample"]
    if draft.position is None:
        if draft.groups:
            return ["c walks to the next conflict, a to every place", end]
        nothing = "nothing else was marked" if draft.settled else "nobody marked anything"
        return [f"{nothing}: Enter settles", "select words and + to add your own"]
    if draft.position.own:
        return [
            f"your own: {_describe_adjudicated(draft, draft.position.own, quote)}",
            "e edit",
            "x take it away",
            end,
        ]
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
            described = _describe_adjudicated(draft, made[0], quote)
            return [f"{_describe_action_of(made[0])}: {described}{and_more(made)}"]
        case GroupDecision.REJECTED:
            refusal = draft.refusal_of(group.candidates[0])
            return [
                f"refused: {describe_refusal(refusal)}",
                f"{_digit_range(draft)} then y takes one after all",
            ]
        case GroupDecision.AGREED:
            described = _describe_adjudicated(draft, group.candidates[0], quote)
            return [f"all agree, taken with the sample: {described}{and_more(group.candidates)}"]
    if group.proposal:
        candidate = group.proposal[0]
        votes = f"{len(candidate.people)} of {len(draft.people)}"
        if len(group.proposal) == 1:
            return [f"y takes {_describe_candidate(draft, candidate, quote)}, {votes}"]
        places = [group.candidates.index(each) for each in group.proposal]
        several = [f"{at + 1} {draft.candidate_words(at)}" for at in places]
        return [f"y takes {', '.join(several[:2])}{and_more(several, 2)}"]
    if len(group.candidates) == 1:
        return _describe_candidate_state(draft, group.candidates[0], quote)
    return [f"no majority: {_digit_range(draft)} choose a rival", "M merge", "x refuse all"]


def _describe_candidate_state(
    draft: ReviewDraft, candidate: CandidateAnnotation, quote: int
) -> list[str]:
    described = _describe_candidate(draft, candidate, quote)
    note = f"note {quote_text(candidate.note, cells=quote)}" if candidate.note else ""
    if made := draft.adjudicated_from(candidate):
        return [f"{_describe_action_of(made[0])}: {described}", note]
    if refusal := draft.refusal_of(candidate):
        return [f"refused, {describe_refusal(refusal)}: {described}", note, "y takes it after all"]
    return [f"y takes {described}", note]


def _describe_action_of(made: Annotation) -> str:
    return _ACTIONS[made.settled.how if made.settled else ReviewAction.TAKEN]


def _digit_range(draft: ReviewDraft) -> str:
    count = len(draft.options())
    return f"1-{count}" if count > 1 else "1"


def _describe_candidate(draft: ReviewDraft, candidate: CandidateAnnotation, quote: int) -> str:
    named = f"{draft.label_names(candidate.labels)} {draft.describe_people(candidate.people)}"
    return f"{named} {_describe_anchors(draft, candidate, quote)}"


def _describe_adjudicated(
    draft: ReviewDraft, made: CandidateAnnotation | Annotation, quote: int
) -> str:
    return f"{draft.label_names(made.labels)} {_describe_anchors(draft, made, quote)}"


def _describe_anchors(draft: ReviewDraft, one: CandidateAnnotation | Annotation, quote: int) -> str:
    claim = describe_claim(draft, one.claim, cells=quote, none="evidence alone")
    return f"{claim} + {len(one.evidence)} evidence" if one.evidence else claim


def describe_refusal(refusal: Annotation | None) -> str:
    """The reason of a refusal, and its note."""
    settled = refusal.settled if refusal else None
    if settled is None:
        return "no reason"
    reason = WHY.get(settled.reason, "")
    note = quote_text(settled.note) if settled.note else ""
    return ", ".join(part for part in (reason, note) if part) or "no reason"


def describe_action(draft: ReviewDraft, verb: str, made: Sequence[Annotation]) -> str:
    """What was just done, in words."""
    names = ", ".join(describe_labels(one.labels) for one in made[:2])
    done = {
        "take": f"taken {names}",
        "merge": f"merged {names}",
        "edit": f"saved {names}",
        "own": f"added {names}",
        "remove": "taken away",
        "reject": "refused",
        "reopen": "opened again",
        "rate": f"rated {draft.rating}" if draft.rating else "no rating is taken",
        "comment": "the comment is settled",
    }[verb]
    end = "Enter settles" if not draft.undecided() else "c next conflict"
    return f"{done} · u undo · {end}"


UNDONE: Final = {
    "take": "the taking",
    "merge": "the merging",
    "edit": "the edit",
    "own": "your own",
    "remove": "what you took away",
    "reject": "the refusal",
    "done": "settled",
    "reopen": "opened again",
    "rate": "the rating",
    "comment": "the comment",
}
"""What undo took back, in words."""


def describe_group_status(draft: ReviewDraft, group: CandidateGroup) -> str:
    """The status of a group of candidates, for the title over the summary."""
    decided = draft.decision_on(group)
    alone = draft.sample.kind is SampleKind.DOCUMENT and not draft.sample.side(Side.SOURCE)
    names = {**DIFFERENCES, DifferenceKind.EVIDENCE: "passages"} if alone else DIFFERENCES
    differences = ", ".join(names[kind] for kind in group.differences if kind in names)
    if decided is GroupDecision.KEPT:
        return "settled"
    if decided is GroupDecision.REJECTED:
        return "refused"
    if group.status is GroupStatus.AGREED:
        return f"agreed, but: {differences}" if differences else "agreed"
    name = "nearly" if group.status is GroupStatus.NEARLY else "conflict"
    silent = f"{draft.describe_people(group.silent)} marked nothing" if group.silent else ""
    return f"{name}: {', '.join(filter(None, (silent, differences)))}"
