"""Walking the annotations of a sample: all of them, or those that something is open of."""

from __future__ import annotations

from collections.abc import Sequence

from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.samples import Kind, Side
from tui_annotate.domain.suggestions import Suggestion
from tui_annotate.tui.draft import lighting
from tui_annotate.tui.draft.effects import Blink, Effects, GoTo, Reveal
from tui_annotate.tui.draft.state import Draft


def annotation(step: int, draft: Draft) -> Effects:
    """The next or previous annotation comes into focus, round and round.

    Where the key for open items walks citations, suggestions are among them.
    """
    known: Sequence[Annotation | Suggestion] = draft.annotations
    if draft.cites:
        known = _in_order([*draft.annotations, *draft.offered])
    if not known and not draft.editing:
        draft.say("no annotations on this sample yet")
        return []
    return _walk(draft, known, step)


def item(step: int, draft: Draft) -> Effects:
    """The next or previous open item.

    A marked word; else an annotation that lacks something, or a suggestion that nobody answered.
    """
    if draft.nowhere:
        return lighting.walk_lacking(step, draft)
    found: list[Annotation | Suggestion] = [known for known, _ in draft.lacking()]
    if not draft.cites:
        found = _in_order([*found, *draft.offered])
    if not found:
        hidden = draft.hiding and draft.suggestions
        way = "Y shows suggestions" if hidden else "i marks the words that the source has nowhere"
        none = draft.sample.kind is Kind.REPORT and not (draft.citations or hidden)
        draft.say("this report cites nothing" if none else f"nothing is open here · {way}")
        return [Blink()]
    return _walk(draft, found, step)


def _in_order(known: list[Annotation | Suggestion]) -> list[Annotation | Suggestion]:
    return sorted(known, key=lambda one: one.claim or one.evidence)


def _walk(draft: Draft, known: Sequence[Annotation | Suggestion], step: int) -> Effects:
    if draft.editing:
        draft.say("Enter saves this one first, e leaves it")
        return [Blink()]
    return show(draft, known[neighbour(draft, known, step)])


def show_annotation(draft: Draft, annotation_id: str) -> Effects:
    """An annotation comes into focus, with its claim and evidence in sight; digits sleep."""
    found = next((known for known in draft.annotations if known.id == annotation_id), None)
    return show(draft, found) if found else []


def show(draft: Draft, one: Annotation | Suggestion) -> Effects:
    """An annotation or a suggestion comes into focus, as `show_annotation` says."""
    draft.focused, draft.asleep, draft.just_saved = one.id, True, ""
    if isinstance(one, Suggestion):
        draft.regarded.add(one.id)
    effects: Effects = [
        GoTo(anchor.side, anchor.index, anchor.span.start) for anchor in one.claim[:1]
    ]
    for anchor in one.evidence[:1]:
        here = draft.side is Side.SOURCE
        place = (anchor.side, anchor.index)
        effects.append(GoTo(*place, anchor.span.start) if here else Reveal(*place, anchor.span))
    return effects


def neighbour(draft: Draft, known: Sequence[Annotation | Suggestion], step: int) -> int:
    """The index of the next or previous; from the cursor where none of them is in focus."""
    at = next((at for at, one in enumerate(known) if one.id == draft.focused), None)
    if at is not None:
        return (at + step) % len(known)
    offset = draft.pointers[Side.SUMMARY].offset
    later = [at for at, one in enumerate(known) if one.claim and one.claim[0].span.end > offset]
    first = later[0] if later else 0
    return first if step > 0 else (first - 1) % len(known)
