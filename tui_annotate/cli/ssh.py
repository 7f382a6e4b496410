"""Commands for a server that people reach over ssh: keys, and the arrangement around them."""

from __future__ import annotations

import os
import secrets
import shlex
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tui_annotate.cli import completion, options, output, ssh_session
from tui_annotate.cli.options import add_command, add_group, argument, flag, open_workspace, option
from tui_annotate.domain.errors import InvalidInput, NotFound, Unavailable
from tui_annotate.domain.ssh_keys import LONGEST
from tui_annotate.domain.terminal_text import make_line_visible
from tui_annotate.settings import find_workspace

if TYPE_CHECKING:
    from tui_annotate.storage.people.accounts import OwnedSshKey


_NEXT: Final = "for sshd to know it: tui-annotate ssh keys -w {} --authorized-keys FILE"

SESSION: Final = (sys.executable, "-I", "-m", "tui_annotate", "session")
"""Begins a session; isolated, so that no variable of a client reaches the interpreter."""


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    add_command(app, session, "session PERSON -w DIR")
    ssh = add_group(app, "ssh", "People who come over ssh.")
    add_command(
        ssh, setup, "ssh setup --user annotate", "ssh setup --part sshd > tui-annotate.conf"
    )
    add_command(ssh, keys, "ssh keys", "ssh keys --authorized-keys ~/.ssh/authorized_keys")
    key = add_group(ssh, "key", "Keys and whose they are.")
    add_command(key, add, "ssh key add ana@example.org id_ed25519.pub")
    add_command(key, list_keys, "ssh key list --json", name="list")
    add_command(key, remove, "ssh key remove SHA256:...")


def session(
    person: Annotated[str, argument("[PERSON]", "Whose key it is, by id.")] = "",
    *,
    workspace: options.WorkspaceOption = None,
) -> None:
    """Begin what sshd begins for a key.

    The screen, or an export of one's own work. Stands in authorized_keys, where ssh keys writes it.
    Exit code 64 without a terminal.
    """
    raise typer.Exit(ssh_session.run_session(person, workspace))


def setup(
    *,
    user: Annotated[
        str, option("--user", "NAME", "The account that everybody shares.")
    ] = "annotate",
    part: Annotated[
        SshSetupPart | None, typer.Option(help="One part alone, to be put into a file.")
    ] = None,
    on_screen: Annotated[
        bool, flag("--on-screen", "No keys are bound: everybody signs in on the screen.")
    ] = False,
    workspace: options.WorkspaceOption = None,
) -> None:
    """Print a safe arrangement around one account; nothing is written."""
    folder = find_workspace(workspace)
    parts = arrangement(user, folder, SESSION, on_screen=on_screen)
    output.print_page(parts[part] if part else "\n".join(parts.values()))


def add(
    person: Annotated[str, argument("PERSON", "Name, address or id.", complete=completion.people)],
    file: Annotated[Path, argument("KEYFILE", "The public key, *.pub; - for standard input.")],
    *,
    common: options.CommonOptions,
) -> None:
    """Bind a key to a person, who then signs in with it."""
    where = "standard input" if str(file) == "-" else str(file)
    text = _read_public_key(file)
    with open_workspace(common.workspace) as space:
        bound = space.team.ssh_keys.add(person, text, where=where)
        folder = str(space.path)
    line = f"{bound.fingerprint} signs in {bound.person.name}"
    output.print_lines_or_json(_key_as_json(bound), line, as_json=common.as_json)
    if not common.as_json:
        output.print_message(_NEXT.format(shlex.quote(folder)))


def list_keys(*, common: options.CommonOptions) -> None:
    """List the keys that are bound."""
    with open_workspace(common.workspace) as space:
        bound = space.team.ssh_keys.list_keys()
    output.print_table_or_json(
        [_key_as_json(each) for each in bound],
        [output.flexible_column("person"), "since", output.whole_column("key")],
        [(each.person.name, each.created[:10], each.fingerprint) for each in bound],
        as_json=common.as_json,
    )


def remove(
    fingerprint: Annotated[str, argument("FINGERPRINT", "As ssh key list has it.")],
    *,
    workspace: options.WorkspaceOption = None,
) -> None:
    """Unbind a key; write authorized_keys anew afterwards."""
    with open_workspace(workspace) as space:
        space.team.ssh_keys.remove(fingerprint)
        folder = str(space.path)
    output.print_line(f"{fingerprint} signs in nobody")
    output.print_message(_NEXT.format(shlex.quote(folder)))


def keys(
    *,
    authorized_keys: Annotated[
        Path | None,
        option("--authorized-keys", "FILE", "Write them into this file; lines of others stay."),
    ] = None,
    workspace: options.WorkspaceOption = None,
) -> None:
    """Print the lines of authorized_keys.

    Each binds a key to its owner's session.
    """
    with open_workspace(workspace) as space:
        service, folder = space.team.ssh_keys, str(space.path)
        if authorized_keys is None:
            for line in service.lines(SESSION, folder=folder):
                output.print_line(line)
            return
        file = authorized_keys.resolve()
        existing = file.read_bytes() if file.exists() else b""
        text = service.written(existing.decode("utf-8", "surrogateescape"), SESSION, folder=folder)
        count = len(service.list_keys())
    replace_private(file, text)
    output.print_message(f"{output.many(count, 'key')} in {file}")


def _key_as_json(bound: OwnedSshKey) -> dict[str, Any]:
    return {
        "person": bound.person.id,
        "name": bound.person.name,
        "fingerprint": bound.fingerprint,
        "key": bound.line,
        "created": bound.created,
    }


def _read_public_key(file: Path) -> str:
    try:
        with nullcontext(sys.stdin.buffer) if str(file) == "-" else file.open("rb") as key:
            return key.read(LONGEST + 1).decode("utf-8", "replace")
    except FileNotFoundError as error:
        raise NotFound(f"there is no file {file}", "name the public key, *.pub") from error
    except IsADirectoryError as error:
        raise InvalidInput(f"{file} is a folder", "name the public key in it, *.pub") from error


def replace_private(file: Path, text: str) -> None:
    """Writes a file for its owner alone; it appears whole or not at all, and keeps its owner.

    Raises:
        Unavailable: its folder can not be written.
    """
    temporary = file.with_name(f".{file.name}.{secrets.token_hex(4)}.part")
    try:
        file.parent.mkdir(mode=0o700, exist_ok=True)  # .ssh alone; more is a mistyped name
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as raw:
                raw.write(text.encode("utf-8", "surrogateescape"))
                if os.geteuid() == 0:  # root writes for who owns the file, or its folder
                    owner = (file if file.exists() else file.parent).stat()
                    os.fchown(raw.fileno(), owner.st_uid, owner.st_gid)
                raw.flush()
                os.fsync(raw.fileno())
            temporary.replace(file)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise Unavailable(
            f"{file} can not be written: {error.strerror}", "nothing was changed"
        ) from error


class SshSetupPart(StrEnum):
    """A part of the arrangement, in the order in which they are done."""

    ACCOUNT = "account"
    FOLDERS = "folders"
    SSHD = "sshd"
    KEYS = "keys"
    CLIENT = "client"


_PLAIN: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-")


def arrangement(
    user: str, folder: Path, session: Sequence[str], *, on_screen: bool
) -> Mapping[SshSetupPart, str]:
    """The parts as text, each with a comment that says where it belongs.

    Args:
        user: the account that everybody shares.
        folder: the workspace's.
        session: the words of the command that begins a session.
        on_screen: no keys are bound, everybody signs in on the screen.

    Raises:
        InvalidInput: the account's name is none, or the folder can not stand in these files.
    """
    if not user or user[0] == "-" or not set(user) <= _PLAIN:
        raise InvalidInput(f"{user!r} is no name of an account", "use letters a to z and digits")
    path = str(folder)
    if path != make_line_visible(path):
        raise InvalidInput(f"{path!r} can not stand in sshd's files", "choose a plain name")
    values = {
        "user": user,
        "folder": shlex.quote(path),
        "program": shlex.quote(str(Path(session[0]).with_name("tui-annotate"))),
        "sign_in": _BY_KEY,
    }
    if on_screen:
        values["sign_in"] = f"    ForceCommand {shlex.join([*session, '-w', path])}"
    templates = _TEMPLATES | ({SshSetupPart.KEYS: _ON_SCREEN} if on_screen else {})
    return {part: template.format(**values) for part, template in templates.items()}


_BY_KEY: Final = """\
    AuthenticationMethods publickey
    PasswordAuthentication no
    KbdInteractiveAuthentication no"""

_ON_SCREEN: Final = """\
# keys: none are bound; whoever sshd lets in as {user} signs in on the screen
{program} doctor -w {folder}
"""

_TEMPLATES: Final = {
    SshSetupPart.ACCOUNT: """\
# account, as root: one that nobody knows a password of, with a plain shell for sshd to start us by
adduser --disabled-password --gecos tui-annotate --shell /bin/sh {user}
""",
    SshSetupPart.FOLDERS: """\
# folders, as root: files 0600, folders 0700, owned by the account, on a local disk
chown -R {user}: {folder}
chmod -R u=rwX,go= {folder}
install -d -o {user} -g {user} -m 0700 ~{user}/.ssh
""",
    SshSetupPart.SSHD: """\
# sshd: /etc/ssh/sshd_config.d/60-tui-annotate.conf, then: sshd -t && systemctl reload ssh
# many people may begin at the same minute
MaxStartups 60:30:120
Compression yes
PermitUserEnvironment no
Match User {user}
{sign_in}
    PermitTTY yes
    DisableForwarding yes
    AllowTcpForwarding no
    AllowStreamLocalForwarding no
    AllowAgentForwarding no
    X11Forwarding no
    PermitTunnel no
    PermitUserRC no
    AcceptEnv LANG LC_* COLORTERM NO_COLOR
    ClientAliveInterval 30
    ClientAliveCountMax 4
""",
    SshSetupPart.KEYS: """\
# keys, as root: a key for each person, then one line of authorized_keys for each key
runuser -u {user} -- {program} ssh key add -w {folder} PERSON KEYFILE
runuser -u {user} -- {program} ssh keys -w {folder} --authorized-keys ~{user}/.ssh/authorized_keys
{program} doctor -w {folder}
""",
    SshSetupPart.CLIENT: """\
# client: ~/.ssh/config of each person; then: ssh annotation
Host annotation
    HostName SERVER
    User {user}
    Compression yes
    ServerAliveInterval 30
    SendEnv COLORTERM
    ForwardAgent no
    ForwardX11 no
""",
}
