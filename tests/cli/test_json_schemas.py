"""What commands print with --json fits their schemas, as the fixture `json_faults` checks."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tui_annotate import workspace as workspaces
from tui_annotate.cli import output

PRINTED = {
    "missing": {"created": True},
    "type": {"workspace": 1, "created": True},
    "further": {"workspace": "", "created": True, "by": ""},
}
PASSWORD = "violin in the rain"


@pytest.mark.parametrize("printed", PRINTED.values(), ids=PRINTED)
def test_what_does_not_fit_is_found(
    printed: dict[str, object],
    command: Command,
    json_faults: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A missing field, one of another type, and one that the type does not have."""
    print_json = output.print_json
    monkeypatch.setattr(output, "print_json", lambda _: print_json(printed))
    assert command("init", "--json").code == 0
    assert [fault.partition(":")[0] for fault in json_faults] == ["init"]
    json_faults.clear()


def prints(command: Command, line: str) -> object:
    """What a command line prints with --json."""
    done = command(*line.split(), "--json")
    assert done.code == 0, (line, done.err)
    return done.json


def test_guidelines(filled: Command, tmp_path: Path) -> None:
    for text in ("One rule.\n", "Two rules.\n"):
        (tmp_path / "rules.md").write_text(text, "utf-8")
        prints(filled, "guidelines apply rules.md")
    for line in (
        "guidelines list",
        "guidelines show",
        "guidelines diff",
        "guidelines diff --words",
    ):
        assert prints(filled, line)


def test_changes_of_labels(annotated: Command) -> None:
    for line in (
        "labels show",
        "labels retire Benign",
        "labels undo",
        "labels merge Unwanted.Intrinsic Unwanted.Extrinsic",
        "labels history",
    ):
        assert prints(annotated, line)


def test_messages(filled: Command) -> None:
    prints(filled, "messages announcements create Welcome")
    assert prints(filled, "messages announcements list")
    thread = prints(filled, "messages questions ask bridge Why?")
    assert isinstance(thread, dict)
    prints(filled, f"messages questions reply {thread['id']} Because.")
    assert prints(filled, "messages questions list")


def test_assignments(filled: Command) -> None:
    on = "--dataset pairs"
    for line in (
        f"assignments create {on} --create --person ana --count 1",
        f"assignments top-up {on} --create --person ben --open 1",
        "assignments move ben ana",
        f"assignments escalate {on} --when differ --now",
        "assignments list",
        "assignments undo",
        f"assignments repeat {on} --person ana --count all --dry-run",
    ):
        assert prints(filled, line)


def test_practice(annotated: Command, tmp_path: Path) -> None:
    with workspaces.open(tmp_path) as space:
        person, key = space.person("reader").id, space.corpus.keys()[0]
        space.annotate.finish(person, key, seconds=1)
    for line in ("--dry-run", ""):
        assert prints(annotated, f"assignments practice --dataset pairs --gold reader {line}")


def test_suggestions_of_a_score(filled: Command) -> None:
    on = "--dataset pairs"
    assert prints(filled, f"lab scores compute --scorer unigram {on}")
    done = prints(filled, f"suggestions create {on} --score source_overlap --below 2")
    assert isinstance(done, dict)
    assert done["added"] > 0


def test_accounts(filled: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def enter(*lines: str) -> None:
        entered = io.BytesIO("".join(f"{line}\n" for line in lines).encode())
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(entered))

    enter(PASSWORD)
    prints(filled, "users create --name Ana --email ana@b.org")
    made = prints(filled, "users create --name Li --email li@b.org --role annotator --invite")
    assert isinstance(made, dict)
    enter(made["code"], PASSWORD)
    prints(filled, "users accept-invite")
    prints(filled, "users invite Li")
    enter(PASSWORD)
    prints(filled, "users reset-password Li")
    for line in (
        "users disable Li",
        "users enable Li",
        "users export -o accounts.jsonl",
        "users ssh setup",
        "users ssh setup --part sshd",
        "users ssh authorized-keys",
        "users ssh authorized-keys keys",
        "users pseudonyms new-key --yes",
    ):
        assert prints(filled, line)


def test_suggestions_of_a_file(filled: Command, tmp_path: Path) -> None:
    offer = {"sample": "bridge", "quote": "15 million pounds", "label": "Benign", "score": 0.5}
    (tmp_path / "offers.jsonl").write_text(json.dumps(offer) + "\n", "utf-8")
    for line in (
        "suggestions import offers.jsonl --dataset pairs --maker m",
        "suggestions list",
        "suggestions report",
        "suggestions hide --dataset pairs",
        "suggestions unhide --dataset pairs",
        "suggestions delete --maker m --yes",
    ):
        assert prints(filled, line)


def test_rows_of_a_position_study(command: Command) -> None:
    assert prints(command, "lab position create-kv --keys 3 --examples 2 -o kv.jsonl")
