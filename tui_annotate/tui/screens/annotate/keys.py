"""Keys of the annotating screen, done in the order of pressing, also those that came ahead of it.

While an undo, a "done" or a walk is on its way, keys wait. What was pressed before a sample's first
frame was not meant for what stands on it, so of that only what alters nothing is done.
"""

from __future__ import annotations

from collections import deque
from math import inf
from typing import Final

from textual import events

from tui_annotate.domain.samples import Side
from tui_annotate.tui.draft import moving
from tui_annotate.tui.draft.effects import Blink
from tui_annotate.tui.draft.state import Draft
from tui_annotate.tui.draft.words import WARNING
from tui_annotate.tui.keys.map import typed
from tui_annotate.tui.line_input import type_again
from tui_annotate.tui.screens.annotate.team import AnnotateTeam
from tui_annotate.tui.widgets.note_input import NoteInput

MOST: Final = 32
"""Keys that wait; more are dropped."""

GLANCE: Final = 1.0
"""Seconds from a sample's first frame in which nobody has read it: no first key ends it."""

HELD: Final = 0.3
"""A key that comes again within this share of a glance is held down: it is still the same press."""

HARMLESS: Final = frozenset(moving.MOVES) | {
    "pane.other", "document.next", "document.previous", "match.next", "match.previous",
    "annotation.next", "annotation.previous", "undo", "redo", "sample.next", "sample.previous",
    "text.lacking", "item.next", "item.previous", "signals.next", "layout.next", "request.show",
    "help.show", "app.back", "collection.show", "incomplete.next",
}  # fmt: skip
"""What is done on a sample although it was pressed before that was on screen."""

_WAYS_OUT: Final = frozenset({"app.quit", "palette.show"})
"""What else is done where a window is too small to read in."""

_WALKS_MARKS: Final = frozenset({"item.next", "item.previous"})


class AnnotateKeys(AnnotateTeam):
    """What a key press becomes.

    Attributes:
        glance: see `GLANCE`.
    """

    def __init__(self) -> None:
        super().__init__()
        self.glance = GLANCE
        self._keys: deque[events.Key] = deque()
        self._ending = -inf  # when a key was last pressed that ends a sample

    def do(self, action: str, *, digit: str = "") -> None:
        """An action of the key table."""
        raise NotImplementedError

    def on_key(self, event: events.Key) -> None:
        """Every key, unless the note line has it."""
        if self._writing and self.query_one("#note", NoteInput).has(event):
            return
        event.stop()
        event.prevent_default()
        if self.draft is None and event.key == "q":
            self.quit()  # there is no sample, so nothing else to go back to
        elif self.draft and self.session and len(self._keys) < MOST:
            self._keys.append(event)
            self.go_on()
            self._hand_over_to_note()

    def on_descendant_focus(self) -> None:
        """Where the note line has the keys now, what was typed for it goes there."""
        self._hand_over_to_note()

    def go_on(self) -> None:
        """Does the keys that wait, up to one that leads away or opens something."""
        while self._keys and not self._going and self.listening:
            if self.app.screen is not self:
                if self.app.screen is self.called_up:
                    self._hand_over()
                self.forget_keys()  # what opened by itself was not what they were meant for
            elif self._writing or not self._press(self._keys[0]):
                return
            else:
                self.called_up = self.app.screen

    def forget_keys(self) -> None:
        """What waits is not done: something else came of the key before it."""
        self._keys.clear()

    @property
    def _writing(self) -> bool:
        return self.draft is not None and self.draft.writing is not None

    def _hand_over_to_note(self) -> None:
        if self._writing:
            note = self.query_one("#note", NoteInput)
            if note.has_focus and note.ended == inf:
                self._hand_over()

    def _hand_over(self) -> None:
        """What waits was typed for what has been opened."""
        type_again(self.app, self._keys)
        self._keys.clear()

    def _press(self, event: events.Key) -> bool:
        """Does the first key that waits; False where it has to wait on."""
        draft, session, since = self.draft, self.session, self.listening_since
        if draft is None or session is None or since is None:
            return False
        key, method = typed(event.key, event.character)
        action = "" if draft.hints or method else session.keys.action(key, draft.state)
        if action in _WALKS_MARKS and self.seeking:
            return False
        self._keys.popleft()
        soon = self._too_soon(draft, action, event.time)
        if event.time < since and action not in HARMLESS:
            while self._keys and self._keys[0].time < since:
                self._keys.popleft()  # they follow on from what is not done
            self.perform([Blink()])
        elif soon:
            draft.say("this sample has only just come: once more when it is read", WARNING)
            self.perform([Blink()])
        else:
            if event.time >= since:
                self.begun = True
                moving.read(draft, self.pane(Side.SUMMARY).sentences_on_screen())
            self._act(draft, key, action, method=method)
        return True

    def _too_soon(self, draft: Draft, action: str, now: float) -> bool:
        """Whether a key would end a sample, as its first key, that nobody can have read."""
        if action != "sample.skip" and not (action == "sample.done" and draft.state in "RS"):
            return False
        before, self._ending = self._ending, now
        come = (self.listening_since or now) + self.glance
        return not self.begun and now < max(come, before + self.glance * HELD)

    def _act(self, draft: Draft, key: str, action: str, *, method: bool) -> None:
        self.spend()
        if method:
            draft.say("an input method is on: switch it off, letters are commands here")
            self.show_draft()
        elif draft.hints:
            self.perform(moving.hint_key(draft, key))
        elif self.too_small and action not in HARMLESS | _WAYS_OUT:
            self.perform([Blink()])
        elif action:
            self.do(action, digit=key if action.startswith("option.") else "")
        elif draft.pending:
            self.perform([Blink()])
