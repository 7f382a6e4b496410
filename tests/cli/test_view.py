"""view: what the screen is given, what is told before it, and what is refused without it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.cli.conftest import PAIRS, Command, numbers
from tests.helpers import annotated_file as viewed
from tui_annotate.cli import screen
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.services.file_browser import FileBrowser


class Drawn:
    """Stands for the app: keeps what it was given, and looks at the file as the app does."""

    def __init__(self) -> None:
        self.given: dict[str, Any] = {}
        self.samples: list[tuple[str, str]] = []

    def run(self, browser: FileBrowser, **given: Any) -> int:
        """As `tui.view_app.run`."""
        self.given = given
        self.samples = [row.key for row in browser.index.page()[0]]
        return 0


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Drawn:
    """A terminal, and the app's stand-in."""
    terminal = SimpleNamespace(isatty=lambda: True)
    monkeypatch.setattr(screen, "sys", SimpleNamespace(stdin=terminal, stdout=terminal))
    monkeypatch.setenv("TERM", "xterm-256color")
    stand_in = Drawn()
    monkeypatch.setattr("tui_annotate.tui.view_app.run", stand_in.run)
    return stand_in


def test_a_file_reaches_the_screen_and_nothing_is_left(
    command: Command, drawn: Drawn, tmp_path: Path
) -> None:
    """All samples, where to begin, the person's keys and theme; no file beside the one."""
    viewed.write(tmp_path)
    done = command("view", "work.jsonl", "--sample", "third")
    assert (done.code, done.out) == (0, "")
    assert drawn.samples == [("d", "first"), ("d", "second"), ("d", "third")]
    assert {name: drawn.given[name] for name in ("sample", "words", "keys")} == {
        "sample": "third", "words": "", "keys": {},
    }  # fmt: skip
    assert [path.name for path in tmp_path.iterdir()] == ["work.jsonl"]


def test_it_reads_as_convert_does(command: Command, drawn: Drawn, tmp_path: Path) -> None:
    """Columns, dataset, format, packed files, folders."""
    lines = [
        json.dumps({"article": one["source"], "answer": one["summary"], "name": one["id"]})
        for one in PAIRS
    ]
    with gzip.open(tmp_path / "a.jsonl.gz", "wt", encoding="utf-8") as packed:
        packed.write("\n".join(lines))
    columns = ("--source-column", "article", "--summary-column", "answer", "--id-column", "name")
    done = command("view", "a.jsonl.gz", "--from", "pairs", "--dataset", "x", *columns)
    assert done.code == 0
    assert drawn.samples == [("x", "bridge"), ("x", "tea")]
    viewed.write(tmp_path)
    for target, form, count in (("a.zst", "native", 3), ("b", "brat", 2), ("r", "ragtruth", 1)):
        layer = ("--layer", "ana") if form == "ragtruth" else ()
        assert command("convert", "work.jsonl", target, "--to", form, *layer).code in (0, 3)
        assert command("view", target, "--from", form).code == 0
        assert (form, len(drawn.samples)) == (form, count)


def test_what_is_left_out_is_told_before_the_screen(
    command: Command, drawn: Drawn, tmp_path: Path
) -> None:
    """In full on the terminal, in number on the screen; a file with nothing to show is refused."""
    file = viewed.write(tmp_path)
    file.write_text(file.read_text("utf-8") + '{"format": "\\u001b[2J"}\n', "utf-8")
    done = command("view", "work.jsonl")
    assert done.code == 0
    assert "work.jsonl:4: " in done.err
    assert "\x1b" not in done.err
    assert numbers(drawn.given["words"]) == [1]
    file.write_text('{"format": "tui-annotate/1"}\n', "utf-8")
    done = command("view", "work.jsonl")
    assert type(done.error) is InvalidInput
    assert "work.jsonl" in done.error.message


def test_what_is_wrong_is_told_without_a_screen(
    command: Command, drawn: Drawn, tmp_path: Path
) -> None:
    """A file that is not there, a sample that is not in it, a format that does not exist."""
    viewed.write(tmp_path)
    for arguments, words in (
        (("none.jsonl",), "none.jsonl"),
        (("work.jsonl", "--sample", "x"), "'x'"),
        (("work.jsonl", "--from", "x"), "'x'"),
        (("work.jsonl", "--columns", "x"), "'x'"),
    ):
        done = command("view", *arguments)
        assert isinstance(done.error, InvalidInput | NotFound)
        assert words in done.error.message
    assert drawn.given == {}


def test_an_uncertain_form_is_asked_for_by_the_option_there_is(
    command: Command, drawn: Drawn, tmp_path: Path
) -> None:
    """Nothing is guessed, and the hint can be followed."""
    (tmp_path / "a.json").write_text('[{"topic": "A.", "claim": "B."}]', "utf-8")
    done = command("view", "a.json")
    assert (done.code, drawn.given) == (2, {})
    assert type(done.error) is InvalidInput
    assert all(each in done.error.message for each in ("a.json", "'topic', 'claim'"))
    assert all(each in done.error.hint for each in ("--source-column", "--from", ": native, "))


def test_without_a_terminal_it_says_what_to_do(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything is read."""
    viewed.write(tmp_path)
    monkeypatch.setattr("tui_annotate.services.file_browser.FileLoader", None)
    done = command("view", "work.jsonl")
    assert type(done.error) is InvalidInput
    assert all(each in done.error.message for each in ("view", "standard input"))
    assert "tui-annotate convert FILE - --to native" in done.error.hint
