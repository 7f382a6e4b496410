"""Warm commands, which other tests rely on, do what the installed program does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
tui-annotate status -w 'no where' || echo $?
mkdir inner; cd inner; echo A,B > pairs.csv; tui-annotate convert pairs.csv - || echo $?
NO_COLOR=1 TUI_ANNOTATE_CONFIG=pairs.csv tui-annotate labels check || echo $?
yes | tui-annotate labels check || echo $?
"""


def test_a_warm_command_is_the_real_one(tmp_path: Path, warm_folder: Path) -> None:
    """With its arguments, folder, variables, stdin, both outputs and exit code."""
    real = tmp_path / "bin" / "tui-annotate"
    real.parent.mkdir()
    real.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m tui_annotate "$@"\n', "utf-8")
    real.chmod(0o755)
    done: list[tuple[bytes, bytes]] = []
    for path in (real.parent, warm_folder):
        folder = tmp_path / f"for {path.name}{len(done)}"
        folder.mkdir()
        env = os.environ | {"PATH": f"{path}{os.pathsep}{os.environ['PATH']}"}
        ended = subprocess.run(
            ["bash", "-uc", SCRIPT], cwd=folder, env=env, capture_output=True, check=True
        )
        done.append((ended.stdout, ended.stderr.replace(bytes(folder), b"")))
    assert done[0] == done[1]
    assert done[0][0].splitlines()[0] == b"2"
