"""Watches what a program asks of the system: names, connections, and files that it writes (Linux).

Libraries in C and Rust are watched too, which Python's own audit events do not see.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

NEEDED: Final = "strace"
_CALLS: Final = (
    "connect,sendto,sendmsg,sendmmsg,listen,"
    "open,openat,creat,mkdir,mkdirat,rename,renameat,renameat2,link,linkat,symlink,symlinkat"
)
_CALL = re.compile(r"^\d+ +(?P<name>\w+)\((?P<arguments>.*)$")
_PATH = re.compile(r'"((?:[^"\\]|\\.)*)"')
_FOLDER = re.compile(r"^\w+<([^>]*)>")
_LOOKUP: Final = ("/etc/resolv.conf", "/etc/hosts")
_NAME_SERVICE: Final = "/var/run/nscd/socket"
"""Socket of a local service that answers, for example, who a user id is."""
_WRITING = re.compile(r"O_WRONLY|O_RDWR|O_CREAT")
_DEVICES: Final = ("/dev/", "/proc/self/")


def is_available() -> bool:
    """Whether this machine has the program that watches."""
    return shutil.which(NEEDED) is not None


def watched(command: Sequence[str], record: Path) -> list[str]:
    """A command line that runs a command and all that it starts, and records what they ask for."""
    options = ["-f", "--seccomp-bpf", "-qq", "-y", "-s", "4096", "-e", f"trace={_CALLS}"]
    return [NEEDED, *options, "-o", str(record), *command]


def network_uses(record: Path) -> list[str]:
    """The calls that look up a host's name, or connect or send to another machine."""
    return [
        line
        for name, arguments, line in _calls(record)
        if (name.startswith("open") and any(f'"{each}"' in arguments for each in _LOOKUP))
        or (name in {"connect", "sendto", "sendmsg", "sendmmsg"} and "sa_family=AF_INET" in line)
        or (name == "connect" and "AF_UNIX" in arguments and _NAME_SERVICE not in arguments)
        or name == "listen"
    ]


def files_written(record: Path, *, outside: Iterable[Path]) -> list[str]:
    """The files and folders that were opened for writing or made outside some folders."""
    allowed = [str(each) for each in outside]
    return sorted(
        {
            path
            for name, arguments, _ in _calls(record)
            for path in _written_paths(name, arguments)
            if not path.startswith(_DEVICES)
            and not any(path == each or path.startswith(each + "/") for each in allowed)
        }
    )


def _written_paths(name: str, arguments: str) -> Iterator[str]:
    if name.startswith(("connect", "send", "listen")):
        return
    if name in {"open", "openat"} and not _WRITING.search(arguments):
        return
    folder = _FOLDER.match(arguments)
    for path in _PATH.findall(arguments):
        yield path if path.startswith("/") or folder is None else f"{folder[1]}/{path}"


def _calls(record: Path) -> Iterator[tuple[str, str, str]]:
    """The calls that did not fail, each with its name, its arguments and its whole line."""
    for line in record.read_text("utf-8", "replace").splitlines():
        found = _CALL.match(line)
        if found and not re.search(r"= -1 E(?!INPROGRESS)", line):
            yield found["name"], found["arguments"], line
