"""What `doctor` finds about a workspace's folder: who can read it, and what disk it lies on."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from tui_annotate.domain.findings import Finding

LEAST_SPACE: Final = 200 * 2**20
LEAST_FILES: Final = 1_000
MOST_LOOKED_AT: Final = 50_000
"""Files of a workspace whose modes are looked at; vectors of a large one are many."""

MOUNTS: Final = Path("/proc/self/mounts")
NETWORK: Final = frozenset(
    {
        *("9p", "afs", "beegfs", "ceph", "cifs", "coda", "drvfs", "gfs2", "gpfs", "lustre"),
        *("ncpfs", "nfs", "nfs4", "ocfs2", "pvfs2", "smb3", "smbfs", "vboxsf", "virtiofs"),
        *("fuse.ceph", "fuse.glusterfs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs"),
    }
)
"""File systems that other machines may write to, where SQLite's shared memory does not hold."""

LOCAL: Final = ("/srv", "/var/lib", "/scratch", "/local", "/data", "/var/tmp")  # noqa: S108  a disk
"""Where a local disk often is."""

_PRIVATE: Final = 0o077
_SHARED_FOLDER: Final = stat.S_ISGID | 0o070
_SHARED_FILE: Final = 0o060
_OWN: Final = "log"
"""The folder whose files are each user's own, also where the rest is shared by a group."""
_KEY: Final = "pseudonyms.key"
"""The file that stays its owner's also there."""

_NAMED: Final = 5


def folder_checks(folder: Path) -> Iterator[Finding]:
    """Permissions, free space, quota, and whether the disk is one that SQLite can trust."""
    yield privacy(folder)
    if not os.access(folder, os.W_OK):
        yield Finding("writing", "wrong", f"{folder} is read-only", line("chmod u+w", folder))
    yield _space(folder)
    device, system = mounted(folder, MOUNTS)
    quota = shutil.which("quota")
    if quota:
        yield from _quota(quota, device)
    if system in NETWORK:
        yield _far(folder, system)


def _space(folder: Path) -> Finding:
    free = shutil.disk_usage(folder).free
    if free < LEAST_SPACE:
        return Finding("space", "wrong", f"{free // 2**20} MB left", "free some space on the disk")
    disk = os.statvfs(folder)
    if disk.f_files and disk.f_favail < LEAST_FILES:
        says = f"room for {disk.f_favail} more files"
        return Finding("space", "wrong", says, "remove files that nobody needs from the disk")
    return Finding("space", "ok", f"{free / 2**30:,.1f} GB left")


def _quota(program: str, device: str) -> Iterator[Finding]:
    """What a user of the disk may still write, by `quota`; nothing where there is no limit."""
    done = subprocess.run(
        [program, "-w", "-p"], capture_output=True, text=True, check=False, timeout=30
    )
    for fields in map(str.split, done.stdout.splitlines()):
        if len(fields) < 4 or fields[0] != device or not fields[3].isdecimal():
            continue
        limit, used = int(fields[3]), int(fields[1].rstrip("*"))
        left = (limit - used) * 1024  # it counts in kB
        if limit and left < LEAST_SPACE:
            says = f"{max(left, 0) // 2**20} MB left of your share of the disk"
            yield Finding("quota", "wrong", says, "ask the machine's admin, or use another disk")
        elif limit:
            yield Finding("quota", "ok", f"{left / 2**30:,.1f} GB left of your share")


def _far(folder: Path, system: str) -> Finding:
    says = f"{system} is a network file system: SQLite loses work there"
    here = next(
        (
            place
            for place in map(Path, LOCAL)
            if os.access(place, os.W_OK) and mounted(place, MOUNTS)[1] not in NETWORK
        ),
        Path(LOCAL[0]),
    )
    there = here / folder.name
    mend = f"cp -a {shlex.quote(str(folder))} {shlex.quote(str(there))}"
    return Finding("disk", "wrong", says, f"{mend}  # with nobody at work; then use {there}")


def privacy(folder: Path) -> Finding:
    """Who else on this machine can read the workspace."""
    entries = list(_entries(folder))
    modes = {path: path.lstat() for path in entries}
    if modes[folder].st_mode & _SHARED_FOLDER == _SHARED_FOLDER:
        return _of_a_group(folder, modes)
    readable = [path for path, found in modes.items() if found.st_mode & _PRIVATE]
    if readable and not modes[folder].st_mode & _PRIVATE:
        readable = []  # nobody gets as far as these
    if readable:
        says = f"others on this machine can read {_named(readable)}"
        return Finding("privacy", "doubt", says, line("chmod -R go=", folder))
    return Finding("privacy", "ok", "for you alone")


def _of_a_group(folder: Path, modes: dict[Path, os.stat_result]) -> Finding:
    """A workspace that a group shares: everything is the group's, and nothing anybody else's."""
    group = modes[folder].st_gid
    if modes[folder].st_mode & 0o007:
        says = "everybody on this machine can read it, not the group alone"
        return Finding("privacy", "wrong", says, line("chmod o=", folder))
    closed = [
        path
        for path, found in modes.items()
        if path.name != _KEY and (found.st_gid != group or not _is_shared(found.st_mode))
    ]
    if closed:
        place, name = shlex.quote(str(folder)), group_name(group)
        mend = (
            f"chgrp -R {name} {place} && chmod -R u+rwX,g+rwX,o= {place}"
            f" && find {place} -type d -exec chmod g+s {{}} +"
        )
        return Finding("privacy", "wrong", f"the group can not use {_named(closed)}", mend)
    says = (
        f"everybody of the group {group_name(group)} can read all of it:"
        " that others' work stays unseen is a matter of the screen alone"
    )
    return Finding("privacy", "doubt", says, line("tui-annotate ssh setup -w", folder))


def _is_shared(mode: int) -> bool:
    needed = _SHARED_FOLDER if stat.S_ISDIR(mode) else _SHARED_FILE
    return mode & needed == needed


def _entries(folder: Path) -> Iterator[Path]:
    """The folder and what lies in it, but for logs; not more than can be looked at soon."""
    yield folder
    left = MOST_LOOKED_AT
    for place, folders, files in os.walk(folder):
        if Path(place) == folder / _OWN:
            continue
        for name in (*folders, *files):
            path = Path(place, name)
            left -= 1
            if path.exists() and not path.is_symlink():
                yield path
        if left < 0:
            return


def _named(paths: Sequence[Path]) -> str:
    more = f" and {len(paths) - _NAMED:,} more" if len(paths) > _NAMED else ""
    return ", ".join(path.name for path in paths[:_NAMED]) + more


def group_name(group: int) -> str:
    """What a group is called; its number where it has no name."""
    import grp

    try:
        return grp.getgrgid(group).gr_name
    except KeyError:
        return str(group)


def line(command: str, folder: Path) -> str:
    """To be copied into a shell, whatever the folder is called."""
    return f"{command} {shlex.quote(str(folder))}"


def mounted(folder: Path, mounts: Path) -> tuple[str, str]:
    """Device and kind of the file system a folder is on, by a table of mounts; empty: unknown."""
    try:
        lines = [line.split() for line in mounts.read_text("utf-8", "replace").splitlines()]
    except OSError:
        return "", ""
    place = folder.resolve()
    above = [
        (len(fields[1]), number, fields[0], fields[2])
        for number, fields in enumerate(lines)
        if len(fields) > 2 and place.is_relative_to(fields[1].replace("\\040", " "))
    ]
    return max(above)[2:] if above else ("", "")
