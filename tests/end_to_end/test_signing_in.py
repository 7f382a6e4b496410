"""Signing in at a real terminal: what is drawn, what is left behind, what is loaded."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import sys
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Final

import pytest

from tests.end_to_end import example, hostile
from tests.end_to_end import screen_states as states
from tests.end_to_end.terminal_grammar import foreign
from tests.end_to_end.terminal_walk import walk
from tests.helpers.effort import full_except
from tests.helpers.terminal import Terminal, program
from tui_annotate import workspace
from tui_annotate.services.authentication.account_management import NewAccount

ADDRESS, PASSWORD, OWN = "li@example.org", "seven grey herons", "eight white herons"
ENTER, UP, ESCAPE = "\r", "\x1b[A", "\x1b"
LOOKS: Final[dict[str, tuple[int, int, dict[str, str]]]] = {
    "80x24": (80, 24, {}),
    "140x40": (140, 40, {"COLORTERM": "truecolor"}),
    "no colours": (80, 24, {"NO_COLOR": "1"}),
}
FORMER: Final = "former name"
PRESENT: Final = "SELECT count(*) FROM presences"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace of a hostile name, with an admin, and somebody of a hostile name."""
    made = example.make(tmp_path / f"work {hostile.SIGNS[0]}\x1b]0;PWNED\x07".replace("/", "|"))
    with workspace.open(made) as space:
        space.team.accounts.add(NewAccount("Ana", "ana@example.org", password=PASSWORD))
        space.team.accounts.add(NewAccount(FORMER, ADDRESS, password=PASSWORD))
    with closing(sqlite3.connect(made / "store.sqlite")) as store, store:
        # Earlier versions accepted invisible characters in names.
        store.execute("UPDATE people SET name = ? WHERE name = ?", (hostile.PERSON, FORMER))
    return made


def start(folder: Path, *options: str, look: str = "80x24", name: str = "") -> Terminal:
    """The app as somebody starts it."""
    columns, rows, env = LOOKS[look]
    given = ["--as", name] if name else []
    command = program("annotate", "-w", str(folder), *given, *options)
    return Terminal(command, env=env, columns=columns, rows=rows)


PASTE: Final = "\x1b[200~" + "".join(hostile.TEXTS) + "\x1b[201~"
IN: Final = (
    ("", states.SIGN_IN),
    (PASTE + "\t" + PASTE + ENTER, states.WRONG_PASSWORD),
    (UP + "\x15" + ADDRESS + ENTER + PASSWORD + ENTER, states.CHANGE_PASSWORD),
    (PASTE + "\t" + PASTE + "x" + ENTER, states.PASSWORDS_DIFFER),
    (OWN + ENTER + OWN + ENTER, states.READY),
)
CODE: Final = (
    ("", states.HAVE_CODE),
    (UP + ENTER, states.CODE_FORM),
    (ESCAPE, f"-{states.CODE_FORM}"),
    (ADDRESS + ENTER + OWN + ENTER, states.AT_WORK_ELSEWHERE),
    (ENTER, "This annotation was not saved"),  # refused where the person was signed out
)


@pytest.mark.parametrize("look", full_except(LOOKS, "80x24"))
def test_no_page_lets_anything_but_drawing_through(folder: Path, look: str) -> None:
    """Names, folders and pastes that attack the terminal are pictures on every page."""
    with start(folder, look=look, name=hostile.PERSON) as one, ExitStack() as more:
        walk(one, IN)
        states.wait_for_keys(one)
        states.run_command(one, "change my pass", "change my password")
        walk(one, [("", states.OLD_PASSWORD), (ESCAPE, f"-{states.OLD_PASSWORD}")])
        with workspace.open(folder) as space:
            space.team.authenticate.sign_everybody_out()
        walk(one, [(".1", states.SIGN_IN_AGAIN), (OWN + ENTER, states.LAST_NOT_SAVED)])
        two = more.enter_context(start(folder, look=look))
        walk(two, CODE)
        walk(one, [("1", states.TAKEN_OVER)])
        for terminal in (one, two):
            states.quit_app(terminal)
    columns, rows, _ = LOOKS[look]
    for terminal in (one, two):
        raw = bytes(terminal.raw)
        assert foreign(raw, columns=columns, rows=rows) == []
        assert OWN.encode() not in raw
    assert OWN not in (folder / "log" / "app.log").read_text("utf-8")


def present(folder: Path) -> int:
    """How many people are at work by what the store says."""
    with workspace.open(folder) as space, space.team.database.reading() as connection:
        return int(connection.exec_driver_sql(PRESENT).scalar_one())


@pytest.mark.parametrize("name", ["SIGHUP", "SIGTERM"])
def test_a_line_that_drops_gives_the_place_back(tmp_path: Path, name: str) -> None:
    """The next start is asked nothing."""
    made = example.make(tmp_path / "work")
    with start(made, name="ana") as terminal:
        states.wait_for_sample(terminal)
        terminal.press(".1")
        states.wait_for_saved(terminal)
        assert present(made) == 1
        os.kill(terminal.pid, getattr(signal, name))
        terminal.end()
    assert present(made) == 0


def test_a_process_that_was_killed_is_in_nobodys_way(tmp_path: Path) -> None:
    """Its place is still written down, and taken over without a question."""
    made = example.make(tmp_path / "work")
    with start(made, name="ana") as terminal:
        states.wait_for_sample(terminal)
        terminal.press(".1")
        states.wait_for_saved(terminal)
    assert present(made) == 1
    with start(made, name="ana") as terminal:
        states.wait_for_sample(terminal)
        terminal.press("j.2")
        terminal.wait(states.annotation_count(2))
        states.quit_app(terminal)


def test_own_work_is_printed_once_the_screen_is_left(tmp_path: Path) -> None:
    """One's own annotations alone, in the native form, behind everything that was drawn."""
    made = example.make(tmp_path / "work")
    for name in ("ben", "ana"):
        with start(made, name=name) as terminal:
            states.wait_for_sample(terminal)
            terminal.press(".1")
            states.wait_for_saved(terminal)
            if name == "ana":
                states.run_command(terminal, "print my", "print my annotations")
                assert terminal.end() == 0
            else:
                states.quit_app(terminal)
            raw = bytes(terminal.raw)
    printed = raw[raw.index(b'{"format"') :].splitlines()
    assert len(printed) == 1
    record = json.loads(printed[0])
    assert [person["name"] for person in record["people"]] == ["ana"]
    assert len(record["annotations"]) == 1
    assert foreign(raw, columns=80, rows=24) == []


LOADED: Final = """
import json, sys
sys.argv = ["tui-annotate", "annotate", "-w", sys.argv[1]]
import atexit
atexit.register(lambda: open("modules.json", "w").write(json.dumps(list(sys.modules))))
from tests.helpers.seen_frames import run
run()
"""


def test_without_accounts_nothing_of_signing_in_is_loaded(tmp_path: Path) -> None:
    """Neither passlib nor the service, and no page."""
    made = example.make(tmp_path / "work")
    with Terminal([sys.executable, "-c", LOADED, str(made)], folder=tmp_path) as terminal:
        states.wait_for_sample(terminal)
        terminal.press(".1")
        states.wait_for_saved(terminal)
        states.quit_app(terminal)
    loaded = json.loads((tmp_path / "modules.json").read_text("utf-8"))
    assert "tui_annotate.tui.screens.sign_in_flow" in loaded
    unwanted = (
        "passlib",
        "argon2",
        "tui_annotate.services.authentication",
        "tui_annotate.tui.screens.form_screen",
    )
    assert [name for name in loaded if name.startswith(unwanted)] == []
