"""Disks that take no data: a read-only one and a full one, for one process at a time."""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_MOUNT: Final = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'
_OBEY_MODES: Final = """
import ctypes, os, sys
if os.geteuid() == 0:
    drop, override = 24, 1  # PR_CAPBSET_DROP, CAP_DAC_OVERRIDE
    ctypes.CDLL(None).prctl(drop, override, 0, 0, 0)
os.execvp(sys.argv[1], sys.argv[1:])
"""
_NO_BYTES: Final = 'ulimit -f 0; exec "$@"'


@contextmanager
def read_only(folder: Path) -> Iterator[list[str]]:
    """The start of a command line whose process finds a folder on a read-only disk.

    The folder is mounted read-only, for this process alone. Where a test may not mount, the
    folder's modes forbid to write, to root as well.
    """
    mounted = ["unshare", "--map-root-user", "--mount", "sh", "-c", _MOUNT, str(folder)]
    if shutil.which("unshare") and not subprocess.run([*mounted, "true"], check=False).returncode:
        yield mounted
        return
    modes = {path: path.stat().st_mode for path in (folder, *folder.rglob("*"))}
    for path, mode in modes.items():
        path.chmod(mode & 0o7555)
    yield [sys.executable, "-c", _OBEY_MODES]
    for path, mode in modes.items():
        path.chmod(mode)


@contextmanager
def full(folder: Path) -> Iterator[list[str]]:
    """The start of a command line whose process can write no byte into any file."""
    del folder
    yield ["sh", "-c", _NO_BYTES, "sh"]


@contextmanager
def without_space() -> Iterator[None]:
    """In the block, this process can write no byte into any file."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
