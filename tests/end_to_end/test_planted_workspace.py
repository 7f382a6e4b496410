"""What one Unix user puts into a folder of all users sends nothing of another one."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.test_group import PYTHON, command
from tests.plugins.embedders.endpoint_server import FakeEndpoint
from tests.services.ingest_stores import write_pairs
from tui_annotate.settings import WORKSPACE_FILE

pytestmark = pytest.mark.skipif(
    not PYTHON, reason="not root, or this Python is closed to other users"
)

PLANTER, VICTIM = "bin", "daemon"


@pytest.fixture
def shared(endpoint: FakeEndpoint) -> Iterator[Path]:
    """A folder that all users can write, with data, and workspaces of one of them around it."""
    settings = f'embedder = "remote:m"\nbase_url = "{endpoint.url}"\n'
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        above = Path(place) / "above"
        data = above / "data"
        data.mkdir(parents=True)
        for folder in (above, data):
            folder.chmod(0o777)
        write_pairs(data / "pairs.jsonl", samples=2).chmod(0o644)
        for folder in (above, data / "pairs.jsonl.annotations"):
            asked = command(PLANTER, "init", str(folder))
            subprocess.run(asked, cwd="/", capture_output=True, check=True)
            (folder / WORKSPACE_FILE).write_text(settings)
            # The planter lets the victim do everything.
            subprocess.run(["chmod", "-R", "a+rwX", str(folder)], check=True)
        yield data


def run(folder: Path, user: str, *words: str) -> subprocess.CompletedProcess[str]:
    """A command in a folder, with the API key of a user in the environment."""
    environment = {**os.environ, "OPENAI_API_KEY": "sk-of-the-victim"}
    for name in ("TUI_ANNOTATE_API_KEY", "TUI_ANNOTATE_EMBEDDER"):
        environment.pop(name, None)
    return subprocess.run(
        command(user, *words), cwd=folder, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    "words", [("annotate", "pairs.jsonl"), ("ingest", "pairs.jsonl"), ("status",)]
)
def test_a_planted_workspace_is_refused(
    shared: Path, endpoint: FakeEndpoint, words: tuple[str, ...]
) -> None:
    """Next to the file, and in a parent folder; the error names the one who put it there."""
    done = run(shared, VICTIM, *words)
    assert done.returncode == 1, done.stderr
    assert repr(PLANTER) in done.stderr
    assert "Traceback" not in done.stderr
    assert endpoint.headers == []


def test_a_workspace_that_is_named_still_sends_nothing(
    shared: Path, endpoint: FakeEndpoint
) -> None:
    """The option -w opens it; texts need the trust in the endpoint, and the key more than that."""
    words = ("ingest", "pairs.jsonl", "-w", "pairs.jsonl.annotations")
    done = run(shared, VICTIM, *words)
    assert (done.returncode, endpoint.headers) == (1, [])
    assert "lab trust-endpoint" in done.stderr
    assert run(shared, VICTIM, "status", "-w", "pairs.jsonl.annotations").returncode == 0


def test_the_owner_is_not_hindered(shared: Path) -> None:
    """In their own workspace, found as before."""
    assert run(shared, PLANTER, "status").returncode == 0
    assert run(shared / "pairs.jsonl.annotations", PLANTER, "status").returncode == 0
