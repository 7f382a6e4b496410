"""--columns: where known collections have their texts."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Command


def test_the_columns_of_a_collection_are_an_option(command: Command, tmp_path: Path) -> None:
    """The option of convert and ingest applies if the columns do not show the collection."""
    line = "key,doc,summary,text,id\nxsumfaith,A doc.,A summary.,B,7\n"
    (tmp_path / "a.csv").write_text(line, "utf-8")
    done = command("convert", "a.csv", "-", "--to", "native", "--columns", "aggrefact")
    assert done.code == 0
    assert [each["text"] for each in done.json["documents"]] == ["A doc.", "A summary."]
    assert (done.json["group"], done.json["meta"]["text"]) == ("7", "B")
    command("init", ".")
    stored = command("ingest", "a.csv", "--columns", "aggrefact", "--embedder", "none", "--json")
    assert (stored.code, stored.json["added"]) == (0, 1)


def test_groups_are_never_ignored(command: Command, tmp_path: Path) -> None:
    """A column that is not there or holds no ids is refused; stored samples keep their group."""
    lines = [
        {"id": "1", "source": "A text.", "summary": "One.", "group": "g", "odd": ["x"]},
        {"id": "2", "source": "B text.", "summary": "Two.", "group": "g", "odd": {"a": 1}},
    ]
    table = tmp_path / "pairs.jsonl"
    table.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    tasks = tmp_path / "tasks.json"
    tasks.write_text(json.dumps([{"id": 1, "data": lines[0]}]), "utf-8")
    assert command("init").code == 0
    ingest = ("ingest", str(table), "--id-column", "id", "--embedder", "none")
    for column in ("nosuch", "odd"):
        done = command(*ingest, "--group-column", column, "--json")
        assert (done.code, done.json["refused"]) == (2, 2), column
        studio = ("ingest", str(tasks), "--from", "labelstudio", "--embedder", "none", "--json")
        done = command(*studio, "--group-column", column)
        assert (done.code, done.json["refused"]) == (2, 1), column
    assert command(*ingest).code == 0
    done = command(*ingest, "--group-column", "group", "--json")
    assert (done.code, done.json["known"], done.json["warnings"]) == (0, 2, 2)
    replaced = ("datasets", "replace", "pairs", *ingest[1:], "--group-column", "group")
    assert command(*replaced).code == 0
    done = command(*ingest, "--group-column", "group", "--json")
    assert (done.code, done.json["known"], done.json["warnings"]) == (0, 2, 0)
