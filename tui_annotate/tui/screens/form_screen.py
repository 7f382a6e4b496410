"""Full-screen form for sign-in, for unlocking the screen and for changing the password.

Arrows, Tab and Enter move through the form. An error is shown under the fields, and the typed text
stays, except for passwords.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.timer import Timer

from tui_annotate.domain.errors import InvalidInput, Throttled, TuiAnnotateError
from tui_annotate.domain.line_text import line_text
from tui_annotate.editor.screen_message import describe_error
from tui_annotate.tui import frame_guard
from tui_annotate.tui.dialogs.frame import key_words
from tui_annotate.tui.dialogs.texts import KeyName
from tui_annotate.tui.key_queue import KeyOrPaste, forget_keys, free
from tui_annotate.tui.row_widgets import WordsLine
from tui_annotate.tui.screens.sign_in_forms import BACK, GO, FormContent, SignInMessage, Values
from tui_annotate.tui.widgets.form_rows import FormChoice, FormField, FormInput, FormMessage

_NEW_PASSWORD = ("new", "again")

Submit = Callable[["FormScreen", str, Values], None]
"""Function called with a submitted form's screen, the user's choice, and the field values."""


class FormScreen(Screen[None]):
    """Screen with a form, which stays open until `finish` is called."""

    ALLOW_SELECT: ClassVar[bool] = False
    AUTO_FOCUS: ClassVar[str | None] = "FormInput, FormChoice"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "app.focus_next", "next row", show=False),
        Binding("up", "app.focus_previous", "previous row", show=False),
        Binding("enter", "enter", "continue", show=False),
        Binding("escape", "back", "back", show=False),
        Binding("q", "leave", "quit", show=False),
    ]
    DEFAULT_CSS = """
    FormScreen { align: center middle; background: $background; }
    FormScreen.-over { background: transparent; }
    FormScreen > VerticalScroll {
        width: 72; max-width: 100%; height: auto; max-height: 100%;
        background: $surface; border: round $primary; padding: 0 1; scrollbar-size-vertical: 1;
    }
    FormScreen FixedRows { background: $surface; }
    FormScreen FormField { background: $surface; }
    FormScreen .gap { margin-top: 1; }
    FormScreen .lead { min-height: 1; }
    """

    def __init__(
        self, form: FormContent, submit: Submit, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__()
        self._form = form
        self._submit = submit
        self._clock = clock
        self._fields: list[FormField] = []
        self._ticks: list[FormChoice] = []
        self._busy = False
        self._blocked_until = 0.0
        self._timer: Timer | None = None
        self._words = ("", "quiet")
        self.finished = False
        self.listening_since: float | None = None
        # A form over a sample opens while its user may be typing a note.
        self._opens_at = math.inf if form.over else -math.inf
        self.set_class(form.over, "-over")

    def compose(self) -> ComposeResult:
        form = self._form
        self._fields = [
            FormField(field.field, field.name.text(), value=field.value, secret=field.secret)
            for field in form.fields
        ]
        self._ticks = []
        if form.tick:
            value, text = form.tick
            self._ticks.append(FormChoice(value, text.text(), ticked=False))
        choices = [FormChoice(choice, name.text()) for choice, name in form.choices]
        with VerticalScroll(can_focus=False):
            yield WordsLine(id="title")
            for _ in form.lead:
                yield FormMessage(classes="lead gap")
            for rows in ([*self._fields, *self._ticks], choices):
                if rows:
                    rows[0].add_class("gap")
                yield from rows
            yield FormMessage(id="said", classes="gap")
            yield WordsLine(id="keys")

    def on_mount(self) -> None:
        """Fill the texts of the form, and focus the first empty field."""
        self.listening_since = events.Event().time
        title = line_text(self._form.title.text())
        self.query_one("#title", WordsLine).show([(title, "title_focused")])
        leads = self.query(".lead").results(FormMessage)
        for lead, words in zip(leads, self._form.lead, strict=True):
            lead.say(words, "text")
        self.query_one("#said", FormMessage).say(*self._words)
        back = [("Esc", SignInMessage.BACK)] if self._form.back else []
        quit_key = "ctrl+q" if self._form.fields else "q"
        keys = (
            ("↑↓ Tab", KeyName.MOVE),
            ("Enter", KeyName.CONTINUE),
            *back,
            (quit_key, SignInMessage.QUIT),
        )
        self.query_one("#keys", WordsLine).show(key_words(keys))
        self._focus_empty()
        if self._form.over:
            self.call_after_refresh(self._open_after_frame)

    def _open_after_frame(self) -> None:
        self._opens_at = events.Event().time + frame_guard.UNREPORTED_TIME

    def refuses(self, event: KeyOrPaste) -> bool:
        """Return whether a key was pressed before its user can have seen the form.

        Such a key, and keys that quickly follow it, were meant for the screen below: as the text of
        a note, `q` must not quit, and Enter must not take over another session.
        """
        if isinstance(event, events.Key) and _is_quit(event):
            return False
        return self._refuse_early(event.time)

    def _refuse_early(self, time: float) -> bool:
        """Refuse what was pressed or clicked before the form can have been seen."""
        if time >= self._opens_at:
            return False
        self._opens_at = max(self._opens_at, time + frame_guard.SETTLING_TIME)
        self.say(SignInMessage.JUST_OPENED.text(), "accent")
        return True

    def holds(self, event: KeyOrPaste) -> bool:
        """Return whether a key must wait for the result of a submitted form; ctrl+q never waits."""
        return self._busy and not (isinstance(event, events.Key) and _is_quit(event))

    # messages

    def say(self, words: str, role: str = "quiet") -> None:
        """Show a text under the fields, also if the screen is not mounted yet."""
        self._words = (words, role)
        if self.is_mounted:
            self.query_one("#said", FormMessage).say(words, role)

    def refuse(self, error: TuiAnnotateError) -> None:
        """Show why the store refused the values of a form, and accept keys again.

        After too many attempts, a countdown runs first. After invalid input, only new passwords are
        cleared; after any other error, all passwords are cleared.
        """
        self._busy = False
        free(self)
        if isinstance(error, Throttled):
            self._blocked_until = self._clock() + error.seconds
            self._timer = self._timer or self.set_interval(1.0, self.count_down)
            self.count_down()
            return
        keep = isinstance(error, InvalidInput)
        for field in self._fields:
            if field.line.password and (field.field in _NEW_PASSWORD or not keep):
                field.line.clear()
        self._focus_empty()
        self.say(SignInMessage.REFUSED.text(error=describe_error(error)), "error")

    def count_down(self) -> None:
        """Show the seconds until the next attempt, and stop at 0."""
        left = math.ceil(self._blocked_until - self._clock())
        if left > 0:
            self.say(SignInMessage.TOO_MANY_ATTEMPTS.text(seconds=left), "error")
            return
        if self._timer:
            self._timer.stop()
            self._timer = None
        self.say(SignInMessage.TRY_AGAIN.text(), "accent")

    # actions

    def finish(self) -> None:
        """Close the form; drop the keys that were pressed while its values were checked."""
        self.finished = True
        if self._busy:
            forget_keys(self, but_text=False)  # these keys were not meant for the screen below
        self.dismiss()

    def _focus_empty(self) -> bool:
        """Focus the first empty field; return whether there is one."""
        empty = [field.line for field in self._fields if not field.line.value]
        if empty:
            self.set_focus(empty[0])
        return bool(empty)

    def on_input_submitted(self, message: FormInput.Submitted) -> None:
        message.stop()
        self.action_enter()

    def on_form_choice_chosen(self, message: FormChoice.Chosen) -> None:
        """Submit the choice of a row, unless it was clicked before the form was seen."""
        message.stop()
        if self._refuse_early(message.time):  # a click, which the queue of keys does not check
            return
        if message.choice == GO:
            self.action_enter()
        else:
            self._send(message.choice)

    def action_enter(self) -> None:
        """Submit the form, once all fields are filled."""
        if not self._focus_empty():
            self._send(GO)

    def action_back(self) -> None:
        if self._form.back:
            self._send(BACK)

    async def action_leave(self) -> None:
        """Quit the app, if `q` cannot be meant as text."""
        if not self._form.fields:
            await self.app.action_quit()

    def _send(self, choice: str) -> None:
        """Submit a choice with the field values, unless an attempt is running or must wait."""
        if self._busy or (choice == GO and self._clock() < self._blocked_until):
            return
        if choice == GO:
            self._busy = True
            self.say(SignInMessage.WAIT.text())
        values = {field.field: field.line.value for field in self._fields}
        values |= {tick.choice: "yes" if tick.ticked else "" for tick in self._ticks}
        self._submit(self, choice, values)


def _is_quit(event: events.Key) -> bool:
    return event.key == "ctrl+q"
