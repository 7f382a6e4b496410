"""The README's commands do what they say, as they are written."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    """The code blocks of the README in one language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder with the example data and a command tui-annotate."""
    folder = tmp_path / "readme"
    shutil.copytree(ROOT / "sample_data", folder / "sample_data")
    command = folder / "bin" / "tui-annotate"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tui_annotate "$@"\n', "utf-8")
    command.chmod(0o755)
    return folder


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs something in the folder with a home and settings of its own."""
    env = {
        "HOME": str(folder / "home"),
        "XDG_CONFIG_HOME": str(folder / "home"),
        "LANG": "C.UTF-8",
        "LOGNAME": "reader",
        "PATH": os.pathsep.join([str(folder / "bin"), os.environ["PATH"]]),
        "PYTHONPATH": str(ROOT),
        "TUI_ANNOTATE_EMBEDDER": "static",
    }
    return subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=240
    )


@pytest.mark.timeout(900)  # a hundred commands, each a process of its own
def test_the_commands_work_as_written(folder: Path) -> None:
    """Shell blocks run to their ends without an error, then the Python ones on what those made."""
    for block in blocks("sh"):
        done = run(["bash", "-euo", "pipefail", "-c", block], folder)
        assert done.returncode == 0, done.stdout + done.stderr
    for block in blocks("python"):
        done = run([sys.executable, "-c", block], folder)
        assert done.returncode == 0, done.stderr


def test_the_make_commands_exist() -> None:
    """Every make target that the README names is one of the Makefile."""
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z]+(?:-[a-z]+)*)\b", README)) <= targets


def test_every_link_leads_somewhere() -> None:
    """Files that the README links to are in the repository."""
    links = [link for link in re.findall(r"\]\(([^)#:]+)\)", README) if not link.startswith("#")]
    assert [link for link in links if not (ROOT / link).exists()] == []
