"""A session over ssh: annotate, review or export one's own work; no shell.

Loaded without Typer, because the first frame waits for it. Of what a client requests from sshd,
only the two words `EXPORT` and `REVIEW` count.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tui_annotate.cli import output, screen
from tui_annotate.domain.errors import NotAllowed

NO_TERMINAL: Final = 2
"""The exit code where there is no terminal, or another command was requested."""

EXPORT, REVIEW = "export", "review"
"""What a client may request by exactly this word; without one, the annotating screen opens."""

STORE: Final = "store.sqlite"
HINT: Final = (
    "this account runs tui-annotate alone: ssh HOST to annotate, ssh -t HOST review to review,"
    " ssh HOST export > mine.jsonl to have your own work"
)


def parse_session(arguments: Sequence[str]) -> tuple[str, Path] | None:
    """The person and the workspace of a `session` as `authorized_keys` has it; None for others."""
    if len(arguments) not in {3, 4} or arguments[0] != "session":
        return None
    *person, option, folder = arguments[1:]
    if option != "-w" or any(not each or each.startswith("-") for each in (*person, folder)):
        return None
    return "".join(person), Path(folder)


def run_session(person: str, workspace: Path | None) -> int:
    """Run what the client requests, and return the exit code.

    Args:
        person: whose key it is, by id; empty where everyone signs in on the screen.
        workspace: its folder; None for the environment's, else the nearest parent.

    Raises:
        NotFound: there is no workspace.
        NotAllowed: this process does not run as the account that owns the store; the person has no
            account that is active, or, where none is named, nobody has one.
    """
    from tui_annotate.settings import find_workspace

    folder = find_workspace(workspace)
    store = folder / STORE
    if store.stat().st_uid != os.geteuid():  # who shares a store by a group could be anybody else
        raise NotAllowed(
            f"session is for the account that owns {store}",
            "with an account of your own: tui-annotate annotate",
        )
    command = os.environ.get("SSH_ORIGINAL_COMMAND", "")
    if command == EXPORT and person:
        return _export(person, folder)
    if command not in {"", REVIEW} or not (sys.stdin.isatty() and sys.stdout.isatty()):
        output.print_message(HINT)
        return NO_TERMINAL
    if not person:
        _require_accounts(folder)
    from tui_annotate.tui.session import ForcedIdentity

    bound = ForcedIdentity(person) if person else None
    return screen.annotate(folder, bound=bound, own=False, reviewing=command == REVIEW)


def _require_accounts(folder: Path) -> None:
    """Without accounts, no one signs in, and everyone would be the same person."""
    from tui_annotate import workspace as workspaces

    with workspaces.open(folder) as space:
        if not space.team.authenticate.required():
            raise NotAllowed(f"nobody has an account in {folder}", "tui-annotate users add")


def _export(person: str, folder: Path) -> int:
    from tui_annotate import workspace as workspaces

    with workspaces.open(folder) as space:
        authenticate = space.team.authenticate
        # sshd names the client's address first.
        address = os.environ.get("SSH_CONNECTION", "").partition(" ")[0]
        signed = authenticate.by_key(person, client=address)
        try:
            space.acting(signed.actor).export(person=person)
        finally:
            authenticate.sign_out(signed.session)
    return 0
