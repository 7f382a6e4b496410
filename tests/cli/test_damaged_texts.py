"""Texts that were altered in the store: refused by what writes them, and restored by the file."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.conftest import PAIRS, Command
from tui_annotate.domain.errors import Damaged

ALTERATIONS = {
    "another text": "UPDATE documents SET text = CAST('It cost nothing.' AS BLOB) WHERE id = 1",
    "the same text, not as bytes": "UPDATE documents SET text = CAST(text AS TEXT) WHERE id = 1",
    "a number": "UPDATE documents SET text = 7 WHERE id = 1",
    "another document": "UPDATE sample_documents SET document_id = 4 WHERE document_id = 1",
}
SHIFTED = "CAST(x'05000000' || substr(boundaries, 5) AS BLOB)"
"""Boundaries that fit the text, with another end of the first sentence."""
WRITERS = ["export --to native", "export --to csv", "audit snapshots create s"]


@pytest.fixture
def alter(tmp_path: Path) -> Callable[[str], None]:
    """Changes the store as another program could."""

    def run(statement: str) -> None:
        with closing(sqlite3.connect(tmp_path / "store.sqlite")) as store:
            store.execute(statement)
            store.commit()

    return run


@pytest.mark.parametrize("words", WRITERS)
@pytest.mark.parametrize("kind", ALTERATIONS)
def test_an_altered_text_is_not_written(
    filled: Command, alter: Callable[[str], None], kind: str, words: str
) -> None:
    """The sample is named, nothing is written, and the exit code is that of damaged stores."""
    alter(ALTERATIONS[kind])
    done = filled(*words.split())
    assert (done.code, type(done.error)) == (1, Damaged)
    assert done.error is not None
    assert "pairs/bridge" in done.error.message
    assert "doctor" in done.error.hint
    assert PAIRS[0]["summary"] not in done.out


def test_an_altered_text_is_in_no_bundle(
    annotated: Command, alter: Callable[[str], None], tmp_path: Path
) -> None:
    """A bundle with a text that is not the imported one is not written."""
    alter(ALTERATIONS["another text"])
    done = annotated("sync", "bundles", "create", "--person", "reader", "-o", "out.bundle")
    assert (done.code, type(done.error)) == (1, Damaged)
    assert not (tmp_path / "out.bundle").exists()


@pytest.mark.parametrize("kind", ALTERATIONS)
def test_doctor_does_not_advise_to_export_an_altered_text(
    filled: Command, alter: Callable[[str], None], kind: str
) -> None:
    """The finding names the sample, and its advice gives no altered text a valid hash."""
    alter(ALTERATIONS[kind])
    done = filled("doctor", "--json")
    assert done.code == 1
    found = [each for each in done.json if (each["check"], each["state"]) == ("store", "error")]
    assert any("pairs/bridge" in each["message"] for each in found)
    for each in found:
        assert "export" not in each["hint"]
        assert "restore" in each["hint"]


@pytest.mark.parametrize("kind", list(ALTERATIONS)[:3])
def test_the_original_file_restores_a_damaged_text(
    filled: Command, alter: Callable[[str], None], pairs: Path, kind: str
) -> None:
    """The text is stored again, as it has the same hash; work and samples stay."""
    before = filled("export", "--to", "native").out
    alter(ALTERATIONS[kind])
    done = filled("ingest", str(pairs), "--id-column", "id", "--embedder", "none")
    assert done.code == 0
    assert filled("export", "--to", "native").out == before
    assert filled("doctor").code == 0


@pytest.mark.parametrize(
    ("command_name", "boundaries"),
    [
        ("ingest", "x'00000000'"),
        ("ingest", SHIFTED),
        ("datasets replace", "x'00000000'"),
        ("datasets replace", SHIFTED),
    ],
)
def test_damaged_sentences_are_restored_by_an_import_in_another_language(
    command: Command,
    alter: Callable[[str], None],
    tmp_path: Path,
    command_name: str,
    boundaries: str,
) -> None:
    """Two datasets share a text; its sentences are those of the first import again."""
    rows = {"id": "a", "source": "The mill was built. It burned.", "summary": "The mill is new."}
    (tmp_path / "rows.jsonl").write_text(json.dumps(rows), "utf-8")
    (tmp_path / "zh.jsonl").write_text(json.dumps(rows), "utf-8")
    command("init")
    common = ("--id-column", "id", "--embedder", "none")
    command("ingest", "rows.jsonl", *common)
    in_chinese = (*common, "--language", "zh")
    command("ingest", "zh.jsonl", *in_chinese)
    assert command("audit", "verify").code == 0
    alter(f"UPDATE documents SET boundaries = {boundaries} WHERE id = 1")
    assert command("audit", "verify").code == 1
    names = ["zh"] if command_name == "datasets replace" else []
    done = command(*command_name.split(), *names, "zh.jsonl", *in_chinese)
    assert done.code == 0
    assert ("restored the damaged texts of 1 sample" in done.err) == (command_name == "ingest")
    assert command("audit", "verify").code == 0
    assert command("doctor").code == 0
    assert "restored" not in command("ingest", "zh.jsonl", *in_chinese).err


def test_a_file_with_the_altered_text_is_refused(
    filled: Command, alter: Callable[[str], None], tmp_path: Path
) -> None:
    """A text with another hash is another text, also where the stored one was altered like it."""
    alter(ALTERATIONS["another text"])
    altered = [PAIRS[0] | {"source": "It cost nothing."}, PAIRS[1]]
    file = tmp_path / "altered" / "pairs.jsonl"
    file.parent.mkdir()
    file.write_text("\n".join(json.dumps(each) for each in altered), "utf-8")
    done = filled("ingest", str(file), "--id-column", "id", "--embedder", "none")
    assert done.code == 3
    assert filled("doctor").code == 1


def test_doctor_advises_to_import_altered_sentences_again(
    filled: Command, alter: Callable[[str], None]
) -> None:
    """The boundaries fit the text, but they are not the recorded ones."""
    alter(f"UPDATE documents SET boundaries = {SHIFTED} WHERE segments = 2")
    (found,) = [each for each in filled("doctor", "--json").json if each["check"] == "record"]
    assert "ingest" in found["hint"]


def test_a_new_sample_does_not_take_over_a_damaged_text(
    filled: Command, alter: Callable[[str], None], tmp_path: Path
) -> None:
    """A text that is stored but damaged is stored again with the sample that brings it."""
    alter(ALTERATIONS["another text"])
    file = tmp_path / "more.jsonl"
    file.write_text(json.dumps(PAIRS[0] | {"id": "new"}), "utf-8")
    assert filled("ingest", str(file), "--id-column", "id", "--embedder", "none").code == 0
    assert filled("doctor").code == 0


def test_verify_finds_a_text_of_another_type(command: Command, pairs: Path, tmp_path: Path) -> None:
    """A text that the program sqlite3 has stored as TEXT is an altered text."""
    del pairs
    command("init", "w")
    command("ingest", "pairs.jsonl", "-w", "w", "--embedder", "none")
    with closing(sqlite3.connect(tmp_path / "w" / "store.sqlite")) as store, store:
        store.execute("UPDATE documents SET text = 'Something else.'")
    assert command("audit", "verify", "-w", "w").code == 1
