"""Exit codes of imports that leave out some spans of a sample."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.fuzz.readers import placed
from tests.helpers.report_files import report_file
from tests.plugins.formats.test_offsets import FORMATS, Told
from tests.plugins.record_reader import file, read
from tui_annotate.plugins.joined_texts import SEPARATOR

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


def test_a_field_of_a_wrong_type_ends_with_code_3(tmp_path: Path, command: Command) -> None:
    """As a refused span does; the record's other annotations are stored."""
    text = f"The source.{SEPARATOR}{TEXT}"
    start = text.index("1871")
    line = {"id": 1, "text": text, "entities": [[start, start + 4, "A"]], "label": "x"}
    (tmp_path / "a.jsonl").write_text(json.dumps(line), "utf-8")
    words = ("a.jsonl", "--from", "doccano")
    done = command("convert", words[0], "out", "--to", "native", *words[1:], "--json")
    assert (done.code, done.json["spans_refused"], done.json["annotations"]) == (3, 1, 1)
    assert "a.jsonl:1: skipped: 'label' is text ('x')" in done.err
    command("init", ".")
    stored = command("ingest", *words, "--embedder", "none", "--json")
    assert (stored.code, stored.json["spans_refused"], stored.json["annotations"]) == (3, 1, 1)


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


def test_people_without_a_column_of_spans_are_an_error(command: Command, tmp_path: Path) -> None:
    """`--person-column` alone imports no work: the exit code is 3, as for refused spans."""
    path = file(tmp_path, "a.csv", "source,summary,worker\nThe mill is old.,It is old.,w\n")
    _, (problem,) = read(path, person_column="worker")
    assert problem.code == "span-people-unread"
    options = ("--person-column", "worker", "--to", "native")
    assert command("convert", str(path), "out.jsonl", *options).code == 3
