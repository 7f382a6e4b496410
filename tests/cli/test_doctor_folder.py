"""What doctor finds about a folder: who can read it, how full and how near its disk is."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.cli.conftest import Command
from tui_annotate.cli import doctor_folder

GROUP = os.getgid()


@pytest.fixture
def folder(command: Command, tmp_path: Path) -> Path:
    """A new workspace, whose name a shell must not take apart."""
    place = tmp_path / "it's a b"
    assert command("init", str(place)).code == 0
    return place


def found(folder: Path) -> dict[str, tuple[str, str, str]]:
    """State, words and mending line of each finding, by its name."""
    checks = doctor_folder.folder_checks(folder)
    return {each.what: (each.state, each.says, each.mend) for each in checks}


def mend(folder: Path) -> None:
    """Runs the line that mends who can read a folder."""
    subprocess.run(["sh", "-c", found(folder)["privacy"][2]], check=True)


def entries(folder: Path) -> Iterator[Path]:
    """A folder and all that lies in it."""
    yield folder
    yield from folder.rglob("*")


def test_a_new_workspace_is_for_its_owner_alone(folder: Path) -> None:
    """Files 0600, folders 0700, by whatever umask it was made."""
    assert found(folder)["privacy"][:2] == ("ok", "for you alone")
    modes = {path.stat().st_mode & 0o777 for path in entries(folder) if path.is_file()}
    assert modes == {0o600}


def test_what_others_can_read_is_a_doubt(folder: Path) -> None:
    """Told with names, and mended by the line; behind a closed folder nothing is readable."""
    folder.chmod(0o755)
    (folder / "vectors").chmod(0o755)
    state, says, _ = found(folder)["privacy"]
    assert state == "doubt"
    assert says == "others on this machine can read it's a b, vectors"
    mend(folder)
    assert found(folder)["privacy"][0] == "ok"
    (folder / "vectors").chmod(0o755)
    assert found(folder)["privacy"][0] == "ok"


def test_many_readable_files_are_counted(folder: Path) -> None:
    """Five are named, the others counted."""
    for name in "abcdefgh":
        (folder / name).touch()
        (folder / name).chmod(0o644)
    folder.chmod(0o755)
    assert found(folder)["privacy"][1].endswith(" and 4 more")


def test_a_group_may_share_a_workspace(folder: Path) -> None:
    """What the group can not use and what others can read is wrong; the rest is told as it is."""
    folder.chmod(0o2770)
    state, says, line = found(folder)["privacy"]
    assert state == "wrong"
    assert says.startswith("the group can not use ")
    assert shlex.split(line)[:3] == ["chgrp", "-R", doctor_folder.group_name(GROUP)]
    mend(folder)
    assert {path.stat().st_mode & 0o7777 for path in entries(folder) if path.is_dir()} == {0o2770}
    state, says, _ = found(folder)["privacy"]
    assert state == "doubt"
    assert "a matter of the screen alone" in says
    folder.chmod(0o2775)
    assert found(folder)["privacy"][0] == "wrong"
    mend(folder)
    assert found(folder)["privacy"][0] == "doubt"


def test_logs_are_each_users_own_in_a_group(folder: Path) -> None:
    """A log that its user alone can read is nothing wrong."""
    folder.chmod(0o2770)
    mend(folder)
    log = folder / "log" / "app.log"
    log.touch()
    log.chmod(0o600)
    assert found(folder)["privacy"][0] == "doubt"


def test_the_key_of_pseudonyms_is_its_owners_in_a_group(folder: Path) -> None:
    """That the group can not read it is nothing wrong."""
    folder.chmod(0o2770)
    mend(folder)
    for name, state in (("pseudonyms.key", "doubt"), ("other.key", "wrong")):
        key = folder / name
        key.touch()
        key.chmod(0o600)
        assert found(folder)["privacy"][0] == state


def test_a_group_without_a_name_is_called_by_its_number() -> None:
    """A number that no table knows is still one that chgrp takes."""
    assert doctor_folder.group_name(4_000_000) == "4000000"


def test_the_file_system_of_a_folder_is_the_deepest_mount(tmp_path: Path) -> None:
    """The mount nearest above counts, of two at one place the later; without a table: unknown."""
    mounts = tmp_path / "mounts"
    here = str(tmp_path.resolve())
    mounts.write_text(
        f"a / ext4 rw\nold {here} xfs rw\nserver:/x {here} nfs4 rw\nb /other xfs rw\nodd\n"
    )
    assert doctor_folder.mounted(tmp_path, mounts) == ("server:/x", "nfs4")
    assert doctor_folder.mounted(Path("/"), mounts) == ("a", "ext4")
    assert doctor_folder.mounted(tmp_path, tmp_path / "absent") == ("", "")


def test_a_network_file_system_is_refused_with_a_local_place(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the usual places the first that is local and writable; where none is, the usual one."""
    far, near = tmp_path / "far", tmp_path / "near"
    far.mkdir()
    near.mkdir()
    mounts = tmp_path / "mounts"
    mounts.write_text(f"a / nfs4 rw\nb {near} ext4 rw\n")
    monkeypatch.setattr(doctor_folder, "MOUNTS", mounts)
    monkeypatch.setattr(doctor_folder, "LOCAL", (str(far), str(near)))
    state, says, line = found(folder)["disk"]
    assert state == "wrong"
    assert "nfs4" in says
    words = shlex.split(line, comments=True)
    assert words == ["cp", "-a", str(folder), str(near / folder.name)]
    monkeypatch.setattr(doctor_folder, "LOCAL", (str(far),))
    assert str(far / folder.name) in found(folder)["disk"][2]


@pytest.mark.parametrize("kind", ["nfs", "cifs", "fuse.sshfs", "lustre", "9p"])
def test_every_kind_of_network_is_known(kind: str) -> None:
    """Shares, clusters and tunnels alike."""
    assert kind in doctor_folder.NETWORK


def test_a_full_or_read_only_disk_is_wrong(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too few bytes, too few files, and a folder that can not be written."""
    monkeypatch.setattr("os.access", lambda _folder, _mode: False)
    assert found(folder)["writing"][0] == "wrong"
    none_left = SimpleNamespace(f_files=9, f_favail=8)
    monkeypatch.setattr("os.statvfs", lambda _folder: none_left)
    monkeypatch.setattr("shutil.disk_usage", lambda _folder: SimpleNamespace(free=2**40))
    assert found(folder)["space"][:2] == ("wrong", "room for 8 more files")
    monkeypatch.setattr("shutil.disk_usage", lambda _folder: SimpleNamespace(free=1))
    assert found(folder)["space"][:2] == ("wrong", "0 MB left")


QUOTAS = {
    "ok": ("  900000 2000000 3000000 0  12 0 0 0", "2.0 GB left of your share"),
    "wrong": ("2999999* 2000000 3000000 6  12 0 0 0", "0 MB left of your share of the disk"),
}


@pytest.mark.parametrize("state", QUOTAS)
def test_a_share_of_the_disk_is_told(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: str
) -> None:
    """What `quota` says of the disk that the workspace is on; other disks do not count."""
    row, says = QUOTAS[state]
    program = tmp_path / "quota"
    program.write_text(
        "#!/bin/sh\ncat <<'.'\nDisk quotas for user ana (uid 1):\n"
        " Filesystem blocks quota limit grace files quota limit grace\n"
        f"/dev/a {row}\n/dev/b 9 1 1 0 1 0 0 0\n/dev/a 1 0 0 0 1 0 0 0\n.\n"
    )
    program.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda _name: str(program))
    mounts = tmp_path / "mounts"
    mounts.write_text("/dev/a / ext4 rw\n")
    monkeypatch.setattr(doctor_folder, "MOUNTS", mounts)
    assert found(folder)["quota"][:2] == (state, says)
