"""Opens the screen for annotating or review, after a check of the terminal.

A simple `annotate` command line is parsed here without Typer, whose import takes half as long as
that of Textual.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tui_annotate.cli import output
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import check_name

if TYPE_CHECKING:
    from tui_annotate.tui.session import ForcedIdentity
    from tui_annotate.workspace import Workspace

LOG: Final = "log/app.log"
"""Log of the workspace's owner, in its folder; each other user has another file next to it."""
OPTIONS: Final = {
    "--as": "name",
    "--sample": "sample",
    "--order": "order",
    "--workspace": "workspace",
    "-w": "workspace",
}
"""Options of Typer's command `annotate` that need no FILE, which a test compares, by parameter."""


def parse_annotate(arguments: Sequence[str]) -> dict[str, str] | None:
    """Return the options of a simple `annotate` command line; None if Typer must parse it."""
    if not arguments or arguments[0] != "annotate" or len(arguments) % 2 == 0:
        return None
    found: dict[str, str] = {}
    for option, value in zip(arguments[1::2], arguments[2::2], strict=True):
        name = OPTIONS.get(option)
        if name is None or name in found or not value or value.startswith("-"):
            return None
        found[name] = value
    return found


def annotate(
    workspace: Path | None,
    *,
    name: str = "",
    sample: str = "",
    order: str = "",
    bound: ForcedIdentity | None = None,
    own: bool = True,
    reviewing: bool = False,
    remembered: bool = True,
    action: str = "",
) -> int:
    """Open the annotate or review screen, and return the exit code when the user quits.

    Args:
        workspace: workspace folder; None for the folder in $TUI_ANNOTATE_WORKSPACE, else the
            nearest parent folder that is a workspace.
        name: name of the annotator; empty for the name that the workspace remembers.
        sample: sample to open first; empty for the sample that the user opened last.
        order: queue order; empty for the order in the settings.
        bound: identity of the user whom sshd authenticated, in a workspace with accounts.
        own: whether the user of the operating system is one person, who may stay signed in.
        reviewing: open the reviewing screen instead of the annotating screen.
        remembered: whether `name` is remembered for the next session.
        action: id of the action that the screen runs first; empty for none.

    Raises:
        NotFound: the workspace or the sample does not exist.
        InvalidInput: an option or a setting is invalid, or there is no usable terminal.
        TuiAnnotateError: the workspace could not be opened; raised when the user quits.
    """
    from tui_annotate import settings

    folder = settings.find_workspace(workspace)
    queue_order = settings.load(folder, flags={"order": order or None}).order
    if name:
        check_name(name)
    try:
        need_terminal("review" if reviewing else "annotate")
    except InvalidInput:
        # With a terminal, the screen checks workspace and sample after its first frame.
        _check_workspace(folder, sample)
        raise
    _pause_garbage_collector()
    from tui_annotate.editor.screen_message import use_commands
    from tui_annotate.tui.app import run

    use_commands(output.add_workspace)
    return run(
        partial(_open_workspace, folder, name if remembered else ""),
        person=name,
        sample=sample,
        order=queue_order,
        log=_find_log(folder),
        bound=bound,
        own=own,
        reviewing=reviewing,
        action=action,
    )


def need_terminal(what: str, *, instead: str = "the command lab match, export or status") -> None:
    """Check that standard input and output are a terminal that can show a screen.

    Args:
        instead: commands that do the same in scripts, for the hint.

    Raises:
        InvalidInput: there is no terminal, or the screen cannot be drawn on it.
    """
    hint = f"in scripts, use {instead}; over ssh, add -t: ssh -t HOST tui-annotate"
    for name, stream in (("standard input", sys.stdin), ("standard output", sys.stdout)):
        if not stream.isatty():
            raise InvalidInput(f"{what} needs a terminal, but {name} is not a terminal", hint)
    kind = os.environ.get("TERM", "")
    if kind in {"", "dumb"}:
        raise InvalidInput(
            f"{what} cannot draw on a terminal of the type {kind!r}",
            "set TERM to the type of the terminal, for example xterm-256color",
        )


def _find_log(folder: Path) -> Path:
    """Return the user's log file: in a workspace that several users share, each has one."""
    log = folder / LOG
    user = os.geteuid()
    is_owner = user == folder.stat().st_uid
    return log if is_owner else log.with_stem(f"{log.stem}-{user}")


def _pause_garbage_collector() -> None:
    """Save time at the start, until `_open_workspace` resumes the garbage collector.

    Imports create no garbage, and the garbage collector would take a quarter of their time.
    """
    gc.disable()


def _resume_garbage_collector() -> None:
    """Resume after `_pause_garbage_collector`, without the objects that exist until the end."""
    gc.freeze()
    # The objects of a frame have no cycles and need no collector. With the default thresholds,
    # every 20th page key in a text of 1 MB waited 15 ms for the collector.
    gc.set_threshold(20_000, 50, 100)
    gc.enable()


def _open_workspace(folder: Path, name: str) -> Workspace:
    """Open the workspace after the first frame, when all imports are done, and remember `name`."""
    try:
        from tui_annotate import settings
        from tui_annotate import workspace as workspaces

        space = workspaces.open(folder)
        if name and not space.team.members.required():
            settings.remember_name(folder, name)
        return space
    finally:
        _resume_garbage_collector()


def _check_workspace(folder: Path, sample: str) -> None:
    """Raise the errors of opening a workspace and a sample, which come before other errors."""
    from tui_annotate import workspace as workspaces

    with workspaces.open(folder) as space:
        if sample and not sample.endswith("/"):  # `DATASET/` names no single sample
            space.corpus.find(sample)
