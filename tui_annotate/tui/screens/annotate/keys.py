"""What the keys of the annotating screen become, also those that were pressed ahead of it.

While an undo, a "done" or a walk is on its way, keys wait. What was pressed before a sample's first
frame was not meant for what stands on it, so of that only what alters nothing is done.
"""

from __future__ import annotations

from math import inf
from typing import Final

from textual import events

from tui_annotate.domain.samples import Side
from tui_annotate.tui.draft import finishing, moving
from tui_annotate.tui.draft.effects import Blink
from tui_annotate.tui.draft.state import Draft
from tui_annotate.tui.draft.words import WARNING
from tui_annotate.tui.keys.annotate import READING
from tui_annotate.tui.keys.map import typed
from tui_annotate.tui.screens.annotate.team import AnnotateTeam
from tui_annotate.tui.turns import Pressed

GLANCE: Final = 1.0
"""Seconds from a sample's first frame in which nobody has read it: no first key ends it."""

HELD: Final = 0.3
"""A key that comes again within this share of a glance is held down: it is still the same press."""

HARMLESS: Final = frozenset(moving.MOVES) | {
    "pane.other", "document.next", "document.previous", "match.next", "match.previous",
    "annotation.next", "annotation.previous", "undo", "redo", "sample.next", "sample.previous",
    "text.lacking", "item.next", "item.previous", "signals.next", "layout.next", "request.show",
    "help.show", "app.back", "collection.show", "incomplete.next", "suggestion.hide",
    "document.order",
}  # fmt: skip
"""What is done on a sample although it was pressed before that was on screen."""

WAYS_OUT: Final = frozenset({"app.quit", "palette.show"})
"""What else is done where a window is too small to read in."""

_WALKS_MARKS: Final = frozenset({"item.next", "item.previous"})

_ON_SAVED: Final = _WALKS_MARKS | {
    "option.choose", "option.list", "label.repeat", "label.former", "note.write",
    "annotation.next", "annotation.previous", "annotation.edit", "annotation.delete",
    "suggestion.accept", "sample.done", "sample.skip", "sample.flag", "sample.rate",
    "comment.write", "sample.go", "sample.rivals", "queue.order", "collection.show", "app.back",
    "app.quit",
}  # fmt: skip
"""What acts on what is stored, or leaves it: it waits for what is being saved."""


class AnnotateKeys(AnnotateTeam):
    """What a key press becomes.

    Attributes:
        glance: see `GLANCE`.
    """

    def __init__(self) -> None:
        super().__init__()
        self.glance = GLANCE
        self._ending = -inf  # when a key was last pressed that ends a sample

    def do(self, action: str, *, digit: str = "") -> None:
        """An action of the key table."""
        raise NotImplementedError

    def on_key(self, event: events.Key) -> None:
        """Every key, unless the note line has it."""
        if self._writing:
            return
        event.stop()
        event.prevent_default()
        if self.draft is None and event.key == "q":
            self.quit()  # there is no sample, so nothing else to go back to
        elif self.draft and self.session and self.listening_since is not None:
            self._press(event, self.draft, self.listening_since)

    def holds(self, event: Pressed) -> bool:
        """Whether a key waits: for a sample, its first frame, or what the key itself acts on."""
        if self.draft is None or self.session is None:
            return False
        if self._going or not self.listening or self._note_comes(self.draft):
            return True
        if self.seeking and self._action(event) in _WALKS_MARKS:
            return True
        return self.saver.shown > 0 and self._action(event) in _ON_SAVED

    @staticmethod
    def _note_comes(draft: Draft) -> bool:
        """Whether a note line opens by itself, once a label that asks for it is saved."""
        fresh = [one for one, new in draft.saving.values() if new]
        fresh += filter(None, draft.answering.values())
        return any(finishing.wants_note(draft, one) for one in fresh)

    @property
    def _writing(self) -> bool:
        return self.draft is not None and self.draft.writing is not None

    def _action(self, event: Pressed) -> str:
        """What a key would do; empty for text, letters of hints and what does nothing."""
        draft, session = self.draft, self.session
        if draft is None or session is None or draft.hints or not isinstance(event, events.Key):
            return ""
        key, method = typed(event.key, event.character)
        return "" if method or self._writing else session.keys.action(key, draft.state)

    def _press(self, event: events.Key, draft: Draft, since: float) -> None:
        """Does a key; `since` is when the sample was first seen."""
        key, method = typed(event.key, event.character)
        action = self._action(event)
        soon = self._too_soon(draft, action, event.time)
        if event.time < since and action not in HARMLESS:
            self.forget_keys(since)  # those behind it follow on from what is not done
            self.perform([Blink()])
        elif soon:
            draft.say("this sample has only just come: once more when it is read", WARNING)
            self.perform([Blink()])
        else:
            if event.time >= since:
                self.begun = True
                draft.visited.update(self.pane(Side.SUMMARY).sentences_seen(event.time))
            self._act(draft, key, action, method=method)

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
        elif action:
            self.do(action, digit=key if action.startswith("option.") else "")
        elif draft.pending or (self.session and self.session.keys.action(key, READING)):
            self.perform([Blink()])  # it means something elsewhere
