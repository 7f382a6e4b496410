"""Fetching a model: what is safe of it and nothing else, told with its hashes."""

from __future__ import annotations

import json
import os
import subprocess
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.plugins.hub_server import COMMIT, NAME, hub
from tests.pty_driver import ROOT, program
from tui_annotate.plugins.embedders import weights

pytestmark = pytest.mark.skipif(
    find_spec("huggingface_hub") is None, reason="huggingface_hub comes with the vectors' packages"
)

FILES = {
    "config.json": b"{}",
    "model.safetensors": b"numbers" * 1000,
    "vocab.txt": b"words",
    "1_Pooling/config.json": b"{}",
    "pytorch_model.bin": b"a pickle",
    "modeling.py": b"import os",
    "onnx/model.safetensors": b"not needed",
}


def fetch(
    folder: Path, address: str, *options: str, name: str = NAME, revision: str = "main"
) -> subprocess.CompletedProcess[str]:
    """The command, asking that hub."""
    env = {each: value for each, value in os.environ.items() if not each.startswith("HF_")}
    env |= {"HF_ENDPOINT": address, "HF_HOME": str(folder / "home"), "PYTHONPATH": str(ROOT)}
    words = ("models", "fetch", name, "--revision", revision, "--to", "model", *options)
    return subprocess.run(
        program(*words),
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def names(folder: Path) -> set[str]:
    """The files of the fetched model."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}


def test_what_is_safe_is_fetched_and_told(tmp_path: Path) -> None:
    """Numbers and text with their hashes and the exact commit; no pickle, no code; then usable."""
    with hub(FILES) as there:
        done = fetch(tmp_path, there.address, "--json")
        assert done.returncode == 0, done.stderr
        asked = there.asked
    told = json.loads(done.stdout)
    safe = {"config.json", "model.safetensors", "vocab.txt", "1_Pooling/config.json"}
    assert names(tmp_path / "model") == safe == {each["name"] for each in told["files"]}
    assert told["commit"] == COMMIT
    assert {each["name"]: each["sha256"] for each in told["files"]} == {
        name: sha256(FILES[name]).hexdigest() for name in safe
    }
    assert not [path for path in asked if path.endswith((".bin", ".py"))]
    assert weights.find(str(tmp_path / "model")).label == "model"


def test_people_get_a_table_and_the_next_step(tmp_path: Path) -> None:
    """File, bytes and hash in columns; then how to use it."""
    with hub(FILES) as there:
        done = fetch(tmp_path, there.address, revision=COMMIT)
    assert done.returncode == 0, done.stderr
    assert "7,000" in done.stdout
    assert sha256(FILES["model.safetensors"]).hexdigest() in done.stdout
    assert f"commit {COMMIT}" in done.stdout
    assert "--embedder neural:model" in done.stderr


def test_a_fetch_that_broke_goes_on(tmp_path: Path) -> None:
    """The error is told; the same command again brings the rest and takes no other folder."""
    with hub(FILES, cut="model.safetensors") as there:
        broken = fetch(tmp_path, there.address)
    assert broken.returncode == 1
    assert "could not be fetched" in broken.stderr
    assert "Traceback" not in broken.stderr
    with hub(FILES) as there:
        assert fetch(tmp_path, there.address).returncode == 0
        again = fetch(tmp_path, there.address)
    assert again.returncode == 2
    assert "is not empty" in again.stderr


@pytest.mark.parametrize(
    ("name", "revision", "code", "message"),
    [
        ("owner/other", "main", 1, "has no owner/other at main"),
        (NAME, "v9", 1, "has no owner/model at v9"),
        ("no name at all!", "main", 2, "is no name of a model"),
    ],
)
def test_what_the_hub_does_not_have_is_told(
    tmp_path: Path, name: str, revision: str, code: int, message: str
) -> None:
    """With the name and revision; no folder is left."""
    with hub(FILES) as there:
        done = fetch(tmp_path, there.address, name=name, revision=revision)
    assert done.returncode == code, done.stderr
    assert message in done.stderr
    assert not (tmp_path / "model").exists()


def test_a_model_of_pickles_is_refused(tmp_path: Path) -> None:
    """Before anything is fetched."""
    with hub({"config.json": b"{}", "pytorch_model.bin": b"a pickle"}) as there:
        done = fetch(tmp_path, there.address)
    assert done.returncode == 1
    assert "no weights as .safetensors" in done.stderr
    assert not (tmp_path / "model").exists()


def test_a_hub_that_is_not_there_is_told(tmp_path: Path) -> None:
    """One line and what to do, whatever the library raises."""
    with hub(FILES) as there:
        address = there.address
    done = fetch(tmp_path, address)
    assert done.returncode == 1
    assert "could not be fetched" in done.stderr
    assert "Dry run" not in done.stderr
    assert "Traceback" not in done.stderr
