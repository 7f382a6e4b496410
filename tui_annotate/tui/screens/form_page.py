"""A page that covers everything and asks for a few things: to sign in, to unlock, to change.

It is led by arrows, Tab and Enter alone. What is wrong stands under the fields, and what was typed
stays.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.timer import Timer

from tui_annotate.domain.errors import Throttled, TuiAnnotateError
from tui_annotate.tui.dialogs.frame import key_words
from tui_annotate.tui.line_input import LineInput
from tui_annotate.tui.lines import shown
from tui_annotate.tui.screens.forms import BACK, GO, Form, Values
from tui_annotate.tui.widgets.form_rows import ChoiceRow, FieldRow, Said, TickRow
from tui_annotate.tui.words import WordsLine

Submit = Callable[["FormPage", str, Values], None]
"""Takes the page, the choice, and what stands in the fields."""


class FormPage(Screen[None]):
    """A form. It stays until whoever pushed it takes it away by `finish`.

    Attributes:
        finished: it may be taken from the screen; until then nothing else takes it away.
    """

    ALLOW_SELECT: ClassVar[bool] = False
    DEFAULT_CSS = """
    FormPage { align: center middle; background: $background; }
    FormPage.-over { background: transparent; }
    FormPage > VerticalScroll {
        width: 72; max-width: 100%; height: auto; max-height: 100%;
        background: $surface; border: round $primary; padding: 0 1; scrollbar-size-vertical: 1;
    }
    FormPage FixedRows, FormPage LineInput { background: $surface; }
    FormPage .gap { margin-top: 1; }
    FormPage .lead { min-height: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "app.focus_next", "next", show=False),
        Binding("up", "app.focus_previous", "previous", show=False),
        Binding("escape", "back", "back", show=False),
        Binding("q", "leave", "leave", show=False),
    ]

    def __init__(
        self, form: Form, submit: Submit, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__()
        self._form, self._submit, self._clock = form, submit, clock
        self._busy = False
        self._until = 0.0
        self._timer: Timer | None = None
        self._words = ("", "quiet")
        self.finished = False
        self.set_class(form.over, "-over")

    def compose(self) -> ComposeResult:
        """Title, what it is about, fields, choices, what is wrong, keys."""
        form = self._form
        with VerticalScroll(can_focus=False):
            yield WordsLine(id="title")
            for _ in form.lead:
                yield Said(classes="lead gap")
            for at, field in enumerate(form.fields):
                row = FieldRow(
                    field.name, field=field.field, value=field.value, secret=field.secret
                )
                row.set_class(at == 0, "gap")
                yield row
            if form.tick:
                yield TickRow(form.tick[1], choice=form.tick[0])
            for at, (choice, words) in enumerate(form.choices):
                chosen = ChoiceRow(words, choice=choice)
                chosen.set_class(at == 0, "gap")
                yield chosen
            yield Said(id="said", classes="gap")
            yield WordsLine(id="keys")

    def on_mount(self) -> None:
        """The first field that is empty has the keys."""
        self.query_one("#title", WordsLine).show([(shown(self._form.title), "title_focused")])
        for said, words in zip(self.query(".lead").results(Said), self._form.lead, strict=True):
            said.say(words, "text")
        self.query_one("#said", Said).say(*self._words)
        back = [("Esc", "back")] if self._form.back else []
        leave = "ctrl+q" if self._form.fields else "q"
        keys = [("↑↓ Tab", "move"), ("Enter", "go on"), *back, (leave, "leave")]
        self.query_one("#keys", WordsLine).show(key_words(keys))
        self._to_the_empty() or self.query(ChoiceRow).first().focus()

    def _to_the_empty(self) -> bool:
        """Goes to the first field that is empty; False where none is."""
        empty = [row for row in self.query(FieldRow) if not row.line.value]
        if empty:
            empty[0].line.focus()
        return bool(empty)

    # what is said

    def say(self, words: str, role: str = "quiet") -> None:
        """Words under the fields."""
        self._words = (words, role)
        if self.is_mounted:
            self.query_one("#said", Said).say(words, role)

    def refuse(self, error: TuiAnnotateError) -> None:
        """What was asked for was not done; the page is free again, or counts down until it is."""
        self._busy = False
        if isinstance(error, Throttled):
            self._until = self._clock() + error.seconds
            self._timer = self._timer or self.set_interval(1.0, self.count_down)
            self.count_down()
            return
        self.say(f"✗ {error.message}{f' · {error.hint}' if error.hint else ''}", "error")
        secret = [row.line for row in self.query(FieldRow) if row.line.password]
        if secret:
            secret[0].focus()
            secret[0].select_all()

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
        self.dismiss()

    def action_back(self) -> None:
        """Escape."""
        if self._form.back:
            self._send(BACK)

    async def action_leave(self) -> None:
        """Where nothing is typed, q leaves."""
        await self.app.action_quit()

    def on_line_input_left_empty(self, message: LineInput.LeftEmpty) -> None:
        """Backspace with nothing left to delete: here it goes nowhere."""
        message.stop()

    @on(LineInput.Submitted)
    @on(TickRow.WentOn)
    def _go_on(self) -> None:
        """Enter in a field: to the one that is empty, else on."""
        if not self._to_the_empty():
            self._send(GO)

    def on_choice_row_chosen(self, message: ChoiceRow.Chosen) -> None:
        """Something was chosen; the main thing needs all fields."""
        message.stop()
        if message.choice == GO:
            self._go_on()
        else:
            self._send(message.choice)

    def _send(self, choice: str) -> None:
        if self._busy or (choice == GO and self._clock() < self._until):
            return
        if choice == GO:
            self._busy = True
            self.say("one moment ...")
        values = {row.field: row.line.value for row in self.query(FieldRow)}
        for tick in self.query(TickRow):
            values[tick.choice] = "yes" if tick.ticked else ""
        self._submit(self, choice, values)
