"""The way to the first frame: finds the workspace, looks at the terminal, runs the app.

The command line as people mostly give it is read here without Typer, which costs half as much as
Textual; whatever is not plain (help, mistakes, other commands) is left to Typer.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import check_name

if TYPE_CHECKING:
    from tui_annotate.tui.session import ForcedIdentity
    from tui_annotate.workspace import Workspace

LOG: Final = "log/app.log"
OPTIONS: Final = {
    "--as": "name",
    "--sample": "sample",
    "--order": "order",
    "--workspace": "workspace",
    "-w": "workspace",
}


def parse_annotate(arguments: Sequence[str]) -> dict[str, str] | None:
    """The options of a plain `annotate`; None where Typer has to look at it.

    Plain is: each option once, spelt in full, its value behind a blank and not like an option.
    """
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
    """Opens the screen, comes back when it is left, and gives the exit code.

    Args:
        workspace: its folder; None for the environment's, else the nearest parent.
        name: who works; empty for whoever is remembered.
        sample: where to begin; empty for where this person was.
        order: of the queue; empty for the workspace's.
        bound: whom sshd knows by their key, in a workspace with accounts.
        own: this user of the machine is one person's, so that they can stay signed in.
        reviewing: what several people said is settled; else one annotates.
        remembered: a name that is given is the one of this user from now on.
        action: what is done first, as the key table names it; empty for nothing.

    Raises:
        NotFound: there is no workspace, or no such sample.
        InvalidInput: an option or the settings are wrong.
        InvalidInput: there is no terminal to draw on.
    """
    from tui_annotate import settings

    folder = settings.find_workspace(workspace)
    chosen = settings.load(folder, flags={"order": order or None}).order
    if name:
        check_name(name)
    try:
        need_terminal("review" if reviewing else "annotate")
    except InvalidInput:
        _require_sample(
            folder, sample
        )  # with a terminal the screen finds out, behind its first frame
        raise
    # Where a group shares a workspace, each member has a log of their own.
    is_owner = os.geteuid() == folder.stat().st_uid
    # Imports make no garbage, and looking for it in them costs a quarter of their time.
    gc.disable()
    from tui_annotate.tui.app import run

    return run(
        partial(_open_workspace, folder, name if remembered else ""),
        person=name,
        sample=sample,
        order=chosen,
        log=folder / (LOG if is_owner else LOG.replace(".log", f"-{os.geteuid()}.log")),
        bound=bound,
        own=own,
        reviewing=reviewing,
        action=action,
    )


def _open_workspace(folder: Path, name: str) -> Workspace:
    try:
        from tui_annotate import settings
        from tui_annotate import workspace as workspaces

        space = workspaces.open(folder)
        if name and not space.team.members.required():
            settings.remember_name(name)
        return space
    finally:
        gc.freeze()
        # What a frame allocates has no cycles, and is gone without the collector; as it comes by
        # default, each twentieth page key at a megabyte waited 15 ms for it.
        gc.set_threshold(20_000, 50, 100)
        gc.enable()


def _require_sample(folder: Path, sample: str) -> None:
    from tui_annotate import workspace as workspaces

    with workspaces.open(folder) as space:
        if sample and not sample.endswith("/"):  # a dataset alone: whose first of it, who knows
            space.corpus.find(sample)


def need_terminal(what: str, *, instead: str = "match, export, status") -> None:
    """Refuses to draw where nothing can be drawn on.

    Args:
        what: the command.
        instead: what does the same in scripts.

    Raises:
        InvalidInput: there is no terminal, or one that can not be drawn on.
    """
    instead = f"in scripts use {instead}; over ssh add -t: ssh -t HOST tui-annotate"
    for name, stream in (("stdin", sys.stdin), ("stdout", sys.stdout)):
        if not stream.isatty():
            raise InvalidInput(f"{what} needs a terminal, and {name} is none", instead)
    kind = os.environ.get("TERM", "")
    if kind in {"", "dumb"}:
        raise InvalidInput(
            f"{what} can not draw on a terminal of the kind {kind!r}",
            "set TERM to what the terminal is, for example xterm-256color",
        )
