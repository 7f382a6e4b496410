"""A safe arrangement of account, sshd, keys and clients around a workspace, as text to copy."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Final

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.visible import visible_line


class Part(StrEnum):
    """A part of the arrangement, in the order in which they are done."""

    ACCOUNT = "account"
    FOLDERS = "folders"
    SSHD = "sshd"
    KEYS = "keys"
    CLIENT = "client"


_PLAIN: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-")


def arrangement(
    user: str, folder: Path, session: Sequence[str], *, on_screen: bool
) -> Mapping[Part, str]:
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
    place = str(folder)
    if place != visible_line(place):
        raise InvalidInput(f"{place!r} can not stand in sshd's files", "choose a plain name")
    forced = shlex.join([*session, "-w", place])
    program = shlex.quote(str(Path(session[0]).with_name("tui-annotate")))
    return {
        Part.ACCOUNT: _ACCOUNT.format(user=user),
        Part.FOLDERS: _FOLDERS.format(user=user, folder=shlex.quote(place)),
        Part.SSHD: _sshd(user, forced if on_screen else ""),
        Part.KEYS: (_ON_SCREEN if on_screen else _KEYS).format(
            user=user, folder=shlex.quote(place), program=program
        ),
        Part.CLIENT: _CLIENT.format(user=user),
    }


def _sshd(user: str, forced: str) -> str:
    own = (f"ForceCommand {forced}",) if forced else _BY_KEY
    return _SSHD.format(user=user, lines="\n".join(f"    {each}" for each in (*own, *_ALWAYS)))


_BY_KEY: Final = (
    "AuthenticationMethods publickey",
    "PasswordAuthentication no",
    "KbdInteractiveAuthentication no",
)
_ALWAYS: Final = (
    "PermitTTY yes",
    "DisableForwarding yes",
    "AllowTcpForwarding no",
    "AllowStreamLocalForwarding no",
    "AllowAgentForwarding no",
    "X11Forwarding no",
    "PermitTunnel no",
    "PermitUserRC no",
    "AcceptEnv LANG LC_* COLORTERM NO_COLOR",
    "ClientAliveInterval 30",
    "ClientAliveCountMax 4",
)

_ACCOUNT: Final = """\
# account, as root: one that nobody knows a password of, with a plain shell for sshd to start us by
adduser --disabled-password --gecos tui-annotate --shell /bin/sh {user}
"""

_FOLDERS: Final = """\
# folders, as root: files 0600, folders 0700, owned by the account, on a local disk
chown -R {user}: {folder}
chmod -R u=rwX,go= {folder}
install -d -o {user} -g {user} -m 0700 ~{user}/.ssh
"""

_SSHD: Final = """\
# sshd: /etc/ssh/sshd_config.d/60-tui-annotate.conf, then: sshd -t && systemctl reload ssh
# many people may begin at the same minute
MaxStartups 60:30:120
Compression yes
PermitUserEnvironment no
Match User {user}
{lines}
"""

_KEYS: Final = """\
# keys, as root: a key for each person, then one line of authorized_keys for each key
runuser -u {user} -- {program} ssh key add -w {folder} PERSON KEYFILE
runuser -u {user} -- {program} ssh keys -w {folder} --authorized-keys ~{user}/.ssh/authorized_keys
{program} doctor -w {folder}
"""

_ON_SCREEN: Final = """\
# keys: none are bound; whoever sshd lets in as {user} signs in on the screen
{program} doctor -w {folder}
"""

_CLIENT: Final = """\
# client: ~/.ssh/config of each person; then: ssh annotation
Host annotation
    HostName SERVER
    User {user}
    Compression yes
    ServerAliveInterval 30
    SendEnv COLORTERM
    ForwardAgent no
    ForwardX11 no
"""
