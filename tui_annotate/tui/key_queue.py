"""Keys and pastes take turns: each comes to its end before the next goes to what has the focus.

A key may open a line, end one or lead away, by messages from widget to widget. Handed on at once,
the keys behind it would reach what was there before. So a message follows each on its way.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from math import inf
from typing import Any, Final, Protocol, runtime_checkable

from textual import events
from textual.app import App
from textual.await_complete import AwaitComplete
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input

MOST_WAITING: Final = 256
"""Keys that wait for a screen; more are dropped. A note that is typed in one go fits."""

_ROUNDS: Final = 2  # the way of a key, then that of what it made its line say

KeyOrPaste = events.Key | events.Paste


@runtime_checkable
class KeyHolder(Protocol):
    """A screen that may keep keys waiting; it posts `QueueReleased` where it no longer does."""

    def holds(self, event: KeyOrPaste) -> bool:
        """Whether a key waits, because what it is meant for has yet to come."""


@runtime_checkable
class KeyListener(Protocol):
    """A screen that knows from when on keys are meant for it; None while none is."""

    listening_since: float | None


class QueueReleased(Message):
    """A screen goes on with the keys that it kept waiting."""


@dataclass
class Barrier(Message):
    """Follows a key on its way; once it is back, the key has been there."""

    number: int
    rounds: int


class SerialKeysApp(App[None]):
    """An app whose keys are done as if each had been pressed when the one before it was done."""

    def __init__(self, **how: Any) -> None:
        super().__init__(**how)
        self._waiting_keys: deque[KeyOrPaste] = deque()
        self._barrier_number = 0  # of the message that is on its way
        self._barrier_target: Widget | None = None  # got it first; None while none is on its way
        self._focus_before: tuple[Screen[Any], Widget | None] | None = None
        self._key_in_flight: KeyOrPaste | None = None  # on its way to a widget, or there
        self._forget_before = -inf  # keys pressed before are not done
        self._forgets_text = self._is_held = False

    async def on_event(self, event: events.Event) -> None:
        """Textual's hook: what comes from the keyboard waits for its turn."""
        if not isinstance(event, KeyOrPaste) or event.is_forwarded:
            await super().on_event(event)
            return
        if len(self._waiting_keys) < MOST_WAITING or not self._is_held:
            self._waiting_keys.append(event)
        if self._barrier_target and not self._barrier_target.is_attached:
            self._send_barrier()  # who is taken away takes the message along
        await self._send_next_key()

    def forget_keys(self, before: float, *, but_text: bool = True) -> None:
        """Keys pressed before a moment are not done, as something else came of one before them.

        Args:
            but_text: what is typed into a line still is, up to the key that would end it.
        """
        self._forget_before, self._forgets_text = before, not but_text
        flying = self._key_in_flight
        if (
            flying
            and flying.time < before
            and not (_is_handled(flying) or self._is_kept_text(flying))
        ):
            flying.stop().prevent_default()  # no widget has had it so far
            self._forgets_text = True

    def pop_screen(self) -> AwaitComplete:
        """Textual's hook: keys go on with the screen under it."""
        popped = super().pop_screen()
        self._send_barrier()
        return popped

    async def on_queue_released(self, message: QueueReleased) -> None:
        """A screen keeps no key waiting."""
        message.stop()
        await self._send_next_key()

    async def on_barrier(self, message: Barrier) -> None:
        """The key has come to its end, unless it moved the focus or opened something just now."""
        message.stop()
        if message.number != self._barrier_number:
            return
        if message.rounds < _ROUNDS or self._focus_before != (self.screen, self.focused):
            self._send_barrier(message.rounds + 1)
            return
        self._barrier_target = self._key_in_flight = None
        await self._send_next_key()

    async def _send_next_key(self) -> None:
        while self._waiting_keys and self._barrier_target is None:
            event, screen = self._waiting_keys[0], self.screen
            self._is_held = isinstance(screen, KeyHolder) and screen.holds(event)
            if event.time < self._forget_before and not self._is_kept_text(event):
                self._waiting_keys.popleft()
                self._forgets_text = True
            elif self._is_held:
                return
            else:
                self._waiting_keys.popleft()
                await super().on_event(event)
                self._key_in_flight = event if event.is_forwarded else None
                self._send_barrier()

    def _is_kept_text(self, event: KeyOrPaste) -> bool:
        return not self._forgets_text and is_text(self.focused, event)

    def _send_barrier(self, rounds: int = 1) -> None:
        self._barrier_number += 1
        self._barrier_target = self.focused or self.screen
        self._focus_before = (self.screen, self.focused)
        message = Barrier(self._barrier_number, rounds)
        message.set_sender(self)
        self._barrier_target.post_message(message)


def _is_handled(event: KeyOrPaste) -> bool:
    """Whether a widget took an event for itself."""
    return event._no_default_action  # noqa: SLF001  Textual tells it nowhere else


def is_text(focused: Widget | None, event: KeyOrPaste) -> bool:
    """Whether what was pressed is text for a line that has the focus.

    Not for a password: keys that were meant for what it covers are no part of it.
    """
    if not isinstance(focused, Input) or focused.password:
        return False
    return isinstance(event, events.Paste) or focused.check_consume_key(event.key, event.character)


def free(screen: Screen[Any]) -> None:
    """The keys that a screen kept waiting go on."""
    screen.app.post_message(QueueReleased())


def forget_keys(screen: Screen[Any], before: float | None = None, *, but_text: bool = True) -> None:
    """Keys pressed before a moment, or until now, are not done; see `SerialKeysApp.forget_keys`.

    Those that were meant for what covers the screen meanwhile are.
    """
    if isinstance(screen.app, SerialKeysApp):
        moment = events.Event().time if before is None else before
        above = screen.app.screen
        if above is not screen and isinstance(above, KeyListener) and above.listening_since:
            moment = min(moment, above.listening_since)
        screen.app.forget_keys(moment, but_text=but_text)
