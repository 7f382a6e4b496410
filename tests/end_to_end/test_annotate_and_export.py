"""The whole job in a real terminal: select, evidence, label, undo, done, leave; then the export."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import tui_annotate
from tests.end_to_end import screen_states as states
from tests.helpers.terminal import ROOT, Terminal, program
from tui_annotate.plugins.protocols import ImportOptions

CLAIM, EVIDENCE = "15 million pounds", "The work cost 12 million pounds"
WORDS_BEFORE = 17  # of the first summary, in front of the claim


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace with the example data."""
    folder = tmp_path / "work"
    options = ImportOptions(dataset="news", id_column="id", group_column="group")
    with tui_annotate.create(folder) as space:
        space.ingest(ROOT / "sample_data" / "pairs.jsonl", options=options)
    return folder


def exported(workspace: Path) -> list[dict[str, Any]]:
    """The samples that somebody worked on, through the command line."""
    done = subprocess.run(
        program("export", "-w", str(workspace), "--to", "native", "--person", "ana"),
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def opened(workspace: Path, *options: str) -> Terminal:
    """The app as ana starts it."""
    command = program("annotate", "-w", str(workspace), "--as", "ana", *options)
    return Terminal(command)


def test_the_whole_job(workspace: Path) -> None:
    """What the screen calls saved is what the export holds; what was undone is not in it."""
    with opened(workspace) as terminal:
        states.wait_for_sample(terminal, states.WITH_VECTORS)
        terminal.press("w" * WORDS_BEFORE + "vww")
        terminal.wait(f'{states.READY} "{CLAIM}"')
        terminal.wait(lambda screen: "The work cost" in screen.partition("MATCHES")[2])
        terminal.press(" ")
        terminal.wait("evidence: match 1")
        terminal.press("1")
        states.wait_for_saved(terminal, "Intrinsic")
        terminal.press("\x1b[B" + "." + "2")
        states.wait_for_saved(terminal, "Extrinsic")
        terminal.press("u")
        terminal.wait(f"{states.annotation_count(1)} ")
        terminal.press(states.ENTER)
        terminal.wait(states.position(2, 67))
        states.quit_app(terminal)
    (sample,) = [each for each in exported(workspace) if each["annotations"]]
    (annotation,) = sample["annotations"]
    assert sample["id"] == "bridge-1"
    assert annotation["labels"] == [["Unwanted", "Intrinsic"]]
    claim, evidence = annotation["quotes"]
    assert claim == CLAIM
    assert evidence.startswith(EVIDENCE)
    assert [each["state"] for each in sample["assignments"]] == ["done"]


def test_what_was_pressed_before_leaving_is_saved(workspace: Path) -> None:
    """A digit that arrives together with Ctrl+q comes first."""
    with opened(workspace) as terminal:
        states.wait_for_sample(terminal, states.WITH_VECTORS)
        terminal.press(".2" + states.QUIT)
        assert terminal.end() == 0
    (sample,) = [each for each in exported(workspace) if each["annotations"]]
    assert sample["annotations"][0]["labels"] == [["Unwanted", "Extrinsic"]]


def test_it_goes_on_where_it_was_left(workspace: Path) -> None:
    """After a restart the same sample is there, and undo still works."""
    with opened(workspace, "--sample", "tea-2") as terminal:
        terminal.wait("tea-2")
        states.wait_for_sample(terminal, states.FIRST_SENTENCE)
        terminal.press(".1")
        states.wait_for_saved(terminal, "Intrinsic")
        states.quit_app(terminal)
    with opened(workspace) as terminal:
        terminal.wait("tea-2")
        states.wait_for_sample(terminal, states.annotation_count(1))
        terminal.press("u")
        terminal.wait(states.NO_ANNOTATIONS)
        states.quit_app(terminal)
    assert all(not each["annotations"] for each in exported(workspace))


def test_a_line_that_drops_loses_nothing(workspace: Path) -> None:
    """What was shown as saved survives the death of the process."""
    with opened(workspace) as terminal:
        states.wait_for_sample(terminal, states.FIRST_SENTENCE)
        terminal.press(".3")
        states.wait_for_saved(terminal, "Benign")
        terminal.kill()
    (sample,) = [each for each in exported(workspace) if each["annotations"]]
    assert sample["annotations"][0]["labels"] == [["Benign"]]


def test_an_app_without_samples_says_what_to_do(tmp_path: Path) -> None:
    """An empty workspace opens, names the commands that fill it, and can be left."""
    with tui_annotate.create(tmp_path / "work") as space:
        folder = space.path
    with opened(folder) as terminal:
        terminal.wait(states.EMPTY_WORKSPACE)
        terminal.press("q")
        assert terminal.end() == 0


@pytest.mark.parametrize("kind", ["xterm-256color", "xterm", "screen", "linux", "vt100"])
def test_it_starts_on_every_kind_of_terminal(workspace: Path, kind: str) -> None:
    """With many colours, few and none, at 80x24, the draft line is there."""
    command = program("annotate", "-w", str(workspace), "--as", "ana")
    env = {"TERM": kind, "NO_COLOR": "1" if kind == "vt100" else ""}
    with Terminal(command, env=env, columns=80, rows=24) as terminal:
        states.wait_for_sample(terminal, states.FIRST_SENTENCE)
        states.quit_app(terminal)


@pytest.mark.skipif(shutil.which("tmux") is None, reason="no tmux on this machine")
def test_it_runs_in_tmux(workspace: Path, tmp_path: Path) -> None:
    """Inside tmux keys arrive and the screen is drawn."""
    inside = program("annotate", "-w", str(workspace), "--as", "ana")
    command = ["tmux", "-S", str(tmp_path / "socket"), "-f", "/dev/null", "new-session", *inside]
    with Terminal(command) as terminal:
        states.wait_for_sample(terminal, states.FIRST_SENTENCE)
        terminal.press(".4")
        states.wait_for_saved(terminal, "Questionable")
        states.quit_app(terminal)
    (sample,) = [each for each in exported(workspace) if each["annotations"]]
    assert sample["annotations"][0]["labels"] == [["Questionable"]]
