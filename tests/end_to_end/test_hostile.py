"""A workspace that attacks its terminal: nothing but drawing gets through, and no offset moves."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest

from tests.end_to_end import hostile
from tests.end_to_end import screen_states as states
from tests.end_to_end.terminal_grammar import LINES, foreign
from tests.end_to_end.terminal_walk import PICTURE, Step, walk
from tests.helpers.effort import full_except
from tests.helpers.terminal import Terminal, program
from tui_annotate import workspace
from tui_annotate.domain.samples import SampleKey

PASTE: Final = "\x1b[200~" + "".join(hostile.TEXTS) + "\x1b[201~"
ENTER, ESCAPE, TAB, BACK, QUIT = "\r", "\x1b", "\t", "\x7f", "\x11"
PAGE_DOWN, END, HOME = "\x1b[6~", "\x1b[F", "\x1b[H"
LOOKS: Final[dict[str, tuple[int, int, dict[str, str]]]] = {
    "80x24": (80, 24, {}),
    "140x40": (140, 40, {"COLORTERM": "truecolor"}),
    "no colours": (100, 30, {"NO_COLOR": "1"}),
}

SCREENS: Final[tuple[Step, ...]] = (
    (":", states.PALETTE),
    (PASTE, "No such action"),
    (ESCAPE, "-No such action"),
    ("0", "Labels"),
    (PASTE, "0 of 4"),
    (ESCAPE, "-Labels"),
    ("/", "Find in"),
    (PASTE, "0 found"),
    (ESCAPE, "-Find in"),
    ("/", "Find in"),
    ("cost", "6 found"),
    (ENTER, "1 of 6"),
    (BACK, states.READY),
    ("g", "Request"),
    (TAB, "Read this"),
    ("q", "-Guidelines"),
    ("G", "Go to sample"),
    (PASTE + ENTER, "✗"),
    (ESCAPE, "-Go to sample"),
    ("f", "letters of the"),
    (BACK, "-letters of the"),
    ("izzzzzzi", "sentence"),
)
WORK: Final[tuple[Step, ...]] = (
    (HOME + ".", "sentence 1/8"),
    (TAB, "Tab back"),
    ("d", "… 2/2"),
    (".", "Space takes"),
    (" ", "evidence"),
    ("1", states.saved("Intrinsic")),
    ("m", states.NOTE_LINE),
    (PASTE + ENTER, f"-{states.NOTE_LINE}"),
    ("e", "Editing A"),
    ("e", "-Editing A"),
    (".1", "Annotation A of this claim"),
    ("2", "needs evidence"),
    (ENTER, states.annotation_count(2)),
    ("R", "of yours"),
    (ESCAPE, "-of yours"),
    ("t", "words only"),
    ("tt", "words and meaning"),
    ("i", "were not checked"),
    ("c", "B Extrinsic"),
    (BACK + "aa" + ENTER, "B "),
    ("u", states.UNDONE),
    ("!", "Why flag it?"),
    ("0", "Flagged because"),
    (PASTE + ENTER, " flagged"),
    ("", "words only"),  # said once the next sample is there; keys before that are dropped
    ("u", states.UNDONE),
)
NEXT: Final[tuple[Step, ...]] = ((">", "huge-line"),)
HUGE: Final[tuple[Step, ...]] = (
    (TAB + END, "Tab back"),
    (PAGE_DOWN + HOME + "/", "Find in"),
    ("cost was high", "5000 found"),
    (ENTER, "1 of 5000"),
    (BACK + TAB, states.READY),
    ("f", "letters of the"),
    (BACK, "-letters of the"),
)
QUEUE: Final[tuple[Step, ...]] = (
    ("q", states.QUEUE),
    ("/", "part of an id"),
    (PASTE, "No samples found"),
    (ESCAPE, "1 of 2"),
    ("?", "Keys here"),
    ("q", "-Keys here"),
    ("g", "Go to sample"),
    (PASTE + ENTER, "✗"),
    (ESCAPE, "-Go to sample"),
    ("4", "in progress"),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The hostile workspace as it was made; tests that write work on a copy."""
    return hostile.make(tmp_path_factory.mktemp("hostile"))


@pytest.fixture
def copied(folder: Path, tmp_path: Path) -> Path:
    """A copy of the hostile workspace."""
    return Path(shutil.copytree(folder, tmp_path / folder.name))


def annotate(copied: Path, *more: str) -> list[str]:
    """The command line of the app on a workspace, by a person of a hostile name."""
    return program("annotate", "-w", str(copied), "--as", hostile.PERSON, *more)


@pytest.mark.parametrize("look", full_except(LOOKS, "80x24"))
def test_no_screen_lets_anything_but_drawing_through(copied: Path, look: str) -> None:
    """Every screen, dialog and input shows hostile texts as pictures, at any size and colours."""
    columns, rows, env = LOOKS[look]
    command = annotate(copied, "--sample", hostile.FIRST)
    with Terminal(command, env=env, columns=columns, rows=rows) as terminal:
        states.wait_for_ready(terminal)
        pictures = 0
        for steps in (SCREENS, WORK, NEXT, HUGE, QUEUE):  # each begins where a sample may be new
            states.wait_for_keys(terminal)
            pictures += walk(terminal, steps)
        states.quit_app(terminal)
    assert pictures > 40
    assert foreign(bytes(terminal.raw), columns=columns, rows=rows) == []
    log = (copied / "log" / "app.log").read_text("utf-8")
    assert not [character for character in log if not character.isprintable() and character != "\n"]


def bad_keys(copied: Path) -> str:
    """A key map that is refused; gives what the screen says then."""
    del copied
    keys = (f"{json.dumps(text)} = {json.dumps(text)}" for text in hostile.SEQUENCES[:11])
    text = "\n".join(["[keys]", *keys, ""])
    Path(os.environ["TUI_ANNOTATE_CONFIG"]).write_text(text, "utf-8")
    return "invalid key map"


def bad_labels(copied: Path) -> str:
    """A label set that is refused."""
    (copied / "labels.yaml").write_text('- "\\x1b]0;PWNED\\a"\n', "utf-8")
    return "is not a valid label name"


def bad_settings(copied: Path) -> str:
    """A setting that nobody knows."""
    (copied / "tui-annotate.toml").write_text('"\\u001bc" = "\\u009b6n"\n', "utf-8")
    return "unknown key"


def bad_store(copied: Path) -> str:
    """A store that is none."""
    (copied / "store.sqlite").write_text(hostile.text(0), "utf-8")
    return "store.sqlite"


Spoil = Callable[[Path], str]


def says(words: str) -> Spoil:
    """Spoils nothing: the command line does."""
    return lambda _: words


START: Final[tuple[tuple[Spoil, Sequence[str]], ...]] = (
    (bad_keys, ()),
    (bad_labels, ()),
    (bad_settings, ()),
    (bad_store, ()),
    (says("is not a name"), ("--as", hostile.SEQUENCES[0])),
    (says("matches no sample"), ("--sample", hostile.FIRST[::-1])),
    (says("order"), ("--order", hostile.DATASET)),
)


@pytest.mark.parametrize(("spoil", "options"), START)
def test_what_is_wrong_at_the_start_is_told_harmlessly(
    copied: Path, spoil: Spoil, options: Sequence[str]
) -> None:
    """A refusal quotes what it refuses, as pictures, on the screen or in place of one."""
    words = spoil(copied)
    env = {"TUI_ANNOTATE_CONFIG": os.environ["TUI_ANNOTATE_CONFIG"]}
    command = program("annotate", "-w", str(copied), *options)
    with Terminal(command, env=env, columns=230, rows=24) as terminal:
        terminal.wait(words)
        with suppress(OSError):  # some end by themselves
            terminal.press(QUIT)
        terminal.end()
    assert foreign(bytes(terminal.raw), columns=230, rows=24) == []


RUN: Final = """
import json, sys
from tui_annotate.cli.main import run
for arguments in json.load(open(sys.argv[1], encoding="utf-8")):
    print("= exit", run(arguments))
"""


def ran(commands: Sequence[Sequence[str]], folder: Path) -> tuple[bytes, list[int]]:
    """(all bytes, exit codes) of commands on a terminal, one after the other in one process."""
    listed = folder / "commands.json"
    listed.write_text(json.dumps(commands), "utf-8")
    with Terminal([sys.executable, "-c", RUN, str(listed)], folder=folder, columns=100) as terminal:
        assert terminal.end() == 0, terminal.text
    codes = re.findall(rb"^= exit (\d+)\r$", terminal.raw, re.MULTILINE)
    return bytes(terminal.raw), list(map(int, codes))


def test_no_command_lets_anything_but_lines_through(
    folder: Path, copied: Path, tmp_path: Path
) -> None:
    """What commands print to a terminal holds no foreign sequence: data, talk, errors, bars."""
    space, first, text = ["-w", str(copied)], f"{hostile.DATASET}/{hostile.FIRST}", hostile.text(0)
    named = tmp_path / f"{hostile.name(1)[:40]}.csv".replace("/", "|")
    named.write_text(f"{text},source,summary\n", "utf-8", newline="")
    where = ["--sample", first, "--side", "summary", "--span", "0:60"]
    commands = [
        ["status", *space],
        ["status", *space, "--json"],
        ["datasets", "list", *space],
        ["datasets", "list", *space, "--json"],
        ["datasets", "show", hostile.DATASET, *space],
        ["datasets", "show", hostile.DATASET, *space, "--json"],
        ["lab", "match", *where, *space],
        ["lab", "match", *where, *space, "--json"],
        ["labels", "check", *space],
        ["labels", "check", *space, "--json"],
        ["doctor", *space],
        ["doctor", *space, "--json"],
        *(["export", "--to", form, *space] for form in ("native", "mercury", "csv")),
        ["export", "--to", "native", "-o", str(tmp_path / hostile.SIGNS[0]), *space],
        ["init", str(tmp_path / f"other {hostile.SIGNS[0]}\x9b6n")],
        ["annotate", "--list-keys"],
        ["datasets", "clear", "--mine", "--sample", first, "--yes", *space],
    ]
    wrong = [
        ["ingest", str(next(folder.parent.glob("*.jsonl"))), *space, "--embedder", "none"],
        ["ingest", str(named), *space, "--embedder", "none"],
        ["ingest", str(named), *space, "--source-column", text, "--json"],
        [text],
        ["status", "-w", text.replace("\0", "")],
        ["status", f"--{text}"],
        ["lab", "match", "--sample", text, "--side", "summary", "--span", text, *space],
        ["lab", "match", "--sample", first, "--side", text, "--span", "0:1", *space],
        ["lab", "match", "--sample", text, "--side", "summary", "--span", "0:1", *space],
        ["datasets", "show", text, *space],
        ["datasets", "delete", text, "--yes", *space],
        ["export", "--to", text, *space],
        ["export", "--to", "csv", "--since", text, *space],
        *(
            ["export", "--to", "csv", name, text, *space]
            for name in ("--dataset", "--person", "--label", "--origin")
        ),
        ["ingest", text.replace("\0", ""), *space],
        ["ingest", str(named), "--from", text, *space],
        ["labels", "check", str(named)],
        ["lab", "assist", "evaluate", str(named)],
        ["datasets", "delete", hostile.DATASET, "--yes", *space],
        ["status", "-w", "\udcff\udc1b"],
    ]
    raw, codes = ran([*commands, *wrong], tmp_path)
    assert codes[: len(commands)] == [0] * len(commands)
    assert len(codes) == len(commands) + len(wrong)
    assert all(codes[len(commands) :])
    assert b"Traceback" not in raw
    assert foreign(raw, columns=100, rows=40, allowed=LINES) == []
    assert PICTURE.encode() in raw


def test_texts_and_offsets_come_out_as_they_went_in(copied: Path, tmp_path: Path) -> None:
    """What was selected on the screen is what the export quotes; no code point was touched."""
    with Terminal(annotate(copied, "--sample", hostile.FIRST)) as terminal:
        states.wait_for_sample(terminal)
        walk(terminal, WORK[:6])
        states.quit_app(terminal)
    target = tmp_path / "out.jsonl"
    with workspace.open(copied) as space:
        segments = space.corpus.sample(SampleKey(hostile.DATASET, hostile.FIRST)).segments
        space.export(target)
    with target.open(encoding="utf-8", newline="\n") as file:
        records = {each["id"]: each for each in map(json.loads, file)}
    for given in hostile.samples():
        record = records[given["id"]]
        assert record["dataset"] == given["dataset"]
        assert record["group"] == given.get("group", "")
        assert record["meta"] == given.get("meta", {})
        assert record["request"].items() >= given.get("request", {}).items()
        texts = [(each["text"], each["title"]) for each in record["documents"]]
        assert texts == [(each["text"], each.get("title", "")) for each in given["documents"]]
    imported, made = records[hostile.FIRST]["annotations"]
    assert imported["note"] == hostile.samples()[0]["annotations"][0]["note"]
    reversed_source, summary = hostile.samples()[0]["documents"][1:]
    for anchor, quote, text, first in (
        (made["claim"][0], made["quotes"][0], summary["text"], segments[2][0]),
        (made["evidence"][0], made["quotes"][1], reversed_source["text"], segments[1][0]),
    ):
        assert quote == text[anchor[2] : anchor[3]] == first.span.of(text).strip()
