"""A file that attacks the terminal of whoever looks at it; and what is left when they are gone."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from tests.end_to_end import hostile
from tests.end_to_end import screen_states as states
from tests.end_to_end.terminal_grammar import foreign
from tests.end_to_end.terminal_walk import Step, walk
from tests.helpers.effort import full_except
from tests.helpers.terminal import Terminal, program

PASTE: Final = "\x1b[200~" + "".join(hostile.TEXTS) + "\x1b[201~"
ENTER, ESCAPE, TAB, BACK = "\r", "\x1b", "\t", "\x7f"
END, HOME = "\x1b[F", "\x1b[H"
LOOKS: Final[dict[str, tuple[int, int, dict[str, str]]]] = {
    "80x24": (80, 24, {}),
    "140x40": (140, 40, {"COLORTERM": "truecolor"}),
    "no colours": (100, 30, {"NO_COLOR": "1"}),
}
SCREENS: Final[tuple[Step, ...]] = (
    ("a", "details"),
    ("g", "▸ Annotation"),
    (END, "}"),
    (TAB, "annotation"),
    (TAB + TAB, "dataset"),
    ("q", states.READ_ONLY),
    ("p", "-✓ everyone"),
    (BACK, "✓ everyone"),
    ("x", "in a read-only file: delete"),
    ("/", "Find in"),
    (PASTE, "0 found"),
    (ESCAPE, "-Find in"),
    ("G", "Go to sample"),
    (PASTE + ENTER, "✗"),
    (ESCAPE, "-Go to sample"),
    (":", states.PALETTE),
    (PASTE, "No such action"),
    (ESCAPE, "-No such action"),
    ("?", "Keys while you view a file"),
    ("q", states.READ_ONLY),
    (TAB + "d" + END + "z" + "z", states.READ_ONLY),
    (TAB + ">", "huge-line"),
    (TAB + END + HOME, "1/"),
    ("q", "SAMPLES"),
    ("/", "part of an id"),
    (PASTE, "No samples found"),
    (ESCAPE, "━ all: 1 of 2"),
)


def settled() -> dict[str, Any]:
    """An annotation that review made, with signs in all that can hold some."""
    one = dict(hostile.samples()[0]["annotations"][0])
    report = {"by": hostile.text(2), "how": "edited", "sources": ["x"], "note": hostile.text(9)}
    more = {"settled": report, "imported": {hostile.text(1): hostile.text(7)}, "version": 3}
    return (
        one | more | {"id": "settled", "claim": [["summary", 0, 20, 90]], "origin": "machine:\x1b"}
    )


def write(folder: Path) -> Path:
    """The file, of a hostile name, with records that must be left out."""
    first, huge = hostile.samples()
    first["annotations"].append(settled())
    lines = [json.dumps(first), json.dumps(huge)]
    lines += [json.dumps(huge | wrong) for wrong in hostile.WRONG]
    path = folder / f"\x1b[2Jwork {hostile.SIGNS[0]}.jsonl".replace("/", "|")
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


@contextmanager
def looking(path: Path, temporary: Path, *, look: str = "80x24") -> Iterator[Terminal]:
    """The program on a file, with a folder of its own for temporary files, once it is drawn."""
    temporary.mkdir(exist_ok=True)
    columns, rows, env = LOOKS[look]
    env = env | {"TMPDIR": str(temporary)}
    with Terminal(program("view", str(path)), env=env, columns=columns, rows=rows) as terminal:
        terminal.wait(states.READ_ONLY)
        yield terminal


@pytest.mark.parametrize("look", full_except(LOOKS, "no colours"))
def test_no_file_lets_anything_but_drawing_through(tmp_path: Path, look: str) -> None:
    """Texts, labels, names, fields, problems: all are pictures; the file stays as it was."""
    path = write(tmp_path)
    before = path.read_bytes()
    with looking(path, tmp_path / "temporary", look=look) as terminal:
        begun = terminal.raw.index(b"\x1b[?1049h")
        assert walk(terminal, SCREENS) > 5
        terminal.press("q")
        assert terminal.end() == 0
    columns, rows, _ = LOOKS[look]
    assert foreign(bytes(terminal.raw[begun:]), columns=columns, rows=rows) == []
    assert b"\x1b[2Jwork" not in terminal.raw
    assert list((tmp_path / "temporary").iterdir()) == []
    assert path.read_bytes() == before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=lambda each: each.name)
def test_nothing_is_left_of_whoever_is_sent_away(tmp_path: Path, number: signal.Signals) -> None:
    """A polite kill and a closed terminal end it as q does; but for a log, nothing lay there."""
    with looking(write(tmp_path), tmp_path / "temporary") as terminal:
        assert [each.suffix for each in (tmp_path / "temporary").iterdir()] == [".log"]
        os.kill(terminal.pid, number)
        assert terminal.end() == 0
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_terminal_that_is_tiny_or_none(tmp_path: Path) -> None:
    """It draws what fits; a kind that can not be drawn on is refused before anything is read."""
    path = write(tmp_path)
    with looking(path, tmp_path / "temporary") as terminal:
        terminal.resize(20, 6)
        terminal.press("a>")
        terminal.resize(80, 24)
        terminal.wait("huge-line")
        states.quit_app(terminal)
    with Terminal(program("view", str(path)), env={"TERM": "dumb"}) as terminal:
        terminal.wait("cannot draw on a terminal of the type 'dumb'")
        assert terminal.end() == 2
