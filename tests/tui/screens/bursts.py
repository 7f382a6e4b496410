"""Keys that reach the app together, beside the same keys pressed slowly; and what came of both."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import Any

from textual import events
from textual.widgets import Input

from tests.tui.screens.annotate_app import Person
from tui_annotate.domain.annotations import Annotation
from tui_annotate.tui.screens.collection.screen import CollectionScreen
from tui_annotate.tui.screens.queue import QueueScreen
from tui_annotate.workspace import Workspace

_CHARACTERS = {
    "backspace": "\x7f", "enter": "\r", "escape": "\x1b", "exclamation_mark": "!",
    "full_stop": ".", "greater_than_sign": ">", "less_than_sign": "<", "plus": "+",
    "slash": "/", "space": " ",
}  # fmt: skip
_PATIENCE = 20_000  # pauses of a millisecond; far more than anything needs
_PASTED = "paste:"  # what follows in a key is pasted


async def at_once(person: Person, keys: str) -> None:
    """Keys, parted by blanks, as they come over a line that was stuck for a moment."""
    for key in keys.split():
        if key.startswith(_PASTED):
            person.app.post_message(events.Paste(key.removeprefix(_PASTED)))
        else:
            character = _CHARACTERS.get(key, key if len(key) == 1 else None)
            person.app.post_message(events.Key(key, character))
    await through(person)


async def until(person: Person, come: Callable[[], bool]) -> None:
    """Waits for something that comes by way of the app's own queue.

    Raises:
        AssertionError: it does not come; with the screen as it is.
    """
    for _ in range(_PATIENCE):
        if come():
            return
        await person.pilot.pause(0.001)
    raise AssertionError(f"waited in vain:\n{person.shown()}")


async def through(person: Person) -> None:
    """Waits until every key was done or dropped, and the screen is idle; or the app was left."""
    app, came = person.app, asyncio.Event()

    def done() -> bool:
        return person.screen.saver.closed or not (app._waiting_keys or app._barrier_target)

    app.call_later(came.set)  # behind the keys
    await until(person, lambda: person.screen.saver.closed or came.is_set())
    for _ in range(2):  # what the store answers may let keys go on
        await until(person, done)
        if not person.screen.saver.closed:
            await person.settled()


def dropped(person: Person) -> bool:
    """Whether keys were ever dropped because something else came of one before them."""
    return person.app._forget_before > -inf


def _said(known: Annotation) -> tuple[Any, ...]:
    return known.claim, known.evidence, known.labels, known.note


def stored(space: Workspace, name: str, samples: Iterable[Any]) -> tuple[Any, ...]:
    """What stands in the store of somebody's work on some samples."""
    streams = (space.log.stream(name, key) for key in samples)
    return tuple(
        (tuple(map(_said, each.annotations)), sorted(each.state.assignment.items()))
        for each in streams
    )


def seen(person: Person) -> tuple[Any, ...]:
    """What is on screen and in hand."""
    draft, top = person.draft, person.app.screen
    lines: Sequence[str] = [line.value for line in top.query(Input) if line.has_focus]
    focused = [_said(known) for known in draft.annotations if known.id == draft.focused]
    kept = [
        text for note, text in draft.kept_notes.items() if note != draft.writing
    ]  # that is timed
    row: tuple[Any, ...] = top._wanted if isinstance(top, QueueScreen) else ()
    if isinstance(top, CollectionScreen):
        row = (top._kind, top._tree.focused, frozenset(top._tree.unfolded))
    return (
        type(top).__name__, draft.sample.id, draft.state, draft.side, draft.claim, draft.selection,
        [*draft.evidence], draft.note, [*draft.labels], draft.digits_off, focused, lines, row,
        kept, draft.saves.refused, draft.pending, draft.suggestions_hidden,
        [one.id for one in draft.offered],
        getattr(draft.focused_suggestion, "id", ""), getattr(draft.changing, "id", ""),
    )  # fmt: skip
