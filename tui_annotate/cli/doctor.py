"""The command `doctor`: check the workspace, the machine and the terminal, and suggest fixes."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import stat
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Final

import typer

from tui_annotate.cli import options, output
from tui_annotate.cli.bug_report import write_bug_report
from tui_annotate.cli.help_format import CORE
from tui_annotate.cli.options import add_command, open_workspace
from tui_annotate.cli.report_parts import Column, Columns, Part, Table, whole_column
from tui_annotate.cli.shell_commands import quote_command, run_program
from tui_annotate.cli.ssh import SESSION
from tui_annotate.cli.sshd_checks import check_sshd
from tui_annotate.domain.accounts import Account
from tui_annotate.domain.errors import Damaged, TuiAnnotateError
from tui_annotate.domain.findings import DiagnosticFinding
from tui_annotate.domain.people import Permission, Role, is_allowed
from tui_annotate.domain.scores import ScoreRun
from tui_annotate.domain.work_statistics import GoldAccuracy
from tui_annotate.domain.workspace_files import BACKUPS, FROZEN, LOG, PSEUDONYMS, STORE
from tui_annotate.plugins.files.targets import find_unfinished
from tui_annotate.settings import find_workspace

MIN_COLUMNS = 80
MIN_ROWS = 24
STALE: Final = timedelta(days=1)
"""Age from which an incomplete run of a scorer or judge counts as abandoned."""
_MAX_RUNS_NAMED: Final = 3
_MAX_ADMINS_NAMED: Final = 5
_GOLD: Final = "accuracy on gold samples"


def register(app: typer.Typer) -> None:
    add_command(
        app, doctor, "doctor", "doctor --json", "doctor --bug-report report.json", panel=CORE
    )


def doctor(
    *,
    bundle: Annotated[
        Path | None,
        options.option(
            "--bug-report",
            "FILE",
            "Also write a JSON file for a bug report: versions, settings, findings, counts and the "
            "app's log, without texts, names, addresses, paths and keys.",
        ),
    ] = None,
    common: options.CommonOptions,
) -> None:
    """Check the workspace and suggest fixes.

    The command checks the configuration, database, event log, permissions, disk, vectors, labels,
    runs of scorers and judges, the terminal, and sshd if ssh keys are in use.

    Exit code: 0 if no check found an error, else 1. Warnings do not change the exit code.
    """
    checks = [
        check_configuration(),
        *_check_workspace(common.workspace),
        *check_glibc(),
        *_check_embedders(),
        *check_terminal(os.environ),
    ]
    is_wrong = any(check.state == "error" for check in checks)
    output.set_exit_code(1 if is_wrong else 0)
    output.show(checks, _describe_checks(checks), as_json=common.as_json)
    if bundle is not None:
        write_bug_report(bundle, checks, common.workspace)
    if is_wrong:
        raise typer.Exit(1)


_CHECKS: Final[Columns[DiagnosticFinding]] = (
    Column("check"),
    Column("state"),
    whole_column("message"),
)


def _describe_checks(checks: Sequence[DiagnosticFinding]) -> Iterator[Part]:
    yield Table(checks, _CHECKS)
    for check in checks:
        if check.hint:
            yield output.add_workspace(f"to fix {check.check}: {check.hint}")


def check_configuration() -> DiagnosticFinding:
    """Check the user's settings and keys; name the file that they are from."""
    from tui_annotate.editor.key_map import key_map
    from tui_annotate.settings import load, user_file

    file = str(user_file())
    try:
        settings = load()
    except TuiAnnotateError as error:  # its message names the file, or the environment
        return DiagnosticFinding("configuration", "error", error.message, error.hint)
    try:
        key_map(settings.keys)
    except TuiAnnotateError as error:
        return DiagnosticFinding("configuration", "error", f"{file}: {error.message}", error.hint)
    source = (
        file
        if user_file().exists()
        else f"default settings are used, because there is no file {file}"
    )
    return DiagnosticFinding("configuration", "ok", source)


def _check_workspace(workspace: Path | None) -> Iterator[DiagnosticFinding]:
    from tui_annotate.services.assist.weights import stored_weights

    try:
        folder = find_workspace(workspace)
    except TuiAnnotateError as error:
        yield DiagnosticFinding("workspace", "error", error.message, error.hint)
        return
    yield DiagnosticFinding("workspace", "ok", str(folder))
    yield from check_folder(folder)
    try:
        with open_workspace(folder) as space:
            yield from space.check()
            try:
                stored_weights(space.corpus)
            except Damaged as error:
                yield DiagnosticFinding("weights", "error", error.message, error.hint)
            scores = space.machines.scores
            yield check_runs(len(scores.runs()), scores.unfinished(), now=datetime.now(UTC))
            manages = is_allowed(space.actor, Permission.MANAGE)
            if manages and space.team.members.required():
                workers = {each.person for each in space.corpus.progress()}
                workers |= {each.person for each in space.team.assignments.show().progress}
                yield check_admins(space.team.accounts.all(), workers)
            if manages:
                with space.team.database.explain_wrong_types():
                    accuracies = space.team.progress.figures().gold
                yield from check_gold(accuracies)
            lines = space.team.ssh_keys.lines(SESSION, folder=str(space.path)) if manages else []
        yield from check_sshd(folder, lines)
    except TuiAnnotateError as error:
        from tui_annotate.storage.repair import suggest_repair

        is_file = (folder / STORE).exists()
        repair = suggest_repair(error, folder / STORE) if is_file else error.hint
        yield DiagnosticFinding("store", "error", error.message, repair)


def check_admins(accounts: Sequence[Account], workers: Collection[str]) -> DiagnosticFinding:
    """Check that the only admin is not an annotator who got the first account by accident.

    The accounts do not show by what accident a role was given: the result names the only admin, and
    is a warning if this person annotates. `workers` has the ids of the people who have work or
    assigned samples.
    """
    admins = [each for each in accounts if each.role is Role.ADMIN and each.active]
    names = output.join_names([each.person.name for each in admins], most=_MAX_ADMINS_NAMED)
    if len(admins) != 1:
        return DiagnosticFinding("accounts", "ok", f"{len(accounts):,}; admins: {names}")
    says = f"{len(accounts):,}; the only admin is {names}, who can see the work of all users"
    if admins[0].person.id not in workers:
        check = "check that this person manages the workspace: tui-annotate users list"
        return DiagnosticFinding("accounts", "ok", f"{says}; {check}")
    who = shlex.quote(admins[0].email)
    return DiagnosticFinding(
        "accounts",
        "warning",
        f"{says}, and also annotates",
        "if this person is an annotator, create the admin's account (tui-annotate users create"
        f" --role admin), then run: tui-annotate users edit {who} --role annotator",
    )


def check_gold(accuracies: Sequence[GoldAccuracy]) -> list[DiagnosticFinding]:
    """Check that no person's accuracy on gold samples is below the threshold of the dataset.

    Returns nothing if no dataset has gold checks with a threshold. The result names no person,
    because it can become part of a bug report.
    """
    measured = [each for each in accuracies if each.threshold is not None]
    if not measured:
        return []
    low = [each for each in measured if each.alert]
    paused = sum(each.paused for each in measured)
    says = (
        f"below the threshold of the dataset: {len(low):,} of"
        f" {output.many(len(measured), 'annotator')}, counted in each dataset; paused: {paused:,}"
    )
    if not low:
        return [DiagnosticFinding(_GOLD, "ok", says)]
    thresholds = sorted({f"{each.threshold:.0%}" for each in low})
    says += f"; thresholds: {', '.join(thresholds)}"
    return [DiagnosticFinding(_GOLD, "warning", says, "tui-annotate status")]


def check_runs(
    finished: int, unfinished: Sequence[ScoreRun], *, now: datetime
) -> DiagnosticFinding:
    """Check whether an incomplete run began more than a day before `now`."""
    says = f"{finished:,} completed, {len(unfinished):,} incomplete"
    abandoned = [each for each in unfinished if now - _parse_start(each) > STALE]
    if not abandoned:
        return DiagnosticFinding("runs", "ok", says)
    runs = [f"{each.kind} {each.maker} of {each.dataset}, {each.at[:10]}" for each in abandoned]
    old = output.join_names(runs, most=_MAX_RUNS_NAMED, separator="; ")
    mend = "run the same command again: the new run replaces the incomplete run"
    return DiagnosticFinding("runs", "warning", f"{says}; incomplete after a day: {old}", mend)


def _parse_start(run: ScoreRun) -> datetime:
    try:
        at = datetime.fromisoformat(run.at)
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _check_embedders() -> Iterator[DiagnosticFinding]:
    from importlib.util import find_spec

    from tui_annotate.plugins.registry import best_embedder

    installed = []
    if find_spec("wordllama") is not None:
        installed.append("static")
    if best_embedder() == "neural":
        installed.append("neural")
    if installed:
        yield DiagnosticFinding("embedders", "ok", f"installed: {', '.join(installed)}")
    else:
        says = "no embedder on this platform: new texts are ranked lexically (words only)"
        yield DiagnosticFinding("embedders", "warning", says)


def check_terminal(environment: Mapping[str, str]) -> Iterator[DiagnosticFinding]:
    """Check size, kind and encoding of the terminal of standard output."""
    kind = environment.get("TERM", "")
    if not sys.stdout.isatty():
        yield DiagnosticFinding(
            "terminal", "ok", "standard output is not a terminal; annotate needs a terminal"
        )
        return
    if kind in {"", "dumb"}:
        yield DiagnosticFinding(
            "terminal", "error", f"TERM is {kind!r}", "export TERM=xterm-256color"
        )
    else:
        yield DiagnosticFinding("terminal", "ok", f"{kind}, {_describe_colours(environment)}")
    columns, rows = shutil.get_terminal_size()
    small = columns < MIN_COLUMNS or rows < MIN_ROWS
    mend = f"make the window at least {MIN_COLUMNS} columns by {MIN_ROWS} rows" if small else ""
    yield DiagnosticFinding("size", "warning" if small else "ok", f"{columns}x{rows}", mend)
    if "utf" not in (sys.stdout.encoding or "").lower():
        says = f"the locale's encoding is {sys.stdout.encoding}"
        yield DiagnosticFinding("encoding", "error", says, "export LC_ALL=C.UTF-8")
    names = sorted(name for name in environment if name.startswith("TEXTUAL"))
    if names:
        yield DiagnosticFinding(
            "settings",
            "warning",
            f"environment variables that change the display: {', '.join(names)}",
            f"unset {' '.join(names)}",
        )


def _describe_colours(environment: Mapping[str, str]) -> str:
    if environment.get("NO_COLOR"):
        return "no colours (NO_COLOR is set)"
    if environment.get("COLORTERM", "") in {"truecolor", "24bit"}:
        return "true colour"
    return "256 colours" if "256" in environment.get("TERM", "") else "16 colours"


MIN_FREE_BYTES: Final = 200 * 2**20
MIN_FREE_FILES: Final = 1_000
MAX_CHECKED_FILES: Final = 50_000
"""Maximum number of files of a workspace whose permissions are checked."""

MOUNTS: Final = Path("/proc/self/mounts")
NETWORK_FILE_SYSTEMS: Final = frozenset(
    {
        *("9p", "afs", "beegfs", "ceph", "cifs", "coda", "drvfs", "gfs2", "gpfs", "lustre"),
        *("ncpfs", "nfs", "nfs4", "ocfs2", "pvfs2", "smb3", "smbfs", "vboxsf", "virtiofs"),
        *("fuse.ceph", "fuse.glusterfs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs"),
    }
)
"""Network file systems, on which SQLite's shared memory is unreliable."""

LOCAL_DISKS: Final = ("/srv", "/var/lib", "/scratch", "/local", "/data", "/var/tmp")  # noqa: S108  a disk
"""Folders that are often on a local disk, to which a workspace can be moved."""

_OTHERS_MODE: Final = 0o077
_SHARED_FOLDER: Final = stat.S_ISGID | 0o070
_SHARED_FILE: Final = 0o060
"""File with the key of pseudonyms, which only its owner may read."""
_MAX_FILES_NAMED: Final = 5


def check_folder(folder: Path) -> Iterator[DiagnosticFinding]:
    """Check permissions of a workspace's folder, unfinished files, and its disk."""
    yield check_privacy(folder)
    if os.statvfs(folder).f_flag & os.ST_RDONLY:
        says = f"the disk of {folder} is read-only: no work can be saved"
        mend = f"{quote_command('cp -r', folder)} COPY  # then work in COPY"
        yield DiagnosticFinding("writing", "warning", says, mend)
    elif not os.access(folder, os.W_OK):
        mend = quote_command("chmod u+w", folder)
        yield DiagnosticFinding("writing", "error", f"{folder} is read-only", mend)
    yield from _check_unfinished(folder)
    yield _check_space(folder)
    device, system = find_mount(folder, MOUNTS)
    quota = shutil.which("quota")
    if quota:
        yield from _check_quota(quota, device)
    if system in NETWORK_FILE_SYSTEMS and (folder / STORE).exists():
        yield _report_network_disk(folder, system)


def _check_unfinished(folder: Path) -> Iterator[DiagnosticFinding]:
    folders = dict.fromkeys([folder, folder / BACKUPS, folder / FROZEN, Path.cwd()])
    if left := [part for each in folders for part in find_unfinished(each)]:
        yield DiagnosticFinding(
            "unfinished files",
            "warning",
            f"temporary files of commands that were killed: {_join_names(left)}",
            f"rm -r {shlex.join(map(str, left))}",
        )


def _check_space(folder: Path) -> DiagnosticFinding:
    free = shutil.disk_usage(folder).free
    if free < MIN_FREE_BYTES:
        return DiagnosticFinding(
            "space", "error", f"{free // 2**20} MB free", "free some space on the disk"
        )
    disk = os.statvfs(folder)
    if disk.f_files and disk.f_favail < MIN_FREE_FILES:
        says = f"the disk can store only {disk.f_favail} more files"
        return DiagnosticFinding("space", "error", says, "delete unused files from the disk")
    return DiagnosticFinding("space", "ok", f"{free / 2**30:,.1f} GB free")


def _check_quota(program: str, device: str) -> Iterator[DiagnosticFinding]:
    for fields in map(str.split, run_program([program, "-w", "-p"]).stdout.splitlines()):
        if len(fields) < 4 or fields[0] != device or not fields[3].isdecimal():
            continue
        limit = int(fields[3])
        used = int(fields[1].rstrip("*"))
        left = (limit - used) * 1024  # `quota` counts in kB
        if limit and left < MIN_FREE_BYTES:
            says = f"{max(left, 0) // 2**20} MB of your disk quota are left"
            yield DiagnosticFinding(
                "quota",
                "error",
                says,
                "ask the machine's admin for more space, or use a different disk",
            )
        elif limit:
            yield DiagnosticFinding(
                "quota", "ok", f"{left / 2**30:,.1f} GB of your disk quota are left"
            )


def _report_network_disk(folder: Path, system: str) -> DiagnosticFinding:
    says = f"{system} is a network file system, on which SQLite can lose work"
    writable = (each for each in map(Path, LOCAL_DISKS) if os.access(each, os.W_OK))
    local = (each for each in writable if find_mount(each, MOUNTS)[1] not in NETWORK_FILE_SYSTEMS)
    destination = next(local, Path(LOCAL_DISKS[0])) / folder.name
    mend = f"{quote_command('cp -a', folder)} {shlex.quote(str(destination))}"
    return DiagnosticFinding(
        "disk",
        "error",
        says,
        f"{mend}  # run this while no user works; then use the workspace {destination}",
    )


def check_privacy(folder: Path) -> DiagnosticFinding:
    """Check whether users without access to the workspace can read its files."""
    modes = {path: path.lstat() for path in _list_entries(folder)}
    if modes[folder].st_mode & _SHARED_FOLDER == _SHARED_FOLDER:
        return _check_group(folder, modes)
    readable = [path for path, found in modes.items() if found.st_mode & _OTHERS_MODE]
    if readable and not modes[folder].st_mode & _OTHERS_MODE:
        readable = []  # other users cannot enter the folder
    if readable:
        says = f"other users of this machine can read {_join_names(readable)}"
        return DiagnosticFinding("privacy", "warning", says, quote_command("chmod -R go=", folder))
    return DiagnosticFinding("privacy", "ok", "only you can read the workspace")


def _check_group(folder: Path, modes: dict[Path, os.stat_result]) -> DiagnosticFinding:
    """Check that a group's members, and no other users, can use a shared workspace's files."""
    group = modes[folder].st_gid
    if modes[folder].st_mode & 0o007:
        says = "all users of this machine can read the workspace, not only the group"
        return DiagnosticFinding("privacy", "error", says, quote_command("chmod o=", folder))
    shared = (path for path in modes if path.name != PSEUDONYMS)
    closed = [path for path in shared if not _is_shared(modes[path], group)]
    if closed:
        path = shlex.quote(str(folder))
        name = find_group_name(group)
        mend = (
            f"chgrp -R {name} {path} && chmod -R u+rwX,g+rwX,o= {path}"
            f" && find {path} -type d -exec chmod g+s {{}} +"
        )
        # With this key, members of the group could find the people of pseudonymous exports.
        if (key := folder / PSEUDONYMS) in modes:
            mend += f" && {quote_command('chmod go=', key)}"
        return DiagnosticFinding(
            "privacy", "error", f"the group cannot use {_join_names(closed)}", mend
        )
    says = (
        f"all members of the group {find_group_name(group)} can read all files:"
        " the program hides other people's work only on its screens"
    )
    return DiagnosticFinding(
        "privacy", "warning", says, quote_command("tui-annotate users ssh setup -w", folder)
    )


def _is_shared(entry: os.stat_result, group: int) -> bool:
    needed = _SHARED_FOLDER if stat.S_ISDIR(entry.st_mode) else _SHARED_FILE
    return entry.st_gid == group and entry.st_mode & needed == needed


def _list_entries(folder: Path) -> Iterator[Path]:
    yield folder
    left = MAX_CHECKED_FILES
    for parent, folders, files in os.walk(folder):
        if Path(parent) == folder / LOG:
            continue
        paths = [Path(parent, name) for name in (*folders, *files)]
        yield from (path for path in paths if path.exists() and not path.is_symlink())
        left -= len(paths)
        if left < 0:
            return


def _join_names(paths: Sequence[Path]) -> str:
    return output.join_names([path.name for path in paths], most=_MAX_FILES_NAMED)


def find_group_name(group: int) -> str:
    """Return the name of a group of Unix users, or its number if it has no name."""
    import grp

    try:
        return grp.getgrgid(group).gr_name
    except KeyError:
        return str(group)


def find_mount(folder: Path, mounts: Path) -> tuple[str, str]:
    """Return the device and the file system of a folder, by a file such as /proc/mounts.

    Both are empty if the file cannot be read or names no such mount.
    """
    try:
        lines = [line.split() for line in mounts.read_text("utf-8", "replace").splitlines()]
    except OSError:
        return "", ""
    path = folder.resolve()
    mounted = [
        (len(fields[1]), number, fields[0], fields[2])
        for number, fields in enumerate(lines)
        if len(fields) > 2 and path.is_relative_to(fields[1].replace("\\040", " "))
    ]
    return max(mounted)[2:] if mounted else ("", "")


MIN_GLIBC: Final = (2, 28)
"""Oldest version of glibc that the packages LanceDB, PyArrow and NumPy support."""


def check_glibc() -> Iterator[DiagnosticFinding]:
    """Check whether glibc is recent enough for the packages; nothing with another C library."""
    try:
        name = os.confstr("CS_GNU_LIBC_VERSION") or ""
    except (AttributeError, ValueError, OSError):
        return  # not glibc: other wheels
    found = re.fullmatch(r"glibc (\d+)\.(\d+).*", name)
    if found and (int(found[1]), int(found[2])) >= MIN_GLIBC:
        yield DiagnosticFinding("C library", "ok", name)
    elif found:
        least = ".".join(map(str, MIN_GLIBC))
        says = f"{name}; the wheels of LanceDB and PyArrow need glibc {least} or later"
        yield DiagnosticFinding(
            "C library", "error", says, "use a newer system: Debian 10, RHEL 8 or later"
        )
