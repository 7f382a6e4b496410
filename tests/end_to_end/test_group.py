"""A university's server: people with accounts of their own, and a store that their group shares."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.end_to_end import example
from tests.end_to_end import screen_states as states
from tests.helpers.terminal import ROOT, Terminal
from tui_annotate import workspace
from tui_annotate.cli.doctor import check_privacy
from tui_annotate.domain.people import Role
from tui_annotate.services.authentication.account_management import NewAccount

GROUP: Final = 48_211
USERS: Final = {"daemon": "077", "bin": "022", "games": "007"}
"""Users that each Debian has, and an umask for each."""

NOWHERE: Final = "/proc/nowhere"
"""A home that is not there, and that nobody can make."""

PATHS: Final = os.pathsep.join([str(ROOT), sysconfig.get_path("purelib")])
VERSION: Final = f"python{sys.version_info[0]}.{sys.version_info[1]}"


def command(user: str, *words: str, python: str = "") -> list[str]:
    """A command as a user of the group, begun with their umask."""
    account = pwd.getpwnam(user)
    who = [f"--reuid={account.pw_uid}", f"--regid={GROUP}", "--clear-groups"]
    return [
        *("setpriv", *who, "sh", "-c", f'umask {USERS[user]}; exec "$@"', "sh"),
        *("env", f"PYTHONPATH={PATHS}", f"HOME={NOWHERE}"),
        *(f"TUI_ANNOTATE_CONFIG={NOWHERE}/a", f"TUI_ANNOTATE_STATE={NOWHERE}"),
        *(python or PYTHON, "-m", "tests.helpers.seen_frames", *words),
    ]


def usable() -> str:
    """A Python of this version that other users can run, also with these sources; or none."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        return ""
    found = shutil.which(VERSION, path="/usr/bin:/usr/local/bin")
    for python in filter(None, (sys.executable, found)):
        asked = command("bin", "--version", python=python)
        if subprocess.run(asked, cwd="/", capture_output=True, check=False).returncode == 0:
            return python
    return ""


PYTHON: Final = usable()
pytestmark = pytest.mark.skipif(
    not PYTHON, reason="not root, or this Python is closed to other users"
)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A workspace that a group shares, mended as doctor says, where three users have accounts."""
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o711)
        made = example.make(Path(place) / "work")
        with workspace.open(made) as space:
            for name in USERS:
                new = NewAccount(name, f"{name}@example.org", unix_user=name, role=Role.ANNOTATOR)
                space.team.accounts.add(new if name != "daemon" else admin(name))
        os.chown(made, 0, GROUP)
        made.chmod(0o2770)
        subprocess.run(["sh", "-c", check_privacy(made).hint], check=True)
        assert "users ssh setup -w" in check_privacy(made).hint
        yield made


def admin(name: str) -> NewAccount:
    """The first account, which has to be an admin's."""
    return NewAccount(
        name, f"{name}@example.org", unix_user=name, password="five small green boats"
    )


def annotate(folder: Path, user: str) -> Terminal:
    """The app as a user starts it."""
    words = command(user, "annotate", "-w", str(folder))
    return Terminal(words, folder=Path("/"), columns=100, rows=30)


def works(terminal: Terminal, keys: str, label: str) -> None:
    """Labels something and sees it saved."""
    states.wait_for_sample(terminal, states.FIRST_SENTENCE)
    terminal.press(keys)
    states.wait_for_saved(terminal, label)


def test_three_users_share_a_store(folder: Path) -> None:
    """Known by their user, without a password; one dies, the others go on; each has their own."""
    with annotate(folder, "bin") as first, annotate(folder, "games") as second:
        works(first, ".1", "Intrinsic")
        works(second, ".2", "Extrinsic")
        first.kill()
        with annotate(folder, "daemon") as third:
            works(third, ".3", "Benign")
            states.quit_app(third)
        second.press("j.4")
        states.wait_for_saved(second, "Questionable")
        states.quit_app(second)
    with annotate(folder, "bin") as again:
        again.wait(states.annotation_count(1))
        states.quit_app(again)
    with workspace.open(folder) as space:
        names = {person.id: person.name for person in space.people.all()}
        counts = [names[owned.person] for _, owned in space.annotations()]
        assert sorted(counts) == ["bin", "daemon", "games", "games"]
        assert example.find_store_errors(space) == []
    assert "users ssh setup -w" in check_privacy(folder).hint


def test_a_session_is_no_way_to_be_somebody_else(folder: Path) -> None:
    """What sshd begins for a key is refused to whoever merely shares the store."""
    with workspace.open(folder) as space:
        other = space.team.accounts.find("games").person.id
    words = command("bin", "ssh", "session", other, "-w", str(folder))
    at = words.index("-m")
    words[at : at + 2] = ["-c", "from tui_annotate.cli.main import run; raise SystemExit(run())"]
    done = subprocess.run(words, cwd="/", capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "session" in done.stderr
    assert "Traceback" not in done.stderr


def test_commands_give_an_annotator_their_own(folder: Path) -> None:
    """An export holds nobody else's work, and keys are not theirs to bind."""
    with annotate(folder, "games") as terminal:
        works(terminal, ".2", "Extrinsic")
        states.quit_app(terminal)
    words = command("bin", "export", "-w", str(folder), "--to", "csv")
    done = subprocess.run(words, cwd="/", capture_output=True, text=True, check=False)
    assert "Extrinsic" not in done.stdout
    keys = command("bin", "users", "ssh", "keys", "list", "-w", str(folder))
    assert subprocess.run(keys, cwd="/", capture_output=True, check=False).returncode == 1
