"""The commands `users ssh`: set up a server that people use over ssh, and manage ssh keys."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypedDict

import typer

from tui_annotate.cli import completion, options, output, ssh_session
from tui_annotate.cli.options import add_command, add_group, argument, flag, open_workspace, option
from tui_annotate.cli.report_parts import (
    Column,
    Columns,
    NotePart,
    ResultPart,
    Table,
    Text,
    flexible_column,
    whole_column,
)
from tui_annotate.domain.errors import InvalidInput, NotFound, Unavailable
from tui_annotate.domain.ssh_keys import LONGEST
from tui_annotate.domain.terminal_text import make_line_visible
from tui_annotate.plugins.files.targets import replace_file
from tui_annotate.settings import find_workspace

if TYPE_CHECKING:
    from tui_annotate.storage.people.accounts import OwnedSshKey


_NEXT: Final = "to apply the change to sshd: tui-annotate users ssh authorized-keys -w {} FILE"

SESSION: Final = (sys.executable, "-I", "-m", "tui_annotate", *ssh_session.COMMAND)
"""Command that starts an ssh session; with `-I`, Python ignores the client's environment."""


class PrintedSetup(TypedDict, total=False):
    """The parts of a server setup for ssh, all of them without `--part`."""

    account: str
    folders: str
    sshd: str
    keys: str
    client: str


class PrintedSshKey(TypedDict):
    """An ssh key with which a person signs in."""

    person: str
    name: str
    fingerprint: str
    key: str
    created: str


class DeletedSshKey(TypedDict):
    """The fingerprint of a deleted ssh key."""

    fingerprint: str


class PrintedKeyLines(TypedDict):
    """Lines of the file authorized_keys."""

    lines: list[str]


class WrittenKeyLines(TypedDict):
    """The file authorized_keys, and the number of keys that were written to it."""

    file: Path
    keys: int


def register(users: typer.Typer) -> None:
    ssh = add_group(users, "ssh", "Set up a server for ssh, and manage ssh keys.")
    add_command(
        ssh,
        setup,
        "users ssh setup --user annotate",
        "users ssh setup --part sshd > tui-annotate.conf",
    )
    add_command(
        ssh,
        authorized_keys,
        "users ssh authorized-keys",
        "users ssh authorized-keys ~/.ssh/authorized_keys",
        name="authorized-keys",
    )
    keys = add_group(ssh, "keys", "Manage the ssh keys of people.")
    add_command(keys, add, "users ssh keys add ana@example.org id_ed25519.pub")
    add_command(keys, list_keys, "users ssh keys list --json", name="list")
    add_command(keys, delete, "users ssh keys delete SHA256:...")


def register_session(app: typer.Typer) -> None:
    """Add `ssh session`, which is hidden: lines of authorized_keys call it by this name forever."""
    ssh = add_group(app, "ssh", "Start a session for a person who signed in by ssh.", hidden=True)
    ssh.callback()(lambda: None)  # Typer would drop the group, as it holds one command only
    add_command(ssh, session, "ssh session PERSON -w DIR")


def session(
    person: Annotated[
        str, argument("PERSON", "Id of the key's owner (default: users sign in on the screen).")
    ] = "",
    *,
    workspace: options.WorkspaceOption = None,
) -> None:
    """Start a session (called by sshd).

    The session opens the screen, or exports the user's own work. `users ssh authorized-keys` writes
    this command for each key. Exit code 2: no terminal, or the client requested another command.
    """
    raise typer.Exit(ssh_session.run_session(person, workspace))


def setup(
    *,
    user: Annotated[
        str, option("--user", "NAME", "Login name on the server; all people share this name.")
    ] = "annotate",
    part: Annotated[
        SshSetupPart | None,
        typer.Option(help="Print only this part of the setup (default: all parts)."),
    ] = None,
    password_login: Annotated[
        bool,
        flag("--password-login", "Use no personal ssh keys: all users sign in on the screen."),
    ] = False,
    common: options.CommonOptions,
) -> None:
    """Print a server setup for ssh, without writing files."""
    folder = find_workspace(common.workspace)
    parts = build_setup(user, folder, SESSION, password_login=password_login)
    chosen = {part: parts[part]} if part else parts
    values = {each.value: text for each, text in chosen.items()}
    output.show(values, [Text("\n".join(chosen.values()))], as_json=common.as_json)


def add(
    person: Annotated[
        str,
        argument(
            "PERSON", "E-mail address, name or id of the key's owner.", complete=completion.people
        ),
    ],
    file: Annotated[
        Path, argument("KEYFILE", "File of the public key, *.pub; - for standard input.")
    ],
    *,
    common: options.CommonOptions,
) -> None:
    """Add an ssh key with which a person signs in."""
    where = "standard input" if str(file) == "-" else str(file)
    key = _read_public_key(file)
    with open_workspace(common.workspace) as space:
        bound = space.team.ssh_keys.add(person, key, where=where)
        folder = str(space.path)
    line = f"added key {bound.fingerprint} of {bound.person.name}"
    output.show(
        _key_as_json(bound),
        [ResultPart(line), NotePart(_NEXT.format(shlex.quote(folder)))],
        as_json=common.as_json,
    )


def list_keys(*, common: options.CommonOptions) -> None:
    """List the ssh keys of people."""
    with open_workspace(common.workspace) as space:
        bound = space.team.ssh_keys.list_keys()
    values = [_key_as_json(each) for each in bound]
    output.show(values, [Table(bound, _KEYS)], as_json=common.as_json)


_KEYS: Final[Columns[OwnedSshKey]] = (
    flexible_column("person", lambda each: each.person.name),
    Column("since", lambda each: each.created[:10]),
    whole_column("key", "fingerprint"),
)


def delete(
    fingerprint: Annotated[
        str, argument("FINGERPRINT", "Fingerprint of the key, as listed by `users ssh keys list`.")
    ],
    *,
    common: options.CommonOptions,
) -> None:
    """Delete an ssh key (run `users ssh authorized-keys` afterwards)."""
    with open_workspace(common.workspace) as space:
        space.team.ssh_keys.remove(fingerprint)
        folder = str(space.path)
    output.show(
        DeletedSshKey(fingerprint=fingerprint),
        [ResultPart(f"deleted key {fingerprint}"), NotePart(_NEXT.format(shlex.quote(folder)))],
        as_json=common.as_json,
    )


def authorized_keys(
    target: Annotated[
        Path | None,
        argument(
            "FILE",
            "File authorized_keys to update; its other lines are kept (default: print the lines).",
        ),
    ] = None,
    *,
    common: options.CommonOptions,
) -> None:
    """Print or write the lines of the file authorized_keys.

    With its line, an ssh key can start only the annotation session of the key's owner. A file
    that has other lines, but no ssh key, is refused.
    """
    with open_workspace(common.workspace) as space:
        service = space.team.ssh_keys
        folder = str(space.path)
        if target is None:
            lines = list(service.lines(SESSION, folder=folder))
            output.show(PrintedKeyLines(lines=lines), lines, as_json=common.as_json)
            return
        file = target.resolve()
        existing = file.read_bytes() if file.exists() else b""
        present = existing.decode("utf-8", "surrogateescape")
        text = service.written(present, SESSION, folder=folder, where=str(target))
        count = len(service.list_keys())
    replace_private(file, text)
    line = NotePart(f"wrote {output.many(count, 'key')} to {file}")
    output.show(WrittenKeyLines(file=file, keys=count), [line], as_json=common.as_json)


def _key_as_json(bound: OwnedSshKey) -> PrintedSshKey:
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
        raise NotFound(
            f"there is no file {file}", "pass the file of a public key, *.pub"
        ) from error
    except IsADirectoryError as error:
        raise InvalidInput(f"{file} is a folder", "pass the file of a public key, *.pub") from error


def replace_private(file: Path, text: str) -> None:
    """Replace a file in one step, readable only by its owner, who stays the same.

    Raises:
        Unavailable: the file's folder cannot be written.
    """
    try:
        file.parent.mkdir(mode=0o700, exist_ok=True)  # only .ssh: more is a typing error
        with replace_file(file) as raw:
            os.fchmod(raw.fileno(), 0o600)
            raw.write(text.encode("utf-8", "surrogateescape"))
            if os.geteuid() == 0:  # root writes for the owner of the file or of its folder
                owner = (file if file.exists() else file.parent).stat()
                os.fchown(raw.fileno(), owner.st_uid, owner.st_gid)
    except OSError as error:
        raise Unavailable(
            f"{file} cannot be written: {error.strerror}",
            "check the permissions of the folder",
        ) from error


class SshSetupPart(StrEnum):
    """Parts of the setup of an ssh server; an admin applies the parts in this order."""

    ACCOUNT = "account"
    FOLDERS = "folders"
    SSHD = "sshd"
    KEYS = "keys"
    CLIENT = "client"


_PLAIN: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-")


def build_setup(
    user: str, folder: Path, session: Sequence[str], *, password_login: bool
) -> Mapping[SshSetupPart, str]:
    """Return the text of each part of an ssh server's setup, with the files to edit.

    `password_login`: whether people sign in on the screen, without personal ssh keys.

    Raises:
        InvalidInput: the login name is invalid, or the folder's name cannot be written in sshd's
            files.
    """
    if not user or user[0] == "-" or not set(user) <= _PLAIN:
        raise InvalidInput(f"{user!r} is not a login name", "use letters a to z, digits, - and _")
    path = str(folder)
    if path != make_line_visible(path):
        raise InvalidInput(
            f"the folder name {path!r} cannot be written in sshd's files",
            "rename the workspace folder",
        )
    values = {
        "user": user,
        "folder": shlex.quote(path),
        "program": shlex.quote(str(Path(session[0]).with_name("tui-annotate"))),
        "sign_in": _KEY_LOGIN,
    }
    if password_login:
        values["sign_in"] = f"    ForceCommand {shlex.join([*session, '-w', path])}"
    templates = _TEMPLATES | ({SshSetupPart.KEYS: _SCREEN_LOGIN} if password_login else {})
    return {part: template.format(**values) for part, template in templates.items()}


_KEY_LOGIN: Final = """\
    AuthenticationMethods publickey
    PasswordAuthentication no
    KbdInteractiveAuthentication no"""

_SCREEN_LOGIN: Final = """\
# keys: none; all people log in as {user}, then sign in on the screen; check the setup:
{program} doctor -w {folder}
"""

_TEMPLATES: Final = {
    SshSetupPart.ACCOUNT: """\
# account, as root: create a user without a password; sshd runs the program in the user's shell
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
# many people may connect in the same minute
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
runuser -u {user} -- {program} ssh keys add -w {folder} PERSON KEYFILE
runuser -u {user} -- {program} ssh authorized-keys -w {folder} ~{user}/.ssh/authorized_keys
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
