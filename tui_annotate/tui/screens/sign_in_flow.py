"""The sign-in flow: which pages come before work, and which interrupt it.

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
from tui_annotate.domain.plural import many
from tui_annotate.tui.auth_session import SessionGuard, clock_time
from tui_annotate.tui.saving import Job, Saver
from tui_annotate.tui.screens import sign_in_forms
from tui_annotate.tui.screens.sign_in_forms import CODE, GO, FormContent, Values

if TYPE_CHECKING:
    from tui_annotate.tui.screens.form_screen import FormScreen

_NOT_SAVED_YET = "signed in again · what you did last is not saved: do it once more"

Answer = Callable[["FormScreen", str, Values], None]


@dataclass(frozen=True, slots=True)
class SignInCallbacks:
    """Where the reception sends people.

    Attributes:
        begin: to work.
        again: back to work that may have changed meanwhile.
        rest: keeps what is not saved, before a page covers it.
        leave: ends the app.
        tell: shows a message on the work screen.
        fail: shows an error that came before work began.
    """

    begin: Callable[[], None]
    again: Callable[[], None]
    rest: Callable[[], None]
    leave: Callable[[], None]
    tell: Callable[[str], None]
    fail: Callable[[TuiAnnotateError], None]


class SignInFlow:
    """Shows the pages, and sends what they ask for to the store's thread.

    Attributes:
        session_guard: made in the store's thread once the workspace is open.
        is_locked: the screen is locked; only the same person can go on.
    """

    def __init__(
        self,
        app: App[Any],
        saver: Saver,
        ways: SignInCallbacks,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._app, self._saver, self._ways, self._clock = app, saver, ways, clock
        self.session_guard: SessionGuard | None = None
        self.is_locked = False
        self._takeover_asked = False
        self._old_password = ""  # the password that an admin set, until it is changed
        self._last_key_at = clock()
        self._timer: Timer | None = None

    # before work

    def show_next_page(self) -> None:
        """The next page that is needed, or to work."""
        session_guard = self.session_guard
        if session_guard is None:
            return
        if session_guard.person is None:
            self._ask_who(session_guard, session_guard.email, session_guard.hint)
        elif session_guard.must_change:
            self._ask_first_password(session_guard, self.show_next_page)
        else:
            self._old_password = ""
            look = Job(
                session_guard.find_other_session,
                lambda _: self._start_or_ask(session_guard),
                self._ways.fail,
                free=True,
            )
            self._saver.send(look)

    def _start_or_ask(self, session_guard: SessionGuard) -> None:
        if session_guard.elsewhere:
            self.ask_takeover(session_guard)
        else:
            self._ways.begin()

    def _ask_who(self, session_guard: SessionGuard, email: str, words: str = "") -> None:
        def answer(page: FormScreen, choice: str, values: Values) -> None:
            if choice == CODE:
                page.finish()
                self._ask_code(session_guard, values["email"])
                return
            self._old_password = values["password"]
            enter = partial(
                session_guard.sign_in,
                values["email"],
                values["password"],
                stay=bool(values.get("stay")),
            )
            self._send(page, enter, self.show_next_page)

        form = sign_in_forms.sign_in(
            session_guard.where, email=email, can_stay_signed_in=session_guard.can_stay_signed_in
        )
        self._show(form, answer).say(words, "warning")

    def _ask_code(self, session_guard: SessionGuard, email: str) -> None:
        def answer(page: FormScreen, choice: str, values: Values) -> None:
            if choice != GO:
                page.finish()
                self._ask_who(session_guard, email)
                return

            def redeem() -> None:
                new = _checked_twice(values["new"], values["again"])
                session_guard.redeem(values["code"], new, stay=bool(values.get("stay")))

            self._send(page, redeem, self.show_next_page)

        self._show(sign_in_forms.code(can_stay_signed_in=session_guard.can_stay_signed_in), answer)

    def _ask_first_password(self, session_guard: SessionGuard, then: Callable[[], None]) -> None:
        old, name = self._old_password, _person_name(session_guard)

        def answer(page: FormScreen, choice: str, values: Values) -> None:
            del choice
            self._send(page, partial(_set_password, session_guard, values, old), then)

        self._show(sign_in_forms.first_password(name, old=not old), answer)

    def ask_takeover(self, session_guard: SessionGuard, *, working: bool = False) -> None:
        """Whether another process in which the person is at work is taken over."""
        if self._takeover_asked or session_guard.elsewhere is None:
            return
        self._takeover_asked = True

        def done() -> None:
            self._takeover_asked = False
            (self._ways.again if working else self._ways.begin)()

        def answer(page: FormScreen, choice: str, values: Values) -> None:
            del values
            if choice == GO:
                self._send(page, session_guard.take_over_session, done)
            else:
                self._ways.leave()

        self._show(
            sign_in_forms.place(clock_time(session_guard.elsewhere.since), working=working),
            answer,
        )

    # at work

    def begun(self) -> None:
        """Work has begun: jobs are guarded, and the clock of rest runs."""
        session_guard = self.session_guard
        if session_guard is None:
            return
        self._saver.guard = session_guard.check
        self._saver.stopped = self._on_job_refused
        self._last_key_at = self._clock()
        self._watch_clock(session_guard)

    def note_activity(self) -> None:
        """A key was pressed."""
        self._last_key_at = self._clock()

    def _watch_clock(self, session_guard: SessionGuard) -> None:
        if self._timer:
            self._timer.stop()
        if session_guard.idle:
            left = session_guard.idle * 60 - (self._clock() - self._last_key_at)
            self._timer = self._app.set_timer(max(left, 1), self.lock_if_idle)

    def lock_if_idle(self) -> None:
        """Locks the screen where no key was pressed for long."""
        session_guard = self.session_guard
        if session_guard is None or not session_guard.idle:
            return
        if self._clock() - self._last_key_at >= session_guard.idle * 60:
            self._lock(session_guard)
        else:
            self._watch_clock(session_guard)

    def _lock(self, session_guard: SessionGuard) -> None:
        self._ways.rest()
        rest = many(session_guard.idle, "minute")
        words = f"{_person_name(session_guard)} · no key for {rest} · all is saved"
        self._cover(session_guard, "Locked", [words])

    def _on_job_refused(self, error: TuiAnnotateError) -> None:
        """A job was not begun, since the person may not go on as they are."""
        session_guard = self.session_guard
        if session_guard is None:
            return
        if isinstance(error, Conflict):
            self.ask_takeover(session_guard, working=True)
            return
        lead = [
            f"{_person_name(session_guard)} · {error.message}",
            "What you did last is not saved; it is there when you have signed in again.",
        ]
        self._cover(session_guard, "Sign in again", lead, then=_NOT_SAVED_YET)

    def _cover(
        self, session_guard: SessionGuard, title: str, lead: list[str], *, then: str = ""
    ) -> None:
        """Lock the screen until the person signs in again; `then` is the message after that."""
        if self.is_locked:
            return
        self.is_locked = True

        def done() -> None:
            if session_guard.must_change:
                self._ask_first_password(session_guard, done)
                return
            self.is_locked, self._old_password = False, ""
            self.note_activity()
            self._watch_clock(session_guard)
            if then:
                self._ways.tell(then)

        def answer(page: FormScreen, choice: str, values: Values) -> None:
            if choice != GO:
                self.sign_out()
            elif session_guard.known:
                self._send(page, session_guard.go_on, done)
            else:
                self._old_password = values["password"]
                self._send(page, partial(session_guard.unlock, values["password"]), done)

        self._show(
            sign_in_forms.build_password_again_form(title, lead, known=session_guard.known), answer
        )

    # by the person's own wish

    def change_password(self) -> None:
        """A page for another password."""
        session_guard = self.session_guard
        if session_guard is None:
            return

        def answer(page: FormScreen, choice: str, values: Values) -> None:
            if choice == GO:
                tell = partial(self._ways.tell, "your password is changed")
                self._send(page, partial(_set_password, session_guard, values), tell)
            else:
                page.finish()

        self._show(sign_in_forms.password(_person_name(session_guard)), answer)

    def sign_out(self) -> None:
        """Ends the session, forgets what kept it, and leaves."""
        if self.session_guard:
            leave = self._ways.leave
            out = Job(self.session_guard.sign_out, lambda _: leave(), lambda _: leave(), free=True)
            self._saver.send(out)

    # how

    def _show(self, form: FormContent, answer: Answer) -> FormScreen:
        from tui_annotate.tui.screens.form_screen import FormScreen

        page = FormScreen(form, answer)
        self._app.push_screen(page)
        return page

    def _send(self, page: FormScreen, call: Callable[[], object], done: Callable[[], None]) -> None:
        def ended(_: object) -> None:
            page.finish()
            done()

        self._saver.send(Job(call, ended, page.refuse, free=True))


def _set_password(session_guard: SessionGuard, values: Values, old: str = "") -> None:
    new = _checked_twice(values["new"], values["again"])
    session_guard.change_password(old or values["old"], new)


def _person_name(session_guard: SessionGuard) -> str:
    return session_guard.person.name if session_guard.person else ""


def _checked_twice(new: str, again: str) -> str:
    if new != again:
        raise InvalidInput("the two new passwords differ", "type the new one twice")
    return new
