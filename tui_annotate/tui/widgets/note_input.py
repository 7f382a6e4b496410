"""The input line for a note, with suggestions from past notes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.suggester import Suggester
from textual.widgets import Input

from tui_annotate.tui.line_input import LineInput, clean_line

Suggestions = Callable[[str], str | None]
"""Function that returns a past note that begins with the typed text, or None; runs on every key."""


class _NoteSuggester(Suggester):
    def __init__(self, suggestion: Callable[[str], str]) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._suggestion = suggestion

    async def get_suggestion(self, value: str) -> str | None:
        return self._suggestion(value) or None


class NoteInput(LineInput):
    """An input line for a note, with keys to save or autocomplete the note or show past notes."""

    DEFAULT_CSS = "NoteInput { width: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "keep", "keep for later", show=False),
        Binding("tab", "take", "take the suggestion", show=False),
        Binding("up", "walk(1)", "an older note", show=False),
        Binding("down", "walk(-1)", "a newer note", show=False),
    ]

    class Submitted(Input.Submitted):
        """Message that the user submitted the note. `text` is its exact text."""

        @property
        def text(self) -> str:
            return self.value

    @dataclass
    class Closed(Message):
        """Message that the user closed the note line with Escape. `text` may be empty."""

        text: str

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002  Textual's name
        super().__init__(id=id)
        self.suggester = _NoteSuggester(self._suggestion_for)
        self._original = ""
        self._suggestions: Suggestions | None = None
        self._notes = [""]
        self._note = 0

    def begin(
        self,
        text: str = "",
        *,
        suggestions: Suggestions | None = None,
        past: Sequence[str] = (),
        placeholder: str = "",
    ) -> None:
        """Show a new or stored note in the input line.

        Args:
            text: stored note, which is submitted unchanged unless the user edits it.
            suggestions: function that completes the typed text; None for no suggestions.
            past: past notes, the most likely first.
        """
        self._original = text
        self._suggestions = suggestions
        self._notes = [clean_line(text), *map(clean_line, past)]
        self._note = 0
        self.placeholder = clean_line(placeholder)
        self._set_text(self._notes[0])

    @property
    def text(self) -> str:
        """The typed text; the original text, with its line breaks, if it was not edited."""
        return self._original if self.value == clean_line(self._original) else self.value

    async def action_submit(self) -> None:
        """Post the text as a submitted note (Enter)."""
        self.post_message(self.Submitted(self, self.text))

    def action_keep(self) -> None:
        """Close the line and keep the text (Escape)."""
        self.post_message(self.Closed(self.text))

    def action_take(self) -> None:
        """Complete the text by the suggestion, if the cursor is at the end."""
        suggestion = self._suggestion_for(self.value)
        if suggestion and self.cursor_position == len(self.value):
            self._set_text(suggestion)

    def action_walk(self, step: int) -> None:
        """Show the next older (1) or newer (-1) note; the first one is what was typed."""
        if self._note == 0:
            self._notes[0] = self.value
        self._note = max(0, min(self._note + step, len(self._notes) - 1))
        self._set_text(self._notes[self._note])

    def _set_text(self, text: str) -> None:
        self.value = text
        self.cursor_position = len(text)

    def _suggestion_for(self, value: str) -> str:
        """Return the completed text; empty if there is no suggestion."""
        found = clean_line(self._suggestions(value) or "") if self._suggestions else ""
        return found if found.startswith(value) and found != value else ""
