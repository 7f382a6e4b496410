"""doctor: workspace, terminal, folder and sshd, and the lines that fix them."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.cli.conftest import Command, numbers
from tests.helpers.ssh_keys import KEYS
from tests.helpers.stores import claim
from tui_annotate import workspace as workspaces
from tui_annotate.cli import doctor, sshd_checks
from tui_annotate.domain.errors import Damaged, InvalidInput
from tui_annotate.domain.findings import DiagnosticFinding
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.scores import RunKind, ScoreRun
from tui_annotate.domain.ssh_keys import format_authorized_key
from tui_annotate.plugins.files.targets import replace_file
from tui_annotate.services.bug_report.message_templates import REMOVED


def test_doctor_finds_a_sound_workspace_sound(annotated: Command) -> None:
    """A workspace as it was made has nothing wrong."""
    done = annotated("doctor", "--json")
    assert done.code == 0
    states = {check["check"]: check["state"] for check in done.json}
    assert states["runs"] == "ok"
    assert states["store"] == states["workspace"] == states["privacy"] == "ok"


def test_lines_to_copy_hold_for_any_folder(command: Command, tmp_path: Path) -> None:
    """A shell takes the folder out of each as it is called."""
    folder = tmp_path / 'it\'s my "$HOME"; a b'
    missing = command("status", "-w", str(folder)).error
    assert missing is not None
    line = missing.hint[missing.hint.index("tui-annotate ") :]
    assert shlex.split(line) == ["tui-annotate", "init", str(folder)]
    command("init", str(folder))
    folder.chmod(0o755)
    (finding,) = [
        each
        for each in command("doctor", "-w", str(folder), "--json").json
        if each["check"] == "privacy"
    ]
    assert shlex.split(finding["hint"]) == ["chmod", "-R", "go=", str(folder)]


def test_doctor_tells_a_damaged_store(filled: Command, tmp_path: Path) -> None:
    """A store that is none is wrong, with the line that saves it; other commands send there."""
    (tmp_path / "store.sqlite").write_bytes(b"not a store" * 1000)
    done = filled("doctor", "--json")
    assert done.code == 1
    found = {check["check"]: check for check in done.json}["store"]
    assert found["state"] == "error"
    assert "sqlite3 store.sqlite .dump" in found["hint"]
    damaged = filled("status").error
    assert type(damaged) is Damaged
    assert "doctor" in damaged.hint


@pytest.mark.parametrize("text", ['[keys]\n"no.such" = "S"\n', "[keys\n", "odd = 1\n"])
def test_doctor_tells_a_broken_configuration(filled: Command, text: str) -> None:
    """A configuration or key map that is refused is a finding, with the path of its file."""
    file = Path(os.environ["TUI_ANNOTATE_CONFIG"])
    file.write_text(text, "utf-8")
    done = filled("doctor", "--json")
    assert done.code == 1
    found = {check["check"]: check for check in done.json}["configuration"]
    assert found["state"] == "error"
    assert str(file) in found["message"]


def test_doctor_tells_where_a_configuration_would_be(filled: Command) -> None:
    """A file that is not there is not told as if it were."""
    Path(os.environ["TUI_ANNOTATE_CONFIG"]).unlink()
    found = {check["check"]: check for check in filled("doctor", "--json").json}["configuration"]
    assert found["state"] == "ok"
    assert found["message"] != os.environ["TUI_ANNOTATE_CONFIG"]
    assert os.environ["TUI_ANNOTATE_CONFIG"] in found["message"]


def test_doctor_without_a_workspace(command: Command) -> None:
    """Where there is no workspace, that is what is wrong."""
    done = command("doctor")
    assert done.code == 1
    assert "tui-annotate init" in done.out


PLANTED = ("Quillfeather", "quill@example.org", "sk-Qzx7", "Zibaldone", "Plumbago", "Grimoire")
"""A person, an address, a key, words of a text, a dataset, and a label."""


def plant(command: Command, folder: Path) -> None:
    """A workspace with something private in texts, names, settings, labels and the log."""
    person, address, key, text, dataset, label = PLANTED
    command("init", str(folder))
    labels = (folder / "labels.yaml").read_text("utf-8")
    (folder / "labels.yaml").write_text(f"{labels}\n  - name: {label}\n", "utf-8")
    pair = {"id": f"{text}-7", "source": f"The {text} cost 12 pounds.", "summary": f"{text}!"}
    file = folder / "in.jsonl"
    file.write_text(json.dumps(pair), "utf-8")
    wanted = ("--dataset", dataset, "--id-column", "id", "--embedder", "none", str(file))
    assert command("ingest", "-w", str(folder), *wanted).code == 0
    with workspaces.open(folder) as space:
        one = claim("a", 0, 3, label=label, note=text)
        sample = SampleKey(dataset, f"{text}-7")
        space.annotate.add(space.person(person).id, sample, one, seconds=1)
    (folder / "labels.yaml").write_text("- Other\n", "utf-8")
    (folder / "tui-annotate.toml").write_text(
        f'base_url = "https://{address}"\njudge_model = "{key}"\n', "utf-8"
    )
    said = f"unexpected: {text} {person}\n{key}\n"
    log = f"2026-01-01 10:00:00,000 ERROR tui_annotate.tui.app: {said}"
    (folder / "log" / "app.log").write_text(log, "utf-8")


def test_a_bug_report_holds_nothing_private(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of texts, names, addresses, keys and paths nothing is there; numbers and findings are."""
    folder = tmp_path / f"home-{PLANTED[0]}"
    plant(command, folder)
    monkeypatch.setenv("TUI_ANNOTATE_API_KEY", PLANTED[2])
    done = command("doctor", "-w", str(folder), "--bug-report", "report.json")
    assert done.code == 0, done.out
    assert PLANTED[-1] in done.out
    written = (tmp_path / "report.json").read_text("utf-8")
    for each in (*PLANTED, str(tmp_path), tmp_path.name):
        assert each.casefold() not in written.casefold()
    found = json.loads(written)
    assert found["contents"]["samples"] == found["contents"]["annotations"] == 1
    assert found["settings"]["base_url"] is True
    assert found["variables"] == sorted(
        name
        for name in os.environ
        if "TUI_ANNOTATE" in name and not name.endswith(("SHARED", "TORTURE"))  # of the tests
    )
    states = {each["check"]: each["state"] for each in found["findings"]}
    assert (states["store"], states["label file"]) == ("ok", "warning")
    assert len(found["log"]) == 2


def test_numbers_are_masked_where_the_names_are_unknown(filled: Command, tmp_path: Path) -> None:
    """A number may be a person's name, which the program cannot know if the store is damaged."""
    with workspaces.open(tmp_path) as space:
        space.person("4711")
    line = "2026-01-01 10:00:00,000 ERROR tui_annotate.tui.store_thread: {}\n"
    messages = map("the position was not saved: {}".format, ("4711", "12"))
    (tmp_path / "log" / "app.log").write_text("".join(map(line.format, messages)), "utf-8")
    for damaged in (False, True):
        if damaged:
            (tmp_path / "store.sqlite").write_bytes(b"not a store" * 1000)
        assert filled("doctor", "--bug-report", "report.json").code == int(damaged)
        log = json.loads((tmp_path / "report.json").read_text("utf-8"))["log"]
        shown = [each.rpartition(": ")[2] for each in log]
        assert shown == [REMOVED, REMOVED if damaged else "12"]


def test_a_bug_report_is_written_where_nothing_works(command: Command, tmp_path: Path) -> None:
    """Without a workspace and with settings that are refused, it contains only that."""
    Path(os.environ["TUI_ANNOTATE_CONFIG"]).write_text("odd = 1\n", "utf-8")
    done = command("doctor", "--bug-report", "report.json", "--json")
    assert done.code == 1
    assert {each["state"] for each in done.json} >= {"error"}
    found = json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert found["contents"] == found["files"] == found["settings"] == {}
    assert found["program"]["version"]
    assert "error" in {each["state"] for each in found["findings"]}
    assert command("doctor", "--bug-report", str(tmp_path)).code == 2


TERMINALS = [
    ({"TERM": "xterm-256color"}, (100, 30), {"terminal": "ok", "size": "ok"}),
    ({"TERM": "xterm", "COLORTERM": "truecolor"}, (80, 24), {"terminal": "ok", "size": "ok"}),
    ({"TERM": "xterm", "NO_COLOR": "1"}, (79, 24), {"terminal": "ok", "size": "warning"}),
    ({"TERM": "linux", "TEXTUAL_LOG": "x"}, (80, 23), {"size": "warning", "settings": "warning"}),
    ({}, (80, 24), {"terminal": "error"}),
]


@pytest.mark.parametrize(("environment", "size", "expected"), TERMINALS)
def test_terminals_are_judged(
    environment: dict[str, str],
    size: tuple[int, int],
    expected: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Kind, size and settings that are in the way are told, with the line that mends them."""
    stdout = SimpleNamespace(isatty=lambda: True, encoding="latin-1")
    monkeypatch.setattr(doctor, "sys", SimpleNamespace(stdout=stdout))
    monkeypatch.setattr("shutil.get_terminal_size", lambda *_, **__: os.terminal_size(size))
    checks = {check.check: check for check in doctor.check_terminal(environment)}
    assert {what: checks[what].state for what in expected} == expected
    assert checks["encoding"].state == "error"
    assert all(check.hint for check in checks.values() if check.state != "ok")


def test_a_platform_without_vectors_is_a_doubt(
    filled: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the vectors' package is missing, doctor says that new texts get none."""
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    states = {check["check"]: check["state"] for check in filled("doctor", "--json").json}
    assert states["embedders"] == "warning"


def test_terminal_checks_tell_what_a_pipe_is() -> None:
    """Where nothing is drawn there is one line, and nothing wrong."""
    (check,) = doctor.check_terminal({"TERM": "dumb"})
    assert check.state == "ok"


@pytest.mark.parametrize(
    ("days", "state", "counts"),
    [
        ((), "ok", [4, 0]),
        ((10,), "ok", [4, 1]),
        ((8, 10), "warning", [4, 2]),
        ((1, 2, 3, 4, 5), "warning", [4, 5, 2]),
    ],
)
def test_a_run_that_nobody_ends_any_more_is_a_doubt(
    days: tuple[int, ...], state: str, counts: list[int]
) -> None:
    """One that began within a day may be on its way; of an older one is told what ends it."""
    now = datetime(2024, 5, 10, 12, tzinfo=UTC)
    about = ScoreRun(id="1", kind=RunKind.SCORE, maker="m", dataset="news")
    runs = [replace(about, at=f"2024-05-{day:02}T13:00:00+00:00") for day in days]
    found = doctor.check_runs(4, runs, now=now)
    assert (found.state, bool(found.hint)) == (state, state == "warning")
    assert numbers(found.message) == counts
    named = re.findall(r"2024-05-\d\d", found.message)
    assert named == [f"2024-05-{day:02}" for day in days if day < 10][:3]


@pytest.mark.parametrize(
    ("at", "state"),
    [
        ("", "warning"),
        ("yesterday", "warning"),
        ("2024-05-10T09:00:00", "ok"),
        ("0001-01-01", "warning"),
    ],
)
def test_a_run_from_a_file_may_tell_any_time(at: str, state: str) -> None:
    """One without a zone is of UTC; what is no time is long ago."""
    run = ScoreRun(id="1", kind=RunKind.SUGGEST, maker="m", dataset="news", at=at)
    found = doctor.check_runs(0, [run], now=datetime(2024, 5, 10, 12, tzinfo=UTC))
    assert found.state == state


GROUP = os.getgid()


@pytest.fixture
def folder(command: Command, tmp_path: Path) -> Path:
    """A new workspace, whose name a shell must not take apart."""
    place = tmp_path / "it's a b"
    assert command("init", str(place)).code == 0
    return place


def folder_findings(folder: Path) -> dict[str, tuple[str, str, str]]:
    """State, words and mending line of each finding, by its name."""
    checks = doctor.check_folder(folder)
    return {each.check: (each.state, each.message, each.hint) for each in checks}


def mend(folder: Path) -> None:
    """Runs the line that mends who can read a folder."""
    subprocess.run(["sh", "-c", folder_findings(folder)["privacy"][2]], check=True)


def entries(folder: Path) -> Iterator[Path]:
    """A folder and all that lies in it."""
    yield folder
    yield from folder.rglob("*")


def test_a_new_workspace_is_for_its_owner_alone(folder: Path) -> None:
    """Files 0600, folders 0700, by whatever umask it was made."""
    assert folder_findings(folder)["privacy"][0] == "ok"
    modes = {path.stat().st_mode & 0o777 for path in entries(folder) if path.is_file()}
    assert modes == {0o600}


def test_what_others_can_read_is_a_doubt(folder: Path) -> None:
    """Told with names, and mended by the line; behind a closed folder nothing is readable."""
    folder.chmod(0o755)
    (folder / "vectors").chmod(0o755)
    state, says, _ = folder_findings(folder)["privacy"]
    assert state == "warning"
    assert says.endswith(" it's a b, vectors")
    mend(folder)
    assert folder_findings(folder)["privacy"][0] == "ok"
    (folder / "vectors").chmod(0o755)
    assert folder_findings(folder)["privacy"][0] == "ok"


def test_many_readable_files_are_counted(folder: Path) -> None:
    """Five are named, the others counted."""
    for name in "abcdefgh":
        (folder / name).touch()
        (folder / name).chmod(0o644)
    folder.chmod(0o755)
    assert folder_findings(folder)["privacy"][1].count(", ") == 4
    assert numbers(folder_findings(folder)["privacy"][1]) == [4]


def test_a_group_may_share_a_workspace(folder: Path) -> None:
    """What the group can not use and what others can read is wrong; the rest is told as it is."""
    folder.chmod(0o2770)
    state, says, line = folder_findings(folder)["privacy"]
    assert state == "error"
    assert "store.sqlite" in says
    assert shlex.split(line)[:3] == ["chgrp", "-R", doctor.find_group_name(GROUP)]
    mend(folder)
    assert {path.stat().st_mode & 0o7777 for path in entries(folder) if path.is_dir()} == {0o2770}
    state, says, _ = folder_findings(folder)["privacy"]
    assert state == "warning"
    assert doctor.find_group_name(GROUP) in says
    folder.chmod(0o2775)
    assert folder_findings(folder)["privacy"][0] == "error"
    mend(folder)
    assert folder_findings(folder)["privacy"][0] == "warning"


def test_logs_are_each_users_own_in_a_group(folder: Path) -> None:
    """A log that its user alone can read is nothing wrong."""
    folder.chmod(0o2770)
    mend(folder)
    log = folder / "log" / "app.log"
    log.touch()
    log.chmod(0o600)
    assert folder_findings(folder)["privacy"][0] == "warning"


def test_the_key_of_pseudonyms_is_not_given_to_a_group(folder: Path) -> None:
    """The command that gives the other files to the group leaves it to its owner."""
    key = folder / "pseudonyms.key"
    key.touch()
    key.chmod(0o600)
    folder.chmod(0o2770)
    mend(folder)
    assert key.stat().st_mode & 0o777 == 0o600
    assert (folder / "store.sqlite").stat().st_mode & 0o070 == 0o060


def test_the_key_of_pseudonyms_is_its_owners_in_a_group(folder: Path) -> None:
    """That the group can not read it is nothing wrong."""
    folder.chmod(0o2770)
    mend(folder)
    for name, state in (("pseudonyms.key", "warning"), ("other.key", "error")):
        key = folder / name
        key.touch()
        key.chmod(0o600)
        assert folder_findings(folder)["privacy"][0] == state


def test_a_group_without_a_name_is_called_by_its_number() -> None:
    """A number that no table knows is still one that chgrp takes."""
    assert doctor.find_group_name(4_000_000) == "4000000"


def test_the_file_system_of_a_folder_is_the_deepest_mount(tmp_path: Path) -> None:
    """The mount nearest above counts, of two at one place the later; without a table: unknown."""
    mounts = tmp_path / "mounts"
    here = str(tmp_path.resolve())
    mounts.write_text(
        f"a / ext4 rw\nold {here} xfs rw\nserver:/x {here} nfs4 rw\nb /other xfs rw\nodd\n"
    )
    assert doctor.find_mount(tmp_path, mounts) == ("server:/x", "nfs4")
    assert doctor.find_mount(Path("/"), mounts) == ("a", "ext4")
    assert doctor.find_mount(tmp_path, tmp_path / "absent") == ("", "")


def test_a_network_file_system_is_refused_with_a_local_place(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the usual places the first that is local and writable; where none is, the usual one."""
    far, near = tmp_path / "far", tmp_path / "near"
    far.mkdir()
    near.mkdir()
    mounts = tmp_path / "mounts"
    mounts.write_text(f"a / nfs4 rw\nb {near} ext4 rw\n")
    monkeypatch.setattr(doctor, "MOUNTS", mounts)
    monkeypatch.setattr(doctor, "LOCAL_DISKS", (str(far), str(near)))
    state, says, line = folder_findings(folder)["disk"]
    assert state == "error"
    assert "nfs4" in says
    words = shlex.split(line, comments=True)
    assert words == ["cp", "-a", str(folder), str(near / folder.name)]
    monkeypatch.setattr(doctor, "LOCAL_DISKS", (str(far),))
    assert str(far / folder.name) in folder_findings(folder)["disk"][2]
    (folder / "store.sqlite").unlink()  # a store in PostgreSQL has no file there
    assert "disk" not in folder_findings(folder)


@pytest.mark.parametrize("kind", ["nfs", "cifs", "fuse.sshfs", "lustre", "9p"])
def test_every_kind_of_network_is_known(kind: str) -> None:
    """Shares, clusters and tunnels alike."""
    assert kind in doctor.NETWORK_FILE_SYSTEMS


def test_a_disk_mounted_read_only_is_a_doubt(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An archive is in order as it is; who wants to work there gets the command for a copy."""
    real = os.statvfs(folder)
    names = [name for name in dir(real) if name.startswith("f_")]
    mounted = SimpleNamespace(**{name: getattr(real, name) for name in names})
    mounted.f_flag = os.ST_RDONLY
    monkeypatch.setattr("os.statvfs", lambda _folder: mounted)
    monkeypatch.setattr("os.access", lambda _folder, _mode: False)
    state, _, line = folder_findings(folder)["writing"]
    assert state == "warning"
    assert shlex.split(line, comments=True)[:3] == ["cp", "-r", str(folder)]


def test_a_full_or_read_only_disk_is_wrong(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too few bytes, too few files, and a folder that can not be written."""
    monkeypatch.setattr("os.access", lambda _folder, _mode: False)
    assert folder_findings(folder)["writing"][0] == "error"
    none_left = SimpleNamespace(f_files=9, f_favail=8, f_flag=0)
    monkeypatch.setattr("os.statvfs", lambda _folder: none_left)
    monkeypatch.setattr("shutil.disk_usage", lambda _folder: SimpleNamespace(free=2**40))
    assert folder_findings(folder)["space"][0] == "error"
    assert numbers(folder_findings(folder)["space"][1]) == [8]
    monkeypatch.setattr("shutil.disk_usage", lambda _folder: SimpleNamespace(free=1))
    assert folder_findings(folder)["space"][0] == "error"
    assert folder_findings(folder)["space"][1].startswith("0 MB ")


QUOTAS = {
    "ok": ("  900000 2000000 3000000 0  12 0 0 0", "2.0 GB "),
    "error": ("2999999* 2000000 3000000 6  12 0 0 0", "0 MB "),
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
    monkeypatch.setattr(doctor, "MOUNTS", mounts)
    found, report, _ = folder_findings(folder)["quota"]
    assert (found, report.startswith(says)) == (state, True)


SOUND = {
    "permittty": ["yes"],
    "disableforwarding": ["yes"],
    "permituserrc": ["no"],
    "permituserenvironment": ["no"],
    "acceptenv": ["LANG", "LC_*", "COLORTERM", "NO_COLOR"],
    "forcecommand": ["none"],
}
COMMAND = "python -I -m tui_annotate ssh session anaana -w /srv/a"
MINE = format_authorized_key(KEYS[0], command=COMMAND, name="ana")
BOUND = {KEYS[0]: COMMAND}


def check_settings(**other: list[str]) -> DiagnosticFinding:
    """The one finding of settings that differ from sound ones."""
    (finding,) = sshd_checks.check_sshd_settings(
        {**SOUND, **other}, Path("/srv/it's a"), "annotate"
    )
    return finding


def test_sound_settings_are_ok() -> None:
    """As `users ssh setup` prints them."""
    assert check_settings().state == "ok"


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"permittty": ["no"]}, "PermitTTY no"),
        ({"disableforwarding": ["no"]}, "DisableForwarding no"),
        ({"permituserrc": ["yes"]}, "PermitUserRC yes"),
        ({"permituserenvironment": ["LANG"]}, "PermitUserEnvironment LANG"),
        ({"acceptenv": ["LANG", "PYTHON* LC_*"]}, "AcceptEnv PYTHON*"),
        ({"acceptenv": ["*"]}, "AcceptEnv *"),
    ],
)
def test_what_leaves_more_open_is_a_doubt(other: dict[str, list[str]], words: str) -> None:
    """By the name that sshd_config has for it, with the line that prints the right ones."""
    finding = check_settings(**other)
    assert finding.state == "warning"
    assert words in finding.message
    line = shlex.split(finding.hint)
    assert line[:4] == ["tui-annotate", "users", "ssh", "setup"]
    assert "/srv/it's a" in line


def test_a_forced_command_beside_bound_keys_is_wrong() -> None:
    """It would go before those of the keys, so that everybody is the same person."""
    finding = check_settings(forcecommand=["tui-annotate session"])
    assert finding.state == "error"
    assert "ForceCommand" in finding.message


def findings(folder: Path, text: str, *, mode: int = 0o600) -> list[DiagnosticFinding]:
    """Of a file of keys, when ana's is bound."""
    file = folder / "authorized_keys"
    file.write_text(text)
    file.chmod(mode)
    return list(sshd_checks.check_authorized_keys([folder / "none", file], folder, BOUND))


def test_lines_as_they_were_written_are_nothing_to_tell(tmp_path: Path) -> None:
    """Ours, comments, and others that are as closed as ours."""
    closed = f'restrict,command="/usr/bin/true" {KEYS[1]} robot'
    assert findings(tmp_path, f"# all\n\n{MINE}\n{closed}\n") == []


@pytest.mark.parametrize(
    ("line", "state", "words"),
    [
        (f"{KEYS[0]} ana@desk", "error", "restrict and command"),
        (f"restrict {KEYS[0]}", "error", " command"),
        (MINE.replace("restrict,", ""), "error", " restrict"),
        (MINE.replace("anaana", "benben"), "error", ""),
        (MINE.replace("session", "annotate"), "error", ""),
    ],
)
def test_a_bound_key_that_opens_more_is_wrong(
    tmp_path: Path, line: str, state: str, words: str
) -> None:
    """With file and line, and what writes it anew."""
    (finding,) = findings(tmp_path, f"# first\n{line}\n")
    assert finding.state == state
    assert words in finding.message
    assert re.search(rf"\b2\b.* {tmp_path}", finding.message)
    assert "tui-annotate users ssh authorized-keys" in finding.hint


def test_a_key_of_another_workspace_is_told(tmp_path: Path) -> None:
    """As in a copy of a workspace: nothing is wrong, but it does not open this one."""
    (finding,) = findings(tmp_path, MINE.replace("/srv/a", "/srv/b"))
    assert finding.state == "warning"
    assert re.search(rf"\b1\b.* {tmp_path}", finding.message)


def test_another_key_with_a_shell_is_a_doubt_that_can_be_mended(tmp_path: Path) -> None:
    """It may be an admin's; the line takes out that one alone."""
    text = f"{MINE}\n{KEYS[1]} admin\n{KEYS[2]} admin\n"
    first, _ = findings(tmp_path, text)
    assert first.state == "warning"
    subprocess.run(["sh", "-c", first.hint], check=True)
    assert (tmp_path / "authorized_keys").read_text() == f"{MINE}\n{KEYS[2]} admin\n"


def test_a_key_that_stands_nowhere_is_told(tmp_path: Path) -> None:
    """Bound, but not written: sshd does not know it."""
    (finding,) = findings(tmp_path, "")
    assert numbers(finding.message) == [1]
    assert shlex.split(finding.hint)[-1] == str(tmp_path / "none")


def test_a_file_that_others_can_write_is_wrong(tmp_path: Path) -> None:
    """The line makes it one that sshd reads."""
    (finding,) = findings(tmp_path, MINE, mode=0o664)
    assert finding.state == "error"
    subprocess.run(["sh", "-c", finding.hint], check=True)
    assert (tmp_path / "authorized_keys").stat().st_mode & 0o777 == 0o600


def test_without_bound_keys_sshd_is_nobodys_business(tmp_path: Path) -> None:
    """A workspace on a laptop hears nothing of it."""
    assert list(sshd_checks.check_sshd(tmp_path, [])) == []


def fake_sshd(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """An sshd that does what the script says; first on the path."""
    program = folder / "sshd"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")


def test_settings_are_those_for_the_stores_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is asked about that account, and its words are read; its file of keys is looked at."""
    keys = tmp_path / "keys of root"
    keys.write_text(f"{KEYS[0]}\n")
    lines = "\n".join(f"{name} {value}" for name, each in SOUND.items() for value in each)
    script = (
        f"echo \"$@\" > {tmp_path}/asked\ncat <<'.'\n{lines}\nauthorizedkeysfile {tmp_path}/%u\n."
    )
    fake_sshd(tmp_path, monkeypatch, script)
    found = list(sshd_checks.check_sshd(tmp_path, [MINE]))
    assert [(each.check, each.state) for each in found] == [
        ("sshd", "ok"),
        ("authorized_keys", "warning"),
    ]
    owner = tmp_path.owner()
    asked = (tmp_path / "asked").read_text()
    assert asked == f"-T -C user={owner},host=localhost,addr=127.0.0.1\n"
    (tmp_path / owner).write_text(f"{KEYS[0]} ana\n")
    assert [each.state for each in sshd_checks.check_sshd(tmp_path, [MINE])] == ["ok", "error"]


def test_settings_that_can_not_be_read_are_a_doubt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Most users may not; the line says who can."""
    fake_sshd(tmp_path, monkeypatch, "exit 1")
    first = next(sshd_checks.check_sshd(tmp_path, [MINE]))
    assert first.state == "warning"
    assert "sshd -T" in first.hint


@pytest.mark.parametrize(
    ("name", "state"), [("glibc 2.36", "ok"), ("glibc 2.28", "ok"), ("glibc 2.17", "error")]
)
def test_an_old_c_library_is_told(monkeypatch: pytest.MonkeyPatch, name: str, state: str) -> None:
    """By its version; systems without it have nothing to tell."""
    monkeypatch.setattr("os.confstr", lambda _name: name)
    (finding,) = doctor.check_glibc()
    assert finding.state == state
    monkeypatch.setattr("os.confstr", lambda _name: None)
    assert list(doctor.check_glibc()) == []


def test_temporary_files_of_killed_commands_are_listed(folder: Path) -> None:
    """With the line that removes them; not those that a process is writing, or others' files."""
    (folder / "film.mkv.part").touch()
    (folder / "thesis.part").mkdir()
    left = [folder / ".out.csv.0123abcd.part", folder / "backups" / "store-0001.part"]
    assert "unfinished files" not in folder_findings(folder)
    for path in left:
        path.touch()
    with replace_file(folder / "written.csv"):
        state, says, mend = folder_findings(folder)["unfinished files"]
    assert state == "warning"
    assert says.endswith("store-0001.part")
    assert "written" not in says
    assert "film" not in mend
    subprocess.run(["sh", "-c", mend], check=True)
    assert "unfinished files" not in folder_findings(folder)


@pytest.mark.parametrize("words", ["doctor --bug-report", "export --to native -o"])
def test_no_output_replaces_the_store(folder: Path, command: Command, words: str) -> None:
    """All work would be lost: the output is refused, and the store stays as it is."""
    store = folder / "store.sqlite"
    before = store.stat().st_ino
    done = command(*words.split(), str(store), "-w", str(folder))
    assert type(done.error) is InvalidInput
    assert store.stat().st_ino == before
