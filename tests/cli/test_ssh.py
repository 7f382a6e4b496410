"""Commands around ssh: keys in, lines out, and what a session refuses before it draws."""

from __future__ import annotations

import io
import os
import shlex
import stat
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import tui_annotate
from tests.cli.conftest import Command
from tests.helpers.ssh_keys import KEYS
from tests.helpers.ssh_server import SSHD, separate
from tests.helpers.terminal import ROOT
from tui_annotate.__main__ import KEPT, clean
from tui_annotate.cli import screen, ssh, ssh_session
from tui_annotate.domain.errors import Conflict, NotAllowed
from tui_annotate.domain.people import Role
from tui_annotate.domain.ssh_keys import parse_entry
from tui_annotate.services.authentication.account_management import NewAccount

SESSION = f"{sys.executable} -I -m tui_annotate ssh session"


@pytest.fixture
def team(filled: Command, tmp_path: Path) -> Command:
    """The workspace with accounts of ana and ben, and a key of ben's in a file."""
    with tui_annotate.open(tmp_path) as space:
        for name in ("ana", "ben"):
            new = NewAccount(name, f"{name}@example.org", password="five small green boats")
            space.team.accounts.add(new)
    (tmp_path / "ben.pub").write_text(f"{KEYS[0]} ben@desk\n")
    return filled


def person(folder: Path, name: str) -> str:
    """Somebody's id."""
    with tui_annotate.open(folder) as space:
        return space.team.accounts.find(name).person.id


def test_a_key_is_bound_listed_and_removed(team: Command, tmp_path: Path) -> None:
    """Told in words and as JSON; what to do next goes to standard error."""
    added = team("users", "ssh", "keys", "add", "ben@example.org", "ben.pub")
    assert added.code == 0
    fingerprint = added.out.split()[2]
    assert fingerprint.startswith("SHA256:")
    assert added.out.endswith(" ben\n")
    assert "users ssh authorized-keys" in added.err
    (listed,) = team("users", "ssh", "keys", "list", "--json").json
    assert listed["person"] == person(tmp_path, "ben")
    assert (listed["name"], listed["fingerprint"], listed["key"]) == ("ben", fingerprint, KEYS[0])
    assert fingerprint in team("users", "ssh", "keys", "list").out
    assert team("users", "ssh", "keys", "add", "ben", "ben.pub", "--json").json == listed
    deleted = team("users", "ssh", "keys", "delete", fingerprint, "--json").json
    assert deleted == {"fingerprint": fingerprint}
    assert team("users", "ssh", "keys", "list", "--json").json == []
    assert team("users", "ssh", "keys", "delete", fingerprint).code == 2


def test_a_key_comes_from_standard_input(team: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dash stands for it."""
    text = io.BytesIO(f"{KEYS[1]} somebody\n".encode())
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=text))
    assert team("users", "ssh", "keys", "add", "ana", "-").out.endswith(" ana\n")


@pytest.mark.parametrize(
    ("who", "file", "code", "says"),
    [
        ("ben", "absent.pub", 2, "there is no file absent.pub"),
        ("ben", ".", 2, ". is a folder"),
        ("ben", "private", 2, "contains a private key"),
        ("ben", "huge.pub", 2, "huge.pub contains"),
        ("li", "ben.pub", 2, "'li'"),
    ],
)
def test_what_is_no_key_is_refused(
    team: Command, tmp_path: Path, who: str, file: str, code: int, says: str
) -> None:
    """With the file's name, and nothing bound."""
    (tmp_path / "private").write_text("-----BEGIN OPENSSH PRIVATE KEY-----\nsecret\n")
    (tmp_path / "huge.pub").write_text(f"{KEYS[0]}\n" * 1000)
    done = team("users", "ssh", "keys", "add", who, file)
    assert done.code == code
    assert says in done.err
    assert "secret" not in done.err
    assert team("users", "ssh", "keys", "list", "--json").json == []


def test_lines_are_printed_and_written(team: Command, tmp_path: Path) -> None:
    """The same lines; the file is its owner's alone, and lines of others stay in it."""
    team("users", "ssh", "keys", "add", "ben", "ben.pub")
    (line,) = team("users", "ssh", "authorized-keys").out.splitlines()
    entry = parse_entry(line)
    assert entry is not None
    wanted = f"{SESSION} {person(tmp_path, 'ben')} -w {shlex.quote(str(tmp_path))}"
    assert entry.options["command"] == wanted
    file = tmp_path / "home" / ".ssh" / "authorized_keys"
    assert team("users", "ssh", "authorized-keys", str(file)).code == 1  # no such home
    file.parents[1].mkdir()
    assert team("users", "ssh", "authorized-keys", str(file)).code == 0
    assert file.read_text().splitlines()[1:-1] == [line]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    file.write_bytes(b"# caf\xe9\n")
    team("users", "ssh", "authorized-keys", str(file))
    assert file.read_bytes().startswith(b"# caf\xe9\n")
    assert [each.name for each in file.parent.iterdir()] == ["authorized_keys"]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("# labels\n- Wrong\n- Unwanted:\n  - Intrinsic\n", ["lines 2 to 4", "'- Wrong'"]),
        ("\nname = 'x'\n", ["line 2 is", "name ="]),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nc2VjcmV0\n", ["lines 1 to 2", "a private key"]),
        ("ssh-ed25519\n", None),
        ("# a comment\n\n", None),
        ("", None),
    ],
)
def test_a_file_of_another_kind_stays(
    team: Command, tmp_path: Path, text: str, named: list[str] | None
) -> None:
    """Key lines would damage a file such as labels.yaml; a private key is not quoted."""
    file = tmp_path / "labels.yaml"
    file.write_text(text)
    team("users", "ssh", "keys", "add", "ben", "ben.pub")
    done = team("users", "ssh", "authorized-keys", str(file))
    if named is None:
        assert done.code == 0
        assert file.read_text().startswith(text)
        return
    assert done.error is not None
    assert (done.code, done.error.code) == (2, "no-authorized-keys")
    assert all(each in done.error.message for each in [str(file), *named])
    assert "c2Vj" not in done.err
    assert file.read_text() == text


def test_a_file_that_can_not_be_written_stays(team: Command, tmp_path: Path) -> None:
    """A folder of the name is told; a line of somebody else with the same key is, too."""
    team("users", "ssh", "keys", "add", "ben", "ben.pub")
    (tmp_path / "folder" / "in it").mkdir(parents=True)
    done = team("users", "ssh", "authorized-keys", str(tmp_path / "folder"))
    assert done.code == 1
    other = tmp_path / "keys"
    other.write_text(f"{KEYS[0]} ben\n")
    done = team("users", "ssh", "authorized-keys", str(other))
    assert type(done.error) is Conflict
    assert " 1 " in done.error.message
    assert other.read_text() == f"{KEYS[0]} ben\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="not root, who alone can start sshd")
def test_root_writes_for_the_owner(tmp_path: Path) -> None:
    """The file keeps its owner; a new one gets that of its folder."""
    folder = tmp_path / "home"
    folder.mkdir()
    os.chown(folder, 12345, 12346)
    file = folder / "authorized_keys"
    ssh.replace_private(file, "one\n")
    assert (file.stat().st_uid, file.stat().st_gid) == (12345, 12346)
    os.chown(file, 23456, 23457)
    ssh.replace_private(file, "two\n")
    assert (file.stat().st_uid, file.stat().st_gid) == (23456, 23457)
    assert file.read_text() == "two\n"


def test_the_arrangement_is_printed_whole_or_in_parts(team: Command, tmp_path: Path) -> None:
    """Nothing is written; a part is what the whole has of it."""
    before = sorted(tmp_path.rglob("*"))
    whole = team("users", "ssh", "setup", "--user", "marks").out
    assert sorted(tmp_path.rglob("*")) == before
    for part in ("account", "folders", "sshd", "keys", "client"):
        assert team("users", "ssh", "setup", "--user", "marks", "--part", part).out in whole
    for line in ("DisableForwarding yes", "PermitUserRC no", "Compression yes"):
        assert line in whole
    assert "ForceCommand" not in whole
    shared = team("users", "ssh", "setup", "--password-login", "--part", "sshd").out
    assert f"ForceCommand {SESSION} -w {tmp_path}" in shared
    assert "publickey" not in shared


@pytest.mark.parametrize("user", ["", "a b", "-a", "ana\nMatch all", "Ana"])
def test_an_account_that_is_none_is_refused(team: Command, user: str) -> None:
    """Its name stands in sshd's settings, where it must be one word."""
    assert team("users", "ssh", "setup", "--user", user).code == 2


def test_a_folder_that_no_line_can_hold_is_refused(team: Command, tmp_path: Path) -> None:
    """A line break would begin another setting."""
    odd = tmp_path / "a\nb"
    assert team("init", str(odd)).code == 0
    assert team("users", "ssh", "setup", "-w", str(odd)).code == 2


@pytest.mark.skipif(SSHD is None, reason="no sshd on this machine")
@pytest.mark.parametrize("how", [(), ("--password-login",)], ids=["keys", "on screen"])
def test_sshd_takes_the_settings(team: Command, tmp_path: Path, how: tuple[str, ...]) -> None:
    """As they are printed, for the account alone."""
    settings = team("users", "ssh", "setup", "--part", "sshd", "--user", "marks", *how).out
    key = tmp_path / "host"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    file = tmp_path / "sshd_config"
    file.write_text(f"HostKey {key}\n{settings}")
    separate()
    assert SSHD
    report = {}
    for user in ("marks", "other"):
        asked = [SSHD, "-T", "-f", str(file), "-C", f"user={user},host=h,addr=127.0.0.1"]
        done = subprocess.run(asked, capture_output=True, text=True, check=True)
        report[user] = done.stdout.splitlines()
    for line in ("disableforwarding yes", "permituserrc no", "acceptenv LC_*", "compression yes"):
        assert line in report["marks"]
    assert "disableforwarding no" in report["other"]
    assert "forcecommand none" in report["other"]
    assert ("forcecommand none" in report["marks"]) == (not how)


# sessions


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A terminal, and in place of the app what it was given."""
    given: dict[str, Any] = {}
    stream = SimpleNamespace(isatty=lambda: True)
    monkeypatch.setattr(ssh_session, "sys", SimpleNamespace(stdin=stream, stdout=stream))

    def annotate(folder: Path, **how: Any) -> int:
        given.update(how, folder=folder)
        return 0

    monkeypatch.setattr(screen, "annotate", annotate)
    monkeypatch.delenv("SSH_ORIGINAL_COMMAND", raising=False)
    return given


def test_a_session_is_its_persons(team: Command, tmp_path: Path, terminal: dict[str, Any]) -> None:
    """By the short way and by Typer alike; the machine's user is nobody's own."""
    for folder in (["-w", str(tmp_path)], [f"--workspace={tmp_path}"]):
        terminal.clear()
        assert team("ssh", "session", "somebody", *folder).code == 0
        assert terminal["bound"].person == "somebody"
        assert (terminal["own"], terminal["folder"]) == (False, tmp_path)


@pytest.mark.parametrize(("asked", "reviewing"), [("", False), ("review", True)])
def test_a_reviewer_asks_for_review(
    team: Command,
    tmp_path: Path,
    terminal: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    asked: str,
    reviewing: bool,
) -> None:
    """By that word alone."""
    monkeypatch.setenv("SSH_ORIGINAL_COMMAND", asked)
    with tui_annotate.open(tmp_path) as space:
        space.team.accounts.update("ben", role=Role.REVIEWER)
    assert team("ssh", "session", person(tmp_path, "ben"), "-w", str(tmp_path)).code == 0
    assert terminal["reviewing"] is reviewing


def test_an_annotator_who_requests_a_review_is_refused_before_the_screen(
    team: Command, tmp_path: Path, terminal: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The refusal is an error of the command, for which no key is needed."""
    monkeypatch.setenv("SSH_ORIGINAL_COMMAND", "review")
    for name in (person(tmp_path, "ben"), "somebody"):
        done = team("ssh", "session", name, "-w", str(tmp_path))
        assert (done.code, done.out, terminal) == (1, "", {})
        assert type(done.error) is NotAllowed
    with tui_annotate.open(tmp_path) as space:
        assert space.team.accounts.signed_in() == ()


def test_without_a_person_everybody_signs_in(
    team: Command, tmp_path: Path, terminal: dict[str, Any]
) -> None:
    """On the screen; so there must be accounts."""
    assert team("ssh", "session", "-w", str(tmp_path)).code == 0
    assert terminal["bound"] is None
    assert terminal["own"] is False


def test_without_accounts_nobody_is_let_in_unnamed(
    filled: Command, tmp_path: Path, terminal: dict[str, Any]
) -> None:
    """All would be the same person."""
    done = filled("ssh", "session", "-w", str(tmp_path))
    assert done.code == 1
    assert "users create" in done.err
    assert terminal == {}


@pytest.mark.parametrize(
    "asked", ["id", "export ", " export", "export\n", "EXPORT", "exit 0", "review x"]
)
def test_what_is_not_on_the_list_is_refused(
    team: Command, monkeypatch: pytest.MonkeyPatch, terminal: dict[str, Any], asked: str
) -> None:
    """By its exact words, also on a terminal; exit code 2 and one line."""
    monkeypatch.setenv("SSH_ORIGINAL_COMMAND", asked)
    done = team("ssh", "session", "somebody", "-w", ".")
    assert (done.code, done.out, done.err) == (2, "", ssh_session.HINT + "\n")
    assert terminal == {}


def test_without_a_terminal_nothing_begins(team: Command, tmp_path: Path) -> None:
    """Exit code 2; a workspace that is none is told before."""
    assert team("ssh", "session", "somebody", "-w", str(tmp_path)).code == 2
    assert team("ssh", "session", "somebody", "-w", "nowhere").code == 2


def test_export_is_of_the_person(
    team: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody without an active account; whose session it was is signed out afterwards."""
    monkeypatch.setenv("SSH_ORIGINAL_COMMAND", "export")
    monkeypatch.setenv("SSH_CONNECTION", "192.0.2.1 5 192.0.2.2 22")
    ben = person(tmp_path, "ben")
    done = team("ssh", "session", ben, "-w", str(tmp_path))
    assert (done.code, done.out) == (0, "")
    assert len(done.err.splitlines()) == 1
    with tui_annotate.open(tmp_path) as space:
        assert space.team.accounts.signed_in() == ()
    assert team("ssh", "session", "somebody", "-w", str(tmp_path)).code == 1
    assert team("ssh", "session", "-w", str(tmp_path)).code == 2


def test_a_session_is_for_the_stores_account(
    team: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever shares the store by a group would be let in as anybody."""
    monkeypatch.setattr("os.geteuid", lambda: os.getuid() + 1)
    done = team("ssh", "session", "somebody", "-w", str(tmp_path))
    assert type(done.error) is NotAllowed
    assert f"the store of {tmp_path}" in done.error.message
    assert "tui-annotate annotate" in done.error.hint


def test_only_lines_as_sshd_has_them_go_the_short_way() -> None:
    """Everything else is Typer's to judge."""
    assert ssh_session.parse_session(["ssh", "session", "p", "-w", "/a b"]) == ("p", Path("/a b"))
    assert ssh_session.parse_session(["ssh", "session", "-w", "/a"]) == ("", Path("/a"))
    for others in (
        ["ssh", "session"],
        ["ssh", "session", "p"],
        ["ssh", "session", "p", "-w", ""],
        ["ssh", "session", "--help", "-w", "/a"],
        ["ssh", "session", "p", "--as", "/a"],
        ["annotate", "p", "-w", "/a"],
    ):
        assert ssh_session.parse_session(others) is None


def test_a_session_knows_little_of_its_environment() -> None:
    """What draws, and where it comes from; nothing that a library or we would obey."""
    given = dict.fromkeys(KEPT, "x") | {"LC_ALL": "C.UTF-8"}
    others = ("TEXTUAL", "TEXTUAL_DRIVER", "PYTHONPATH", "TUI_ANNOTATE_CONFIG", "LD_PRELOAD", "ENV")
    assert clean({**given, **dict.fromkeys(others, "x")}) == given


def test_a_session_begun_by_hand_begins_anew_isolated(tmp_path: Path) -> None:
    """A module on PYTHONPATH is not met, whoever wrote the line that began it."""
    (tmp_path / "typer.py").write_text("raise SystemExit('caught')\n")
    done = subprocess.run(
        [sys.executable, "-m", "tui_annotate", "ssh", "session", "--help"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "tui-annotate ssh session" in done.stdout


def test_a_session_begins_clean() -> None:
    """Files for its owner alone, no signal of a terminal that stops it, few variables."""
    script = (
        "import os, signal, sys; sys.argv = ['tui-annotate', 'ssh', 'session']\n"
        "import tui_annotate.cli.main as started, tui_annotate.__main__ as program\n"
        "def run():\n"
        "    names = ('SIGTSTP', 'SIGQUIT', 'SIGTTIN', 'SIGTTOU')\n"
        "    kept = [signal.getsignal(getattr(signal, n)) is signal.SIG_IGN for n in names]\n"
        "    print(oct(os.umask(0)), kept, sorted(os.environ))\n"
        "started.run = run\n"
        "program.main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{script}"],
        env={"LC_ALL": "C.UTF-8", "TERM": "xterm", "PYTHONPATH": "x", "TEXTUAL": "x", "X": "x"},
        capture_output=True,
        text=True,
        check=False,
        umask=0o022,
    )
    shown = f"0o77 {[True] * 4} {['LC_ALL', 'TERM']}\n"
    assert (done.stdout, done.stderr) == (shown, "")
