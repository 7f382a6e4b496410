"""What is lit: matches and search hits, walking them, and taking a match as evidence."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.samples import Match, Side
from tui_annotate.domain.spans import Span
from tui_annotate.tui.draft import choosing, moving
from tui_annotate.tui.draft.effects import Blink, Effects, GoTo, Reveal
from tui_annotate.tui.draft.state import Draft


def walk_lit(step: int, draft: Draft) -> Effects:
    """The next or previous lit thing: a search hit while searching, else a match."""
    if draft.hits and not draft.pending:
        return _walk_hits(draft, step)
    side = Side.SOURCE if draft.matches[Side.SOURCE] else Side.SUMMARY
    found = draft.matches[side]
    if not found:
        draft.say("nothing is lit")
        return []
    draft.looking.at(draft.focused_match)
    draft.lit[side] = (draft.lit[side] - 1 + step) % len(found) + 1
    draft.looking.at(draft.focused_match)
    match = found[draft.lit[side] - 1]
    if side is draft.side:
        return [GoTo(side, match.document, match.span.start)]
    return [Reveal(side, match.document, match.span)]


def _walk_hits(draft: Draft, step: int) -> Effects:
    draft.wake()
    draft.hit = (draft.hit + step) % len(draft.hits)
    name, side = draft.searched
    draft.say(f"{draft.hit + 1} of {len(draft.hits)}: {name} · n N walk · Backspace ends it")
    return [GoTo(side, draft.pointers[side].document, draft.hits[draft.hit].start)]


def walk_lacking(step: int, draft: Draft) -> Effects:
    """The next or previous marked word of the summary, some of which there are, round and round."""
    here = draft.pointers[Side.SUMMARY].offset
    starts = [span.start for span in draft.nowhere]
    at = bisect_right(starts, here) if step > 0 else bisect_left(starts, here) - 1
    at %= len(starts)
    draft.wake()
    effects = moving.to_summary(draft) if draft.side is Side.SOURCE else []
    draft.say(f"{at + 1} of {len(starts)} that the source has nowhere · c C walk them · i off")
    return [*effects, GoTo(Side.SUMMARY, 0, starts[at])]


def found(draft: Draft, name: str, hits: Sequence[Span]) -> Effects:
    """Hits on the side in hand, in order: the first at or after the cursor is shown.

    Args:
        name: what they are, for the draft line.
    """
    draft.hits, draft.searched = tuple(hits), (name, draft.side)
    if not hits:
        draft.say(f"{name}: none here")
        return []
    offset = draft.pointer.offset
    draft.hit = next((at for at, hit in enumerate(hits) if hit.start >= offset), 0)
    return _walk_hits(draft, 0)


def lit(draft: Draft, side: Side, matches: Sequence[Match]) -> Effects:
    """New matches on a side: the best comes into focus and into sight, evidence before it."""
    draft.matches[side] = tuple(matches)
    draft.lit[side] = matches[0].rank if matches else 0
    known = draft.editing or draft.in_focus
    shown = known and known.evidence and draft.here(Side.SUMMARY) in known.claim
    if known and shown and side is Side.SOURCE:
        anchor = known.evidence[0]
        return [Reveal(side, anchor.index, anchor.span)]
    return [Reveal(side, matches[0].document, matches[0].span)] if matches else []


def take(draft: Draft) -> Effects:
    """Space: the focused match, in the source what is there, is taken or given back."""
    if draft.side is Side.SOURCE and not draft.pending:
        return [*_give_or_take(draft, draft.here(Side.SOURCE)), *moving.to_summary(draft)]
    match = draft.focused_match
    draft.looking.at(match)
    return _give_or_take(draft, draft.anchor_of(match) if match else None)


def take_match(draft: Draft, rank: int) -> Effects:
    """A source match chosen by mouse comes into focus and is taken, or given back."""
    draft.message = ("", "hint")
    if rank not in {match.rank for match in draft.matches[Side.SOURCE]}:
        return [Blink()]
    draft.lit[Side.SOURCE] = rank
    match = draft.focused_match
    draft.looking.at(match)
    return _give_or_take(draft, draft.anchor_of(match) if match else None)


def show_match(draft: Draft, rank: int) -> Effects:
    """A listed match chosen by mouse comes into focus and into sight, and is not taken."""
    draft.message = ("", "hint")
    side = draft.side.other
    match = next((match for match in draft.matches[side] if match.rank == rank), None)
    if match is None:
        return [Blink()]
    draft.lit[side] = rank
    if side is Side.SOURCE:
        draft.looking.at(match)
    return [Reveal(side, match.document, match.span)]


def _give_or_take(draft: Draft, anchor: Anchor | None) -> Effects:
    if anchor is None:
        draft.say("no match is lit: Tab goes to the source, Space takes a sentence there")
        return [Blink()]
    if draft.asleep and not draft.pending:
        draft.say("e adds evidence to what is in focus; for a new one move or select first")
        return [Blink()]
    if anchor not in draft.evidence:
        draft.evidence.append(anchor)
    elif not draft.pending:
        draft.evidence.remove(anchor)
    return choosing.took(draft)
