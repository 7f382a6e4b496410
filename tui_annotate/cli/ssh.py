"""Commands for a server that people reach over ssh: keys, and the arrangement around them."""

from __future__ import annotations

import os
import secrets
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tui_annotate.cli import completion, guest, output
from tui_annotate.cli.options import JsonOption, WorkspaceOption, examples, find, opened
from tui_annotate.cli.ssh_arrangement import Part, arrangement
from tui_annotate.domain.errors import InvalidInput, NotFound, Unavailable
from tui_annotate.domain.ssh_keys import LONGEST

if TYPE_CHECKING:
    from tui_annotate.storage.people.keys import BoundKey

_NEXT: Final = "for sshd to know it: tui-annotate ssh keys -w {} --authorized-keys FILE"

SESSION: Final = (sys.executable, "-I", "-m", "tui_annotate", "session")
"""Begins a session; isolated, so that no variable of a client reaches the interpreter."""


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    app.command(epilog=examples("tui-annotate session PERSON -w DIR"))(session)
    ssh = typer.Typer(help="People who come over ssh.", no_args_is_help=True)
    ssh.command(
        epilog=examples(
            "tui-annotate ssh setup --user annotate",
            "tui-annotate ssh setup --part sshd > tui-annotate.conf",
        )
    )(setup)
    ssh.command(
        epilog=examples(
            "tui-annotate ssh keys",
            "tui-annotate ssh keys --authorized-keys ~/.ssh/authorized_keys",
        )
    )(keys)
    key = typer.Typer(help="Keys and whose they are.", no_args_is_help=True)
    key.command(epilog=examples("tui-annotate ssh key add ana@example.org id_ed25519.pub"))(add)
    key.command("list", epilog=examples("tui-annotate ssh key list --json"))(listed)
    key.command(epilog=examples("tui-annotate ssh key remove SHA256:..."))(remove)
    ssh.add_typer(key, name="key")
    app.add_typer(ssh, name="ssh")


def session(
    person: Annotated[
        str, typer.Argument(metavar="[PERSON]", help="Whose key it is, by id.", show_default=False)
    ] = "",
    *,
    workspace: WorkspaceOption = None,
) -> None:
    """Begin what sshd begins for a key.

    The screen, or an export of one's own work. Stands in authorized_keys, where ssh keys writes it.
    Exit code 64 without a terminal.
    """
    raise typer.Exit(guest.begin(person, workspace))


def setup(
    *,
    user: Annotated[
        str, typer.Option(metavar="NAME", help="The account that everybody shares.")
    ] = "annotate",
    part: Annotated[
        Part | None, typer.Option(help="One part alone, to be put into a file.")
    ] = None,
    on_screen: Annotated[
        bool,
        typer.Option("--on-screen", help="No keys are bound: everybody signs in on the screen."),
    ] = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Print a safe arrangement around one account; nothing is written."""
    folder = find(workspace)
    parts = arrangement(user, folder, SESSION, on_screen=on_screen)
    if part:
        output.page(parts[part])
        return
    output.page("\n".join(parts.values()))


def add(
    person: Annotated[
        str,
        typer.Argument(
            metavar="PERSON", help="Name, address or id.", autocompletion=completion.people
        ),
    ],
    file: Annotated[
        Path, typer.Argument(metavar="KEYFILE", help="The public key, *.pub; - for standard input.")
    ],
    *,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Bind a key to a person, who then signs in with it."""
    where = "standard input" if str(file) == "-" else str(file)
    text = _text(file)
    with opened(workspace) as space:
        bound = space.team.bind.add(person, text, where=where)
        folder = str(space.path)
    if as_json:
        output.as_json(_as_json(bound))
        return
    output.line(f"{bound.fingerprint} signs in {bound.person.name}")
    output.say(_NEXT.format(shlex.quote(folder)))


def listed(*, as_json: JsonOption = False, workspace: WorkspaceOption = None) -> None:
    """List the keys that are bound."""
    with opened(workspace) as space:
        bound = space.team.bind.listed()
    if as_json:
        output.as_json([_as_json(each) for each in bound])
        return
    output.table(
        [
            output.Column("person", flexible=True),
            output.Column("since"),
            output.Column("key", whole=True),
        ],
        [(each.person.name, each.created[:10], each.fingerprint) for each in bound],
    )


def remove(
    fingerprint: Annotated[
        str, typer.Argument(metavar="FINGERPRINT", help="As ssh key list has it.")
    ],
    *,
    workspace: WorkspaceOption = None,
) -> None:
    """Unbind a key; write authorized_keys anew afterwards."""
    with opened(workspace) as space:
        space.team.bind.remove(fingerprint)
        folder = str(space.path)
    output.line(f"{fingerprint} signs in nobody")
    output.say(_NEXT.format(shlex.quote(folder)))


def keys(
    *,
    authorized_keys: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write them into this file; lines of others stay."),
    ] = None,
    workspace: WorkspaceOption = None,
) -> None:
    """Print the lines of authorized_keys.

    Each binds a key to its owner's session.
    """
    with opened(workspace) as space:
        bind, folder = space.team.bind, str(space.path)
        if authorized_keys is None:
            for line in bind.lines(SESSION, folder=folder):
                output.line(line)
            return
        file = authorized_keys.resolve()
        text = bind.written(_there(file), SESSION, folder=folder)
        count = len(bind.listed())
    replace_private(file, text)
    output.say(f"{output.many(count, 'key')} in {file}")


def _as_json(bound: BoundKey) -> dict[str, Any]:
    return {
        "person": bound.person.id,
        "name": bound.person.name,
        "fingerprint": bound.fingerprint,
        "key": bound.line,
        "created": bound.created,
    }


def _text(file: Path) -> str:
    try:
        if str(file) == "-":
            return sys.stdin.buffer.read(LONGEST + 1).decode("utf-8", "replace")
        with file.open("rb") as opened_file:
            return opened_file.read(LONGEST + 1).decode("utf-8", "replace")
    except FileNotFoundError as error:
        raise NotFound(f"there is no file {file}", "name the public key, *.pub") from error
    except IsADirectoryError as error:
        raise InvalidInput(f"{file} is a folder", "name the public key in it, *.pub") from error


def _there(file: Path) -> str:
    """The text of a file, byte for byte; empty where there is none."""
    try:
        return file.read_bytes().decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return ""


def replace_private(file: Path, text: str) -> None:
    """Writes a file for its owner alone; it appears whole or not at all, and keeps its owner.

    Raises:
        Unavailable: its folder can not be written.
    """
    beside = file.with_name(f".{file.name}.{secrets.token_hex(4)}.part")
    try:
        file.parent.mkdir(mode=0o700, exist_ok=True)  # .ssh alone; more is a mistyped name
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as raw:
                raw.write(text.encode("utf-8", "surrogateescape"))
                _give(raw.fileno(), file)
                raw.flush()
                os.fsync(raw.fileno())
            beside.replace(file)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise Unavailable(
            f"{file} can not be written: {error.strerror}", "nothing was changed"
        ) from error


def _give(descriptor: int, file: Path) -> None:
    """Root writes for whoever owns the file, or, where it is new, its folder."""
    if os.geteuid() == 0:
        owner = (file if file.exists() else file.parent).stat()
        os.fchown(descriptor, owner.st_uid, owner.st_gid)
