"""What doctor finds about sshd: which settings and lines leave more open than a session."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

from tests.key_files import KEYS
from tui_annotate.cli import doctor_server
from tui_annotate.domain.authorized_keys import authorized_line
from tui_annotate.domain.findings import Finding

SOUND = {
    "permittty": ["yes"],
    "disableforwarding": ["yes"],
    "permituserrc": ["no"],
    "permituserenvironment": ["no"],
    "acceptenv": ["LANG", "LC_*", "COLORTERM", "NO_COLOR"],
    "forcecommand": ["none"],
}
COMMAND = "python -I -m tui_annotate session anaana -w /srv/a"
MINE = authorized_line(KEYS[0], command=COMMAND, name="ana")
BOUND = {KEYS[0]: COMMAND}


def judged(**other: list[str]) -> Finding:
    """The one finding of settings that differ from sound ones."""
    (finding,) = doctor_server.judged({**SOUND, **other}, Path("/srv/it's a"), "annotate")
    return finding


def test_sound_settings_are_ok() -> None:
    """As `ssh setup` prints them."""
    assert judged().state == "ok"


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
    finding = judged(**other)
    assert finding.state == "doubt"
    assert words in finding.says
    line = shlex.split(finding.mend)
    assert line[:3] == ["tui-annotate", "ssh", "setup"]
    assert "/srv/it's a" in line


def test_a_forced_command_beside_bound_keys_is_wrong() -> None:
    """It would go before those of the keys, so that everybody is the same person."""
    finding = judged(forcecommand=["tui-annotate session"])
    assert finding.state == "wrong"
    assert "goes before" in finding.says


def findings(folder: Path, text: str, *, mode: int = 0o600) -> list[Finding]:
    """Of a file of keys, when ana's is bound."""
    file = folder / "authorized_keys"
    file.write_text(text)
    file.chmod(mode)
    return list(doctor_server.authorized_checks([folder / "none", file], folder, BOUND))


def test_lines_as_they_were_written_are_nothing_to_tell(tmp_path: Path) -> None:
    """Ours, comments, and others that are as closed as ours."""
    closed = f'restrict,command="/usr/bin/true" {KEYS[1]} robot'
    assert findings(tmp_path, f"# all\n\n{MINE}\n{closed}\n") == []


@pytest.mark.parametrize(
    ("line", "state", "words"),
    [
        (f"{KEYS[0]} ana@desk", "wrong", "lacks restrict and command: a bound key opens more"),
        (f"restrict {KEYS[0]}", "wrong", "lacks command"),
        (MINE.replace("restrict,", ""), "wrong", "lacks restrict"),
        (MINE.replace("anaana", "benben"), "wrong", "something else"),
        (MINE.replace("session", "annotate"), "wrong", "something else"),
    ],
)
def test_a_bound_key_that_opens_more_is_wrong(
    tmp_path: Path, line: str, state: str, words: str
) -> None:
    """With file and line, and what writes it anew."""
    (finding,) = findings(tmp_path, f"# first\n{line}\n")
    assert finding.state == state
    assert words in finding.says
    assert f"line 2 of {tmp_path}" in finding.says
    assert "tui-annotate ssh keys" in finding.mend


def test_a_key_of_another_workspace_is_told(tmp_path: Path) -> None:
    """As in a copy of a workspace: nothing is wrong, but it does not open this one."""
    (finding,) = findings(tmp_path, MINE.replace("/srv/a", "/srv/b"))
    assert finding.state == "doubt"
    assert "opens another workspace" in finding.says


def test_another_key_with_a_shell_is_a_doubt_that_can_be_mended(tmp_path: Path) -> None:
    """It may be an admin's; the line takes out that one alone."""
    text = f"{MINE}\n{KEYS[1]} admin\n{KEYS[2]} admin\n"
    first, _ = findings(tmp_path, text)
    assert first.state == "doubt"
    subprocess.run(["sh", "-c", first.mend], check=True)
    assert (tmp_path / "authorized_keys").read_text() == f"{MINE}\n{KEYS[2]} admin\n"


def test_a_key_that_stands_nowhere_is_told(tmp_path: Path) -> None:
    """Bound, but not written: sshd does not know it."""
    (finding,) = findings(tmp_path, "")
    assert finding.says == "bound keys that stand in no file that sshd reads: 1"
    assert shlex.split(finding.mend)[-1] == str(tmp_path / "none")


def test_a_file_that_others_can_write_is_wrong(tmp_path: Path) -> None:
    """The line makes it one that sshd reads."""
    (finding,) = findings(tmp_path, MINE, mode=0o664)
    assert finding.state == "wrong"
    subprocess.run(["sh", "-c", finding.mend], check=True)
    assert (tmp_path / "authorized_keys").stat().st_mode & 0o777 == 0o600


def test_without_bound_keys_sshd_is_nobodys_business(tmp_path: Path) -> None:
    """A workspace on a laptop hears nothing of it."""
    assert list(doctor_server.sshd_checks(tmp_path, [])) == []


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
    found = list(doctor_server.sshd_checks(tmp_path, [MINE]))
    assert [(each.what, each.state) for each in found] == [
        ("sshd", "ok"),
        ("authorized_keys", "doubt"),
    ]
    owner = tmp_path.owner()
    asked = (tmp_path / "asked").read_text()
    assert asked == f"-T -C user={owner},host=localhost,addr=127.0.0.1\n"
    (tmp_path / owner).write_text(f"{KEYS[0]} ana\n")
    assert [each.state for each in doctor_server.sshd_checks(tmp_path, [MINE])] == ["ok", "wrong"]


def test_settings_that_can_not_be_read_are_a_doubt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Most users may not; the line says who can."""
    fake_sshd(tmp_path, monkeypatch, "exit 1")
    first = next(doctor_server.sshd_checks(tmp_path, [MINE]))
    assert first.state == "doubt"
    assert first.mend.startswith("as root: sshd -T")


@pytest.mark.parametrize(
    ("name", "state"), [("glibc 2.36", "ok"), ("glibc 2.28", "ok"), ("glibc 2.17", "wrong")]
)
def test_an_old_c_library_is_told(monkeypatch: pytest.MonkeyPatch, name: str, state: str) -> None:
    """By its version; systems without it have nothing to tell."""
    monkeypatch.setattr("os.confstr", lambda _name: name)
    (finding,) = doctor_server.glibc_check()
    assert finding.state == state
    monkeypatch.setattr("os.confstr", lambda _name: None)
    assert list(doctor_server.glibc_check()) == []
