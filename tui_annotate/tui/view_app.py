"""The read-only viewer app: shows one file without a workspace or sign-in, and writes nothing."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import mkstemp
from typing import TYPE_CHECKING, Any

from tui_annotate.tui import terminal

LOOK = terminal.prepare(os.environ)

# Textual reads environment variables on import, so its importers come after `prepare`.
from tui_annotate.domain.errors import InvalidInput  # noqa: E402
from tui_annotate.editor.key_map import default_keys, key_map  # noqa: E402
from tui_annotate.editor.screen_message import error_texts  # noqa: E402
from tui_annotate.tui.palette import NAMES  # noqa: E402
from tui_annotate.tui.restricted_app import RestrictedApp  # noqa: E402
from tui_annotate.tui.screens.view.screen import ViewScreen  # noqa: E402
from tui_annotate.tui.theme import TerminalLook  # noqa: E402
from tui_annotate.tui.workspace_texts import WorkspaceText  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tui_annotate.services.file_browser import FileBrowser


class ViewApp(RestrictedApp):
    """App that shows the samples and annotations of a file read-only.

    `keys` are changes to the key map; a `theme` that is none of `NAMES` keeps the default.
    """

    def __init__(
        self,
        browser: FileBrowser,
        *,
        sample: str = "",
        words: str = "",
        keys: Mapping[str, Any] | None = None,
        theme: str = "",
        look: TerminalLook = LOOK,
    ) -> None:
        super().__init__(look)
        in_force = default_keys()
        try:
            in_force = key_map(keys)
        except InvalidInput as error:
            words, _ = error_texts(error)
        self.sample_screen = ViewScreen(
            browser, self.exit, keys=in_force, sample=sample, words=words
        )
        if theme in NAMES and not look.native:
            self.theme = theme

    def on_mount(self) -> None:
        """Show the screen, and quit when the terminal's input ends."""
        self.listen(self.exit)
        self.push_screen(self.sample_screen)


def run(browser: FileBrowser, **how: Any) -> int:
    """Run the viewer until the user quits; return 0, or 1 if an error ended the app."""
    app = ViewApp(browser, **how)
    handle, name = mkstemp(prefix="tui-annotate-", suffix=".log")
    os.close(handle)
    log = Path(name)
    try:
        with terminal.redirect_stderr(log):
            app.run()
    finally:
        if not app.problem:
            log.unlink(missing_ok=True)
    if app.input_ended:
        app.print_input_ended(WorkspaceText.INPUT_ENDED_UNCHANGED.text())
        return 1
    if not app.problem:
        return 0
    app.print_problem(WorkspaceText.UNCHANGED_DETAILS.text(log=log))
    return 1
