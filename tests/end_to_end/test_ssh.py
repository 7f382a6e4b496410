"""A real sshd, and real clients: what a key opens is a session of its owner, and nothing else."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from tests.end_to_end import example
from tests.end_to_end import screen_states as states
from tests.helpers.ssh_keys import generated
from tests.helpers.ssh_server import USER, Server, needs_sshd
from tests.helpers.terminal import PATIENCE, ROOT, Terminal, program
from tui_annotate import workspace
from tui_annotate.cli import sshd_checks
from tui_annotate.cli.ssh import SESSION
from tui_annotate.services.authentication.account_management import NewAccount

pytestmark = [*needs_sshd]

SELECTED: Final = f'{states.READY} "'
"""The draft line quotes selected words."""

PEOPLE: Final = ("ana", "ben", "cy", "di", "li")
"""Ana is the admin; each of the others is one test's."""


@dataclass(frozen=True)
class Arranged:
    """A workspace that is reached over ssh alone, as `users ssh setup` says.

    Attributes:
        folder: the workspace's.
        keys: everybody's private key.
        settings: of sshd, as they were printed.
    """

    folder: Path
    keys: dict[str, Path]
    settings: str
    server: Server

    def run(self, *words: str) -> str:
        """A command on the workspace that succeeds; what it printed."""
        return run(self.folder, *words)

    def at(self, name: str, *options: str, env: dict[str, str] | None = None) -> Terminal:
        """Somebody who comes with their key."""
        return self.server.terminal(self.keys[name], *options, env=env)

    def asks(self, name: str, *words: str) -> subprocess.CompletedProcess[str]:
        """Somebody who asks for a command with their key, without a terminal."""
        return self.server.run(self.keys[name], *words)


@pytest.fixture(scope="module")
def arranged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arranged]:
    """The example data, accounts, keys and an sshd with the lines that `users ssh keys` writes."""
    place = tmp_path_factory.mktemp("ssh")
    folder = example.make(place / "work of 'ana' & \"ben\"")
    with workspace.open(folder) as space:
        for name in PEOPLE:
            new = NewAccount(name, f"{name}@example.org", password="five small green boats")
            space.team.accounts.add(new)
    keys = {name: generated(place, name) for name in PEOPLE}
    for name, file in keys.items():
        run(folder, "users", "ssh", "keys", "add", name, str(file.with_suffix(".pub")))
    settings = run(folder, "users", "ssh", "setup", "--user", USER, "--part", "sshd")
    with Server(place, settings) as server:
        run(folder, "users", "ssh", "authorized-keys", str(server.authorized))
        yield Arranged(folder, keys, settings, server)


def run(folder: Path, *words: str) -> str:
    """A command on a workspace, at nobody's home."""
    nowhere = {f"TUI_ANNOTATE_{name}": str(folder / "none") for name in ("CONFIG", "STATE")}
    done = subprocess.run(
        program(*words, "-w", str(folder)),
        env={**os.environ, "PYTHONPATH": str(ROOT), **nowhere},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def selection_line(screen: str) -> list[str]:
    """The draft line that quotes the selected words."""
    return [line for line in screen.split("\n") if SELECTED in line]


SEEN: Final = 1.0
"""Seconds after which the real program, which sshd starts, takes a frame as seen."""


def works(terminal: Terminal) -> None:
    """Waits for the first sample, labels its first sentence and sees it saved."""
    states.wait_for_sample(terminal, states.FIRST_SENTENCE)
    terminal.read_for(SEEN)
    terminal.press(".3")
    states.wait_for_saved(terminal, "Benign")


def test_a_dropped_line_loses_nothing(arranged: Arranged) -> None:
    """The key signs in; after the client is killed, coming back finds sample, place, selection."""
    with arranged.at("ben") as terminal:
        works(terminal)
        terminal.press("\x1b[B" + "wwv")
        chosen = selection_line(terminal.wait(SELECTED))
        terminal.kill()
    arranged.server.wait_until_nobody_is_in()
    with arranged.at("ben") as terminal:
        assert selection_line(terminal.wait(SELECTED)) == chosen
        terminal.wait(states.annotation_count(1))
        states.quit_app(terminal)
    with workspace.open(arranged.folder) as space:
        ben = space.team.accounts.find("ben").person
        assert len(list(space.annotations(person=ben.id))) == 1
        assert example.find_store_errors(space) == []


def test_keys_that_would_stop_a_program_stop_nothing(arranged: Arranged) -> None:
    """Ctrl-Z before the first frame, Ctrl-Z and Ctrl-Backslash after it: no shell."""
    with arranged.at("cy") as terminal:
        while not terminal.is_raw:  # until then they would stop the client, on its own side
            terminal.read(0.01)
            assert terminal.alive
        terminal.press("\x1a\x1a")
        first = (states.FIRST_SENTENCE, states.NOT_SUSPENDED)
        terminal.wait(lambda screen: any(words in screen for words in first))
        if states.NOT_SUSPENDED not in terminal.text:  # the keys came before the screen
            states.wait_for_sample(terminal, states.FIRST_SENTENCE)
            terminal.press("\x1a")
            terminal.wait(states.NOT_SUSPENDED)
        terminal.press("fg\r")
        states.wait_for_sample(terminal, states.FIRST_SENTENCE)
        terminal.read_for(SEEN)
        terminal.press("\x1c\x1a\r.3")
        states.wait_for_saved(terminal, "Benign")
        states.quit_app(terminal)


@pytest.mark.parametrize("words", [["id"], ["sh"], ["export; id"], ["export", "x"], ["-c", "id"]])
def test_no_command_but_export_is_run(arranged: Arranged, words: list[str]) -> None:
    """Exit code 2, one line of hint, nothing on standard output; the same without a terminal."""
    done = arranged.asks("ana", "--", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert "tui-annotate" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    bare = arranged.asks("ana")
    assert (bare.returncode, bare.stdout, bare.stderr) == (2, "", done.stderr)


def test_review_is_for_reviewers(arranged: Arranged) -> None:
    """An admin gets that screen; an annotator gets an error instead, and sees no text."""
    with arranged.at("ana", "-t", "-o", "RemoteCommand=review") as terminal:
        terminal.wait("review")
        states.quit_app(terminal)
    with arranged.at("cy", "-t", "-o", "RemoteCommand=review") as terminal:
        assert terminal.end() == 1, terminal.text  # without a key
        assert "error: the role annotator does not permit" in terminal.text
        assert "bridge" not in terminal.text


def test_export_prints_ones_own_work(arranged: Arranged) -> None:
    """Di's key brings di's annotations in the native form, and nobody else's."""
    with arranged.at("di") as terminal:
        works(terminal)
        states.quit_app(terminal)
    (mine,) = [json.loads(line) for line in arranged.asks("di", "export").stdout.splitlines()]
    assert [each["labels"] for each in mine["annotations"]] == [[["Benign"]]]
    assert [each["name"] for each in mine["people"]] == ["di"]
    other = arranged.asks("ana", "export")
    records = [json.loads(line) for line in other.stdout.splitlines()]
    assert other.returncode == 0
    assert {each["name"] for record in records for each in record["people"]} <= {"ana"}
    assert not any(record["annotations"] for record in records)


def test_no_file_goes_either_way(arranged: Arranged, tmp_path: Path) -> None:
    """Neither sftp nor scp, by the new protocol and the old one, fetches or brings a file."""
    file = tmp_path / "mine.txt"
    file.write_text("mine", "utf-8")
    there, here = tmp_path / "there.txt", tmp_path / "here.txt"
    far, key = f"{USER}@127.0.0.1", arranged.keys["ana"]
    batch = tmp_path / "batch"
    batch.write_text(f"put {file} {there}\nget {file} {here}\n", "utf-8")
    command = arranged.server.command
    attempts = (
        [*command(key, "-b", str(batch), program="sftp"), far],
        [*command(key, program="scp"), f"{far}:{file}", str(here)],
        [*command(key, "-O", program="scp"), f"{far}:{file}", str(here)],
        [*command(key, "-O", program="scp"), str(file), f"{far}:{there}"],
    )
    for words in attempts:
        done = subprocess.run(words, capture_output=True, check=False, timeout=PATIENCE)
        assert done.returncode != 0
    assert not there.exists()
    assert not here.exists()


def test_nothing_is_forwarded(arranged: Arranged) -> None:
    """Neither -W nor -R, and behind -L and -D nothing answers."""
    server, key = arranged.server, arranged.keys["ana"]
    target = f"127.0.0.1:{server.port}"
    direct = server.run(key, options=["-W", target])
    assert direct.returncode != 0
    assert "SSH-2.0" not in direct.stdout
    back = ["-N", "-o", "ExitOnForwardFailure=yes", "-R", f"0:{target}"]
    assert server.run(key, options=back).returncode != 0
    for way in ("-L", "-D"):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        place = f"127.0.0.1:{port}" + (f":{target}" if way == "-L" else "")
        with arranged.at("ana", "-N", way, place) as client:
            assert b"SSH-2.0" not in answered(client, port, server.port, socks=way == "-D")


def answered(client: Terminal, port: int, wanted: int, *, socks: bool) -> bytes:
    """What comes out of a client's forwarded port, once it listens."""
    while True:
        with suppress(ConnectionError), socket.create_connection(("127.0.0.1", port)) as line:
            if socks:
                line.sendall(b"\x05\x01\x00")
                assert line.recv(2) == b"\x05\x00"
                line.sendall(b"\x05\x01\x00\x01\x7f\x00\x00\x01" + wanted.to_bytes(2, "big"))
            found = b""
            with suppress(ConnectionError):
                while new := line.recv(100):
                    found += new
            return found
        assert client.alive
        client.read(0.05)


EVIL: Final = {
    "PYTHONPATH": "{evil}",
    "PYTHONSTARTUP": "{evil}/startup.py",
    "PYTHONINSPECT": "1",
    "PYTHONHOME": "{evil}",
    "TEXTUAL": "devtools,debug",
    "TEXTUAL_DRIVER": "evil:Driver",
    "TEXTUAL_LOG": "{evil}/textual.log",
    "TEXTUAL_SCREENSHOT": "1",
    "TEXTUAL_SCREENSHOT_LOCATION": "{evil}",
    "TEXTUAL_PRESS": "q",
    "TUI_ANNOTATE_CONFIG": "{evil}/config.toml",
    "TUI_ANNOTATE_ORDER": "nonsense",
    "LC_EVIL": "x",
}
OF_THE_SHELL: Final = {"BASH_ENV": "{evil}/env.sh", "ENV": "{evil}/env.sh"}
"""What the shell that sshd begins us by reads itself: the reason why little is accepted."""


@pytest.mark.parametrize("accepted", ["", "AcceptEnv *"], ids=["as set up", "all accepted"])
def test_what_a_client_sends_reaches_nothing(
    arranged: Arranged, tmp_path: Path, accepted: str
) -> None:
    """Variables that would import, write or press are without effect, whatever sshd accepts."""
    evil = tmp_path / "evil"
    evil.mkdir()
    trap = f"open({str(evil / 'caught')!r}, 'a').write(__name__)\n"
    for name in ("sitecustomize", "usercustomize", "evil", "startup", "wordllama", "typer"):
        (evil / f"{name}.py").write_text(trap, "utf-8")
    (evil / "env.sh").write_text(f"touch {evil / 'caught'}\n", "utf-8")
    before = sorted(evil.iterdir())
    wicked = EVIL if accepted else EVIL | OF_THE_SHELL
    sent = {name: value.format(evil=evil) for name, value in wicked.items()}
    options = [word for name in sent for word in ("-o", f"SendEnv={name}")]
    with Server(tmp_path, f"{arranged.settings}    {accepted}\n") as server:
        arranged.run("users", "ssh", "authorized-keys", str(server.authorized))
        with server.terminal(arranged.keys["ana"], *options, env=sent) as terminal:
            states.wait_for_sample(terminal, states.FIRST_SENTENCE)
            states.quit_app(terminal)
        done = server.run(arranged.keys["ana"], "export", options=options, env=sent)
        assert done.returncode == 0
    assert sorted(evil.iterdir()) == before


def test_a_key_lets_in_nobody_any_more(arranged: Arranged) -> None:
    """Not one of a disabled account; and none at all that was removed, once it is written anew."""
    file = str(arranged.server.authorized)
    with workspace.open(arranged.folder) as space:
        space.team.accounts.disable("li")
    assert arranged.asks("li", "export").returncode == 1
    bound = json.loads(arranged.run("users", "ssh", "keys", "list", "--json"))
    (key,) = [each["fingerprint"] for each in bound if each["name"] == "li"]
    arranged.run("users", "ssh", "keys", "delete", key)
    arranged.run("users", "ssh", "authorized-keys", file)
    assert arranged.asks("li", "export").returncode == 255
    assert arranged.asks("ana", "export").returncode == 0


def test_doctor_is_content_with_what_setup_arranged(
    arranged: Arranged, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The settings that a real sshd has for the account, and the lines of its file."""
    server = arranged.server
    asked = [
        server.program,
        "-T",
        "-f",
        str(server.config),
        "-C",
        f"user={USER},host=h,addr=127.0.0.1",
    ]
    monkeypatch.setattr(sshd_checks, "_sshd_query", lambda _program, _user: asked)
    with workspace.open(arranged.folder) as space:
        lines = space.team.ssh_keys.lines(SESSION, folder=str(space.path))
    found = list(sshd_checks.check_sshd(arranged.folder, lines))
    assert [(each.check, each.state) for each in found] == [("sshd", "ok")]


def test_the_file_of_keys_is_its_owners_alone(arranged: Arranged) -> None:
    """It was written with mode 0600, whole, and names this interpreter, isolated."""
    file = arranged.server.authorized
    assert file.stat().st_mode & 0o777 == 0o600
    assert f"{sys.executable} -I -m tui_annotate ssh session" in file.read_text("utf-8")
    assert len(list(file.parent.glob("*authorized_keys*"))) == 1
