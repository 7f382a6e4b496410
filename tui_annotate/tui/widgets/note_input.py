"""The line in which a note is written, with one's own former notes at hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.suggester import Suggester
from textual.widgets import Input

from tui_annotate.tui.line_input import LineInput, typed

Suggestions = Callable[[str], str | None]
"""From what is typed to a whole note that begins with it, or None. Called on every key: quick."""


class _Ghost(Suggester):
    """Shows what Tab would take."""

    def __init__(self, suggestion: Callable[[str], str]) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._suggestion = suggestion

    async def get_suggestion(self, value: str) -> str | None:
        return self._suggestion(value) or None


class NoteInput(LineInput):
    """A note: Enter submits, Escape keeps it as a draft, Tab takes the ghost, Up and Down walk."""

    DEFAULT_CSS = "NoteInput { width: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "keep", "keep as a draft", show=False),
        Binding("tab", "take", "take the suggestion", show=False),
        Binding("up", "walk(1)", "an older note", show=False),
        Binding("down", "walk(-1)", "a newer note", show=False),
    ]

    class Submitted(Input.Submitted):
        """The note is to be saved; `text` is exact."""

        @property
        def text(self) -> str:
            """The note."""
            return self.value

    class Kept(Message):
        """The note was left with Escape; `text` may be empty."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(
        self,
        text: str = "",
        *,
        suggestions: Suggestions | None = None,
        past: Sequence[str] = (),
        placeholder: str = "",
        id: str | None = None,  # noqa: A002  Textual's name
    ) -> None:
        """As `begin`, which may be called again for another note."""
        super().__init__(text, placeholder=placeholder, id=id)
        self.suggester = _Ghost(self._suggestion_for)
        self._begin(text, suggestions, past)

    def begin(
        self,
        text: str = "",
        *,
        suggestions: Suggestions | None = None,
        past: Sequence[str] = (),
        placeholder: str = "",
    ) -> None:
        """Starts on another note.

        Args:
            text: the note so far; submitted as it was unless it is changed.
            past: former notes, the likeliest first: Up brings the first.
        """
        self._begin(text, suggestions, past)
        self.placeholder = typed(placeholder)
        self._put(typed(text))

    def _begin(self, text: str, suggestions: Suggestions | None, past: Sequence[str]) -> None:
        self._original = text
        self._suggestions = suggestions
        self._notes = [typed(text), *(typed(note) for note in past)]
        self._note = 0

    @property
    def text(self) -> str:
        """The note as it would be submitted."""
        return self._original if self.value == typed(self._original) else self.value

    async def action_submit(self) -> None:
        """Enter."""
        self.post_message(self.Submitted(self, self.text))

    def action_keep(self) -> None:
        """Escape."""
        self.post_message(self.Kept(self.text))

    def action_take(self) -> None:
        """Tab: the suggestion, where there is one and the cursor stands at the end."""
        suggestion = self._suggestion_for(self.value)
        if suggestion and self.cursor_position == len(self.value):
            self._put(suggestion)

    def action_walk(self, step: int) -> None:
        """Up and Down: through former notes; what was typed is note 0."""
        if self._note == 0:
            self._notes[0] = self.value
        self._note = max(0, min(self._note + step, len(self._notes) - 1))
        self._put(self._notes[self._note])

    def _put(self, text: str) -> None:
        self.value = text
        self.cursor_position = len(text)

    def _suggestion_for(self, value: str) -> str:
        """A longer note that begins with `value`; empty where there is none."""
        found = typed(self._suggestions(value) or "") if self._suggestions else ""
        return found if found.startswith(value) and found != value else ""
