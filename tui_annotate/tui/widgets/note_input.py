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

FindSuggestion = Callable[[str], str | None]
"""Function that returns a past note that begins with the typed text, or None; runs on every key."""


class _NoteSuggester(Suggester):
    def __init__(self, find: FindSuggestion) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._find = find

    async def get_suggestion(self, value: str) -> str | None:
        """Override Textual's method: return the completed text; None for no suggestion."""
        return self._find(value)


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
            # `Closed` has the same attribute, so that handlers read both messages in one way.
            return self.value

    @dataclass
    class Closed(Message):
        """Message that the user closed the note line with Escape. `text` may be empty."""

        text: str

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002  Textual's name
        super().__init__(id=id)
        self.suggester = _NoteSuggester(self._find_completion)
        self._original = ""
        self._find_suggestion: FindSuggestion | None = None
        self._notes = [""]
        self._shown_note = 0  # index in `_notes`; the first is what the user typed

    def begin(
        self,
        text: str = "",
        *,
        suggestions: FindSuggestion | None = None,
        past: Sequence[str] = (),
        placeholder: str = "",
    ) -> None:
        """Show a new or stored note in the input line.

        Args:
            text: stored note, which is submitted unchanged unless the user edits it.
            suggestions: function that completes the typed text; None for no suggestions.
            past: past notes, the most likely first. A chosen one is submitted as it is shown: its
                line breaks are blanks, because only the stored note is known to be unedited.
            placeholder: hint that is shown while the input line is empty.
        """
        self._original = text
        self._find_suggestion = suggestions
        self._notes = [clean_line(text), *map(clean_line, past)]
        self._shown_note = 0
        self.placeholder = clean_line(placeholder)
        self._set_text(self._notes[0])

    @property
    def text(self) -> str:
        """The typed text; the original text, with its line breaks, if it was not edited."""
        return self._original if self.value == clean_line(self._original) else self.value

    async def action_submit(self) -> None:
        """Override Textual's method: post the exact text as a submitted note (Enter)."""
        self.post_message(self.Submitted(self, self.text))

    def action_keep(self) -> None:
        """Close the line and keep the text (Escape)."""
        self.post_message(self.Closed(self.text))

    def action_take(self) -> None:
        """Complete the text by the suggestion, if the cursor is at the end."""
        completed = self._find_completion(self.value)
        if completed is not None and self.cursor_position == len(self.value):
            self._set_text(completed)

    def action_walk(self, step: int) -> None:
        """Show the next older (1) or newer (-1) note; the first one is what was typed."""
        if self._shown_note == 0:
            self._notes[0] = self.value
        self._shown_note = max(0, min(self._shown_note + step, len(self._notes) - 1))
        self._set_text(self._notes[self._shown_note])

    def _set_text(self, text: str) -> None:
        self.value = text
        self.cursor_position = len(text)

    def _find_completion(self, value: str) -> str | None:
        """Return the suggestion for the typed text in one line; None if it adds nothing."""
        note = self._find_suggestion(value) if self._find_suggestion else None
        line = clean_line(note or "")
        return line if line.startswith(value) and line != value else None
