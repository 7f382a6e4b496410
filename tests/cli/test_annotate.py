"""datasets clear, annotate --list-keys: shapes and ends."""

from __future__ import annotations

import os
from pathlib import Path

from tests.cli.conftest import Command, numbers


def test_clear_needs_mine_and_a_yes(annotated: Command) -> None:
    """Nothing is cleared by mistake; with both it is, and is counted."""
    assert annotated("datasets", "clear", "--yes").code == 2
    assert annotated("datasets", "clear", "--mine").code == 2
    done = annotated("datasets", "clear", "--mine", "--yes", "--json")
    assert done.json == {"person": "reader", "deleted": 1}
    assert annotated("status", "--json").json["annotations"] == 0


def test_clear_takes_ratings_and_comments_where_they_are_named(annotated: Command) -> None:
    """They stay without --ratings; with it they are counted, and undo is spoken of."""
    clear = ("datasets", "clear", "--mine", "--yes")
    assert "ratings" not in annotated(*clear, "--json").json
    done = annotated(*clear, "--ratings", "--json")
    assert done.json == {"person": "reader", "deleted": 0, "ratings": 0, "comments": 0}
    here = str(Path.cwd())
    assert "ratings" not in annotated(*clear).out.replace(here, "")
    assert "ratings" in annotated(*clear, "--ratings").out.replace(here, "")


def test_clear_of_nothing_promises_no_undo(annotated: Command) -> None:
    """Where nothing was, that is said, and undo is spoken of only where something was."""
    clear = ("datasets", "clear", "--mine", "--yes")
    first, again = annotated(*clear), annotated(*clear)
    assert (first.code, again.code) == (0, 0)
    assert numbers(first.out) == [1]
    assert numbers(again.out) == []
    assert f" {Path.cwd()}\n" in again.out
    assert "press u" in first.out
    assert "press u" not in again.out


def test_clear_takes_a_sample_by_either_name(annotated: Command) -> None:
    """An id, and dataset/id, name the sample whose annotations go; an unknown one is refused."""
    clear = ("datasets", "clear", "--mine", "--yes", "--json", "--sample")
    assert annotated(*clear, "absent").code == 2
    assert annotated(*clear, "tea").json["deleted"] == 0
    assert annotated(*clear, "pairs/bridge").json["deleted"] == 1


def test_clear_of_somebody_else_leaves_mine(annotated: Command) -> None:
    """--as says whose annotations are cleared, once: nobody began to work by it."""
    done = annotated("datasets", "clear", "--mine", "--yes", "--as", "ana", "--json")
    assert done.json == {"person": "ana", "deleted": 0}
    assert annotated("datasets", "clear", "--mine", "-y", "--json").json["person"] == "reader"


def test_keys_are_printed_with_changes(filled: Command) -> None:
    """The table has every action; a configuration file's change shows."""
    Path(os.environ["TUI_ANNOTATE_CONFIG"]).write_text('[keys]\n"sample.skip" = "S"\n', "utf-8")
    keys = {
        action["id"]: action["keys"] for action in filled("annotate", "--list-keys", "--json").json
    }
    assert keys["sample.skip"] == ["S"]
    assert keys["undo"] == ["u"]
    assert "sample.skip" in filled("annotate", "--list-keys").out


def test_a_wrong_key_map_is_refused(filled: Command) -> None:
    """A key map with an unknown action is refused with its name."""
    Path(os.environ["TUI_ANNOTATE_CONFIG"]).write_text('[keys]\n"no.such" = "S"\n', "utf-8")
    done = filled("annotate", "--list-keys")
    assert done.code == 2
    assert "no.such" in done.err
