"""A workspace with generated answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command


@pytest.fixture
def answers(command: Command) -> Command:
    """Run tui-annotate in a workspace with two questions, each with an answer."""
    said = [("who is the king", "it"), ("who is the dog", "not")]
    rows = [
        {"question": question, "answer": "it", "generation": [{"text": text, "type": "normal"}]}
        for question, text in said
    ]
    Path("answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    assert command("init").code == 0
    done = command("ingest", "answers.jsonl", "--from", "generations", "--embedder", "none")
    assert done.code == 0
    return command
