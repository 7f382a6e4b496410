"""Keys and pastes take turns: each comes to its end before the next goes to what has the focus.

A key may open a line, end one or lead away, by messages from widget to widget. Handed on at once,
the keys behind it would reach what was there before. So a message follows each on its way.
"""

from __future__ import annotations

from collections import deque
from math import inf
from typing import Any, Final, Protocol, runtime_checkable

from textual import events
from textual.app import App
from textual.await_complete import AwaitComplete
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input

MOST: Final = 256
"""Keys that wait for a screen; more are dropped. A note that is typed in one go fits."""

_ROUNDS: Final = 2  # the way of a key, then that of what it made its line say

Pressed = events.Key | events.Paste


@runtime_checkable
class Holding(Protocol):
    """A screen that may keep keys waiting; it posts `Free` where it no longer does."""

    def holds(self, event: Pressed) -> bool:
        """Whether a key waits, because what it is meant for has yet to come."""


@runtime_checkable
class Listening(Protocol):
    """A screen that knows from when on keys are meant for it; None while none is."""

    listening_since: float | None


class Free(Message):
    """A screen goes on with the keys that it kept waiting."""


class Through(Message):
    """Follows a key on its way; once it is back, the key has been there."""

    def __init__(self, number: int, rounds: int) -> None:
        super().__init__()
        self.number, self.rounds = number, rounds


class TurnTaking(App[None]):
    """An app whose keys are done as if each had been pressed when the one before it was done."""

    def __init__(self, **how: Any) -> None:
        super().__init__(**how)
        self._pressed: deque[Pressed] = deque()
        self._number = 0  # of the message that is on its way
        self._carrier: Widget | None = None  # who got it first; None while none is on its way
        self._before: tuple[Screen[Any], Widget | None] | None = None
        self._flying: Pressed | None = None  # on its way to a widget, or there
        self._forgotten = -inf  # keys pressed before are not done
        self._forgetting = self._held = False

    async def on_event(self, event: events.Event) -> None:
        """Textual's hook: what comes from the keyboard waits for its turn."""
        if not isinstance(event, Pressed) or event.is_forwarded:
            await super().on_event(event)
            return
        if len(self._pressed) < MOST or not self._held:
            self._pressed.append(event)
        if self._carrier and not self._carrier.is_attached:
            self._follow()  # who is taken away takes the message along
        await self._go_on()

    def forget_keys(self, before: float, *, but_text: bool = True) -> None:
        """Keys pressed before a moment are not done, as something else came of one before them.

        Args:
            but_text: what is typed into a line still is, up to the key that would end it.
        """
        self._forgotten, self._forgetting = before, not but_text
        flying = self._flying
        if flying and flying.time < before and not (_done(flying) or self._spared(flying)):
            flying.stop().prevent_default()  # no widget has had it so far
            self._forgetting = True

    def pop_screen(self) -> AwaitComplete:
        """Textual's hook: keys go on with the screen under it."""
        popped = super().pop_screen()
        self._follow()
        return popped

    async def on_free(self, message: Free) -> None:
        """A screen keeps no key waiting."""
        message.stop()
        await self._go_on()

    async def on_through(self, message: Through) -> None:
        """The key has come to its end, unless it moved the focus or opened something just now."""
        message.stop()
        if message.number != self._number:
            return
        if message.rounds < _ROUNDS or self._before != (self.screen, self.focused):
            self._follow(message.rounds + 1)
            return
        self._carrier = self._flying = None
        await self._go_on()

    async def _go_on(self) -> None:
        while self._pressed and self._carrier is None:
            event, screen = self._pressed[0], self.screen
            self._held = isinstance(screen, Holding) and screen.holds(event)
            if event.time < self._forgotten and not self._spared(event):
                self._pressed.popleft()
                self._forgetting = True
            elif self._held:
                return
            else:
                self._pressed.popleft()
                await super().on_event(event)
                self._flying = event if event.is_forwarded else None
                self._follow()

    def _spared(self, event: Pressed) -> bool:
        return not self._forgetting and is_text(self.focused, event)

    def _follow(self, rounds: int = 1) -> None:
        self._number += 1
        self._carrier = self.focused or self.screen
        self._before = (self.screen, self.focused)
        message = Through(self._number, rounds)
        message.set_sender(self)
        self._carrier.post_message(message)


def _done(event: Pressed) -> bool:
    """Whether a widget took an event for itself."""
    return event._no_default_action  # noqa: SLF001  Textual tells it nowhere else


def is_text(focused: Widget | None, event: Pressed) -> bool:
    """Whether what was pressed is text for a line that has the focus."""
    if not isinstance(focused, Input):
        return False
    return isinstance(event, events.Paste) or focused.check_consume_key(event.key, event.character)


def free(screen: Screen[Any]) -> None:
    """The keys that a screen kept waiting go on."""
    screen.app.post_message(Free())


def forget_keys(screen: Screen[Any], before: float | None = None, *, but_text: bool = True) -> None:
    """Keys pressed before a moment, or until now, are not done; see `TurnTaking.forget_keys`.

    Those that were meant for what covers the screen meanwhile are.
    """
    if isinstance(screen.app, TurnTaking):
        moment = events.Event().time if before is None else before
        above = screen.app.screen
        if above is not screen and isinstance(above, Listening) and above.listening_since:
            moment = min(moment, above.listening_since)
        screen.app.forget_keys(moment, but_text=but_text)
