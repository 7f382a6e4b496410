"""A folder to work in, and a way to run commands there."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.folder_cache import build_once
from tests.helpers.json_schemas import command_words, schema_faults
from tui_annotate.cli import output
from tui_annotate.cli.main import run
from tui_annotate.domain.errors import TuiAnnotateError

PAIRS = [
    {
        "id": "bridge",
        "group": "a",
        "source": "The bridge cost 12 million pounds. It was opened in 1889 by the mayor.",
        "summary": "The bridge cost 15 million pounds. It was loved.",
        "model": "m",
    },
    {
        "id": "tea",
        "group": "b",
        "source": "茶厂去年加工鲜叶一千八百吨。今年三月的低温冻坏了茶园。",
        "summary": "茶厂去年加工鲜叶两千吨。",
        "model": "m",
    },
]
CLAIM = PAIRS[0]["summary"].index("15 million pounds")


@dataclass(frozen=True)
class Result:
    """What a command gave.

    Attributes:
        code: its exit code.
        error: what ended it, where that was one of our own errors.
    """

    code: int
    out: str
    err: str
    error: TuiAnnotateError | None = None

    @property
    def json(self) -> Any:
        """Standard output as JSON."""
        return json.loads(self.out)


Command = Callable[..., Result]


def numbers(text: str) -> list[int]:
    """The numbers of a text, in order; those in names do not count."""
    return [int(each.replace(",", "")) for each in re.findall(r"(?<!\S)\d[\d,]*\b(?![-.\w])", text)]


@pytest.fixture(autouse=True)
def json_faults(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Where the JSON that commands print does not fit their schemas: nowhere."""
    faults: list[str] = []
    print_json = output.print_json
    output.reset()

    def check(value: Any) -> None:
        print_json(value)
        if words := command_words(output._state.command.arguments):
            faults.extend(schema_faults(words, value))

    monkeypatch.setattr(output, "print_json", check)
    yield faults
    assert faults == []


@pytest.fixture
def command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Command:
    """Runs tui-annotate with some arguments in an empty folder."""
    monkeypatch.chdir(tmp_path)
    errors: list[TuiAnnotateError] = []
    print_error = output.print_error

    def record(error: TuiAnnotateError) -> None:
        errors.append(error)
        print_error(error)

    monkeypatch.setattr(output, "print_error", record)

    def ran(*arguments: str) -> Result:
        capfd.readouterr()
        errors.clear()
        code = run(list(arguments))
        shown = capfd.readouterr()
        return Result(code, shown.out, shown.err, errors[-1] if errors else None)

    return ran


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """A file with two pairs of texts, one English, one Chinese."""
    path = tmp_path / "pairs.jsonl"
    lines = [json.dumps(pair, ensure_ascii=False) for pair in PAIRS]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


@pytest.fixture
def filled(command: Command, pairs: Path, tmp_path: Path) -> Command:
    """The same in a workspace that holds the two pairs, without vectors."""

    def build(folder: Path) -> None:
        del folder  # commands run in it
        assert command("init").code == 0
        done = command("ingest", str(pairs), "--id-column", "id", "--embedder", "none")
        assert done.code == 0

    build_once(tmp_path, "filled", build)
    return command


@pytest.fixture
def annotated(filled: Command, tmp_path: Path) -> Command:
    """The same with one annotation of the reader."""
    import tui_annotate
    from tui_annotate.domain.annotations import Anchor, Annotation
    from tui_annotate.domain.samples import SampleKey, Side
    from tui_annotate.domain.spans import Span

    def build(folder: Path) -> None:
        claim = Anchor(Side.SUMMARY, 0, Span(CLAIM, CLAIM + len("15 million pounds")))
        with tui_annotate.open(folder) as space:
            annotation = Annotation("a" * 8, (claim,), labels=(("Unwanted", "Intrinsic"),))
            key = SampleKey("pairs", "bridge")
            space.annotate.add(space.person().id, key, annotation, seconds=3)

    build_once(tmp_path, "annotated", build)
    return filled
