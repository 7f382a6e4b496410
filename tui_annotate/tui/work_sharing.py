"""What the app shares while somebody annotates: begun with them, shown in the header, told of."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from textual.message import Message

from tui_annotate.domain.people import Person
from tui_annotate.domain.stream_merge import Fork, in_words
from tui_annotate.domain.terminal_text import visible
from tui_annotate.tui.background_sync import BackgroundSync, Exchange, SyncState, SyncUpdate
from tui_annotate.tui.draft.messages import MessageCode
from tui_annotate.tui.widgets.header_bar import HeaderBar

if TYPE_CHECKING:
    from tui_annotate.storage.log.stream_merge import StreamMergeReport
    from tui_annotate.tui.screens.annotate.workspace_screen import WorkspaceScreen
    from tui_annotate.workspace import Workspace

_RETRY_SECONDS: Final = 0.5  # seconds until it is looked again whether a conflict can be told


class WorkSharing:
    """One person's work in one shared place; nothing of it where the environment names none.

    Args:
        post: posts to the app; called in the thread that shares.
    """

    def __init__(self, desktop: WorkspaceScreen, post: Callable[[Message], object]) -> None:
        self._screen = desktop
        self._post = post
        self._exchange: Exchange | None = None
        self._syncer: BackgroundSync | None = None
        self._problem = ""
        self._forks: list[Fork] = []  # that nobody was shown so far
        self._waiting = self._ended = False

    def prepare(self, workspace: Workspace, person: Person) -> None:
        """In the store's thread: what is called to share."""
        from tui_annotate.plugins.sync import sync_key

        if not (sync_key.folder() or sync_key.address()):
            return
        from tui_annotate.workspace import bundles

        shared = bundles.PersonSync(workspace, person)
        self._exchange = Exchange(shared.pull, shared.push)

    def begin(self, *, online: bool) -> None:
        """Somebody is at work: pulls, and from here on pushes what they do."""
        if self._exchange is None or self._syncer is not None:
            return
        self._syncer = BackgroundSync(self._exchange, self._receive, online=online)
        self._screen.saver.kept = self._syncer.changed
        self._syncer.start()

    @property
    def begun(self) -> bool:
        """Whether anything is shared, so that there may be something to send at the end."""
        return self._syncer is not None

    def toggle(self) -> None:
        """Online or offline, remembered for this person."""
        if self._syncer is None:
            self._screen.show_message(MessageCode.NOTHING_SHARED)
            return
        online = not self._syncer.online
        self._screen.remember("sync", "online" if online else "offline")
        self._screen.show_message(MessageCode.ONLINE if online else MessageCode.OFFLINE)
        self._syncer.go(online=online)

    def _receive(self, told: SyncUpdate) -> None:
        """In the thread that shares: a conflict is kept until it was shown, whatever comes."""
        if told.merged is not None:
            self._forks += told.merged.forks
        self._post(told)

    def show(self, told: SyncUpdate) -> None:
        """What changed, on the screen; the same problem is told once."""
        self._screen.query_one(HeaderBar).show_sync(told.state)
        if told.problem and told.problem != self._problem:
            self._screen.show_message(MessageCode.NOT_SHARED_YET, "warning", problem=told.problem)
        if told.problem or told.state is SyncState.SUCCESS:
            self._problem = told.problem
        if told.merged is not None:
            self._screen.reload()
            self._show_merge(told.merged)

    def _show_merge(self, merged: StreamMergeReport) -> None:
        if merged.refused:
            first = merged.refused[0]
            self._screen.show_message(
                MessageCode.LEFT_OUT_OF_PULL, "warning", sample=first.key, reason=first.refused
            )
        if self._forks and not self._waiting:
            self._show_forks()

    def _show_forks(self) -> None:
        """Both versions of what both sides did, once nothing is being typed or asked."""
        draft = self._screen.draft
        self._waiting = bool(self._forks and not self._ended)
        if not self._waiting:
            return
        if not self._screen.is_current or (draft and (draft.writing or draft.pending)):
            self._screen.set_timer(_RETRY_SECONDS, self._show_forks)
            return
        from tui_annotate.tui.dialogs.message import MessageDialog

        forks, self._forks, self._waiting = self._forks, [], False
        self._screen.forget_keys()  # they were meant for what it covers
        pages = [("Changed on both sides", "\n\n".join(map(_describe_fork, forks)))]
        self._screen.app.push_screen(MessageDialog(pages))

    def end(self) -> None:
        """Sends what is left, as far as that is quick; nothing is shown any more."""
        self._ended = True
        if self._syncer is not None:
            self._syncer.close()

    def print_unsent(self) -> None:
        """On standard error, once the screen is gone: what could not be told or sent on it."""
        for fork in self._forks:
            lines = _describe_fork(fork).splitlines()
            sys.stderr.writelines(
                f"{visible(line)}\n" for line in ("changed on both sides", *lines)
            )
        if self._syncer is not None and self._syncer.unsent:
            why = f": {visible(self._problem)}" if self._problem else ""
            sys.stderr.write(f"not all work is shared yet; it goes the next time{why}\n")


def _describe_fork(fork: Fork) -> str:
    sides = [("elsewhere", fork.there_at, fork.there), ("here", fork.here_at, fork.here)]
    (side, at, stands), (other, other_at, lost) = sides if fork.there_wins else sides[::-1]
    return (
        f"{fork.dataset}/{fork.sample}\n"
        f"stands: {in_words(stands)} ({side}, {at[:19]})\n"
        f"in the log: {in_words(lost)} ({other}, {other_at[:19]})"
    )
