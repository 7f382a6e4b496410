"""The commands `audit snapshots`: snapshots are created, listed and replayed from the event log."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.conftest import Command, numbers
from tests.helpers.folder_cache import build_once
from tests.helpers.stores import claim
from tests.tui.screens import review_app
from tests.tui.screens.review_app import FIRST
from tui_annotate import workspace as workspaces
from tui_annotate.domain.adjudication import RejectionReason
from tui_annotate.domain.assignment_plan import AssignmentOptions
from tui_annotate.domain.assignment_rules import Gold
from tui_annotate.domain.errors import Damaged, NotAllowed, NotFound
from tui_annotate.domain.people import SETTLED, Actor, Person, PersonKind, Role, second_reader
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.domain.samples import SampleKey
from tui_annotate.services.authentication.account_management import NewAccount

BRIDGE, TEA = SampleKey("pairs", "bridge"), SampleKey("pairs", "tea")


def work(folder: Path, name: str, *annotations: str) -> None:
    """Somebody adds annotations to both samples, takes one back, and is done with one."""
    with workspaces.open(folder) as space:
        person = space.person(name).id
        for place, each in enumerate(annotations):
            new = claim(each, place, place + 6, label="Benign", note=f"{name} says {each}")
            space.annotate.add(person, BRIDGE, new, seconds=30)
        space.annotate.add(person, TEA, claim(f"{name}-t", 0, 3, label=""), seconds=30)
        space.annotate.undo(person)
        space.annotate.finish(person, BRIDGE, seconds=30)


@pytest.fixture
def frozen(filled: Command, tmp_path: Path) -> Command:
    """A workspace in which two people worked, frozen as `paper`, and worked in since."""

    def build(folder: Path) -> None:
        (folder / "guidelines.md").write_text("Mark what is wrong.\n")
        work(folder, "ana", "a1", "a2")
        work(folder, "ben", "b1")
        assert filled("audit", "snapshots", "create", "paper").code == 0

    build_once(tmp_path, "a snapshot", build)
    return filled


def later(command: Command, tmp_path: Path) -> None:
    """More work of old and new people, changed and removed annotations, another sample."""
    with workspaces.open(tmp_path) as space:
        ana = space.person("ana").id
        space.annotate.remove(ana, BRIDGE, "a1", version=1, seconds=1)
        space.annotate.add(ana, TEA, claim("a9", 0, 4, label=""), seconds=1)
    work(tmp_path, "li", "l1")
    (tmp_path / "more.jsonl").write_text('{"id": "x", "source": "One.", "summary": "Two."}\n')
    command("ingest", "more.jsonl", "--id-column", "id", "--embedder", "none")


def test_a_state_holds_what_a_paper_needs(frozen: Command, tmp_path: Path) -> None:
    """Export, versions, agreement, figures, head and method, with sums that other tools check."""
    folder = tmp_path / "frozen" / "paper"
    checked = ["sha256sum", "--check", "--quiet", "SHA256SUMS"]
    subprocess.run(checked, cwd=folder, check=True)
    assert (folder / "native.jsonl").read_text() == frozen("export", "--to", "native").out
    (guidelines,) = (folder / "guidelines").iterdir()
    assert guidelines.read_text() == "Mark what is wrong.\n"
    assert len([*(folder / "labels").iterdir()]) == 1
    assert json.loads((folder / "agreement.json").read_text())["together"]["samples"] == 1
    assert {
        each["name"] for each in json.loads((folder / "figures.json").read_text())["people"]
    } == {
        "ana",
        "ben",
    }
    head = frozen("audit", "head", "--json").json["head"]
    method = (folder / "method.md").read_text()
    for words in (head, "samples: 2, by 2 annotators", "1 by 2", "pairs (2)", "statistics only"):
        assert words in method
    assert not [*folder.glob("store*")]
    (state,) = frozen("audit", "snapshots", "list", "--json").json
    assert (state["name"], state["head"]) == ("paper", head)
    assert "paper" in frozen("audit", "snapshots", "list").out


def test_a_state_is_replayed_from_the_log(frozen: Command, tmp_path: Path) -> None:
    """Whatever was done since, to the byte; the store itself is not touched."""
    later(frozen, tmp_path)
    before = frozen("export", "--to", "native").out
    shown = frozen("audit", "snapshots", "replay", "paper", "-o", "then.jsonl")
    assert (shown.code, numbers(shown.out)[-2:]) == (0, [2, 2])
    assert numbers(shown.err) == [1]
    kept = (tmp_path / "frozen" / "paper" / "native.jsonl").read_text()
    assert (tmp_path / "then.jsonl").read_text().endswith(kept)
    assert frozen("export", "--to", "native").out == before
    assert frozen("audit", "verify").code == 0
    assert [*tmp_path.glob(".tui-annotate-*")] == []


def test_what_differs_is_told(frozen: Command) -> None:
    """A sample that is gone, one with other texts, an event that was forged or removed."""
    frozen("datasets", "delete", "pairs", "--delete-annotations", "--yes")
    found = frozen("audit", "snapshots", "replay", "paper", "--json").json
    assert (found["same"], found["identical"], found["lost"]) == (False, 0, [])
    assert found["differences"][0] == {"dataset": "pairs", "sample": "bridge", "parts": []}
    _, *differ = frozen("audit", "snapshots", "replay", "paper").out.splitlines()
    assert [each.partition(":")[0] for each in differ] == ["pairs/bridge", "pairs/tea"]


def test_a_rewritten_log_is_told(frozen: Command, tmp_path: Path) -> None:
    """A stream that ends in another event, or was cut, is named."""
    with closing(sqlite3.connect(tmp_path / "store.sqlite")) as store:
        store.executescript(
            "DROP TRIGGER events_refuse_update; DROP TRIGGER events_refuse_delete;"
            "DELETE FROM events WHERE seq = (SELECT max(seq) FROM events) AND person ="
            " (SELECT id FROM people WHERE name = 'ana')"
        )
    shown = frozen("audit", "snapshots", "replay", "paper")
    report = frozen("audit", "snapshots", "replay", "paper", "--json").json
    assert (shown.code, report["same"]) == (1, False)
    (lost,) = report["lost"]
    (bridge,) = report["differences"]
    assert (bridge["sample"], "assignments" in bridge["parts"]) == ("bridge", True)
    with workspaces.open(tmp_path) as space:
        ana = space.person("ana").id
    _, gone, differs = shown.out.splitlines()
    assert all(each in gone for each in (" 3 ", ana, "pairs/bridge"))
    assert differs.startswith("pairs/bridge: ")
    assert differs.endswith(", ".join(bridge["parts"]))
    assert ana in str(lost)


def test_a_time_is_replayed(frozen: Command, tmp_path: Path) -> None:
    """Before the first event nobody did anything; after the last it is what stands."""
    assert (
        frozen("audit", "snapshots", "replay", "--at", "2001-01-01", "-o", "none.jsonl").code == 0
    )
    none = [json.loads(line) for line in (tmp_path / "none.jsonl").read_text().splitlines()]
    assert [(each["annotations"], each["assignments"]) for each in none] == [([], []), ([], [])]
    frozen("audit", "snapshots", "replay", "--at", "2999-01-01", "-o", "all.jsonl")
    assert (tmp_path / "all.jsonl").read_text() == frozen("export", "--to", "native").out
    with workspaces.open(tmp_path) as space:
        ana = space.person("ana").id
        second = space.log.events(ana, BRIDGE)[0].at
    frozen("audit", "snapshots", "replay", "--at", second, "-o", "one.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "one.jsonl").read_text().splitlines()]
    assert [each["id"] for each in lines[0]["annotations"]] == ["a1"]


def test_what_is_refused(frozen: Command, tmp_path: Path) -> None:
    """A name that is taken or none, a state that is not there or was altered, half a wish."""
    assert frozen("audit", "snapshots", "create", "paper").code == 1
    for name in ("../x", ".x", "x" * 65):
        assert frozen("audit", "snapshots", "create", name).code == 2
    absent = frozen("audit", "snapshots", "replay", "other").error
    assert type(absent) is NotFound
    assert "'other'" in absent.message
    assert "audit snapshots list" in absent.hint
    for words in ([], ["paper", "--at", "2026"], ["--at", "2026-01-01"]):
        assert frozen("audit", "snapshots", "replay", *words).code == 2
    export = tmp_path / "frozen" / "paper" / "native.jsonl"
    export.write_text(export.read_text() + "\n")
    altered = frozen("audit", "snapshots", "replay", "paper").error
    export.unlink()
    missing = frozen("audit", "snapshots", "replay", "paper").error
    about = tmp_path / "frozen" / "paper" / "frozen.json"
    about.write_text("{}")
    foreign = frozen("audit", "snapshots", "list").error
    for error, file in ((altered, export), (missing, export), (foreign, about)):
        assert type(error) is Damaged
        assert file.name in error.message


def test_a_backup_holds_frozen_states(frozen: Command) -> None:
    """They come along, and are replayed in the restored workspace."""
    frozen("backup", "create", "copy")
    frozen("backup", "restore", "copy", "again")
    assert frozen("audit", "snapshots", "replay", "paper", "-w", "again").code == 0


def test_settled_work_is_replayed_too(command: Command, tmp_path: Path) -> None:
    """What review took and refused comes out of the log as it was, whatever was settled since."""
    made = review_app.make(tmp_path / "work")
    with workspaces.open(made) as space:
        review, who = space.team.review, space.person("rev").id
        seen = review.open(who, FIRST).seen
        seen = review.take(who, FIRST, [("li-1",)], seen=seen, seconds=1).seen
        review.finish(
            who, FIRST, rest=RejectionReason.SLIP, leave=["comments"], seen=seen, seconds=1
        )
    assert command("audit", "snapshots", "create", "paper", "-w", "work").code == 0
    with workspaces.open(made) as space:
        assert space.team.review.undo(who)
    assert "adjudicated" in (made / "frozen" / "paper" / "native.jsonl").read_text()
    shown = command("audit", "snapshots", "replay", "paper", "-w", "work")
    assert (shown.code, numbers(shown.out)[-2:]) == (0, [3, 3])
    people = json.loads((made / "frozen" / "paper" / "figures.json").read_text())["people"]
    assert SETTLED not in {each["person"] for each in people}


def test_another_name_or_kind_of_a_person_is_no_difference(frozen: Command, tmp_path: Path) -> None:
    """A replay gives people the names that the record of changes has for the time of the state."""
    with workspaces.open(tmp_path) as space:
        ana = space.person("ana")
        space.people.keep(Person(ana.id, "anna", PersonKind.ACCOUNT))
    replayed = frozen("audit", "snapshots", "replay", "paper")
    assert replayed.code == 0
    with workspaces.open(tmp_path) as space:
        assert space.people.person(ana.id).name == "anna"


def conduct(command: Command, folder: Path, name: str) -> str:
    """The paragraph of a new snapshot's method text that states what was checked."""
    assert command("audit", "snapshots", "create", name).code == 0
    method = (folder / "frozen" / name / "method.md").read_text()
    return next(part for part in method.split("\n\n") if "annotation screen" in part)


def test_the_method_paragraph_states_what_was_checked(filled: Command, tmp_path: Path) -> None:
    """Each claim on the conduct of a study comes from the store; else it is named as unknown."""
    work(tmp_path, "ana", "a1")
    without_accounts = conduct(filled, tmp_path, "one")
    for words in ("no accounts", "No annotations of people were imported", "no such mark"):
        assert words in without_accounts
    assert "No open session of an annotator was taken over" in without_accounts
    assert "Of 1 completed reading, 0 (0.0%) checked" in without_accounts
    with workspaces.open(tmp_path) as space:
        ana, ben = (space.person(name) for name in ("ana", "ben"))
        presence = space.team.presence
        assert presence.hold(ana.id, "there/0/x") is None
        assert presence.hold(ana.id, "here/0/y", over="there/0/x") is None
        assert presence.hold(ana.id, "here/0/y", over="there/0/x") is None
        known = claim("k", 0, 6, label="Benign")
        space.annotate.add(ben.id, BRIDGE, known, seconds=1)
        space.annotate.finish(ben.id, BRIDGE, seconds=1)
        sample = space.corpus.sample(TEA).sample
        foreign = replace(claim("z", 0, 3, label="Benign"), origin="imported:x")
        owner = Person("zoe", "zoe", PersonKind.IMPORTED)
        space.log.import_records([Record(sample, (OwnedAnnotation("zoe", foreign),), (), (owner,))])
        space.team.accounts.add(
            NewAccount("root", "r@example.org", None, password="lamps on water")
        )
    done = conduct(filled, tmp_path, "two")
    assert "1 annotation and the state of 1 reading by 1 person were imported from files" in done
    assert "by another session of the same person 1 time (1 person)" in done
    assert "2 completed readings of 2 belong to people without an account" in done
    assert "no accounts" not in done


def test_the_method_paragraph_counts_edits_after_adjudication(
    command: Command, tmp_path: Path
) -> None:
    """Edits with and without a reopening are apart, and agreement is said to be before them."""
    made = review_app.make(tmp_path / "work")
    into = ("-w", "work")
    assert command("audit", "snapshots", "create", "none", *into).code == 0
    assert "No sample is adjudicated" in (made / "frozen/none/method.md").read_text()
    with workspaces.open(made) as space:
        review, who = space.team.review, space.person("rev").id
        seen = review.open(who, FIRST).seen
        review.finish(
            who, FIRST, rest=RejectionReason.SLIP, leave=["comments"], seen=seen, seconds=1
        )
    assert command("audit", "snapshots", "create", "one", *into).code == 0
    assert (
        "No annotator changed their work on the 1 sample"
        in (made / "frozen/one/method.md").read_text()
    )
    with workspaces.open(made) as space:
        ben, ana = space.person("ben").id, space.person("ana").id
        space.team.review.reopen_work(who, FIRST, reason="rule 4", person=ben)
        space.annotate.comment(ben, FIRST, "I see", seconds=1)
        space.corpus.allow_edits_after_adjudication(FIRST.dataset, allowed=True)
        space.annotate.comment(ana, FIRST, "more", seconds=1)
    assert command("audit", "snapshots", "create", "two", *into).code == 0
    method = (made / "frozen/two/method.md").read_text()
    assert "on 1 afterwards: 1 edit after a reopening and 1 without one" in method


def test_the_method_paragraph_counts_known_answers(filled: Command, tmp_path: Path) -> None:
    """Practice, checks of accuracy and second readings are shares of all completed readings."""
    lines = [f'{{"id": "x{at}", "source": "One {at}.", "summary": "Two."}}' for at in range(3)]
    (tmp_path / "more.jsonl").write_text("\n".join(lines))
    on = ("--dataset", "pairs", "--id-column", "id", "--embedder", "none")
    assert filled("ingest", "more.jsonl", *on).code == 0
    with workspaces.open(tmp_path) as space:
        ana, kim = (space.person(name) for name in ("ana", "kim"))
        space.annotate.finish(kim.id, BRIDGE, seconds=1)
        space.team.assignments.gold("pairs", Gold((BRIDGE.id,), every=2), answers="kim")
        space.team.assignments.give("pairs", ["ana"], AssignmentOptions())
        for key in (TEA, BRIDGE):
            space.annotate.finish(ana.id, key, seconds=1)
        space.team.assignments.repeat("pairs", ["ana"], AssignmentOptions("2"))
        space.annotate.finish(second_reader(ana).id, TEA, seconds=1)
    report = conduct(filled, tmp_path, "one")
    assert "Of 4 completed readings, 1 (25.0%) checked" in report
    assert "0 (0.0%) were practice" in report
    assert "During a second reading (1)" in report


def test_accounts_that_were_linked_since_change_no_snapshot(frozen: Command) -> None:
    """People have another kind and name then; their work is the same."""
    for name in ("ana", "ben"):
        on = ("--name", f"{name} now", "--email", f"{name}@example.org", "--invite")
        assert frozen("users", "create", *on, "--link-imported", name).code == 0
    done = frozen("audit", "snapshots", "replay", "paper", "--json")
    assert (done.code, done.json["same"], done.json["differences"]) == (0, True, [])


def test_the_method_paragraph_counts_edits_of_second_readings(
    filled: Command, tmp_path: Path
) -> None:
    """`status` and `agreement` count them too."""
    work(tmp_path, "ana", "first")
    with workspaces.open(tmp_path) as space:
        ana = space.person("ana")
        again = second_reader(ana)
        space.people.keep(again)
        space.annotate.add(again.id, BRIDGE, claim("again", 0, 6, label="Benign"), seconds=1)
        space.annotate.finish(again.id, BRIDGE, seconds=1)
        space.annotate.comment(ana.id, BRIDGE, "later", seconds=1)
        space.annotate.comment(again.id, BRIDGE, "later", seconds=1)
    made = conduct(filled, tmp_path, "two")
    assert "In 1 of 1 second reading, the annotator changed the work" in made
    assert "and in 1 the first reading after the second had begun" in made
    assert "was reopened before" not in made
    counts = {"readings": 1, "edited_first": 1, "edited_second": 1, "reopened_first": 0}
    for command in ("status", "agreement"):
        assert filled(command, "--json").json["second_readings"] == counts
        done = filled(command)
        assert "edited after their completion" in done.out + done.err


def test_reopened_first_readings_are_hidden_until_the_second_is_complete_and_counted(
    filled: Command, tmp_path: Path
) -> None:
    """Else they could be copied; afterwards they come back whole, and can be completed."""
    with workspaces.open(tmp_path) as space:
        ana = space.person("ana")
        again = second_reader(ana)
        space.team.assignments.give("pairs", ["ana"], AssignmentOptions())
        for key in (TEA, BRIDGE):
            space.annotate.add(
                ana.id, key, claim(f"first-{key.id}", 0, 3, label="Benign"), seconds=1
            )
            space.annotate.finish(ana.id, key, seconds=1)
        space.team.assignments.repeat("pairs", ["ana"], AssignmentOptions("2"))
        space.annotate.add(ana.id, BRIDGE, claim("more", 4, 6, label="Benign"), seconds=1)
        mine = space.acting(Actor(ana.id, Role.ANNOTATOR))
        mine.annotate.open(ana.id, BRIDGE)  # the second readings have not begun yet
        mine.annotate.finish(again.id, TEA, seconds=1)
        with pytest.raises(NotAllowed):
            mine.annotate.open(ana.id, BRIDGE)
        with pytest.raises(NotAllowed):
            mine.annotate.finish(ana.id, BRIDGE, seconds=1)
        mine.annotate.finish(again.id, BRIDGE, seconds=1)
        assert mine.annotate.next_unfinished(ana.id, None) == BRIDGE
        opened = mine.annotate.open(ana.id, BRIDGE)
        assert {each.id for each in opened.annotations} == {f"first-{BRIDGE.id}", "more"}
        mine.annotate.finish(ana.id, BRIDGE, seconds=1)
    assert "In 1, the first reading had been completed and was reopened before" in conduct(
        filled, tmp_path, "three"
    )
    counts = {"readings": 2, "edited_first": 0, "edited_second": 0, "reopened_first": 1}
    for command in ("status", "agreement"):
        assert filled(command, "--json").json["second_readings"] == counts
        done = filled(command)
        assert "first readings that were reopened when the second began: 1" in done.out + done.err
