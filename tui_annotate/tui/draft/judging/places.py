"""Walking the places of a sample in review, and choosing rivals."""

from __future__ import annotations

from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.labels import MOST_OPTIONS
from tui_annotate.domain.samples import Side
from tui_annotate.methods.adjudication import Rival
from tui_annotate.tui.draft import moving
from tui_annotate.tui.draft.effects import Blink, Effects, GoTo, Reveal, Select
from tui_annotate.tui.draft.judging.state import Judging, Spot
from tui_annotate.tui.keys.review import REVIEWING


def begin(draft: Judging) -> Effects:
    """To the first conflict, else to the first place; nowhere where nothing was said."""
    found = _conflicts(draft)
    return show(draft, found[0] if found else 0) if draft.spots else []


def show(draft: Judging, at: int) -> Effects:
    """A place comes into hand, and into sight with its evidence."""
    draft.at, draft.rival, draft.page = at, -1, 0
    return [*moving.to_summary(draft), *_reveal(draft)] if draft.spot else []


def of(draft: Judging, made: Annotation) -> int:
    """The place of what was made, wherever the cursor is now; the one in hand where there is none.

    A claim that was edited may end in another place.
    """
    sources = set(made.settled.sources if made.settled else ())
    for at, spot in enumerate(draft.spots):
        if spot.own == made or (spot.group and sources & spot.group.sources):
            return at
    return draft.at


def follow(draft: Judging) -> None:
    """The place under the cursor comes into hand; between places the last one stays there."""
    if draft.state != REVIEWING or draft.side is not Side.SUMMARY or draft.selection:
        return
    at = draft.spot_at(draft.pointers[Side.SUMMARY].offset)
    if at not in (-1, draft.at):
        draft.at, draft.rival, draft.page = at, -1, 0


def _reveal(draft: Judging) -> Effects:
    of: Rival | Spot | None = draft.chosen or draft.spot
    claims = of.claim if isinstance(of, Rival) else of.claims if of else ()
    effects: Effects = [
        GoTo(anchor.side, anchor.index, anchor.span.start) for anchor in sorted(claims)[:1]
    ]
    return [
        *effects,
        *(Reveal(anchor.side, anchor.index, anchor.span) for anchor in draft.shown_evidence()[:1]),
    ]


def _conflicts(draft: Judging) -> list[int]:
    wanted = {id(group) for group in draft.undecided()}
    return [
        at
        for at, spot in enumerate(draft.spots)
        if (spot.group and id(spot.group) in wanted) or draft.waits(spot)
    ]


def walk(step: int, draft: Judging) -> Effects:
    """The next or previous place, round and round."""
    count = len(draft.spots)
    if not count:
        draft.say("nobody marked anything here")
        return [Blink()]
    return show(draft, (draft.at + step) % count if draft.at >= 0 else 0)


def conflict(step: int, draft: Judging) -> Effects:
    """The next or previous place that is open, round and round."""
    found = _conflicts(draft)
    if not found:
        draft.say("no conflict is left · Enter settles the sample")
        return [Blink()]
    if step > 0:
        return show(draft, next((at for at in found if at > draft.at), found[0]))
    return show(draft, next((at for at in reversed(found) if at < draft.at), found[-1]))


def choose(draft: Judging, digit: str) -> Effects:
    """A digit: a rival; 0 the next nine."""
    if digit == "0":
        pages = -(-len(draft.rivals) // MOST_OPTIONS)
        if pages < 2:
            return [Blink()]
        draft.page = (draft.page + 1) % pages
        return []
    at = draft.page * MOST_OPTIONS + int(digit) - 1
    if at >= len(draft.rivals):
        return [Blink()]
    draft.rival = at
    return _reveal(draft)


def back(draft: Judging) -> Effects:
    """Leaves what is the least: search, source, selection, choice."""
    if draft.hits:
        draft.hits = ()
    elif draft.side is Side.SOURCE:
        return moving.to_summary(draft)
    elif draft.selection:
        return [Select(draft.side, None)]
    else:
        draft.rival = -1
    return []
