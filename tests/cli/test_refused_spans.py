"""Exit codes of imports that leave out some spans of a sample."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Command
from tests.fuzz.readers import placed
from tests.plugins.formats.test_offsets import FORMATS, Told

TEXT = "The mill was built in 1871."


def test_commands_end_with_code_3(tmp_path: Path, command: Command) -> None:
    """Also `convert`, and `ingest --strict` stores nothing."""
    files = FORMATS["labelstudio"]([TEXT], [[Told(22, 26, "1871"), Told(6, 6, "")]])
    (tmp_path / "in").mkdir()
    path = placed({key: text.encode() for key, text in files.items()}, tmp_path / "in")
    command("init", ".")
    done = command("convert", str(path), str(tmp_path / "out.jsonl"), "--to", "native", "--json")
    assert (done.code, done.json["spans_refused"], done.json["annotations"]) == (3, 1, 1)
    strict = command("ingest", str(path), "--strict", "--embedder", "none", "--json")
    assert (strict.code, strict.json["outcome"], strict.json["spans_refused"]) == (2, "none", 1)
    plain = command("ingest", str(path), "--embedder", "none", "--json")
    assert (plain.code, plain.json["added"], plain.json["annotations"]) == (3, 1, 1)
