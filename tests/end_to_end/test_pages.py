"""The commands of README and docs do what they say, as they are written."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.pages import PAGES, ROOT, blocks

RUN = [page for page in PAGES if blocks(page, "sh")] + ["docs/python.md"]


@pytest.fixture
def real(tmp_path: Path) -> Path:
    """A folder with the command as it is installed."""
    command = tmp_path / "bin" / "tui-annotate"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tui_annotate "$@"\n', "utf-8")
    command.chmod(0o755)
    return command.parent


def run(command: list[str], folder: Path, programs: Path) -> None:
    """Runs something to its end in a folder with the example data and a home of its own."""
    if not folder.exists():
        shutil.copytree(ROOT / "sample_data", folder / "sample_data")
    env = {
        "HOME": str(folder / "home"),
        "XDG_CONFIG_HOME": str(folder / "home"),
        "LANG": "C.UTF-8",
        "LOGNAME": "reader",
        "PATH": os.pathsep.join([str(programs), os.environ["PATH"]]),
        "PYTHONPATH": str(ROOT),
        "TUI_ANNOTATE_EMBEDDER": "static",
        "TUI_ANNOTATE_WORKERS": "1",  # quicker, of few texts, than processes of their own
    }
    done = subprocess.run(
        command,
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("page", RUN)
def test_the_commands_work_as_written(page: str, warm_folder: Path, tmp_path: Path) -> None:
    """Shell blocks of a page are one session in a fresh folder; then Python on what they made."""
    folder = tmp_path / "page"
    run(["bash", "-euxo", "pipefail", "-c", "".join(blocks(page, "sh"))], folder, warm_folder)
    for block in blocks(page, "python"):
        run([sys.executable, "-c", block], folder, warm_folder)


def test_the_first_commands_work_as_installed(real: Path, tmp_path: Path) -> None:
    """Those of the page on the installation once more, each from its beginning."""
    script = "".join(blocks("docs/install.md", "sh"))
    assert "tui-annotate" in script
    run(["bash", "-euxo", "pipefail", "-c", script], tmp_path / "page", real)
