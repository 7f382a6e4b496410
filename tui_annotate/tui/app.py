"""The Textual app for annotating and reviewing.

The first frame needs only Textual. A thread opens the workspace after the first frame.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui_annotate.tui import terminal

LOOK = terminal.prepare(os.environ)

# Textual reads environment variables on import, so its importers come after `prepare`.
from tui_annotate.domain.errors import InvalidInput, TuiAnnotateError  # noqa: E402
from tui_annotate.domain.people import Permission  # noqa: E402
from tui_annotate.domain.terminal_text import make_visible  # noqa: E402
from tui_annotate.editor.effects import Page  # noqa: E402
from tui_annotate.editor.key_map import default_keys, key_map  # noqa: E402
from tui_annotate.editor.messages import (  # noqa: E402
    NO_MESSAGE,
    MessageCode,
    StatusMessage,
    make_message,
)
from tui_annotate.editor.screen_message import describe_error  # noqa: E402
from tui_annotate.tui.auth_session import SessionGuard  # noqa: E402
from tui_annotate.tui.palette import NAMES  # noqa: E402
from tui_annotate.tui.position_file import PositionFile  # noqa: E402
from tui_annotate.tui.restricted_app import RestrictedApp  # noqa: E402
from tui_annotate.tui.screens.annotate.damaged_samples import name_damaged  # noqa: E402
from tui_annotate.tui.screens.annotate.screen import AnnotateScreen  # noqa: E402
from tui_annotate.tui.screens.annotate.workspace_screen import (  # noqa: E402
    AppRequest,
    WorkspaceScreen,
)
from tui_annotate.tui.screens.sign_in_flow import SignInCallbacks, SignInFlow  # noqa: E402
from tui_annotate.tui.session import (  # noqa: E402
    AnnotatorSession,
    ForcedIdentity,
    begin_second_reading,
    label_change_notice,
    resolve_order,
)
from tui_annotate.tui.store_thread import StoreJob  # noqa: E402
from tui_annotate.tui.theme import TerminalLook  # noqa: E402
from tui_annotate.tui.work_sharing import SyncUpdate, WorkSharing  # noqa: E402
from tui_annotate.tui.workspace_texts import WorkspaceText  # noqa: E402

if TYPE_CHECKING:
    from tui_annotate.tui.screens.sample.feature import FoundSample
    from tui_annotate.workspace import Workspace


@dataclass(frozen=True, slots=True)
class _OpenResult:
    """An opened workspace: the user's session, preferences and first sample (None for none)."""

    session: AnnotatorSession
    found: FoundSample
    theme: str
    layout: str
    hiding: bool
    online: bool


class AnnotateApp(RestrictedApp):
    """App in which one user annotates or reviews the samples of one workspace.

    Args:
        open_workspace: called in the store's thread after the first frame is painted.
        person: the annotator's name; empty for the remembered name.
        sample: id of the first sample; empty for the sample where the user stopped.
        bound: the account of the ssh key; None if users sign in or have no accounts.
        own: whether the machine account belongs to one user, who can then stay signed in.
    """

    def __init__(
        self,
        open_workspace: Callable[[], Workspace],
        *,
        person: str = "",
        sample: str = "",
        order: str = "by-source",
        bound: ForcedIdentity | None = None,
        own: bool = True,
        reviewing: bool = False,
        look: TerminalLook = LOOK,
    ) -> None:
        super().__init__(look)
        self.refused = ""
        self.opening_error: TuiAnnotateError | None = None
        self.printing = False
        self.action = ""
        self._open_workspace = open_workspace
        self._person = person
        self._sample = sample
        self._order = order
        self._identity = bound
        self._is_own_user = own
        self._workspace: Workspace | None = None
        self.sample_screen = _create_screen(self._finish, reviewing=reviewing)
        callbacks = SignInCallbacks(
            begin=partial(self._load_in_thread, self._load_session),
            again=self.sample_screen.reload,
            rest=self.sample_screen.rest,
            leave=self.sample_screen.quit,
            show_message=self.sample_screen.show_message,
            fail=self._show_error,
        )
        self.sign_in_flow = SignInFlow(self, self.sample_screen.saver, callbacks)
        self._look = look
        self.sharing = WorkSharing(self.sample_screen, self.post_message)
        self._reviewing = reviewing

    # beginning

    def on_mount(self) -> None:
        """Show the empty screen, and open the workspace after its first frame."""
        self.listen(self.sample_screen.quit)
        self.push_screen(self.sample_screen)
        self.sample_screen.call_after_refresh(self._open)

    def _open(self) -> None:
        self.sample_screen.show_opening(WorkspaceText.OPENING.text())
        self._load_in_thread(self._load_workspace)

    def _load_in_thread(self, load: Callable[[], _OpenResult | None]) -> None:
        job = StoreJob(load, self._show_session, self._show_error, free=True)
        self.sample_screen.saver.send(job)

    def _load_workspace(self) -> _OpenResult | None:
        """Open the workspace and load the user's session; None if a form must be shown first."""
        workspace = self._open_workspace()
        self._workspace = workspace
        session_guard = SessionGuard(
            workspace,
            name=self._person,
            bound=self._identity,
            own=self._is_own_user,
            needs=Permission.REVIEW if self._reviewing else None,
        )
        self.sign_in_flow.session_guard = session_guard
        session_guard.enter()
        if session_guard.person is None or session_guard.must_change:
            return None
        if session_guard.find_other_session():
            return None
        return self._load_session()

    def _load_session(self) -> _OpenResult | None:
        """Read the user's session, preferences and first sample; None before sign-in."""
        session_guard = self.sign_in_flow.session_guard
        if session_guard is None or session_guard.person is None:
            return None
        workspace = session_guard.workspace
        person = session_guard.person
        annotate = workspace.annotate
        keys = default_keys()
        order, problem = resolve_order(self._order, lambda: workspace.machines)
        try:
            keys = key_map(workspace.settings.keys)
        except InvalidInput as error:
            problem = describe_error(error)
        positions = None
        if not (self._reviewing or workspace.read_only):
            positions = PositionFile(workspace.path, person.id)
            positions.store(annotate.people)
        session = AnnotatorSession(
            annotate,
            assist=lambda: workspace.assist,
            past_annotations=lambda: workspace.past_annotations,
            team=lambda: workspace.team,
            person=person,
            order=order,
            keys=keys,
            signed_in=session_guard.required,
            machines=lambda: workspace.machines,
            read_only=workspace.read_only,
            new_name=session_guard.new_name,
            positions=positions,
            repeats=workspace.people.has_second_reading(person.id),
            problem=problem
            or session_guard.hint
            or label_change_notice(workspace.team.proposals.refused()),
        )
        found = self.sample_screen.loader.first(session, self._sample)
        if found.open_sample is None and not found.damaged and not self._reviewing:
            # A person whose first readings are all hidden continues with the second readings.
            second = begin_second_reading(session)
            again = self.sample_screen.loader.first(second, "")
            if again.open_sample:
                session = second
                found = again
        chosen = annotate.people.preferences(person.id)
        theme = chosen.get("theme") or workspace.settings.theme
        layout = str(chosen.get("layout", ""))
        if not self._reviewing and not workspace.read_only:
            self.sharing.prepare(workspace, person)
        hiding = chosen.get("suggestions") == "hidden"
        online = chosen.get("sync") != "offline"
        return _OpenResult(session, found, theme if theme in NAMES else "", layout, hiding, online)

    def _show_session(self, opened: _OpenResult | None) -> None:
        self.opening_error = None
        if opened is None:
            self.sign_in_flow.show_next_page()
            return
        if opened.theme and not self._look.native:
            self.theme = opened.theme
        self.sample_screen.use_layout(opened.layout)
        self.sample_screen.hide_suggestions(hiding=opened.hiding)
        self.sharing.begin(online=opened.online)
        open_sample = opened.found.open_sample
        damaged = opened.found.damaged
        if open_sample is None:
            words = name_damaged(NO_MESSAGE, damaged).text or self.sample_screen.no_sample.text()
            self.sample_screen.show_opening(words, "warning")
            return
        message = name_damaged(_first_message(opened.session), damaged)
        self.sample_screen.begin(opened.session, open_sample, message)
        self.sign_in_flow.begun()
        if self.action:
            self.sample_screen.do(self.action)
            self.action = ""

    def _show_error(self, error: TuiAnnotateError) -> None:
        self.opening_error = error
        self.sample_screen.show_opening(describe_error(error), "error")

    def on_app_request(self, message: AppRequest) -> None:
        """Open what a page of the app needs: a form, work sharing, or the end of the app."""
        message.stop()
        if message.page is Page.PASSWORD:
            self.sign_in_flow.change_password()
        elif message.page is Page.SYNC:
            self.sharing.toggle()
        elif message.page is Page.SIGN_OUT:
            self.sign_in_flow.sign_out()
        else:
            self.printing = True
            self.sample_screen.quit()

    def on_sync_update(self, message: SyncUpdate) -> None:
        """Show the state of work sharing."""
        message.stop()
        self.sharing.show(message)

    # ending

    def _finish(self) -> None:
        """Close the store's thread; with work sharing, send the last changes first."""
        refused = self.sample_screen.saver.close()
        self.refused = describe_error(refused[0]) if refused else ""
        if self.sharing.begun:
            self.sample_screen.show_message(MessageCode.SENDING_LAST)
            self.run_worker(self._push_last, thread=True, exit_on_error=False)
        else:
            self._close()

    def _push_last(self) -> None:
        self.sharing.end()
        self.call_from_thread(self._close)

    def _close(self) -> None:
        if self.sign_in_flow.session_guard:
            with suppress(TuiAnnotateError):  # the next process finds that this one has ended
                self.sign_in_flow.session_guard.leave()
        if self._workspace is not None:
            self._workspace.close()
            self._workspace = None
        self.exit()

    async def action_quit(self) -> None:
        """Save the position and the working time, finish the store's jobs and quit (ctrl+q).

        On a locked screen ctrl+q also ends the user's session, so that the lock has no way around.
        """
        if self.sign_in_flow.is_locked:
            self.sign_in_flow.sign_out()
        else:
            self.sample_screen.quit()

    def note_activity(self) -> None:
        """Record a key press, which postpones the lock of the screen."""
        self.sign_in_flow.note_activity()


def _first_message(session: AnnotatorSession) -> StatusMessage:
    if session.problem:
        return make_message(session.problem, "error")
    if session.read_only:
        return make_message(MessageCode.READ_ONLY, "warning", reason=session.read_only)
    if session.new_name:
        return make_message(MessageCode.NEW_NAME, "warning", name=session.new_name)
    return NO_MESSAGE


def _create_screen(leave: Callable[[], None], *, reviewing: bool) -> WorkspaceScreen:
    if not reviewing:
        return AnnotateScreen(leave)
    from tui_annotate.tui.screens.review.screen import ReviewScreen

    return ReviewScreen(leave)


def run(
    open_workspace: Callable[[], Workspace], *, log: Path, action: str = "", **options: Any
) -> int:
    """Run the annotating or reviewing app until the user quits, and return the exit code.

    The code is 1 if an error ended the app or the last action was not saved, else 0. Standard error
    goes to `log`, or to a temporary file if `log` cannot be written.

    Args:
        open_workspace: called again to print annotations after the app has ended.

    Raises:
        TuiAnnotateError: the workspace or the first sample could not be opened; raised when the
            user quits, so that its message stays on the terminal.
    """
    app = AnnotateApp(open_workspace, **options)
    app.action = action
    used = terminal.find_usable_log(log)
    with terminal.redirect_stderr(used):
        app.run()
    if used.is_file() and used != log and not app.problem:
        used.unlink()
    app.sharing.print_unsent()
    if app.printing and app.sign_in_flow.session_guard and not app.problem:
        with open_workspace() as workspace:
            app.sign_in_flow.session_guard.print_own(workspace)
    if app.problem:
        app.print_problem(WorkspaceText.SAVED_DETAILS.text(log=used))
        return 1
    if app.input_ended:
        app.print_input_ended(WorkspaceText.INPUT_ENDED.text())
        return 1
    if app.refused:
        message = WorkspaceText.NOT_SAVED_AT_END.text(error=make_visible(app.refused))
        sys.stderr.write(f"{message}\n")
        return 1
    if app.opening_error is not None:  # the screen showed it, and is closed
        raise app.opening_error
    return 0
