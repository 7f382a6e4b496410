"""The demo: the whole job without a screen, and the same workspace with one."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.end_to_end import screen_states as states
from tests.helpers.terminal import ROOT, Terminal, program

DATA = str(ROOT / "sample_data")


def demo(folder: Path, *options: str, data: str = DATA) -> subprocess.CompletedProcess[str]:
    """The demo where nothing can be drawn."""
    return subprocess.run(
        program("init", "--demo", str(folder / "demo"), "--data", data, *options),
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def claims(folder: Path) -> list[str]:
    """What the exported annotations mark."""
    samples = json.loads((folder / "demo" / "annotations.json").read_text("utf-8"))
    return [each["summary_span"] for sample in samples for each in sample["annotations"]]


def test_without_a_screen_the_job_is_printed(tmp_path: Path) -> None:
    """Three tables of matches, two annotations exported, and the places of everything."""
    done = demo(tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("rank  score") == 3
    assert "12 million pounds" in done.stdout
    assert "2 annotations added" in done.stdout
    for name in ("labels.yaml", "annotations.json"):
        assert str(tmp_path / "demo" / name) in done.stdout
    assert sorted(claims(tmp_path)) == ["15 million pounds", "最大风力为33级"]


def test_the_line_that_annotates_works_where_it_is_printed(tmp_path: Path) -> None:
    """It names this program, also where no shell finds it, and the workspace."""
    line = demo(tmp_path).stdout.rpartition("annotate with: ")[2]
    env = os.environ | {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        ["sh", "-c", line],
        stdin=subprocess.DEVNULL,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "annotate" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_model_ranks_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its vectors come with the example data; neither it nor what runs it is imported."""
    (tmp_path / "sentence_transformers.py").write_text("raise SystemExit('imported')")
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}{os.pathsep}{tmp_path}")
    monkeypatch.delenv("TUI_ANNOTATE_EMBEDDER")
    done = subprocess.run(
        program("init", "--demo", str(tmp_path / "demo"), "--data", DATA),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.count("all-MiniLM-L6-v2)") == 2
    listed = subprocess.run(
        program("lab", "vectors", "list", "--json", "-w", str(tmp_path / "demo")),
        capture_output=True,
        text=True,
        check=True,
    )
    (only,) = json.loads(listed.stdout)
    assert (only["embedder"], only["in_use"], only["waiting"]) == ("neural", True, 0)


def test_a_second_run_adds_nothing(tmp_path: Path) -> None:
    """Samples and annotations are there once, however often it runs."""
    demo(tmp_path)
    before = claims(tmp_path)
    again = demo(tmp_path)
    assert again.returncode == 0
    assert "67" in again.stderr
    assert claims(tmp_path) == before


def test_what_was_taken_back_stays_so(tmp_path: Path) -> None:
    """A second run does not bring back what somebody removed."""
    demo(tmp_path, "--as", "ana")
    folder = str(tmp_path / "demo")
    command = ("datasets", "clear", "--mine", "--yes", "--as", "ana", "-w", folder)
    subprocess.run(program(*command), env=os.environ | {"PYTHONPATH": str(ROOT)}, check=True)
    demo(tmp_path, "--as", "ana")
    assert claims(tmp_path) == []


def test_with_a_screen_the_app_opens_on_it(tmp_path: Path) -> None:
    """On a terminal the data comes in, then the app is there, with its guidelines."""
    command = program("init", "--demo", str(tmp_path / "demo"), "--data", DATA)
    with Terminal(command) as terminal:
        states.wait_for_sample(terminal, states.FIRST_SENTENCE)
        states.quit_app(terminal)
    assert (tmp_path / "demo" / "guidelines.md").exists()


def test_without_the_data_it_says_where_to_look(tmp_path: Path) -> None:
    """A folder without example data is named, and nothing is made."""
    done = demo(tmp_path, data=str(tmp_path))
    assert done.returncode == 2
    assert "--data" in done.stderr
    assert not (tmp_path / "demo").exists()
