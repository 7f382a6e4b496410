"""dataset: what it prints, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import PAIRS, Command


def test_datasets_are_listed_and_shown(filled: Command) -> None:
    """Commands list and show give the figures of a dataset, show its samples too."""
    (listed,) = filled("datasets", "list", "--json").json
    assert (listed["name"], listed["samples"], listed["documents"]) == ("pairs", 2, 4)
    shown = filled("datasets", "show", "pairs", "--json").json
    assert shown["sample_ids"] == ["bridge", "tea"]
    assert "pairs" in filled("datasets", "list").out
    report = filled("datasets", "show", "pairs").out
    assert "bridge" in report
    assert shown["created"] not in report
    assert f" {shown['created'][:19]}\n" in report


def test_an_unknown_dataset_is_told(filled: Command) -> None:
    """show, replace and delete of an unknown dataset end with 2, and name the nearest dataset."""
    for words in (
        ["show", "pair"],
        ["delete", "pair", "--yes"],
        ["replace", "pair", "pairs.jsonl"],
    ):
        done = filled("datasets", *words)
        assert done.code == 2
        assert "'pair'" in done.err
        assert "did you mean 'pairs'?" in done.err


def test_replace_by_an_absent_file_changes_nothing(filled: Command, pairs: Path) -> None:
    """It ends as an ingest of one does."""
    options = ("--id-column", "id")
    for words in (
        ["datasets", "replace", "pairs", str(pairs), "absent.csv"],
        ["ingest", "absent.csv"],
    ):
        done = filled(*words, *options)
        assert (done.code, done.out) == (2, "")
        assert "absent.csv" in done.err
    assert filled("status", "--json").json["samples"] == 2


def test_replace_gives_a_dataset_other_content(filled: Command, pairs: Path) -> None:
    """What changed is exchanged, what is gone is removed."""
    changed = {**PAIRS[0], "summary": "The bridge cost 12 million pounds."}
    pairs.write_text(json.dumps(changed) + "\n", "utf-8")
    done = filled("datasets", "replace", "pairs", str(pairs), "--id-column", "id", "--json")
    assert done.code == 0
    assert (done.json["replaced"], done.json["removed"]) == (1, 1)


def test_remove_asks_where_nobody_answers(filled: Command) -> None:
    """Without a terminal and without --yes nothing is removed."""
    done = filled("datasets", "delete", "pairs")
    assert done.code == 2
    assert "--yes" in done.err
    assert filled("datasets", "delete", "pairs", "--yes", "--json").json["removed"] == 2
