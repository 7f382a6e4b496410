"""Exit codes of imports that leave out some spans of a sample."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.fuzz.readers import placed
from tests.helpers.report_files import report_file
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


@pytest.mark.parametrize("as_suggestions", [False, True])
def test_probabilities_of_spans_become_scores(command: Command, *, as_suggestions: bool) -> None:
    """Suggestions have the scores of Mu-SHROOM's spans; otherwise the field is named as lost."""
    path = report_file("02/with_context.jsonl")
    assert command("init", ".").code == 0
    columns = ("--source-column", "context", "--summary-column", "model_output_text")
    spans = ("--span-column", "soft_labels", "--embedder", "none", "--dataset", "d", "--json")
    kind = "suggestions" if as_suggestions else "annotations"
    done = command("ingest", str(path), *columns, *spans, "--spans-as", kind)
    assert (done.code, done.json[kind]) == (0, 2)
    named = [each["message"] for each in done.json["problems"] if "'prob'" in each["message"]]
    assert len(named) == 1 - as_suggestions
    if as_suggestions:
        listed = command("suggestions", "list", "--json").json
        assert sorted(each["score"] for each in listed) == [0.3333333, 0.9]
