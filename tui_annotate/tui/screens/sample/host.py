"""What the parts of a sample's screen may use of it.

Parts name these protocols instead of the screen that owns them, so that imports lead one way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from textual.app import App
    from textual.screen import Screen

    from tui_annotate.domain.samples import Side
    from tui_annotate.tui.draft.effects import Effect
    from tui_annotate.tui.draft.state import Citation, Draft


class ScreenHost(Protocol):
    """What both parts and features use of the screen."""

    @property
    def app(self) -> App[Any]:
        """The running app."""

    @property
    def draft(self) -> Draft | None:
        """The sample on screen with all that is not saved yet."""

    def show_draft(self) -> None:
        """Bring every widget in line with the draft."""

    def perform(self, effects: Sequence[Effect]) -> None:
        """Do what the draft asks for, in order, and show the draft."""

    def follow(self) -> None:
        """Tell the draft where the cursors are, and update matches."""

    def open_dialog(self, dialog: Screen[Any], closed: Callable[[Any], None] | None = None) -> None:
        """Open a dialog or another screen; `closed` gets its result."""

    def run_in_thread(self, group: str, call: Callable[[], None]) -> None:
        """Run a call in a thread, in place of the one of its group before it."""


class SampleHost(ScreenHost, Protocol):
    """What panes, comparison and search use of the screen."""

    @property
    def shows_matches(self) -> bool:
        """Whether matches of the selection are looked for."""

    def citations(self, draft: Draft) -> Sequence[Citation]:
        """Return what is marked behind the sentences of the summary."""

    def surroundings(self, draft: Draft, side: Side) -> tuple[str, str]:
        """Return the text before and after that of a side, where it is part of a longer one."""

    def assist_ready(self) -> None:
        """Mark what the sources lack, now that the assist can be asked."""

    def free_keys(self) -> None:
        """Let keys go on that may have waited for something that is here now."""

    def forget_shown(self) -> None:
        """After a pane got another text: all marks are to be set anew."""

    def call_later(self, callback: Callable[..., Any], *args: Any) -> bool:
        """Textual's: call something once all messages before it are handled."""
