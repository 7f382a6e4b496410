"""audit: what is kept elsewhere shows what was altered here."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.conftest import Command, numbers
from tests.helpers.stores import claim
from tui_annotate import workspace as workspaces
from tui_annotate.domain.errors import NotAllowed
from tui_annotate.domain.people import Actor, Role


@pytest.fixture
def worked(filled: Command, tmp_path: Path) -> Command:
    """A workspace in which ana annotated a sample twice and was done."""
    with workspaces.open(tmp_path) as space:
        ana, (first, _) = space.person("ana").id, space.corpus.keys()
        for number in range(2):
            new = claim(f"a{number}", number, number + 5, label="")
            space.annotate.add(ana, first, new, seconds=1)
    return filled


def altered(folder: Path, statement: str) -> None:
    """Changes the store behind the program's back."""
    with closing(sqlite3.connect(folder / "store.sqlite")) as store:
        store.executescript(f"DROP TRIGGER IF EXISTS events_refuse_update; {statement}")


def test_a_sound_log(worked: Command) -> None:
    """Verify says so with exit code 0, and prints the head that head prints."""
    head = worked("audit", "head", "--json").json
    assert head["format"] == "tui-annotate-head/1"
    assert (head["events"], head["streams"]) == (2, 1)
    shown = worked("audit", "verify")
    assert (shown.code, shown.out.splitlines()[-1]) == (0, f"head: {head['head']}")
    assert numbers(shown.out.splitlines()[0]) == [2, 1]
    assert worked("audit", "verify", "--json").json["sound"] is True
    report = [line.split() for line in worked("audit", "head").out.splitlines()]
    assert (report[0], report[-1]) == (["head", head["head"]], ["last", head["last"][:19]])


def test_an_altered_event_is_named(worked: Command, tmp_path: Path) -> None:
    """The first one, with stream, number, id, time and what does not fit; exit code 1."""
    altered(tmp_path, "UPDATE events SET seconds = 9 WHERE seq = 2")
    shown = worked("audit", "verify")
    assert shown.code == 1
    report = worked("audit", "verify", "--json")
    assert report.code == 1
    found = report.json
    assert (found["sound"], found["altered"], found["breaks"][0]["seq"]) == (False, 1, 2)
    (broken,) = found["breaks"]
    first, why, *_heads = shown.out.splitlines()
    for each in ("ana", "pairs/bridge", broken["person"], broken["id"], broken["at"]):
        assert each in first
    assert 2 in numbers(first)
    assert why.strip() == broken["message"] != ""


@pytest.mark.parametrize("streams", [True, False])
def test_a_head_that_was_kept(worked: Command, tmp_path: Path, *, streams: bool) -> None:
    """A log that grew holds it; one that was written anew does not, and says where it can."""
    flags = ["--streams"] if streams else []
    kept = tmp_path / "head.json"
    kept.write_text(worked("audit", "head", "--json", *flags).out, "utf-8")
    assert worked("audit", "verify", "--against", str(kept)).code == 0
    token = json.loads(kept.read_text("utf-8"))["head"]
    shown = worked("audit", "verify", "--against", token)
    assert numbers(shown.out.splitlines()[1]) == [2, 0]
    assert worked("audit", "verify", "--json", "--against", token).json["contains"] is True
    altered(tmp_path, "UPDATE events SET hash = 'f' WHERE seq = 2")
    shown = worked("audit", "verify", "--against", str(kept))
    assert shown.code == 1
    report = worked("audit", "verify", "--json", "--against", str(kept)).json
    assert report["contains"] is False
    assert shown.out.count("pairs/bridge") == 1 + streams


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET seconds = 9 WHERE seq = 1",
        "UPDATE annotations SET note = 'x'",
        "UPDATE events SET hash = 'f' WHERE seq = 2",
    ],
)
def test_a_head_is_never_confirmed_by_an_altered_log(
    statement: str, worked: Command, tmp_path: Path
) -> None:
    """The command prints no line that calls the log or the head valid, and fails."""
    token = worked("audit", "head", "--json").json["head"]
    valid = worked("audit", "verify", "--against", token).out.splitlines()[:2]
    altered(tmp_path, f"DROP TRIGGER events_refuse_delete; {statement}")
    shown = worked("audit", "verify", "--against", token)
    assert shown.code == 1
    assert not set(valid) & set(shown.out.splitlines())
    found = worked("audit", "verify", "--against", token, "--json").json
    assert (found["sound"], found["contains"]) == (False, False)


@pytest.mark.parametrize("kept", ["nope", "{", '{"head": "3"}', '{"heads": [1]}', '{"heads": 1}'])
def test_what_is_no_head_is_refused(worked: Command, tmp_path: Path, kept: str) -> None:
    """A word, a torn file, another file: input that can not be used."""
    assert worked("audit", "verify", "--against", kept).code == 2
    (tmp_path / "kept").write_text(kept, "utf-8")
    assert worked("audit", "verify", "--against", "kept").code == 2


def test_records_are_for_those_who_may(worked: Command, tmp_path: Path) -> None:
    """Annotators reach neither log, backups nor frozen states; reviewers the log alone."""
    del worked
    with workspaces.open(tmp_path) as space:
        annotator = space.acting(Actor("ana", Role.ANNOTATOR)).team
        reviewer = space.acting(Actor("li", Role.REVIEWER)).team
        for reach in (
            lambda: annotator.audit,
            lambda: annotator.backup,
            lambda: annotator.freeze,
            lambda: annotator.apply_guidelines("Mine."),
            lambda: reviewer.backup,
            lambda: reviewer.freeze,
        ):
            with pytest.raises(NotAllowed):
                reach()
        assert reviewer.audit.verify().sound
        assert not (tmp_path / "guidelines.md").exists()


def test_streams_are_for_programs(worked: Command) -> None:
    """--streams without --json is refused with the way out."""
    assert worked("audit", "head", "--streams").code == 2
