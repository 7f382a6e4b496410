"""init, ingest, dataset, index: what they print, and how they end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import PAIRS, Command


def test_init_makes_a_private_workspace(command: Command, tmp_path: Path) -> None:
    """A new workspace has its files, and nobody else can read them."""
    assert command("init", "work", "--json").json == {"workspace": str(tmp_path / "work")}
    names = {path.name for path in (tmp_path / "work").iterdir()}
    assert {"tui-annotate.toml", "labels.yaml", "store.sqlite", "vectors"} <= names
    assert (tmp_path / "work").stat().st_mode & 0o077 == 0


def test_init_refuses_a_workspace(command: Command) -> None:
    """A folder that is a workspace is not made one again."""
    command("init", "work")
    again = command("init", "work")
    assert again.code == 1
    assert "is a workspace already" in again.err


def test_ingest_twice_adds_nothing(filled: Command, pairs: Path) -> None:
    """The same file once more is known, says so, and ends with 0."""
    again = filled("ingest", str(pairs), "--id-column", "id")
    assert (again.code, again.err) == (0, "")
    assert again.out.startswith("samples: 2 known already; ")


def test_ingest_tells_its_figures_as_json(command: Command, pairs: Path) -> None:
    """--json gives every count, the problems and the outcome."""
    command("init")
    shown = command("ingest", str(pairs), "--embedder", "none", "--json").json
    expected = {"added": 2, "known": 0, "refused": 0, "documents": 4, "outcome": "all"}
    assert {name: shown[name] for name in expected} == expected
    assert shown["problems"] == []


def test_a_refused_record_ends_with_3(command: Command, pairs: Path) -> None:
    """One bad line is told with its place; the good ones are in."""
    pairs.write_text(pairs.read_text("utf-8") + "{broken\n", "utf-8")
    command("init")
    done = command("ingest", str(pairs), "--embedder", "none")
    assert done.code == 3
    assert f"{pairs}:3" in done.err
    assert "samples: 2 added, 1 refused" in done.out


def test_nothing_in_ends_with_2(command: Command, pairs: Path) -> None:
    """A file of which nothing can be taken ends with 2."""
    command("init")
    done = command("ingest", str(pairs), "--source-column", "article", "--embedder", "none")
    assert done.code == 2
    assert "article" in done.err


def test_strict_stores_all_or_nothing(command: Command, pairs: Path) -> None:
    """With --strict one bad line keeps everything out."""
    pairs.write_text(pairs.read_text("utf-8") + "{broken\n", "utf-8")
    command("init")
    done = command("ingest", str(pairs), "--strict", "--embedder", "none")
    assert done.code == 2
    assert "nothing stored" in done.out
    assert command("status", "--json").json["samples"] == 0


def test_dry_run_stores_nothing(command: Command, pairs: Path) -> None:
    """--dry-run tells what would come in, and leaves the store as it was."""
    command("init")
    done = command("ingest", str(pairs), "--dry-run", "--embedder", "none")
    assert done.code == 0
    assert "2 added" in done.out
    assert "nothing was stored" in done.out
    assert command("status", "--json").json["samples"] == 0


def test_a_missing_file_is_an_error(command: Command, pairs: Path) -> None:
    """A file that is not there is named, without a traceback, and nothing of the others is in."""
    command("init")
    done = command("ingest", str(pairs), "absent.csv", "--embedder", "none")
    assert done.code == 2
    assert "absent.csv" in done.err
    assert "Traceback" not in done.err
    assert command("status", "--json").json["samples"] == 0


def test_many_problems_are_cut_for_people(command: Command, tmp_path: Path) -> None:
    """People see the first problems and how many more there are; JSON has them all."""
    file = tmp_path / "bad.jsonl"
    file.write_text("{broken\n" * 30 + json.dumps(PAIRS[0]) + "\n", "utf-8")
    command("init")
    done = command("ingest", str(file), "--dry-run", "--embedder", "none")
    assert "and 10 more" in done.err
    shown = command("ingest", str(file), "--dry-run", "--embedder", "none", "--json").json
    assert len(shown["problems"]) == 30


def test_datasets_are_listed_and_shown(filled: Command) -> None:
    """Commands list and show give the figures of a dataset, show its samples too."""
    (listed,) = filled("dataset", "list", "--json").json
    assert (listed["name"], listed["samples"], listed["documents"]) == ("pairs", 2, 4)
    shown = filled("dataset", "show", "pairs", "--json").json
    assert shown["sample_ids"] == ["bridge", "tea"]
    assert "pairs" in filled("dataset", "list").out
    assert "bridge" in filled("dataset", "show", "pairs").out


def test_an_unknown_dataset_is_told(filled: Command) -> None:
    """show, replace and remove of a dataset that is not there end with 1."""
    for words in (["show", "x"], ["remove", "x", "--yes"], ["replace", "x", "pairs.jsonl"]):
        done = filled("dataset", *words)
        assert done.code == 1
        assert "'x'" in done.err


def test_replace_gives_a_dataset_other_content(filled: Command, pairs: Path) -> None:
    """What changed is exchanged, what is gone is removed."""
    changed = {**PAIRS[0], "summary": "The bridge cost 12 million pounds."}
    pairs.write_text(json.dumps(changed) + "\n", "utf-8")
    done = filled("dataset", "replace", "pairs", str(pairs), "--id-column", "id", "--json")
    assert done.code == 0
    assert (done.json["replaced"], done.json["removed"]) == (1, 1)


def test_remove_asks_where_nobody_answers(filled: Command) -> None:
    """Without a terminal and without --yes nothing is removed."""
    done = filled("dataset", "remove", "pairs")
    assert done.code == 2
    assert "--yes" in done.err
    assert filled("dataset", "remove", "pairs", "--yes", "--json").json["removed"] == 2


def test_rebuild_without_an_embedder_says_so(filled: Command) -> None:
    """A workspace that began without vectors stays without them."""
    shown = filled("index", "rebuild", "--json").json
    assert shown == {"embedder": "none", "embedded": 0}


@pytest.mark.parametrize("words", [[], ["status"], ["ingest", "x.csv"], ["annotate"]])
def test_outside_a_workspace_the_next_step_is_told(command: Command, words: list[str]) -> None:
    """Without a workspace every command says how to make one."""
    done = command(*words)
    assert done.code == (1 if words else 0)
    assert "tui-annotate init" in done.out + done.err


def test_inside_a_workspace_the_next_step_is_told(filled: Command) -> None:
    """The program alone says where it is and what can be done."""
    done = filled()
    assert done.code == 0
    assert done.out.startswith("Workspace: ")
    assert "tui-annotate annotate" in done.out
