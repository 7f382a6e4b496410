"""What each key does to whoever looks at a file: all of them look, none of them writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from tui_annotate.domain.samples import Side
from tui_annotate.tui.draft import lighting, moving
from tui_annotate.tui.draft.effects import Blink, Effects, GoTo, Open, Reveal, Select
from tui_annotate.tui.draft.viewing.state import Viewing
from tui_annotate.tui.draft.walking import neighbour


def press(draft: Viewing, action: str, *, digit: str = "") -> Effects:
    """An action of the key table."""
    draft.message = ("", "hint")
    if action == "option.choose":
        return _person_of(draft, digit)
    deed = DEEDS.get(action)
    return deed(draft) if deed else [Blink()]


def refuse(draft: Viewing, what: str) -> Effects:
    """A key that writes or judges elsewhere.

    Args:
        what: what it does there.
    """
    draft.say(f"not here: {what} · a file is looked at, nothing in it is changed · ? keys")
    return [Blink()]


def follow(draft: Viewing) -> Effects:
    """The annotation under the cursor comes into hand, and its places into sight.

    One that was walked to stays in hand until something moves.
    """
    if draft.focused or (found := draft.here_lies()) is None:
        draft.before = draft.focused or draft.before
        return []
    draft.focused = draft.before = found.id
    across = [anchor for anchor in found.anchors if anchor.side is not draft.side]
    return [Reveal(anchor.side, anchor.index, anchor.span) for anchor in across[:1]]


# annotations


def walk(step: int, draft: Viewing) -> Effects:
    """The next or previous annotation, round and round."""
    known = draft.annotations
    if not known:
        draft.say(_nothing(draft))
        return [Blink()]
    return show(draft, neighbour(draft, known, step))


def show(draft: Viewing, at: int) -> Effects:
    """An annotation comes into hand, with its claim and its evidence in sight."""
    if not 0 <= at < len(draft.annotations):
        return [Blink()]
    annotation = draft.annotations[at]
    draft.focused, draft.hits = annotation.id, ()
    effects: Effects = []
    for anchor in (*annotation.claim[:1], *annotation.evidence[:1]):
        there = (anchor.side, anchor.index)
        with_cursor = anchor.side is draft.side or not annotation.claim
        effects.append(
            GoTo(*there, anchor.span.start) if with_cursor else Reveal(*there, anchor.span)
        )
    return effects


def _nothing(draft: Viewing) -> str:
    if not draft.chosen:
        return "nobody marked anything in this sample"
    name = draft.names.get(draft.chosen, draft.chosen)
    return f"nothing here is {name}'s · 0 shows everybody's"


# people


def _person_of(draft: Viewing, digit: str) -> Effects:
    people = draft.bar
    at = int(digit or "0") - 1
    if not 0 <= at < len(people):
        return [Blink()]
    return _choose(draft, "" if people[at] == draft.chosen else people[at])


def _everybody(draft: Viewing) -> Effects:
    return _choose(draft, "")


def person(step: int, draft: Viewing) -> Effects:
    """The next or previous person of the sample alone; everybody comes between last and first."""
    people = ("", *draft.people)
    if len(people) == 1:
        draft.say("the file names nobody who did anything in this sample")
        return [Blink()]
    at = people.index(draft.chosen) if draft.chosen in people else 0
    return _choose(draft, people[(at + step) % len(people)])


def _choose(draft: Viewing, chosen: str) -> Effects:
    draft.show(chosen)
    if chosen and not draft.annotations:
        draft.say(_nothing(draft))
    return []


# words that the other side lacks


def _marked(step: int, draft: Viewing) -> Effects:
    if draft.nowhere:
        return lighting.walk_lacking(step, draft)
    draft.say("nothing is marked: i marks the words that the source has nowhere")
    return [Blink()]


# leaving


def back(draft: Viewing) -> Effects:
    """Leaves what is the least: search, selection, source, annotation, person."""
    if draft.hits:
        draft.hits = ()
    elif draft.selection:
        return [Select(draft.side, None)]
    elif draft.side is Side.SOURCE:
        return moving.to_summary(draft)
    elif draft.chosen:
        return _everybody(draft)
    return []


def _open(what: str, draft: Viewing, *, step: int = 0) -> Effects:
    del draft
    return [Open(what, step)]


DEEDS: Final[Mapping[str, Callable[[Viewing], Effects]]] = {
    **moving.DEEDS,
    "match.next": partial(lighting.walk_lit, 1),
    "match.previous": partial(lighting.walk_lit, -1),
    "option.list": _everybody,
    "back": back,
    "annotation.next": partial(walk, 1),
    "annotation.previous": partial(walk, -1),
    "person.next": partial(person, 1),
    "person.previous": partial(person, -1),
    "sample.next": partial(_open, "sample", step=1),
    "sample.previous": partial(_open, "sample", step=-1),
    "sample.go": partial(_open, "go"),
    "text.find": partial(_open, "find"),
    "text.lacking": partial(_open, "lacking"),
    "item.next": partial(_marked, 1),
    "item.previous": partial(_marked, -1),
    "request.show": partial(_open, "request"),
    "layout.next": partial(_open, "layout"),
    "help.show": partial(_open, "help"),
    "palette.show": partial(_open, "palette"),
    "app.back": partial(_open, "queue"),
    "app.quit": partial(_open, "quit"),
}
"""By action; every one that acts here."""
