"""The reception: which pages come before work, and which interrupt it.

Nothing under a page can be reached before it is answered. In a workspace without accounts none
comes, unless the same person is at work elsewhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.timer import Timer

from tui_annotate.domain.errors import Conflict, InvalidInput, TuiAnnotateError
from tui_annotate.domain.nouns import many
from tui_annotate.tui import here
from tui_annotate.tui.admission import Admission
from tui_annotate.tui.saving import Job, Saver
from tui_annotate.tui.screens import forms
from tui_annotate.tui.screens.forms import CODE, GO, Form, Values

if TYPE_CHECKING:
    from tui_annotate.tui.screens.form_page import FormPage

_NOT_YET = "signed in again · what you did last is not saved: do it once more"

Answer = Callable[["FormPage", str, Values], None]


@dataclass(frozen=True, slots=True)
class Ways:
    """Where the reception sends people.

    Attributes:
        begin: to work.
        again: back to work that may have changed meanwhile.
        rest: keeps what is in hand, before a page covers it.
        leave: ends the app.
        tell: says something beside the work.
        fail: tells what came in the way before there was work.
    """

    begin: Callable[[], None]
    again: Callable[[], None]
    rest: Callable[[], None]
    leave: Callable[[], None]
    tell: Callable[[str], None]
    fail: Callable[[TuiAnnotateError], None]


class Reception:
    """Shows the pages, and sends what they ask for to the store's thread.

    Attributes:
        admission: made in the store's thread once the workspace is open.
        barred: a page stands there that only the person themselves can answer.
    """

    def __init__(
        self,
        app: App[Any],
        saver: Saver,
        ways: Ways,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._app, self._saver, self._ways, self._clock = app, saver, ways, clock
        self.admission: Admission | None = None
        self.barred = False
        self._asked_place = False
        self._old = ""  # the password that was set by somebody else, until it is changed
        self._touched = clock()
        self._timer: Timer | None = None

    # before work

    def receive(self) -> None:
        """The next page that is needed, or to work."""
        admission = self.admission
        if admission is None:
            return
        if admission.person is None:
            self._ask_who(admission, admission.email, admission.hint)
        elif admission.must_change:
            self._ask_first_password(admission, self.receive)
        else:
            self._old = ""
            look = Job(
                admission.look_elsewhere,
                lambda _: self._arrive(admission),
                self._ways.fail,
                free=True,
            )
            self._saver.send(look)

    def _arrive(self, admission: Admission) -> None:
        if admission.elsewhere:
            self.ask_place(admission)
        else:
            self._ways.begin()

    def _ask_who(self, admission: Admission, email: str, words: str = "") -> None:
        def answer(page: FormPage, choice: str, values: Values) -> None:
            if choice == CODE:
                page.finish()
                self._ask_code(admission, values["email"])
                return
            self._old = values["password"]
            enter = partial(
                admission.sign_in,
                values["email"],
                values["password"],
                stay=bool(values.get("stay")),
            )
            self._do(page, enter, self.receive)

        form = forms.sign_in(admission.where, email=email, may_stay=admission.may_stay)
        self._show(form, answer).say(words, "warning")

    def _ask_code(self, admission: Admission, email: str) -> None:
        def answer(page: FormPage, choice: str, values: Values) -> None:
            if choice != GO:
                page.finish()
                self._ask_who(admission, email)
                return

            def redeem() -> None:
                new = _checked_twice(values["new"], values["again"])
                admission.redeem(values["code"], new, stay=bool(values.get("stay")))

            self._do(page, redeem, self.receive)

        self._show(forms.code(may_stay=admission.may_stay), answer)

    def _ask_first_password(self, admission: Admission, then: Callable[[], None]) -> None:
        old, name = self._old, _name(admission)

        def answer(page: FormPage, choice: str, values: Values) -> None:
            del choice
            self._do(page, partial(_change, admission, values, old), then)

        self._show(forms.first_password(name, old=not old), answer)

    def ask_place(self, admission: Admission, *, working: bool = False) -> None:
        """Whether another process in which the person is at work is taken over."""
        if self._asked_place or admission.elsewhere is None:
            return
        self._asked_place = True

        def done() -> None:
            self._asked_place = False
            (self._ways.again if working else self._ways.begin)()

        def answer(page: FormPage, choice: str, values: Values) -> None:
            del values
            if choice == GO:
                self._do(page, admission.take_place, done)
            else:
                self._ways.leave()

        self._show(forms.place(here.clock_time(admission.elsewhere.since), working=working), answer)

    # at work

    def begun(self) -> None:
        """Work has begun: jobs are guarded, and the clock of rest runs."""
        admission = self.admission
        if admission is None:
            return
        self._saver.guard = admission.check
        self._saver.stopped = self._stopped
        self._touched = self._clock()
        self._watch(admission)

    def touched(self) -> None:
        """A key was pressed."""
        self._touched = self._clock()

    def _watch(self, admission: Admission) -> None:
        if self._timer:
            self._timer.stop()
        if admission.idle:
            left = admission.idle * 60 - (self._clock() - self._touched)
            self._timer = self._app.set_timer(max(left, 1), self.look_at_the_clock)

    def look_at_the_clock(self) -> None:
        """Locks the screen where no key was pressed for long."""
        admission = self.admission
        if admission is None or not admission.idle:
            return
        if self._clock() - self._touched >= admission.idle * 60:
            self._lock(admission)
        else:
            self._watch(admission)

    def _lock(self, admission: Admission) -> None:
        self._ways.rest()
        rest = many(admission.idle, "minute")
        words = f"{_name(admission)} · no key for {rest} · all is saved"
        self._bar(admission, "Locked", [words])

    def _stopped(self, error: TuiAnnotateError) -> None:
        """A job was not begun, since the person may not go on as they are."""
        admission = self.admission
        if admission is None:
            return
        if isinstance(error, Conflict):
            self.ask_place(admission, working=True)
            return
        lead = [
            f"{_name(admission)} · {error.message}",
            "What you did last is not saved; it is there when you have signed in again.",
        ]
        self._bar(admission, "Sign in again", lead, then=_NOT_YET)

    def _bar(self, admission: Admission, title: str, lead: list[str], *, then: str = "") -> None:
        """Covers everything until the person has shown that it is they; `then` is told to them."""
        if self.barred:
            return
        self.barred = True

        def done() -> None:
            if admission.must_change:
                self._ask_first_password(admission, done)
                return
            self.barred, self._old = False, ""
            self.touched()
            self._watch(admission)
            if then:
                self._ways.tell(then)

        def answer(page: FormPage, choice: str, values: Values) -> None:
            if choice != GO:
                self.sign_out()
            elif admission.known:
                self._do(page, admission.go_on, done)
            else:
                self._old = values["password"]
                self._do(page, partial(admission.unlock, values["password"]), done)

        self._show(forms.again(title, lead, known=admission.known), answer)

    # by the person's own wish

    def change_password(self) -> None:
        """A page for another password."""
        admission = self.admission
        if admission is None:
            return

        def answer(page: FormPage, choice: str, values: Values) -> None:
            if choice == GO:
                tell = partial(self._ways.tell, "your password is changed")
                self._do(page, partial(_change, admission, values), tell)
            else:
                page.finish()

        self._show(forms.password(_name(admission)), answer)

    def sign_out(self) -> None:
        """Ends the session, forgets what kept it, and leaves."""
        if self.admission:
            leave = self._ways.leave
            out = Job(self.admission.sign_out, lambda _: leave(), lambda _: leave(), free=True)
            self._saver.send(out)

    # how

    def _show(self, form: Form, answer: Answer) -> FormPage:
        from tui_annotate.tui.screens.form_page import FormPage

        page = FormPage(form, answer)
        self._app.push_screen(page)
        return page

    def _do(self, page: FormPage, call: Callable[[], object], done: Callable[[], None]) -> None:
        def ended(_: object) -> None:
            page.finish()
            done()

        self._saver.send(Job(call, ended, page.refuse, free=True))


def _change(admission: Admission, values: Values, old: str = "") -> None:
    new = _checked_twice(values["new"], values["again"])
    admission.change_password(old or values["old"], new)


def _name(admission: Admission) -> str:
    return admission.person.name if admission.person else ""


def _checked_twice(new: str, again: str) -> str:
    if new != again:
        raise InvalidInput("the two new passwords differ", "type the new one twice")
    return new
