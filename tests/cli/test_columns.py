"""--columns: where known collections have their texts."""

from __future__ import annotations

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
