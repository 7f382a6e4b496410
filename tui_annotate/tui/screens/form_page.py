"""A page that covers everything and asks for a few things: to sign in, to unlock, to change.

It is led by arrows, Tab and Enter alone. What is wrong stands under the fields, and what was typed
stays.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.timer import Timer

from tui_annotate.domain.errors import InvalidInput, Throttled, TuiAnnotateError
from tui_annotate.tui.dialogs.frame import key_words
from tui_annotate.tui.lines import shown
from tui_annotate.tui.screens.forms import BACK, GO, Form, Values
from tui_annotate.tui.text.typed_line import TypedLine
from tui_annotate.tui.turns import Pressed, forget_keys, free
from tui_annotate.tui.widgets.form_rows import FormRows, Row, Said
from tui_annotate.tui.words import WordsLine

_NEW = ("new", "again")

Submit = Callable[["FormPage", str, Values], None]
"""Takes the page, the choice, and what stands in the fields."""


class FormPage(Screen[None]):
    """A form. It stays until whoever pushed it takes it away by `finish`.

    Attributes:
        finished: it may be taken from the screen; until then nothing else takes it away.
        listening_since: from when on keys are meant for it; None before it comes.
    """

    ALLOW_SELECT: ClassVar[bool] = False
    AUTO_FOCUS: ClassVar[str | None] = "FormRows"
    DEFAULT_CSS = """
    FormPage { align: center middle; background: $background; }
    FormPage.-over { background: transparent; }
    FormPage > VerticalScroll {
        width: 72; max-width: 100%; height: auto; max-height: 100%;
        background: $surface; border: round $primary; padding: 0 1; scrollbar-size-vertical: 1;
    }
    FormPage FixedRows { background: $surface; }
    FormPage .gap { margin-top: 1; }
    FormPage .lead { min-height: 1; }
    """

    def __init__(
        self, form: Form, submit: Submit, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__()
        self._form, self._submit, self._clock = form, submit, clock
        self._rows = FormRows(_rows(form))
        self._busy = False
        self._until = 0.0
        self._timer: Timer | None = None
        self._words = ("", "quiet")
        self.finished = False
        self.listening_since: float | None = None
        self.set_class(form.over, "-over")

    def compose(self) -> ComposeResult:
        """Title, what it is about, fields and choices, what is wrong, keys."""
        with VerticalScroll(can_focus=False):
            yield WordsLine(id="title")
            for _ in self._form.lead:
                yield Said(classes="lead gap")
            self._rows.add_class("gap")
            yield self._rows
            yield Said(id="said", classes="gap")
            yield WordsLine(id="keys")

    def on_mount(self) -> None:
        """Fills the lines."""
        self.listening_since = events.Event().time
        self.query_one("#title", WordsLine).show([(shown(self._form.title), "title_focused")])
        for said, words in zip(self.query(".lead").results(Said), self._form.lead, strict=True):
            said.say(words, "text")
        self.query_one("#said", Said).say(*self._words)
        back = [("Esc", "back")] if self._form.back else []
        leave = "ctrl+q" if self._form.fields else "q"
        keys = [("↑↓ Tab", "move"), ("Enter", "go on"), *back, (leave, "leave")]
        self.query_one("#keys", WordsLine).show(key_words(keys))

    def holds(self, event: Pressed) -> bool:
        """Whether a key waits: until it is known what came of what was sent."""
        return self._busy and not (isinstance(event, events.Key) and event.key == "ctrl+q")

    # what is said

    def say(self, words: str, role: str = "quiet") -> None:
        """Words under the fields."""
        self._words = (words, role)
        if self.is_mounted:
            self.query_one("#said", Said).say(words, role)

    def refuse(self, error: TuiAnnotateError) -> None:
        """What was asked for was not done; the page is free again, or counts down until it is.

        What is secret is to be typed anew: new passwords if they are none, else all of it, unless
        it was not even looked at.
        """
        self._busy = False
        free(self)
        if isinstance(error, Throttled):
            self._until = self._clock() + error.seconds
            self._timer = self._timer or self.set_interval(1.0, self.count_down)
            self.count_down()
            return
        self._rows.anew(_NEW if isinstance(error, InvalidInput) else ())
        self.say(f"✗ {error.message}{f' · {error.hint}' if error.hint else ''}", "error")

    def count_down(self) -> None:
        """Tells how long there is still to wait."""
        left = math.ceil(self._until - self._clock())
        if left > 0:
            self.say(f"✗ too many tries: wait {left} s; what you typed stays", "error")
            return
        if self._timer:
            self._timer.stop()
            self._timer = None
        self.say("you may try again: Enter", "accent")

    # what is done

    def finish(self) -> None:
        """Takes the page away."""
        self.finished = True
        if self._busy:
            forget_keys(self, but_text=False)  # they were not meant for what is under it
        self.dismiss()

    def on_form_rows_entered(self, message: FormRows.Entered) -> None:
        """Enter in a field."""
        message.stop()
        self._send(GO)

    def on_form_rows_chosen(self, message: FormRows.Chosen) -> None:
        """Something was chosen; the main thing needs all fields."""
        message.stop()
        if message.choice != GO or not self._rows.to_the_empty():
            self._send(message.choice)

    async def on_form_rows_refused(self, message: FormRows.Refused) -> None:
        """Escape goes back where there is a way; where nothing is typed, q leaves."""
        message.stop()
        if message.key == "escape" and self._form.back:
            self._send(BACK)
        elif message.key == "q" and not self._form.fields:
            await self.app.action_quit()

    def _send(self, choice: str) -> None:
        if self._busy or (choice == GO and self._clock() < self._until):
            return
        if choice == GO:
            self._busy = True
            self.say("one moment ...")
        values = {row.name: row.value for row in self._rows.rows if not row.choice}
        self._submit(self, choice, values)


def _rows(form: Form) -> list[Row]:
    lines = [
        Row(
            field.field,
            field.name,
            line=TypedLine(field.value, len(field.value), secret=field.secret),
        )
        for field in form.fields
    ]
    ticks = [Row(form.tick[0], form.tick[1], ticked=False)] if form.tick else []
    return [*lines, *ticks, *(Row(choice, words) for choice, words in form.choices)]
