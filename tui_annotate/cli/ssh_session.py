"""The command `ssh session`, which sshd starts for a person who annotates or exports.

The module is loaded without Typer, whose import would delay the first frame. A client can request
only the two words `EXPORT` and `REVIEW`; a session never opens a shell.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tui_annotate.cli import output, screen
from tui_annotate.domain.errors import NotAllowed

if TYPE_CHECKING:
    from tui_annotate.domain.people import Actor
    from tui_annotate.workspace import Workspace

NO_TERMINAL: Final = 2
"""Exit code of an ssh session without a terminal, or with a command that is refused."""

EXPORT = "export"
REVIEW = "review"

COMMAND: Final = ("ssh", "session")

HINT: Final = (
    "this account runs only tui-annotate: ssh HOST to annotate, ssh -t HOST review to review,"
    " ssh HOST export > mine.jsonl to export your own work"
)


def parse_session(arguments: Sequence[str]) -> tuple[str, Path] | None:
    """Parse the arguments `ssh session [PERSON] -w DIR`, as written to `authorized_keys`.

    Return the person's id, empty if none is named, and the folder; None for all other arguments.
    """
    if len(arguments) not in {4, 5} or tuple(arguments[:2]) != COMMAND:
        return None
    *person, option, folder = arguments[2:]
    if option != "-w" or any(not each or each.startswith("-") for each in (*person, folder)):
        return None
    return "".join(person), Path(folder)


def run_session(person: str, workspace: Path | None) -> int:
    """Run the command that an ssh client requests, and return the exit code.

    `person`: id of the key's owner; empty if users sign in on the screen.

    Raises:
        NotFound: no folder is a workspace.
        NotAllowed: the process does not run as the user who owns the store; the person has no
            active account, or requests a review without being a reviewer; or no person is named and
            the workspace has no accounts.
    """
    from tui_annotate.settings import find_workspace
    from tui_annotate.workspace.stores import find_owner

    folder = find_workspace(workspace)
    # A member of a group that shares the store could pass the id of any other person.
    if find_owner(folder) != os.geteuid():
        raise NotAllowed(
            f"only the user who owns the store of {folder} can run ssh session",
            "to annotate, use: tui-annotate annotate",
        )
    command = os.environ.get("SSH_ORIGINAL_COMMAND", "")
    if command == EXPORT and person:
        return _export(person, folder)
    if command not in {"", REVIEW} or not (sys.stdin.isatty() and sys.stdout.isatty()):
        output.print_message(HINT)
        return NO_TERMINAL
    if not person:
        _require_accounts(folder)
    elif command == REVIEW:
        _require_reviewer(person, folder)
    from tui_annotate.tui.session import ForcedIdentity

    bound = ForcedIdentity(person) if person else None
    return screen.annotate(folder, bound=bound, own=False, reviewing=command == REVIEW)


def _require_accounts(folder: Path) -> None:
    """Check that the workspace has accounts; otherwise, all ssh users would be one person."""
    from tui_annotate import workspace as workspaces

    with workspaces.open(folder) as space:
        if not space.team.authenticate.required():
            raise NotAllowed(
                f"{folder} has no accounts", "create an account with: tui-annotate users create"
            )


def _require_reviewer(person: str, folder: Path) -> None:
    """Check that a person may review; on the screen, the refusal would wait for a key."""
    from tui_annotate import workspace as workspaces
    from tui_annotate.domain.people import Permission, require_permission

    with workspaces.open(folder) as space, _signed_in(space, person) as actor:
        require_permission(actor, Permission.REVIEW)


def _export(person: str, folder: Path) -> int:
    from tui_annotate import workspace as workspaces

    with workspaces.open(folder) as space, _signed_in(space, person) as actor:
        report = space.acting(actor).export(person=person, gold="with")
    if not report.records:
        output.print_message("nothing to export: you have not annotated any sample yet")
    return 0


@contextmanager
def _signed_in(space: Workspace, person: str) -> Iterator[Actor]:
    """Start a session of the owner of an SSH key, which ends with the block."""
    authenticate = space.team.authenticate
    # The first word of SSH_CONNECTION is the client's address.
    address = os.environ.get("SSH_CONNECTION", "").partition(" ")[0]
    signed = authenticate.by_key(person, client=address)
    try:
        yield signed.actor
    finally:
        authenticate.sign_out(signed.session)
