"""The app: its first frame needs Textual alone, the workspace is opened in a thread behind it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from tui_annotate.tui import terminal

LOOK = terminal.prepare(os.environ)

from textual.binding import Binding, BindingType  # noqa: E402  it reads the environment on import

from tui_annotate.domain.errors import InvalidInput, TuiAnnotateError  # noqa: E402
from tui_annotate.domain.terminal_text import visible  # noqa: E402
from tui_annotate.tui.auth_session import SessionGuard  # noqa: E402
from tui_annotate.tui.background_sync import SyncUpdate  # noqa: E402
from tui_annotate.tui.draft.messages import NO_MESSAGE, MessageCode, make_message  # noqa: E402
from tui_annotate.tui.keys.key_map import default_keys, key_map  # noqa: E402
from tui_annotate.tui.palette import NAMES  # noqa: E402
from tui_annotate.tui.restricted_app import RestrictedApp  # noqa: E402
from tui_annotate.tui.saving import Job, describe_error  # noqa: E402
from tui_annotate.tui.screens.annotate.screen import AnnotateScreen  # noqa: E402
from tui_annotate.tui.screens.annotate.workspace_screen import (  # noqa: E402
    AppRequest,
    WorkspaceScreen,
)
from tui_annotate.tui.screens.sign_in_flow import SignInCallbacks, SignInFlow  # noqa: E402
from tui_annotate.tui.session import (  # noqa: E402
    AnnotatorSession,
    ForcedIdentity,
    label_change_notice,
    resolve_order,
)
from tui_annotate.tui.theme import Look  # noqa: E402
from tui_annotate.tui.work_sharing import WorkSharing  # noqa: E402

if TYPE_CHECKING:
    from tui_annotate.services.annotate import OpenSample
    from tui_annotate.workspace import Workspace


@dataclass(frozen=True, slots=True)
class _OpenResult:
    """A workspace that was opened; no desk where it holds no sample."""

    session: AnnotatorSession
    desk: OpenSample | None
    theme: str
    layout: str
    hiding: bool
    online: bool


class AnnotateApp(RestrictedApp):
    """One person annotates one workspace.

    Attributes:
        sample_screen: the screen that is annotated on.
        sign_in_flow: the pages before and around it.
        printing: the person's own annotations are printed once the app has ended.
        action: what is done first, as the key table names it; empty for nothing.
        refused: why the store did not keep what was done last, where the screen could not tell it
            any more; empty otherwise.
    """

    TITLE = "tui-annotate"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q,ctrl+c", "quit", "leave; all is saved", show=False, priority=True)
    ]

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
        look: Look = LOOK,
    ) -> None:
        """`reviewing`: annotations are adjudicated; see `run` for the others."""
        super().__init__(look)
        self.refused = ""
        self.printing = False
        self.action = ""
        self._open_workspace = open_workspace
        self._person, self._sample, self._order = person, sample, order
        self._identity, self._is_own_user = bound, own
        self._workspace: Workspace | None = None
        self.sample_screen = _create_screen(self._finish, reviewing=reviewing)
        ways = SignInCallbacks(
            begin=self._start_session,
            again=self.sample_screen.reload,
            rest=self.sample_screen.rest,
            leave=self.sample_screen.quit,
            tell=self.sample_screen.show_message,
            fail=self._show_error,
        )
        self.sign_in_flow = SignInFlow(self, self.sample_screen.saver, ways)
        self._look = look
        self.sharing = WorkSharing(self.sample_screen, self.post_message)
        self._reviewing = reviewing

    # beginning

    def on_mount(self) -> None:
        """The frame first; the workspace is opened once it is painted."""
        self.listen(self.sample_screen.quit)
        self.push_screen(self.sample_screen)
        self.sample_screen.call_after_refresh(self._open)

    def _open(self) -> None:
        self.sample_screen.show_opening("opening the workspace ...")
        self.sample_screen.saver.send(
            Job(self._load_workspace, self._show_session, self._show_error, free=True)
        )

    def _load_workspace(self) -> _OpenResult | None:
        """In the store's thread, as everything is that reaches a store; None where pages come."""
        self._workspace = workspace = self._open_workspace()
        session_guard = SessionGuard(
            workspace, name=self._person, bound=self._identity, own=self._is_own_user
        )
        self.sign_in_flow.session_guard = session_guard
        session_guard.enter()
        if (
            session_guard.person is None
            or session_guard.must_change
            or session_guard.find_other_session()
        ):
            return None
        return self._load_session()

    def _load_session(self) -> _OpenResult | None:
        """The workspace as it is for whoever is in, and the sample to begin with."""
        session_guard = self.sign_in_flow.session_guard
        if session_guard is None or session_guard.person is None:
            return None
        workspace, person = session_guard.workspace, session_guard.person
        annotate, keys = workspace.annotate, default_keys()
        order, problem = resolve_order(self._order, lambda: workspace.machines)
        try:
            keys = key_map(workspace.settings.keys)
        except InvalidInput as error:
            problem = describe_error(error)
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
            problem=problem
            or session_guard.hint
            or label_change_notice(workspace.team.proposals.refused()),
        )
        desk = self.sample_screen.loader.first(session, self._sample)
        chosen = annotate.preferences(person.id)
        theme = chosen.get("theme") or workspace.settings.theme
        layout = str(chosen.get("layout", ""))
        if not self._reviewing:
            self.sharing.prepare(workspace, person)
        hiding, online = chosen.get("suggestions") == "hidden", chosen.get("sync") != "offline"
        return _OpenResult(session, desk, theme if theme in NAMES else "", layout, hiding, online)

    def _start_session(self) -> None:
        self.sample_screen.saver.send(
            Job(self._load_session, self._show_session, self._show_error, free=True)
        )

    def _show_session(self, opened: _OpenResult | None) -> None:
        if opened is None:
            self.sign_in_flow.show_next_page()
            return
        if opened.theme and not self._look.native:
            self.theme = opened.theme
        self.sample_screen.use_layout(opened.layout)
        self.sample_screen.hide_suggestions(hiding=opened.hiding)
        self.sharing.begin(online=opened.online)
        if opened.desk is None:
            self.sample_screen.show_opening(self.sample_screen.no_sample, "warning")
            return
        problem = opened.session.problem
        message = make_message(problem, "error") if problem else NO_MESSAGE
        self.sample_screen.begin(opened.session, opened.desk, message)
        self.sign_in_flow.begun()
        if self.action:
            self.sample_screen.do(self.action)
            self.action = ""

    def _show_error(self, error: TuiAnnotateError) -> None:
        self.sample_screen.show_opening(describe_error(error), "error")

    def on_app_request(self, message: AppRequest) -> None:
        """What the screen can not do itself."""
        message.stop()
        if message.request == "password":
            self.sign_in_flow.change_password()
        elif message.request == "sync":
            self.sharing.toggle()
        elif message.request == "sign out":
            self.sign_in_flow.sign_out()
        else:
            self.printing = True
            self.sample_screen.quit()

    def on_sync_update(self, message: SyncUpdate) -> None:
        """Something came of what is shared."""
        message.stop()
        self.sharing.show(message)

    # ending

    def _finish(self) -> None:
        refused = self.sample_screen.saver.close()
        self.refused = describe_error(refused[0]) if refused else ""
        if self.sharing.begun:
            self.sample_screen.show_message(MessageCode.SENDING_LAST)
            self.run_worker(self._push_last, thread=True, exit_on_error=False)
        else:
            self._close()

    def _push_last(self) -> None:
        """In a thread, so that the screen can say what is waited for."""
        self.sharing.end()
        self.call_from_thread(self._close)

    def _close(self) -> None:
        if self.sign_in_flow.session_guard:
            with suppress(TuiAnnotateError):  # the next process finds out that this one is gone
                self.sign_in_flow.session_guard.leave()
        if self._workspace is not None:
            self._workspace.close()
            self._workspace = None
        self.exit()

    async def action_quit(self) -> None:
        """Ctrl+q, everywhere: place and time are kept, the store is done first.

        Off a page that bars the way it signs out, as it would be a way around it otherwise.
        """
        (self.sign_in_flow.sign_out if self.sign_in_flow.is_locked else self.sample_screen.quit)()

    def note_activity(self) -> None:
        """Somebody is there, so the screen is not locked yet."""
        self.sign_in_flow.note_activity()


def _create_screen(leave: Callable[[], None], *, reviewing: bool) -> WorkspaceScreen:
    if not reviewing:
        return AnnotateScreen(leave)
    from tui_annotate.tui.screens.review.screen import ReviewScreen

    return ReviewScreen(leave)


def run(  # noqa: PLR0913  a keyword an option of the command
    open_workspace: Callable[[], Workspace],
    *,
    person: str = "",
    sample: str = "",
    order: str = "by-source",
    log: Path,
    bound: ForcedIdentity | None = None,
    own: bool = True,
    reviewing: bool = False,
    action: str = "",
) -> int:
    """Runs the app until it is left.

    Args:
        open_workspace: called in a thread once the first frame is painted; again for printing.
        person: the annotator's name; empty for the one remembered.
        sample: where to begin; empty for where this person was.
        log: the file that everything written to standard error goes to meanwhile.
        bound: whom sshd knows by their key; None: whoever signs in, where there are accounts.
        own: this user of the machine is one person's, so that they can stay signed in.
        reviewing: annotations of several people are adjudicated; else one annotates.
        action: what is done first, as the key table names it; empty for nothing.

    Returns:
        The exit code: 1 where it ended by an error or the last action was not saved, else 0.
    """
    app = AnnotateApp(
        open_workspace,
        person=person,
        sample=sample,
        order=order,
        bound=bound,
        own=own,
        reviewing=reviewing,
    )
    app.action = action
    with terminal.redirect_stderr(log):
        app.run()
    app.sharing.print_unsent()
    if app.printing and app.sign_in_flow.session_guard and not app.problem:
        with open_workspace() as workspace:
            app.sign_in_flow.session_guard.print_own(workspace)
    if app.problem:
        app.print_problem(f"Everything that was shown as saved is saved. Details: {log}")
        return 1
    if app.refused:
        sys.stderr.write(f"what was done last is not saved: {visible(app.refused)}\n")
        return 1
    return 0
