"""What each key does in review; while something is edited, what it does to annotators.

`press` changes the draft and returns what the screen is to do, in order, as `deeds.press` does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from tui_annotate.domain.samples import Side
from tui_annotate.domain.settlements import Reason
from tui_annotate.tui.draft import deeds, moving, notes, rating
from tui_annotate.tui.draft.effects import (
    Blink,
    Effect,
    Effects,
    Finish,
    Merge,
    Open,
    Refuse,
    Remove,
    Select,
    Settle,
    Take,
    Undo,
)
from tui_annotate.tui.draft.judging import editing, places
from tui_annotate.tui.draft.judging.state import WHY, Judging
from tui_annotate.tui.draft.judging.words import why
from tui_annotate.tui.draft.state import Pending
from tui_annotate.tui.draft.words import WARNING
from tui_annotate.tui.keys.review import LEAVING, REFUSING, REVIEWING

_SHARED: Final = frozenset(deeds.DEEDS) - {
    "annotation.next", "annotation.previous", "annotation.edit", "annotation.delete",
    "item.next", "item.previous", "back", "sample.done", "undo", "redo",
    "sample.rate", "incomplete.next", "collection.show",
}  # fmt: skip
"""Actions that do in review what they do to annotators."""


def press(draft: Judging, action: str, *, digit: str = "", comment: str = "") -> Effects:
    """An action of the key table, in whatever state the draft is.

    Args:
        comment: on the sample: what is settled, else what may be.
    """
    if draft.pending and draft.pending.kind in (REFUSING, LEAVING):
        draft.message = ("", "hint")
        return _answer(draft, action, digit)
    if draft.state != REVIEWING:
        if action == "annotation.delete":
            draft.say("Enter saves the edit, e leaves it")
            return [Blink()]
        if action == "comment.write":
            draft.say("a comment is settled outside of an edit · m notes what is edited")
            return [Blink()]
        return deeds.press(draft, action, digit=digit)
    draft.message = ("", "hint")
    if action in ("option.choose", "option.list"):
        return places.choose(draft, digit or "0")
    if action == "note.write":
        return _allowed(partial(notes.on_sample, comment=comment), draft)
    deed = DEEDS.get(action)
    if deed:
        return deed(draft)
    return deeds.press(draft, action) if action in _SHARED else [Blink()]


# deciding


def _allowed(deed: Callable[[Judging], Effects], draft: Judging) -> Effects:
    """A deed, unless this reviewer can not settle the sample."""
    if not draft.barred:
        return deed(draft)
    draft.say(draft.barred, WARNING)
    return [Blink()]


def _take(draft: Judging) -> Effects:
    if draft.group is None:
        draft.say("there is no rival here · c walks to the next conflict")
        return [Blink()]
    wanted = draft.in_hand
    if not wanted:
        draft.say("no majority: a digit chooses a rival, y takes it then")
        return [Blink()]
    fresh = [rival for rival in wanted if not draft.made_of(rival)]
    if not fresh:
        draft.say("it is taken already · e edits it · x refuses it")
        return [Blink()]
    return [Take(tuple(rival.sources for rival in fresh))]


def _merge(draft: Judging) -> Effects:
    rivals = draft.rivals
    if len(rivals) < 2:
        draft.say("there are no two rivals here to merge")
        return [Blink()]
    kinds = {rival.labels for rival in rivals}
    proposed = {rival.labels for rival in draft.in_hand} or kinds
    if len(proposed) > 1:
        draft.say("whose label? a digit chooses a rival, M merges under its label then")
        return [Blink()]
    return [Merge(tuple(rival.sources for rival in rivals), proposed.pop())]


def _refuse(draft: Judging) -> Effects:
    if draft.spot and draft.spot.own:
        return [Remove(draft.spot.own)]
    if draft.group is None:
        draft.say("there is no rival here to refuse · c walks to the next conflict")
        return [Blink()]
    asked = (draft.chosen,) if draft.chosen else draft.rivals
    if all(map(draft.refusal_of, asked)):
        said = why(draft.refusal_of(asked[0]))
        draft.say(f"refused already: {said} · a digit, then y takes one after all")
        return [Blink()]
    draft.pending = Pending(REFUSING)
    return []


def _refused(draft: Judging) -> tuple[tuple[str, ...], ...]:
    """What a reason is for: the rival that was chosen, else all of the place."""
    rivals = (draft.chosen,) if draft.chosen else draft.rivals
    return tuple(rival.sources for rival in rivals)


def _answer(draft: Judging, action: str, digit: str) -> Effects:
    """A key while a reason is asked for."""
    question = draft.pending.kind if draft.pending else REFUSING
    if action in ("back", "undo", "redo"):
        draft.pending = None
        return []
    if action == "app.quit":
        return [Open("quit")]
    if action == "option.list":
        draft.pending, draft.asked = None, question
        return notes.open_reason(draft)
    reasons = list(WHY)
    if action != "option.choose" or not 0 < int(digit) <= len(reasons):
        return [Blink()]
    draft.pending = None
    return because(draft, question, reasons[int(digit) - 1])


def because(draft: Judging, question: str, reason: Reason, *, note: str = "") -> Effects:
    """The answer to a question, as a reason or in own words."""
    if question == LEAVING:
        return [Settle(reason, note)]
    return [Refuse(_refused(draft), reason, note)]


def reasoned(draft: Judging, effects: Sequence[Effect]) -> Effects:
    """What the note line gave: a reason in own words is for what was asked."""
    given: Effects = []
    for effect in effects:
        match effect:
            case Finish("flag", "") if draft.asked:
                draft.say("without words nothing is refused", WARNING)
            case Finish("flag", text):
                given += because(draft, draft.asked, Reason.NONE, note=text)
            case _:
                given.append(effect)
    return given


def _finish(draft: Judging) -> Effects:
    if draft.side is Side.SOURCE:
        return moving.to_summary(draft)
    return _allowed(_settle, draft)


def _settle(draft: Judging) -> Effects:
    if draft.undecided() or draft.rated_apart:
        draft.pending = Pending(LEAVING)
        return []
    split = next((at for at, spot in enumerate(draft.spots) if draft.waits(spot)), None)
    if split is not None:
        effects = places.show(draft, split)
        draft.say("not settled: its label was split · e edits it", WARNING)
        return effects
    return [Select(Side.SUMMARY, None), Settle()]


def _undo(draft: Judging, *, redo: bool = False) -> Effects:
    del draft
    return [Undo(redo=redo)]


def _open(what: str, draft: Judging) -> Effects:
    del draft
    return [Open(what)]


DEEDS: Final[Mapping[str, Callable[[Judging], Effects]]] = {
    "annotation.next": partial(places.walk, 1),
    "annotation.previous": partial(places.walk, -1),
    "item.next": partial(places.conflict, 1),
    "item.previous": partial(places.conflict, -1),
    "annotation.edit": partial(_allowed, editing.edit_here),
    "annotation.delete": partial(_allowed, _refuse),
    "proposal.take": partial(_allowed, _take),
    "rivals.merge": partial(_allowed, _merge),
    "sample.rate": partial(_allowed, rating.ask),
    "own.add": partial(_allowed, editing.add_own),
    "names.show": partial(_open, "names"),
    "sample.reopen": partial(_open, "reopen"),
    "talk.write": partial(_open, "talk"),
    "sample.done": _finish,
    "back": places.back,
    "undo": _undo,
    "redo": partial(_undo, redo=True),
}
