"""The draft line of review in words: what the next key would do with the place in hand.

What only the key line needs to say is not said twice. Where cells are few, quotes are shortened.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignments import State
from tui_annotate.domain.nouns import many
from tui_annotate.domain.samples import Kind as Item
from tui_annotate.domain.samples import Side
from tui_annotate.domain.settlements import How
from tui_annotate.methods.adjudication import Difference, Group, Rival, Standing
from tui_annotate.methods.decisions import Decision
from tui_annotate.tui.draft import words
from tui_annotate.tui.draft.judging.state import WHY, Judging
from tui_annotate.tui.draft.quoting import quoted
from tui_annotate.tui.draft.state import REASON, Kind
from tui_annotate.tui.draft.words import DRAFT, HINT, SAVED, anchor_words, labels_words
from tui_annotate.tui.keys.review import LEAVING, REFUSING, REVIEWING
from tui_annotate.tui.lines import width

_FULL: Final = (36, 30, 24, 20, 16, 13, 10)
_SHORT: Final = (16, 10, 6)
"""Cells of quotes with all that is to be said, and with less."""

DIFFERENCES: Final = {
    Difference.LABEL: "label",
    Difference.EXTENT: "extent",
    Difference.EVIDENCE: "evidence",
    Difference.NOTE: "note",
}
"""What people differ in, in words; of who marked nothing, the letters are told."""

_HOW: Final = {
    How.TAKEN: "taken",
    How.MERGED: "merged",
    How.EDITED: "edited",
    How.OWN: "your own",
    How.REJECTED: "refused",
}


def line(draft: Judging, cells: int = 1000) -> tuple[str, Kind]:
    """(text, kind) of the draft line."""
    question = draft.pending is not None and draft.pending.kind in (REFUSING, LEAVING)
    if draft.message[0] and not (question and draft.message[1] == SAVED):
        return draft.message
    if draft.writing and draft.writing.kind == REASON:
        return "refused because:", DRAFT
    if question:
        return _fitting(draft, _question, cells), DRAFT
    if draft.hints or draft.state != REVIEWING:
        return words.line(draft, cells)
    kind: Kind = SAVED if not draft.undecided() and draft.progress is State.DONE else DRAFT
    return _fitting(draft, _in_hand, cells), HINT if draft.barred else kind


def _fitting(draft: Judging, say: Callable[[Judging, int], Sequence[str]], cells: int) -> str:
    """The fullest saying that fits; quotes give way first, then the last parts."""
    for quote, least in (*((quote, 9) for quote in _FULL), *((each, 1) for each in _SHORT)):
        parts = [part for part in say(draft, quote) if part]
        for count in range(len(parts), min(least, len(parts)) - 1, -1):
            text = " · ".join(parts[:count])
            if width(text) <= cells:
                return text
    return text


def _question(draft: Judging, quote: int) -> list[str]:
    if draft.pending and draft.pending.kind == LEAVING:
        count = len(draft.undecided())
        if not count:
            return ["the rating is not settled: why is none taken?", "Backspace, then * chooses"]
        places = many(count, "place is", "places are")
        return [f"{places} open, with nothing taken: why?"]
    what = _rival(draft, draft.chosen, quote) if draft.chosen else "all of this place"
    return [f"refuse {what}: why?"]


def _in_hand(draft: Judging, quote: int) -> list[str]:
    selection = draft.selection
    if selection and draft.side is Side.SUMMARY:
        picked = quoted(selection.of(draft.text(Side.SUMMARY)), cells=quote)
        return [f"+ adds {picked} as your own", "Backspace drops the selection"]
    end = "Enter settles" if not draft.undecided() else "c next conflict"
    if draft.barred:
        return [draft.barred, "> next sample"]
    if draft.spot is None:
        if draft.groups:
            return ["c walks to the next conflict, a to every place", end]
        said = "nobody marked anything" if not draft.settled else "nothing else was marked"
        return [f"{said}: Enter settles", "select words and + to add your own"]
    if draft.spot.own:
        return [f"your own: {_made(draft, draft.spot.own, quote)}", "e edit", "x take it away", end]
    if draft.spot.group is None:
        return [end]
    open_ = draft.what(draft.spot.group) is Decision.OPEN
    return [*_place(draft, draft.spot.group, quote), "" if open_ else end]


def _place(draft: Judging, group: Group, quote: int) -> list[str]:
    if draft.chosen:
        return _chosen(draft, draft.chosen, quote)
    match draft.what(group):
        case Decision.KEPT:
            made = draft.standing()
            more = f" and {len(made) - 1} more" if len(made) > 1 else ""
            said = f"{_how(made[0])}: {_made(draft, made[0], quote)}{more}"
            return [said]
        case Decision.REJECTED:
            refusal = draft.refusal_of(group.rivals[0])
            return [f"refused: {why(refusal)}", f"{_digits(draft)} then y takes one after all"]
        case Decision.AGREED:
            said = _made(draft, group.rivals[0], quote)
            more = f" and {len(group.rivals) - 1} more" if len(group.rivals) > 1 else ""
            return [f"all agree, taken with the sample: {said}{more}"]
    if group.proposal:
        rival = group.proposal[0]
        votes = f"{len(rival.people)} of {len(draft.people)}"
        if len(group.proposal) == 1:
            return [f"y takes {_rival(draft, rival, quote)}, {votes}"]
        places = [group.rivals.index(each) for each in group.proposal]
        several = [f"{at + 1} {draft.rival_words(at)}" for at in places]
        more = f" and {len(several) - 2} more" if len(several) > 2 else ""
        return [f"y takes {', '.join(several[:2])}{more}"]
    if len(group.rivals) == 1:
        return _chosen(draft, group.rivals[0], quote)
    return [f"no majority: {_digits(draft)} choose a rival", "M merge", "x refuse all"]


def _chosen(draft: Judging, rival: Rival, quote: int) -> list[str]:
    said, note = _rival(draft, rival, quote), _note(rival, quote)
    if made := draft.made_of(rival):
        return [f"{_how(made[0])}: {said}", note]
    if refusal := draft.refusal_of(rival):
        return [f"refused, {why(refusal)}: {said}", note, "y takes it after all"]
    return [f"y takes {said}", note]


def _note(rival: Rival, quote: int) -> str:
    return f"note {quoted(rival.note, cells=quote)}" if rival.note else ""


def _how(made: Annotation) -> str:
    return _HOW[made.settled.how if made.settled else How.TAKEN]


def _digits(draft: Judging) -> str:
    count = len(draft.options())
    return f"1-{count}" if count > 1 else "1"


def _rival(draft: Judging, rival: Rival, quote: int) -> str:
    named = f"{draft.label_names(rival.labels)} {draft.people_words(rival.people)}"
    return f"{named} {_claim(draft, rival.claim, quote)}{_found(rival)}"


def _made(draft: Judging, made: Rival | Annotation, quote: int) -> str:
    named = draft.label_names(made.labels)
    return f"{named} {_claim(draft, made.claim, quote)}{_found(made)}"


def _claim(draft: Judging, claim: tuple[Anchor, ...], quote: int) -> str:
    if not claim:
        return "evidence alone"
    more = f" and {len(claim) - 1} more" if len(claim) > 1 else ""
    return anchor_words(draft, claim[0], cells=quote) + more


def _found(one: Rival | Annotation) -> str:
    count = len(one.evidence)
    return f" + {count} evidence" if count else ""


def why(refusal: Annotation | None) -> str:
    """The reason of a refusal, and its note."""
    settled = refusal.settled if refusal else None
    if settled is None:
        return "no reason"
    reason = WHY.get(settled.reason, "")
    note = quoted(settled.note) if settled.note else ""
    return ", ".join(part for part in (reason, note) if part) or "no reason"


def did(draft: Judging, verb: str, made: Sequence[Annotation]) -> str:
    """What was just done, in words."""
    names = ", ".join(labels_words(one.labels) for one in made[:2])
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


def standing(draft: Judging, group: Group) -> str:
    """How a place stands, in words: for the title over the summary."""
    decided = draft.what(group)
    alone = draft.sample.kind is Item.DOCUMENT and not draft.sample.side(Side.SOURCE)
    names = {**DIFFERENCES, Difference.EVIDENCE: "passages"} if alone else DIFFERENCES
    told = ", ".join(names[kind] for kind in group.differences if kind in names)
    if decided is Decision.KEPT:
        return "settled"
    if decided is Decision.REJECTED:
        return "refused"
    if group.standing is Standing.AGREED:
        return f"agreed, but: {told}" if told else "agreed"
    name = "nearly" if group.standing is Standing.NEARLY else "conflict"
    silent = f"{draft.people_words(group.silent)} marked nothing" if group.silent else ""
    return f"{name}: {', '.join(filter(None, (silent, told)))}"
