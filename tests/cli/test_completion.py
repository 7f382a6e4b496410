"""What a shell proposes: commands, options, and the names of the workspace that the line means."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.cli.conftest import PAIRS, Command
from tests.cli.test_main import process
from tests.helpers.terminal import program
from tui_annotate.cli import completion
from tui_annotate.cli.completion import Completer


def proposed(by: Completer, start: str = "", **before: Any) -> list[str]:
    """What is proposed where a word begins so; `before`: options that stand earlier in the line."""
    context: Any = SimpleNamespace(params=before, parent=None)
    return by(context, start)


def test_the_shell_gets_commands_options_and_values(
    filled: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Through the process that a shell's Tab starts, without a library that takes its time."""
    assert filled("status").code == 0
    monkeypatch.setenv("_TUI_ANNOTATE_COMPLETE", "complete_bash")
    for line, expected in (
        ("ann", ["annotate"]),
        ("export --include-p", ["--include-practice"]),
        ("export --dataset pairs --label Unwanted.I", ["Unwanted.Intrinsic"]),
    ):
        words = f"tui-annotate {line}"
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(len(words.split(" ")) - 1))
        assert process(program()).stdout.split() == expected
    script = (
        "import sys\nfrom tui_annotate.cli.main import run\n"
        "try:\n run([])\nfinally:\n"
        " sys.stderr.write(str({'textual', 'sqlalchemy', 'numpy', 'lancedb'} & set(sys.modules)))"
    )
    done = process([sys.executable, "-c", script])
    assert done.stderr == "set()"


def test_samples_are_proposed_by_id_and_by_key(filled: Command) -> None:
    """With a stroke in the word, the dataset stands before the id."""
    assert filled("status").code == 0
    assert proposed(completion.samples) == ["bridge", "tea"]
    assert proposed(completion.samples, "br") == ["bridge"]
    assert proposed(completion.samples, "pairs/t") == ["pairs/tea"]


def test_the_workspace_that_the_line_names_counts(
    filled: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Elsewhere there is nothing to propose, and no word of it."""
    assert filled("status").code == 0
    monkeypatch.chdir("/")
    assert proposed(completion.datasets) == proposed(completion.labels) == []
    assert proposed(completion.datasets, workspace=tmp_path) == ["pairs"]


def test_only_plain_words_are_proposed(command: Command, tmp_path: Path) -> None:
    """A name that a shell would part, or a terminal act on, is left to be typed."""
    rows = [{**PAIRS[0], "id": name} for name in ("two words", "\u202ebidi", "a'b", "夏-1")]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    command("init")
    done = command("ingest", "a.jsonl", "--id-column", "id", "--embedder", "none", "--json")
    assert done.json["added"] == 4
    assert proposed(completion.samples) == ["夏-1"]


def test_broken_labels_are_no_labels(command: Command, tmp_path: Path) -> None:
    """Whoever presses Tab is not told of them; other commands do."""
    command("init")
    (tmp_path / "labels.yaml").write_text("- {", "utf-8")
    assert proposed(completion.labels) == []


def test_plug_ins_and_words_are_proposed(command: Command) -> None:
    """By how they begin."""
    assert command("--version").code == 0
    assert proposed(completion.complete_plugins("exporters"), "csv") == ["csv", "csv-tables"]
    assert proposed(completion.complete_plugins("embedders", "auto"), "a") == ["auto"]
    assert proposed(completion.complete_words("by-source", "random"), "r") == ["random"]
