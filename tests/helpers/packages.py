"""Packages with plug-ins that tests install, and the app that runs with them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]


def install_packages(packages: Sequence[Path], target: Path) -> None:
    """Install packages into a folder with pip, with nothing but what is on the machine."""
    options = ["--no-deps", "--no-index", "--no-build-isolation", "--no-cache-dir", "-qq"]
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", *options]
    subprocess.run([*command, "--target", target, *packages], check=True)


class App:
    """The app with the packages of a folder beside it, in an empty folder; `program` starts it."""

    def __init__(self, site: Path, folder: Path, *program: str) -> None:
        self._program = program
        self._environment = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{site}"}
        self.folder = folder

    def __call__(self, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        """Run a command, which ends with that code, and never with a traceback."""
        done = subprocess.run(
            [*self._program, *words],
            cwd=self.folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert "Traceback" not in done.stderr
        assert done.returncode == code, done.stderr
        return done
