"""Actions on matches and found text: go to the next or previous, take a match as evidence."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.samples import Match, Side
from tui_annotate.domain.spans import Span
from tui_annotate.editor import cursor_actions, label_actions
from tui_annotate.editor.effects import Blink, Effects, GoTo, Reveal
from tui_annotate.editor.messages import NO_MESSAGE, MessageCode
from tui_annotate.editor.search_hits import SearchHits
from tui_annotate.editor.state import Draft


def walk_matches(step: int, draft: Draft) -> Effects:
    """Go to the next or previous span with the searched text; without a search, to a match."""
    if draft.search.hits and not draft.pending:
        return _walk_hits(draft, step)
    side = Side.SOURCE if draft.matches[Side.SOURCE] else Side.SUMMARY
    found = draft.matches[side]
    if not found:
        draft.say(MessageCode.NO_MATCH_LIT)
        return []
    draft.viewed_matches.at(draft.focused_match)
    draft.focused_ranks[side] = (draft.focused_ranks[side] - 1 + step) % len(found) + 1
    draft.viewed_matches.at(draft.focused_match)
    match = found[draft.focused_ranks[side] - 1]
    if side is draft.side:
        return [GoTo(side, match.document, match.span.start)]
    return [Reveal(side, match.document, match.span)]


def _walk_hits(draft: Draft, step: int) -> Effects:
    draft.enable_digits()
    search = draft.search = draft.search.walk(step)
    number, count = search.current + 1, len(search.hits)
    draft.say(MessageCode.AT_HIT, number=number, count=count, what=search.words)
    return [GoTo(search.side, draft.pointers[search.side].document, search.span.start)]


def walk_missing_words(step: int, draft: Draft) -> Effects:
    """Go to the next or previous summary word that the source lacks; one such word must exist."""
    here = draft.pointers[Side.SUMMARY].offset
    starts = [span.start for span in draft.missing_words]
    at = bisect_right(starts, here) if step > 0 else bisect_left(starts, here) - 1
    at %= len(starts)
    draft.enable_digits()
    effects = cursor_actions.go_to_summary(draft) if draft.side is Side.SOURCE else []
    draft.say(MessageCode.AT_MISSING_WORD, number=at + 1, count=len(starts))
    return [*effects, GoTo(Side.SUMMARY, 0, starts[at])]


def show_hits(draft: Draft, name: str, hits: Sequence[Span]) -> Effects:
    """Highlight where the searched text was found, and go to the first span after the cursor."""
    draft.search = SearchHits(name, draft.side, tuple(hits)).start_at(draft.pointer.offset)
    if not hits:
        draft.say(MessageCode.NO_HIT, what=name)
        return []
    return _walk_hits(draft, 0)


def show_matches(draft: Draft, side: Side, matches: Sequence[Match]) -> Effects:
    """Show new matches and focus the best; scroll to it or to the focused annotation's evidence."""
    draft.matches[side] = tuple(matches)
    draft.focused_ranks[side] = matches[0].rank if matches else 0
    known = draft.editing or draft.in_focus
    shown = known and known.evidence and draft.current_anchor(Side.SUMMARY) in known.claim
    if known and shown and side is Side.SOURCE:
        anchor = known.evidence[0]
        return [Reveal(side, anchor.index, anchor.span)]
    return [Reveal(side, matches[0].document, matches[0].span)] if matches else []


def take(draft: Draft) -> Effects:
    """Add the text at the source's cursor, or the focused match, to the evidence; or remove it."""
    if draft.side is Side.SOURCE and not draft.pending:
        taken = _toggle_evidence(draft, draft.current_anchor(Side.SOURCE))
        return [*taken, *cursor_actions.go_to_summary(draft)]
    return _toggle_focused_match(draft)


def take_match(draft: Draft, rank: int) -> Effects:
    """Focus the source match with a rank, and add it to the evidence or remove it from there."""
    draft.message = NO_MESSAGE
    if rank not in {match.rank for match in draft.matches[Side.SOURCE]}:
        return [Blink()]
    draft.focused_ranks[Side.SOURCE] = rank
    return _toggle_focused_match(draft)


def show_match(draft: Draft, rank: int) -> Effects:
    """Focus the match with a rank on the side without the cursor, and scroll to it."""
    draft.message = NO_MESSAGE
    side = draft.side.other
    match = next((match for match in draft.matches[side] if match.rank == rank), None)
    if match is None:
        return [Blink()]
    draft.focused_ranks[side] = rank
    if side is Side.SOURCE:
        draft.viewed_matches.at(match)
    return [Reveal(side, match.document, match.span)]


def _toggle_focused_match(draft: Draft) -> Effects:
    match = draft.focused_match
    draft.viewed_matches.at(match)
    return _toggle_evidence(draft, draft.anchor_of(match) if match else None)


def _toggle_evidence(draft: Draft, anchor: Anchor | None) -> Effects:
    if anchor is None:
        return draft.refuse_key(MessageCode.NO_MATCH_TO_TAKE)
    if draft.digits_off and not draft.pending:
        return draft.refuse_key(MessageCode.NO_CLAIM_FOR_EVIDENCE)
    if anchor not in draft.evidence:
        draft.evidence.append(anchor)
    elif not draft.pending:
        draft.evidence.remove(anchor)
    return label_actions.save_taken_match(draft)
