"""The sign-in flow: the forms before work begins, and the forms that interrupt work.

The screen below a form cannot be reached before the form is answered. In a workspace without
accounts no form is shown, unless the same user has another session.
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
from tui_annotate.editor.screen_message import error_texts
from tui_annotate.tui.auth_session import SessionGuard, format_clock_time
from tui_annotate.tui.screens import sign_in_forms
from tui_annotate.tui.screens.sign_in_forms import CODE, GO, FormContent, SignInMessage, Values
from tui_annotate.tui.store_thread import StoreJob, StoreThread
from tui_annotate.tui.workspace_texts import no_workspace_error

if TYPE_CHECKING:
    from tui_annotate.tui.screens.form_screen import FormScreen

Answer = Callable[["FormScreen", str, Values], None]


@dataclass(frozen=True, slots=True)
class SignInCallbacks:
    """Functions of the app that the sign-in flow calls.

    `again` reads the open sample again; `rest` keeps unsaved work before a form covers the screen.
    """

    begin: Callable[[], None]
    again: Callable[[], None]
    rest: Callable[[], None]
    leave: Callable[[], None]
    show_message: Callable[[str], None]
    fail: Callable[[TuiAnnotateError], None]


class SignInFlow:
    """Controller that shows the sign-in forms and sends their values to the store's thread."""

    def __init__(self, app: App[Any], saver: StoreThread, callbacks: SignInCallbacks) -> None:
        self._app = app
        self._saver = saver
        self._callbacks = callbacks
        self._clock = time.monotonic
        self.session_guard: SessionGuard | None = None
        self.is_locked = False
        self._takeover_asked = False
        self._old_password = ""  # the password that an admin set, until it is changed
        self._last_key_at = self._clock()
        self._timer: Timer | None = None

    @property
    def _guard(self) -> SessionGuard:
        if self.session_guard is None:
            raise no_workspace_error()
        return self.session_guard

    @property
    def _person_name(self) -> str:
        return self._guard.person.name if self._guard.person else ""

    # before work

    def show_next_page(self) -> None:
        """Show the next sign-in form that is needed before work, or begin work."""
        guard = self._guard
        if guard.namesakes:
            self._ask_same_person()
        elif guard.person is None:
            self._ask_who(guard.email, guard.hint)
        elif guard.must_change:
            self._ask_first_password(self.show_next_page)
        else:
            self._old_password = ""
            find = guard.find_other_session
            self._saver.send(StoreJob(find, self._begin_or_ask, self._callbacks.fail, free=True))

    def _begin_or_ask(self, _: object) -> None:
        if self._guard.elsewhere:
            self._ask_takeover(self._callbacks.begin, working=False)
        else:
            self._callbacks.begin()

    def _ask_who(self, email: str, words: str = "") -> None:
        guard = self._guard

        def answer(page: FormScreen, choice: str, values: Values) -> None:
            email = values["email"]
            password = values["password"]
            if choice == CODE:
                page.finish()
                self._ask_code(email)
                return
            self._old_password = password
            enter = partial(guard.sign_in, email, password, stay=bool(values.get("stay")))
            self._send(page, enter, self.show_next_page)

        stays = guard.can_stay_signed_in
        form = sign_in_forms.sign_in_form(guard.where, email=email, can_stay_signed_in=stays)
        self._show(form, answer).say(words, "warning")

    def _ask_code(self, email: str) -> None:
        guard = self._guard

        def answer(page: FormScreen, choice: str, values: Values) -> None:
            if choice != GO:
                page.finish()
                self._ask_who(email)
                return

            def redeem() -> None:
                guard.redeem(values["code"], _new_password(values), stay=bool(values.get("stay")))

            self._send(page, redeem, self.show_next_page)

        self._show(
            sign_in_forms.invite_code_form(can_stay_signed_in=guard.can_stay_signed_in), answer
        )

    def _ask_first_password(self, then: Callable[[], None]) -> None:
        old = self._old_password

        def answer(page: FormScreen, choice: str, values: Values) -> None:
            del choice
            self._send(page, partial(_set_password, self._guard, values, old), then)

        self._show(sign_in_forms.first_password_form(self._person_name, old=not old), answer)

    def _ask_same_person(self) -> None:
        """Ask the user once whether the imported work under the user's name is the user's work."""
        guard = self._guard
        count = len(self._guard.namesakes)

        def answer(page: FormScreen, choice: str, values: Values) -> None:
            del values
            link = partial(guard.link_namesake, same=count == 1 and choice == GO)
            self._send(page, link, self.show_next_page)

        self._show(sign_in_forms.same_person_form(guard.namesakes), answer)

    def _ask_takeover(self, then: Callable[[], None], *, working: bool) -> None:
        guard = self._guard
        if self._takeover_asked or guard.elsewhere is None:
            return
        self._takeover_asked = True

        def done() -> None:
            self._takeover_asked = False
            then()

        def answer(page: FormScreen, choice: str, values: Values) -> None:
            del values
            if choice == GO:
                self._send(page, guard.take_over_session, done)
            else:
                self._callbacks.leave()

        since = format_clock_time(guard.elsewhere.since)
        self._show(sign_in_forms.place(since, working=working), answer)

    # at work

    def begun(self) -> None:
        """Check the session before each job from now on, and lock the screen after idle time."""
        self._saver.check_session = self._guard.check
        self._saver.stopped = self._on_job_refused
        self.note_activity()
        self._watch_clock()

    def note_activity(self) -> None:
        """Record a key press, which postpones the lock."""
        self._last_key_at = self._clock()

    def _watch_clock(self) -> None:
        if self._timer:
            self._timer.stop()
        if idle := self._guard.idle:
            left = idle * 60 - (self._clock() - self._last_key_at)
            self._timer = self._app.set_timer(max(left, 1), self.lock_if_idle)

    def lock_if_idle(self) -> None:
        """Lock the screen after the idle time of the workspace, else check again later."""
        idle = self._guard.idle
        if not idle:
            return
        if self._clock() - self._last_key_at < idle * 60:
            self._watch_clock()
            return
        self._callbacks.rest()
        lead = SignInMessage.LOCKED.text(name=self._person_name, count=idle)
        self._cover(SignInMessage.SCREEN_LOCKED, [lead])

    def _on_job_refused(self, error: TuiAnnotateError) -> None:
        if isinstance(error, Conflict):
            self._ask_takeover(self._callbacks.again, working=True)
            return
        message, _ = error_texts(error)
        lead = [
            SignInMessage.SESSION_ENDED.text(name=self._person_name, error=message),
            SignInMessage.LAST_ACTION_WAITS.text(),
        ]
        self._cover(SignInMessage.SIGN_IN_AGAIN, lead, then=SignInMessage.SIGNED_IN_AGAIN.text())

    def _cover(self, title: SignInMessage, lead: list[str], *, then: str = "") -> None:
        """Lock the screen until the user signs in again; `then` is the message after that."""
        guard = self._guard
        if self.is_locked:
            return
        self.is_locked = True

        def done() -> None:
            if guard.must_change:
                self._ask_first_password(done)
                return
            self.is_locked = False
            self._old_password = ""
            self.note_activity()
            self._watch_clock()
            if then:
                self._callbacks.show_message(then)

        def answer(page: FormScreen, choice: str, values: Values) -> None:
            if choice != GO:
                self.sign_out()
            elif guard.known:
                self._send(page, guard.renew, done)
            else:
                self._old_password = values["password"]
                self._send(page, partial(guard.unlock, values["password"]), done)

        form = sign_in_forms.build_password_again_form(title, lead, known=guard.known)
        self._show(form, answer)

    # at the user's request

    def change_password(self) -> None:
        """Show the form for a new password."""

        def answer(page: FormScreen, choice: str, values: Values) -> None:
            if choice == GO:
                changed = SignInMessage.CHANGED.text()
                notify = partial(self._callbacks.show_message, changed)
                self._send(page, partial(_set_password, self._guard, values), notify)
            else:
                page.finish()

        self._show(sign_in_forms.password_form(self._person_name), answer)

    def sign_out(self) -> None:
        """End the stored session, and quit even if that fails."""
        leave = self._callbacks.leave
        out = StoreJob(self._guard.sign_out, lambda _: leave(), lambda _: leave(), free=True)
        self._saver.send(out)

    def _show(self, form: FormContent, answer: Answer) -> FormScreen:
        from tui_annotate.tui.screens.form_screen import FormScreen

        page = FormScreen(form, answer)
        self._app.push_screen(page)
        return page

    def _send(self, page: FormScreen, call: Callable[[], object], done: Callable[[], None]) -> None:
        def ended(_: object) -> None:
            page.finish()
            done()

        self._saver.send(StoreJob(call, ended, page.refuse, free=True))


def _set_password(guard: SessionGuard, values: Values, old: str = "") -> None:
    """Change the password to the typed one; `old` replaces the field for the old one."""
    guard.change_password(old or values["old"], _new_password(values))


def _new_password(values: Values) -> str:
    """Return the new password; raise InvalidInput if it was typed differently twice."""
    if values["new"] != values["again"]:
        raise InvalidInput(
            SignInMessage.PASSWORDS_DIFFER.text(),
            SignInMessage.TYPE_TWICE.text(),
            code="passwords-differ",
        )
    return values["new"]
