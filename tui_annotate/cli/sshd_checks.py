"""Checks of sshd for `doctor`: its settings, and the keys in its authorized_keys files."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from tui_annotate.cli.shell_commands import quote_command, run_program
from tui_annotate.cli.ssh_session import COMMAND
from tui_annotate.domain.findings import DiagnosticFinding
from tui_annotate.domain.ssh_keys import AuthorizedKey, parse_entry

SshdSettings = Mapping[str, Sequence[str]]
"""Settings of sshd, as `sshd -T` prints them: lists of values by lower-case name."""

_EXPECTED_SETTINGS: Final = {
    "PermitTTY": "yes",
    "DisableForwarding": "yes",
    "PermitUserRC": "no",
    "PermitUserEnvironment": "no",
}
_AUTHORIZED_KEYS: Final = "authorized_keys"
_SAFE_VARIABLES: Final = re.compile(r"LANG|LC_[A-Z*]+|COLORTERM|NO_COLOR")
_WRITABLE_BY_OTHERS: Final = 0o022


def check_sshd(folder: Path, lines: Sequence[str]) -> Iterator[DiagnosticFinding]:
    """Check what sshd permits to people with keys; `lines` are the expected authorized_keys."""
    import pwd

    bound = {entry.key: entry.options["command"] for entry in map(parse_entry, lines) if entry}
    if not bound:
        return
    try:
        account = pwd.getpwuid(folder.stat().st_uid)
    except KeyError:
        return
    user = account.pw_name
    settings = read_sshd_settings(user)
    if settings:
        yield from check_sshd_settings(settings, folder, user)
    elif settings is None:
        says = "this user cannot read the settings of sshd"
        yield DiagnosticFinding(
            "sshd", "warning", says, f"as root: {' '.join(_sshd_query('sshd', user))}"
        )
    patterns = (settings or {}).get("authorizedkeysfile", (".ssh/authorized_keys",))
    yield from check_authorized_keys(
        _list_key_files(patterns, user, Path(account.pw_dir)), folder, bound
    )


def read_sshd_settings(user: str) -> SshdSettings | None:
    """Return sshd's settings for a user: an empty map without sshd, None if unreadable."""
    program = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if program is None:
        return {}
    done = run_program(_sshd_query(program, user))
    if done.returncode:
        return None
    found = defaultdict(list)
    for name, _, value in (line.partition(" ") for line in done.stdout.splitlines()):
        found[name].append(value)
    return found


def _sshd_query(program: str, user: str) -> list[str]:
    return [program, "-T", "-C", f"user={user},host=localhost,addr=127.0.0.1"]


def check_sshd_settings(
    settings: SshdSettings, folder: Path, user: str
) -> Iterator[DiagnosticFinding]:
    """Check that sshd's settings permit no more than an annotation session needs."""
    mend = f"{quote_command('tui-annotate users ssh setup -w', folder)} --user {user} --part sshd"
    differing = [
        f"{name} {' '.join(found)}"
        for name, expected in _EXPECTED_SETTINGS.items()
        if (found := list(settings.get(name.lower(), [expected]))) != [expected]
    ]
    accepted = " ".join(settings.get("acceptenv", ())).split()
    if unexpected := [name for name in accepted if not _SAFE_VARIABLES.fullmatch(name)]:
        differing.append(f"AcceptEnv {' '.join(unexpected)}")
    forced_command = " ".join(settings.get("forcecommand", ("none",)))
    if forced_command != "none":
        says = f"ForceCommand overrides the commands in authorized_keys: {forced_command}"
        yield DiagnosticFinding("sshd", "error", says, f"{mend}  # without ForceCommand")
    elif differing:
        yield DiagnosticFinding("sshd", "warning", f"for {user}: {', '.join(differing)}", mend)
    else:
        yield DiagnosticFinding(
            "sshd", "ok", f"ssh sessions of {user} have a terminal, and forwarding is disabled"
        )


def _list_key_files(patterns: Sequence[str], user: str, home: Path) -> list[Path]:
    names = [name for name in " ".join(patterns).split() if name != "none"]
    plain = (name.replace("%u", user).replace("%h", str(home)).replace("%%", "%") for name in names)
    return [home / name for name in plain]


def check_authorized_keys(
    files: Sequence[Path], folder: Path, bound: Mapping[str, str]
) -> Iterator[DiagnosticFinding]:
    """Check that each person's ssh key can only start a session, and what other keys permit."""
    first = shlex.quote(str(files[0])) if files else "FILE"
    write = f"{quote_command('tui-annotate users ssh authorized-keys -w', folder)} {first}"
    found: set[str] = set()
    for file in files:
        try:
            text = file.read_text("utf-8", "replace")
            mode = file.stat().st_mode
        except OSError:
            continue  # missing or unreadable file: its keys are reported as missing
        if mode & _WRITABLE_BY_OTHERS:
            says = f"other users can write {file}, so sshd ignores the file"
            yield DiagnosticFinding(
                _AUTHORIZED_KEYS, "error", says, quote_command("chmod 600", file)
            )
        for number, entry in enumerate(map(parse_entry, text.split("\n")), 1):
            if entry:
                found.add(entry.key)
                remove = quote_command(f"sed -i {number}d", file)
                for state, says, mend in _check_entry(entry, bound, remove=remove, write=write):
                    line = f"line {number} of {file}"
                    yield DiagnosticFinding(_AUTHORIZED_KEYS, state, f"{line}: {says}", mend)
    if lacking := set(bound) - found:
        says = (
            f"ssh keys of people that are missing from sshd's authorized_keys files: {len(lacking)}"
        )
        yield DiagnosticFinding(_AUTHORIZED_KEYS, "warning", says, write)


def _check_entry(
    entry: AuthorizedKey, bound: Mapping[str, str], *, remove: str, write: str
) -> Iterator[tuple[str, str, str]]:
    """Yield (state, text, fix) for each problem in a line of an `authorized_keys` file."""
    missing = " and ".join(each for each in ("restrict", "command") if each not in entry.options)
    if missing and entry.key in bound:
        says = (
            f"without {missing} in its options, this ssh key permits more than an annotation"
            " session"
        )
        yield "error", says, f"{remove} && {write}"
    elif missing:
        says = (
            f"without {missing} in its options, this ssh key opens a shell with access to the"
            " database"
        )
        yield "warning", says, f"{remove}  # skip this if the key is an admin's"
    elif entry.key in bound and (command := entry.options["command"]) != bound[entry.key]:
        if _parse_session_folder(command) in {"", _parse_session_folder(bound[entry.key])}:
            yield "error", "this ssh key does not start an annotation session of its owner", write
        else:
            yield (
                "warning",
                "this ssh key opens another workspace; a key can open only one workspace",
                "",
            )


def _parse_session_folder(command: str) -> str:
    return command.rpartition(" -w ")[2] if f" {' '.join(COMMAND)} " in command else ""
