"""backup and restore: another folder, the same bytes, or nothing."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from stat import S_IMODE

import pytest

from tests.cli.conftest import Command
from tests.helpers.stores import claim
from tui_annotate import workspace as workspaces
from tui_annotate.domain.errors import Damaged, InvalidInput, NotFound
from tui_annotate.services.audit import RecordedHead
from tui_annotate.storage.integrity import inspect_store
from tui_annotate.storage.sqlite_database import SqliteDatabase

ROOT = Path(__file__).parents[2]
WRITER = """
import sys
from contextlib import suppress
from tests.helpers.stores import claim
from tui_annotate import workspace as workspaces
from tui_annotate.domain.errors import Conflict
with workspaces.open(sys.argv[1]) as space:
    person, key = space.person(sys.argv[2]).id, space.corpus.keys()[0]
    for number in range(120):
        new = claim(f"{sys.argv[2]}-{number}", number % 24, 26 + number // 24, label="")
        with suppress(Conflict):  # blanks are trimmed, so that two may be the same
            space.annotate.add(person, key, new, seconds=1)
        if number in (10, 119):
            print(number, flush=True)
"""
KILLED = """
import os, signal, sys
from tui_annotate import workspace as workspaces
from tui_annotate.storage import atomic_folder
copy, left = atomic_folder.copy, [int(sys.argv[3])]
def copied(source, target):
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
    return copy(source, target)
atomic_folder.copy = copied
workspaces.restore(sys.argv[1], to=sys.argv[2])
"""


def exports(command: Command, workspace: str) -> list[str]:
    """All that a workspace holds, in three formats."""
    formats = ("native", "mercury", "csv")
    return [command("export", "-w", workspace, "--to", name).out for name in formats]


@pytest.fixture
def backed(filled: Command, tmp_path: Path) -> Path:
    """A backup of a workspace with one annotation and guidelines."""
    (tmp_path / "guidelines.md").write_text("Mark what is wrong.\n")
    with workspaces.open(tmp_path) as space:
        person, keys = space.person("ana").id, space.corpus.keys()
        space.annotate.add(person, keys[0], claim("a", label="", note="why"), seconds=1)
    shown = filled("backup", "create", "copy", "--json")
    assert shown.code == 0
    return Path(shown.json["folder"])


def test_writers_at_work(filled: Command, tmp_path: Path) -> None:
    """A copy that was made while two people write is one moment of the log, whole and sound."""
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), name],
            cwd=ROOT, stdout=subprocess.PIPE, text=True,
        )
        for name in ("ana", "ben")
    ]  # fmt: skip
    for each in writers:
        assert each.stdout is not None
        assert each.stdout.readline() == "10\n"
    made = [filled("backup", "create", name, "--json").json for name in ("one", "two")]
    assert [each.wait() for each in writers] == [0, 0]
    for each, name in zip(made, ("a", "b"), strict=True):
        assert filled("backup", "restore", each["folder"], name).code == 0
        database = SqliteDatabase.open(tmp_path / name / "store.sqlite")
        assert {finding.state for finding in inspect_store(database)} == {"ok"}
        database.close()
        kept = RecordedHead(each["events"], each["head"].partition(":")[2])
        with workspaces.open(tmp_path) as space:
            assert space.team.audit.verify(against=kept).contains
    assert 20 <= made[0]["events"] <= made[1]["events"] <= 300


def test_restored_settings_that_reach_outside_are_told(filled: Command, tmp_path: Path) -> None:
    """A backup may come from another machine; nothing is changed, and the setting is named."""
    with (tmp_path / "tui-annotate.toml").open("a") as file:
        file.write('pseudonyms_key = "../secret"\nembedder = "static"\n')
    copy = filled("backup", "create", "copy", "--json").json["folder"]
    done = filled("backup", "restore", copy, "again")
    assert done.code == 0
    assert "pseudonyms_key" in done.err
    assert "embedder" not in done.err


def test_what_is_restored_is_what_was(backed: Path, command: Command, tmp_path: Path) -> None:
    """Exports of the copy are the same bytes, its files are for their owner alone, and it works."""
    before = exports(command, ".")
    shutil.move(backed, tmp_path / "elsewhere")
    shown = command("backup", "restore", "elsewhere", "again", "--json")
    assert shown.code == 0
    assert shown.json["missing_vectors"] is False
    assert exports(command, "again") == before
    again = tmp_path / "again"
    assert (again / "guidelines.md").read_text() == "Mark what is wrong.\n"
    assert not (again / "backup.json").exists()
    assert {S_IMODE(path.stat().st_mode) for path in again.glob("*.*")} == {0o600}
    assert S_IMODE(again.stat().st_mode) == 0o700
    assert command("doctor", "-w", "again", "--json").json
    assert command("audit", "verify", "-w", "again").code == 0
    with workspaces.open(again) as space:
        keys = space.corpus.keys()
        space.annotate.add(space.person("ben").id, keys[0], claim("b", label=""), seconds=0)


def test_vectors_come_along_or_are_made_anew(command: Command, pairs: Path, tmp_path: Path) -> None:
    """Asked for, they are copied; else the line that makes them is told, and it does."""
    command("init")
    command("ingest", str(pairs), "--id-column", "id")
    wanted = (
        "lab",
        "match",
        "--sample",
        "pairs/bridge",
        "--side",
        "summary",
        "--span",
        "0:10",
        "--json",
    )
    before = command(*wanted).json
    assert before["signals"] != "words"
    command("backup", "create", "with", "--include-vectors")
    command("backup", "create", "without")
    assert "lab vectors rebuild" not in command("backup", "restore", "with", "a").err
    assert command(*wanted, "-w", "a").json == before
    shown = command("backup", "restore", "without", "b c")
    assert "tui-annotate lab vectors rebuild -w 'b c'" in shown.err
    assert command("lab", "vectors", "rebuild", "-w", "b c").code == 0
    assert command(*wanted, "-w", "b c").json == before
    assert not (tmp_path / "without" / "vectors").exists()


@pytest.mark.parametrize("file", [1, 2, 3])
def test_killed_while_it_restores(
    backed: Path, command: Command, tmp_path: Path, file: int
) -> None:
    """No folder appears, and the next restore makes it whole."""
    killed = [sys.executable, "-c", KILLED, str(backed), str(tmp_path / "again"), str(file)]
    assert subprocess.run(killed, cwd=ROOT, check=False).returncode == -9
    assert not (tmp_path / "again").exists()
    assert command("backup", "restore", str(backed), "again").code == 0
    assert exports(command, "again") == exports(command, ".")
    assert [path.name for path in tmp_path.glob(".*.part")] == []


def test_an_altered_copy_is_refused(backed: Path, command: Command, tmp_path: Path) -> None:
    """A store, or words about it, that are not as they were: exit code 1, and no folder."""
    about = backed / "backup.json"
    value = json.loads(about.read_text())
    for altered in ("store.sqlite", "backup.json"):
        path, text = backed / altered, (backed / altered).read_bytes()
        path.write_bytes(text + b" ")
        shown = command("backup", "restore", str(backed), "again")
        assert (shown.code, (tmp_path / "again").exists()) == (1, False)
        assert type(shown.error) is Damaged
        assert altered in shown.error.message
        path.write_bytes(text)
    for wrong in ("{", "[]", json.dumps({**value, "format": "other"})):
        about.write_text(wrong)
        refused = command("backup", "restore", str(backed), "again").error
        assert type(refused) is Damaged
        assert str(about) in refused.message
    about.unlink()
    refused = command("backup", "restore", str(backed), "again").error
    assert type(refused) is NotFound
    assert str(backed) in refused.message


def test_nothing_is_overwritten(backed: Path, command: Command, tmp_path: Path) -> None:
    """A folder with anything in it is refused by both; in one that is there, backup makes one."""
    assert command("backup", "restore", str(backed), ".").code == 1
    (tmp_path / "many").mkdir()
    assert command("backup", "create", "many").code == 0
    (inner,) = (tmp_path / "many").iterdir()
    assert (inner / "SHA256SUMS").is_file()
    (tmp_path / "file").touch()
    assert command("backup", "create", "file").code == 1
    for workspace in (".", str(tmp_path), "many/.."):
        refused = command("backup", "create", workspace)
        assert isinstance(refused.error, InvalidInput)
        assert "backups" in refused.error.hint
    settings = (tmp_path / "tui-annotate.toml").read_bytes()
    for name in ("tui-annotate.toml", "store.sqlite", "store.sqlite-wal"):
        assert command("export", "--to", "native", "-o", name).code == 2
    assert (tmp_path / "tui-annotate.toml").read_bytes() == settings
    assert command("backup", "create").code == 0
    assert len([*(tmp_path / "backups").glob("*/store.sqlite")]) == 1


def test_no_command_writes_where_a_workspace_keeps_its_data(
    filled: Command, tmp_path: Path
) -> None:
    """Whatever the command writes: a file, a bundle, a report, a folder, or a backup."""
    copy = filled("backup", "create", "copy", "--json").json["folder"]
    labels, before = (tmp_path / "labels.yaml").read_bytes(), sorted(tmp_path.rglob("*"))
    for line in (
        ("backup", "create", "log"),
        ("backup", "create", "vectors/new"),
        ("backup", "restore", copy, "log"),
        ("export", "--to", "csv", "-o", "labels.yaml"),
        ("export", "--to", "brat", "--layer", "all", "-o", "log"),
        ("convert", "pairs.jsonl", "labels.yaml", "--to", "native"),
        ("sync", "bundles", "create", "--person", "reader", "--create", "-o", "pseudonyms.key"),
        ("report", "-o", "guidelines.md"),
        ("doctor", "--bug-report", "log/report.json"),
        ("lab", "judge", "export-prompts", "vectors"),
        ("lab", "models", "download", "owner/name", "log", "--revision", "main"),
    ):
        done = filled(*line)
        assert (done.code, done.error and done.error.code) == (2, "workspace-file"), (line, done)
    assert (tmp_path / "labels.yaml").read_bytes() == labels
    assert [each for each in sorted(tmp_path.rglob("*")) if ".sqlite-" not in each.name] == before


@pytest.mark.parametrize("ending", ["", "-wal"])
@pytest.mark.parametrize("setting", ["PEOPLE_STORE", "PSEUDONYMS_KEY"])
def test_no_command_writes_over_a_file_that_the_environment_names(
    command: Command,
    pairs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    setting: str,
    ending: str,
) -> None:
    """Neither in the workspace nor outside it, where no settings file is above the path."""
    command("init", "w")
    command("ingest", str(pairs), "-w", "w", "--embedder", "none")
    for named, target in (("kept.file", "w/kept.file"), ("../kept.file", "kept.file")):
        monkeypatch.setenv(f"TUI_ANNOTATE_{setting}", named)
        file = tmp_path / f"{target}{ending}"
        done = command("export", "-w", "w", "--to", "native", "-o", str(file))
        assert (done.code, done.error and done.error.code) == (2, "workspace-file")
        assert not file.exists()


def test_the_folders_of_backups_and_prompts_take_new_files(filled: Command, tmp_path: Path) -> None:
    """Both commands only add files; a missing folder of backups is created."""
    (tmp_path / "backups").rmdir()
    made = Path(filled("backup", "create", "--json").json["folder"])
    assert made.parent == tmp_path / "backups"
    assert filled("backup", "create", "backups/named").code == 0
    assert filled("lab", "judge", "export-prompts", "prompts").code == 0
