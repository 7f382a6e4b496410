"""Queue of keys and pastes: each key is handled completely before the next key is delivered.

A key may open or close an input line or a screen, by messages between widgets. Without the queue,
the next keys would reach the widget that had the focus before. Therefore a message, the barrier,
follows each key; when the barrier returns to the app, the key has been handled.
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
"""Maximum number of waiting keys, enough to type a note; further keys are dropped."""

_ROUNDS: Final = 2  # one for the key, one for the messages that it caused

KeyOrPaste = events.Key | events.Paste


@runtime_checkable
class KeyHolder(Protocol):
    """A screen that may delay keys until it posts `QueueReleased`, for example to load a sample."""

    def holds(self, event: KeyOrPaste) -> bool:
        """Return whether a key or paste must wait."""


@runtime_checkable
class KeyRefuser(Protocol):
    """A screen that opened by itself, and drops keys that were meant for the screen below."""

    def refuses(self, event: KeyOrPaste) -> bool:
        """Return whether a key or paste must be dropped."""


@runtime_checkable
class KeyListener(Protocol):
    """A screen that records since when it accepts keys (Textual's event time; None for not yet)."""

    listening_since: float | None


class QueueReleased(Message):
    """Message that a screen is ready for the keys that waited for it."""


@dataclass
class Barrier(Message):
    """Message that is sent after each key; when the message arrives, the key has been handled."""

    number: int
    rounds: int


class SerialKeysApp(App[None]):
    """App that handles each key completely before it delivers the next key."""

    def __init__(self, **how: Any) -> None:
        super().__init__(**how)
        self._waiting_keys: deque[KeyOrPaste] = deque()
        self._barrier_number = 0  # number of the current barrier
        self._barrier_target: Widget | None = None  # None without a barrier
        self._focus_before: tuple[Screen[Any], Widget | None] | None = None
        self._key_in_flight: KeyOrPaste | None = None  # sent to a widget, not handled yet
        self._forget_before = -inf  # keys pressed earlier are dropped
        self._forgets_text = False  # whether text for an input line is dropped, too
        self._is_held = False  # whether the first waiting key must wait

    async def on_event(self, event: events.Event) -> None:
        """Override Textual's hook: put key presses and pastes into the queue."""
        if not isinstance(event, KeyOrPaste) or event.is_forwarded:
            await super().on_event(event)
            return
        # The limit is for keys that a screen holds, perhaps for long; others are delivered soon.
        if len(self._waiting_keys) < MOST_WAITING or not self._is_held:
            self._waiting_keys.append(event)
        if self._barrier_target and not self._barrier_target.is_attached:
            self._send_barrier()  # the barrier is lost with a removed widget
        await self._send_next_key()

    def forget_keys(self, before: float, *, but_text: bool = True) -> None:
        """Drop the waiting keys that were pressed before a given time.

        This is done after a key had an unexpected result, which the user did not know when they
        pressed the next keys. `but_text` keeps text typed into an input line, up to the key that
        would submit it.
        """
        self._forget_before = before
        self._forgets_text = not but_text
        key = self._key_in_flight
        if key and key.time < before and not (_is_handled(key) or self._is_kept_text(key)):
            key.stop().prevent_default()  # no widget has handled it so far
            self._forgets_text = True

    def pop_screen(self) -> AwaitComplete:
        """Override Textual's hook: deliver the next keys to the screen below."""
        popped = super().pop_screen()
        self._send_barrier()
        return popped

    async def on_queue_released(self, message: QueueReleased) -> None:
        """Deliver the keys that a screen delayed until it was ready."""
        message.stop()
        await self._send_next_key()

    async def on_barrier(self, message: Barrier) -> None:
        """Deliver the next key after the previous key has been handled.

        If the previous key moved the focus or opened a screen, wait for another barrier first.
        """
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
            event = self._waiting_keys[0]
            screen = self.screen
            self._is_held = isinstance(screen, KeyHolder) and screen.holds(event)
            if event.time < self._forget_before and not self._is_kept_text(event):
                self._waiting_keys.popleft()
                self._forgets_text = True
            elif self._is_held:
                return
            elif isinstance(screen, KeyRefuser) and screen.refuses(event):
                self._waiting_keys.popleft()
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
    return event._no_default_action  # noqa: SLF001  Textual has no public name for it


def is_text(focused: Widget | None, event: KeyOrPaste) -> bool:
    """Return whether an event is text for the focused input line.

    The result is False for a password input, which must not get keys that were meant for the
    screen below.
    """
    if not isinstance(focused, Input) or focused.password:
        return False
    return isinstance(event, events.Paste) or focused.check_consume_key(event.key, event.character)


def free(screen: Screen[Any]) -> None:
    """Deliver the keys that waited for a screen, unless it still holds them."""
    screen.app.post_message(QueueReleased())


def forget_keys(screen: Screen[Any], before: float | None = None, *, but_text: bool = True) -> None:
    """Drop waiting keys from before a time (default: now), except those for a screen above."""
    if isinstance(screen.app, SerialKeysApp):
        moment = events.Event().time if before is None else before
        above = screen.app.screen
        if above is not screen and isinstance(above, KeyListener) and above.listening_since:
            moment = min(moment, above.listening_since)
        screen.app.forget_keys(moment, but_text=but_text)
