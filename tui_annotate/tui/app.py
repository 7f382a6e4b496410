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
from tui_annotate.domain.visible import visible  # noqa: E402
from tui_annotate.tui.admission import Admission  # noqa: E402
from tui_annotate.tui.closed_app import ClosedApp  # noqa: E402
from tui_annotate.tui.keys.map import default_keys, key_map  # noqa: E402
from tui_annotate.tui.palette import NAMES  # noqa: E402
from tui_annotate.tui.saving import Job, told  # noqa: E402
from tui_annotate.tui.screens.annotate.screen import AnnotateScreen  # noqa: E402
from tui_annotate.tui.screens.reception import Reception, Ways  # noqa: E402
from tui_annotate.tui.session import Bound, Session, not_in_force, order_there  # noqa: E402
from tui_annotate.tui.sharing import LEAVING, Sharing  # noqa: E402
from tui_annotate.tui.syncing import Synced  # noqa: E402
from tui_annotate.tui.theme import Look  # noqa: E402

if TYPE_CHECKING:
    from tui_annotate.services.annotate import Desk
    from tui_annotate.workspace import Workspace


@dataclass(frozen=True, slots=True)
class _Opened:
    """A workspace that was opened; no desk where it holds no sample."""

    session: Session
    desk: Desk | None
    theme: str
    layout: str
    hiding: bool
    online: bool


class AnnotateApp(ClosedApp):
    """One person annotates one workspace.

    Attributes:
        desktop: the screen that is annotated on.
        reception: the pages before and around it.
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
        bound: Bound | None = None,
        own: bool = True,
        reviewing: bool = False,
        look: Look = LOOK,
    ) -> None:
        """`reviewing`: what several people said is settled; see `run` for the others."""
        super().__init__(look)
        self.refused = ""
        self.printing = False
        self.action = ""
        self._open_workspace = open_workspace
        self._person, self._sample, self._order = person, sample, order
        self._bound, self._own = bound, own
        self._workspace: Workspace | None = None
        self.desktop = _desktop(self._leave, reviewing=reviewing)
        ways = Ways(
            begin=self._prepare,
            again=self.desktop.look_again,
            rest=self.desktop.rest,
            leave=self.desktop.quit,
            tell=self.desktop.tell,
            fail=self._refused,
        )
        self.reception = Reception(self, self.desktop.saver, ways)
        self._look = look
        self.sharing = Sharing(self.desktop, self.post_message)
        self._reviewing = reviewing

    # beginning

    def on_mount(self) -> None:
        """The frame first; the workspace is opened once it is painted."""
        self.listen(self.desktop.quit)
        self.push_screen(self.desktop)
        self.desktop.call_after_refresh(self._open)

    def _open(self) -> None:
        self.desktop.opening("opening the workspace ...")
        self.desktop.saver.send(Job(self._opened, self._begin, self._refused, free=True))

    def _opened(self) -> _Opened | None:
        """In the store's thread, as everything is that reaches a store; None where pages come."""
        self._workspace = workspace = self._open_workspace()
        admission = Admission(workspace, name=self._person, bound=self._bound, own=self._own)
        self.reception.admission = admission
        admission.enter()
        if admission.person is None or admission.must_change or admission.look_elsewhere():
            return None
        return self._prepared()

    def _prepared(self) -> _Opened | None:
        """The workspace as it is for whoever is in, and the sample to begin with."""
        admission = self.reception.admission
        if admission is None or admission.person is None:
            return None
        workspace, person = admission.workspace, admission.person
        annotate, keys = workspace.annotate, default_keys()
        order, problem = order_there(self._order, lambda: workspace.machines)
        try:
            keys = key_map(workspace.settings.keys)
        except InvalidInput as error:
            problem = told(error)
        session = Session(
            annotate,
            assist=lambda: workspace.assist,
            formers=lambda: workspace.formers,
            team=lambda: workspace.team,
            person=person,
            order=order,
            keys=keys,
            signed_in=admission.required,
            machines=lambda: workspace.machines,
            problem=problem or admission.hint or not_in_force(workspace.team.proposals.refused()),
        )
        desk = self.desktop.first(session, self._sample)
        chosen = annotate.preferences(person.id)
        theme = chosen.get("theme") or workspace.settings.theme
        layout = str(chosen.get("layout", ""))
        if not self._reviewing:
            self.sharing.prepare(workspace, person)
        hiding, online = chosen.get("suggestions") == "hidden", chosen.get("sync") != "offline"
        return _Opened(session, desk, theme if theme in NAMES else "", layout, hiding, online)

    def _prepare(self) -> None:
        """Somebody is in: to work."""
        self.desktop.saver.send(Job(self._prepared, self._begin, self._refused, free=True))

    def _begin(self, opened: _Opened | None) -> None:
        if opened is None:
            self.reception.receive()
            return
        if opened.theme and not self._look.native:
            self.theme = opened.theme
        self.desktop.use_layout(opened.layout)
        self.desktop.hide_suggestions(hiding=opened.hiding)
        self.sharing.begin(online=opened.online)
        if opened.desk is None:
            self.desktop.opening(self.desktop.nothing, "warning")
            return
        problem = opened.session.problem
        self.desktop.begin(
            opened.session, opened.desk, words=problem, kind="error" if problem else "hint"
        )
        self.reception.begun()
        if self.action:
            self.desktop.do(self.action)
            self.action = ""

    def _refused(self, error: TuiAnnotateError) -> None:
        self.desktop.opening(told(error), "error")

    def on_annotate_screen_wished(self, message: AnnotateScreen.Wished) -> None:
        """What the screen can not do itself."""
        message.stop()
        if message.wish == "password":
            self.reception.change_password()
        elif message.wish == "sync":
            self.sharing.toggle()
        elif message.wish == "sign out":
            self.reception.sign_out()
        else:
            self.printing = True
            self.desktop.quit()

    def on_synced(self, message: Synced) -> None:
        """Something came of what is shared."""
        message.stop()
        self.sharing.show(message)

    # ending

    def _leave(self) -> None:
        refused = self.desktop.saver.close()
        self.refused = told(refused[0]) if refused else ""
        if self.sharing.begun:
            self.desktop.tell(LEAVING)
            self.run_worker(self._share_last, thread=True, exit_on_error=False)
        else:
            self._close()

    def _share_last(self) -> None:
        """In a thread, so that the screen can say what is waited for."""
        self.sharing.end()
        self.call_from_thread(self._close)

    def _close(self) -> None:
        if self.reception.admission:
            with suppress(TuiAnnotateError):  # the next process finds out that this one is gone
                self.reception.admission.leave()
        if self._workspace is not None:
            self._workspace.close()
            self._workspace = None
        self.exit()

    async def action_quit(self) -> None:
        """Ctrl+q, everywhere: place and time are kept, the store is done first.

        Off a page that bars the way it signs out, as it would be a way around it otherwise.
        """
        (self.reception.sign_out if self.reception.barred else self.desktop.quit)()

    def touched(self) -> None:
        """Somebody is there, so the screen is not locked yet."""
        self.reception.touched()


def _desktop(leave: Callable[[], None], *, reviewing: bool) -> AnnotateScreen:
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
    bound: Bound | None = None,
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
        reviewing: what several people said is settled; else one annotates.
        action: what is done first, as the key table names it; empty for nothing.

    Returns:
        The exit code: 1 where it ended by an error or the last deed was not saved, else 0.
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
    with terminal.drawing(log):
        app.run()
    app.sharing.farewell()
    if app.printing and app.reception.admission and not app.problem:
        with open_workspace() as workspace:
            app.reception.admission.print_own(workspace)
    if app.problem:
        sys.stderr.write(
            f"tui-annotate ended by an error of its own: {app.problem}\n"
            f"Everything that was shown as saved is saved. Details: {visible(str(log))}\n"
        )
        return 1
    if app.refused:
        sys.stderr.write(f"what was done last is not saved: {visible(app.refused)}\n")
        return 1
    return 0
