"""What `doctor` finds about a server: its C library, and what sshd lets a key do."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tui_annotate.domain.authorized_keys import Entry, parse_entry
from tui_annotate.domain.findings import Finding

LEAST_GLIBC: Final = (2, 28)
"""What the wheels of LanceDB, PyArrow and NumPy were built for: manylinux_2_28."""

Settings = Mapping[str, Sequence[str]]
"""What `sshd -T` prints: a name in lower case, and its values."""

_WANTED: Final = {
    "permittty": "yes",
    "disableforwarding": "yes",
    "permituserrc": "no",
    "permituserenvironment": "no",
}
_SPELT: Final = {
    "permittty": "PermitTTY",
    "disableforwarding": "DisableForwarding",
    "permituserrc": "PermitUserRC",
    "permituserenvironment": "PermitUserEnvironment",
}
_ACCEPTED: Final = re.compile(r"LANG|LC_[A-Z*]+|COLORTERM|NO_COLOR")
_WRITABLE_BY_OTHERS: Final = 0o022


def glibc_check() -> Iterator[Finding]:
    """Whether the C library is one that the wheels of our libraries run on."""
    try:
        name = os.confstr("CS_GNU_LIBC_VERSION") or ""
    except (AttributeError, ValueError, OSError):
        return  # another system, with wheels of its own
    found = re.fullmatch(r"glibc (\d+)\.(\d+).*", name)
    if found and (int(found[1]), int(found[2])) >= LEAST_GLIBC:
        yield Finding("C library", "ok", name)
    elif found:
        least = ".".join(map(str, LEAST_GLIBC))
        says = f"{name}; pip has wheels of LanceDB and PyArrow from glibc {least} on"
        yield Finding("C library", "wrong", says, "use a newer system: Debian 10, RHEL 8 or later")


def sshd_checks(folder: Path, lines: Sequence[str]) -> Iterator[Finding]:
    """What sshd lets those do whose keys are bound; nothing where no key is.

    Args:
        folder: the workspace's.
        lines: of `authorized_keys`, as they should be.
    """
    bound = {entry.key: entry.options["command"] for entry in map(parse_entry, lines) if entry}
    if not bound:
        return
    user, home = _owner(folder)
    if not user:
        return
    settings = effective(user)
    if settings:
        yield from judged(settings, folder, user)
    elif settings is None:
        says = "sshd's settings can not be read by this user"
        where = f"-C user={user},host=localhost,addr=127.0.0.1"
        yield Finding("sshd", "doubt", says, f"as root: sshd -T {where}")
    files = _files(
        (settings or {}).get("authorizedkeysfile", (".ssh/authorized_keys",)), user, home
    )
    yield from authorized_checks(files, folder, bound)


def _owner(folder: Path) -> tuple[str, Path]:
    """The account that owns the workspace, and its home; no name where it has none."""
    import pwd

    try:
        account = pwd.getpwuid(folder.stat().st_uid)
    except KeyError:
        return "", Path()
    return account.pw_name, Path(account.pw_dir)


def effective(user: str) -> Settings | None:
    """What sshd is set to for an account: empty where it is not there, None where it is unread."""
    program = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if program is None:
        return {}
    done = subprocess.run(
        _question(program, user), capture_output=True, text=True, check=False, timeout=30
    )
    if done.returncode:
        return None
    found = defaultdict(list)
    for name, _, value in (line.partition(" ") for line in done.stdout.splitlines()):
        found[name].append(value)
    return found


def _question(program: str, user: str) -> list[str]:
    return [program, "-T", "-C", f"user={user},host=localhost,addr=127.0.0.1"]


def judged(settings: Settings, folder: Path, user: str) -> Iterator[Finding]:
    """Settings of sshd that leave more open than a session needs, each with its line."""
    place = shlex.quote(str(folder))
    mend = f"tui-annotate ssh setup -w {place} --user {user} --part sshd"
    loose = [
        f"{_SPELT[name]} {' '.join(settings[name])}"
        for name, wanted in _WANTED.items()
        if name in settings and list(settings[name]) != [wanted]
    ]
    foreign = [
        name
        for values in settings.get("acceptenv", ())
        for name in values.split()
        if not _ACCEPTED.fullmatch(name)
    ]
    if foreign:
        loose.append(f"AcceptEnv {' '.join(foreign)}")
    forced = " ".join(settings.get("forcecommand", ("none",)))
    if forced != "none":
        says = f"ForceCommand goes before the commands of keys: {forced}"
        yield Finding("sshd", "wrong", says, f"{mend}  # without a ForceCommand")
    elif loose:
        yield Finding("sshd", "doubt", f"for {user}: {', '.join(loose)}", mend)
    else:
        yield Finding("sshd", "ok", f"{user} gets a terminal, and forwards nothing")


def _files(patterns: Sequence[str], user: str, home: Path) -> list[Path]:
    """Where sshd looks for the keys of an account."""
    names = [name for values in patterns for name in values.split() if name != "none"]
    plain = (name.replace("%u", user).replace("%h", str(home)).replace("%%", "%") for name in names)
    return [home / name for name in plain]


def authorized_checks(
    files: Sequence[Path], folder: Path, bound: Mapping[str, str]
) -> Iterator[Finding]:
    """Whether each bound key begins a session and nothing else, and what other keys may do.

    Args:
        files: those that sshd reads; they need not be there.
        folder: the workspace's.
        bound: the command of each bound key.
    """
    first = shlex.quote(str(files[0])) if files else "FILE"
    write = f"tui-annotate ssh keys -w {shlex.quote(str(folder))} --authorized-keys {first}"
    there: set[str] = set()
    for file in files:
        try:
            text, mode = file.read_text("utf-8", "replace"), file.stat().st_mode
        except OSError:
            continue  # not there, or not to be read: its keys are told as lacking
        if mode & _WRITABLE_BY_OTHERS:
            says = f"others can write {file}, so sshd does not read it"
            yield Finding(_FILE, "wrong", says, f"chmod 600 {shlex.quote(str(file))}")
        for number, entry in enumerate(map(parse_entry, text.split("\n")), 1):
            if entry:
                there.add(entry.key)
                yield from _line_check(_Line(file, number, entry), bound, write)
    if lacking := set(bound) - there:
        says = f"bound keys that stand in no file that sshd reads: {len(lacking)}"
        yield Finding(_FILE, "doubt", says, write)


_FILE: Final = "authorized_keys"


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a file of keys; lines are counted from 1."""

    file: Path
    number: int
    entry: Entry

    def __str__(self) -> str:
        return f"line {self.number} of {self.file}"

    @property
    def remove(self) -> str:
        return f"sed -i {self.number}d {shlex.quote(str(self.file))}"


def _line_check(line: _Line, bound: Mapping[str, str], write: str) -> Iterator[Finding]:
    options, key = line.entry.options, line.entry.key
    missing = " and ".join(name for name in ("restrict", "command") if name not in options)
    if missing and key in bound:
        says = f"{line} lacks {missing}: a bound key opens more than a session"
        yield Finding(_FILE, "wrong", says, f"{line.remove} && {write}")
    elif missing:
        says = f"{line} lacks {missing}: that key opens a shell beside the store"
        yield Finding(_FILE, "doubt", says, f"{line.remove}  # unless it is an admin's")
    elif key in bound and _folder(options["command"]) not in {"", _folder(bound[key])}:
        says = f"{line} opens another workspace; a key can open one alone"
        yield Finding(_FILE, "doubt", says)
    elif bound.get(key, options["command"]) != options["command"]:
        says = f"{line} begins something else than the session of whose key it is"
        yield Finding(_FILE, "wrong", says, write)


def _folder(command: str) -> str:
    """The workspace that a session's command names; empty where it is none."""
    return command.rpartition(" -w ")[2] if " session " in command else ""
