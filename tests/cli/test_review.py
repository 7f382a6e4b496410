"""`review list`, and settled work in exports: what waits, and where what was made comes from."""

from __future__ import annotations

import csv
import json
import re
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command, numbers
from tests.helpers.folder_cache import build_once
from tests.helpers.stores import fill
from tests.tui.screens import review_app
from tests.tui.screens.review_app import CHINESE, FIRST, SECOND
from tui_annotate import workspace
from tui_annotate.cli.main import run
from tui_annotate.cli.review import _decisions_to_csv
from tui_annotate.domain.adjudication import RejectionReason, ReviewAction
from tui_annotate.domain.annotations import REJECTED
from tui_annotate.domain.assignment_rules import Pool
from tui_annotate.domain.assignments import State
from tui_annotate.domain.people import SETTLED, PersonKind
from tui_annotate.domain.samples import SampleKey
from tui_annotate.plugins.traits import Loss, RecordTrait
from tui_annotate.services.review.decisions import ReviewDecision


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Work of three people on three samples; the first two are settled, the second with nothing."""

    def build(folder: Path) -> None:
        with workspace.open(review_app.make(folder)) as space:
            review, who = space.team.review, space.person("rev").id
            seen = review.open(who, FIRST).seen
            seen = review.take(who, FIRST, [("li-1",)], seen=seen, seconds=1).seen
            review.finish(
                who, FIRST, rest=RejectionReason.SLIP, leave=["comments"], seen=seen, seconds=1
            )
            review.finish(who, SECOND, seen=review.open(who, SECOND).seen, seconds=1)

    return build_once(tmp_path / "work", "adjudicated samples", build)


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command that ends well prints."""
    assert run(arguments) == 0
    return capsys.readouterr().out


def exported(capsys: pytest.CaptureFixture[str], folder: Path, *more: str) -> list[dict[str, Any]]:
    """The lines of a native export."""
    out = printed(capsys, "export", "-w", str(folder), "--to", "native", *more)
    return [json.loads(line) for line in out.splitlines()]


def test_the_list_tells_what_waits_and_why(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What waits first; settled samples last; the same in JSON, with kinds."""
    out = printed(capsys, "review", "list", "-w", str(folder), "--as", "rev")
    report = [numbers(line) for line in out.splitlines()]
    assert [1, 3] in report
    assert out.index("films/c") < out.index("films/a")
    rows = json.loads(printed(capsys, "review", "list", "-w", str(folder), "--json"))
    assert [row["sample"] for row in rows] == ["c", "a", "b"]
    assert rows[1] == {
        "dataset": "films",
        "sample": "a",
        "group": "",
        "ready": True,
        "annotators": 3,
        "annotations": 9,
        "pending": 0,
        "state": "done",
        "agreed": 1,
        "nearly_agreed": 0,
        "conflicts": 3,
        "conflicts_by_kind": {"label": 1, "only-some": 2, "extent": 2, "evidence": 2, "note": 2},
        "annotated_by_reviewer": False,
        "edited": 0,
        "reopened": 0,
        "changed": 0,
        "open_decisions": 0,
        "unanswered_questions": 0,
    }
    own = json.loads(printed(capsys, "review", "list", "-w", str(folder), "--as", "ana", "--json"))
    assert [row["annotated_by_reviewer"] for row in own] == [True, True, True]


def test_with_accounts_the_owner_of_the_files_lists_for_nobody(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is their own then; a name is refused, as everybody signs in."""
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(b"a long pass phrase\n")))
    add = ["users", "create", "-w", str(folder), "--name", "boss", "--email", "boss@example.org"]
    assert run(add) == 0
    capsys.readouterr()
    rows = json.loads(printed(capsys, "review", "list", "-w", str(folder), "--json"))
    assert [row["annotated_by_reviewer"] for row in rows] == [False] * 3
    assert run(["review", "list", "-w", str(folder), "--as", "ana"]) == 1


def test_review_needs_a_terminal(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without one it says so, and names what is there for scripts."""
    assert run(["review", "-w", str(folder)]) == 2
    report = capsys.readouterr().err
    assert "standard input" in report
    assert "match, export or status" in report


def test_settled_work_is_exported_with_where_it_comes_from(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Native has all of it, also samples with nothing found; nobody else's work is in it."""
    records = exported(capsys, folder, "--origin", "adjudicated")
    assert [record["id"] for record in records] == ["a", "b"]
    assert [work["person"] for record in records for work in record["assignments"]] == [SETTLED] * 2
    assert records[1]["annotations"] == []
    hows = {one["settled"]["how"] for one in records[0]["annotations"]}
    sources = {name for one in records[0]["annotations"] for name in one["settled"]["sources"]}
    assert hows == {ReviewAction.TAKEN}
    assert sources == {"ana-2", "ben-2", "li-2", "li-1"}
    assert records[0]["people"] == [
        {"id": SETTLED, "name": SETTLED, "kind": PersonKind.SETTLED.value}
    ]


def test_what_was_refused_is_in_no_export_unless_asked_for(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By its origin; then with the reason."""
    plain = exported(capsys, folder)
    assert REJECTED not in {one["origin"] for record in plain for one in record["annotations"]}
    assert len(plain) == 3
    (record,) = exported(capsys, folder, "--origin", "rejected")
    report = {one["settled"]["reason"] for one in record["annotations"]}
    assert (len(record["annotations"]), report) == (3, {"slip"})
    status = json.loads(printed(capsys, "status", "-w", str(folder), "--json"))
    assert status["annotations"] == 11


def test_a_native_export_brings_settled_work_elsewhere(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Read into another workspace, it is settled work there, and goes out the same."""
    file = tmp_path / "settled.jsonl"
    printed(
        capsys, "export", "-w", str(folder), "--to", "native", "--origin", "adjudicated",
        "-o", str(file),
    )  # fmt: skip
    other = tmp_path / "other"
    printed(capsys, "init", str(other))
    printed(capsys, "ingest", "-w", str(other), "--embedder", "none", str(file))
    before = exported(capsys, folder, "--origin", "adjudicated")
    after = exported(capsys, other, "--origin", "adjudicated")
    assert [one["annotations"] for one in after] == [one["annotations"] for one in before]
    assert after[0]["people"] == before[0]["people"]


def test_a_table_has_columns_for_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """How, by whom, from what; people's own work has them empty."""
    out = printed(capsys, "export", "-w", str(folder), "--to", "csv")
    rows = list(csv.DictReader(StringIO(out)))
    with workspace.open(folder) as space:
        reviewer = space.person("rev").id
    taken = [row for row in rows if row["settled_from"] == "li-1"]
    assert taken
    assert {(row["settled_how"], row["settled_by"], row["origin"]) for row in taken} == {
        ("taken", reviewer, "adjudicated")
    }
    own = [row for row in rows if row["annotator"] != SETTLED]
    assert {row["settled_how"] for row in own} == {""}


TABULAR = ("csv", "jsonl", "xlsx", "parquet")


@pytest.mark.parametrize("form", TABULAR)
def test_adjudicated_rows_are_announced_and_chosen(
    form: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A table with both kinds of work says how many rows are of each, and how to get one."""
    wanted = {}
    for layer in ("", "all", "adjudicated"):
        words = ["export", "-w", str(folder), "--to", form, "--json"]
        if layer:
            words += ["--layer", layer]
        target = str(tmp_path / f"rows-{layer}.{form}")
        summary = json.loads(printed(capsys, *words, "-o", target))
        wanted[layer] = (summary["annotations"], summary["adjudicated"])
    target = str(tmp_path / f"rows.{form}")
    assert run(["export", "-w", str(folder), "--to", form, "-o", target]) == 0
    (announced,) = re.findall(
        r"(\d+) annotations? by annotators, (\d+) adjudicated .*--layer all .*--layer adjudicated",
        capsys.readouterr().err,
    )
    annotators, adjudicated = map(int, announced)
    assert (annotators > 0, adjudicated > 0) == (True, True)
    assert wanted == {
        "": (annotators + adjudicated, adjudicated),
        "all": (annotators, 0),
        "adjudicated": (adjudicated, adjudicated),
    }


def test_a_dump_says_what_it_can_not_carry(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Mercury has no place for where settled work comes from: counted."""
    arguments = ["export", "-w", str(folder), "--to", "mercury", "--origin", "adjudicated"]
    assert run(arguments) == 0
    report = capsys.readouterr()
    assert len(json.loads(report.out)[0]["annotations"]) == 2
    assert f" {RecordTrait.SETTLED}: 2\n" in report.err


def test_decisions_are_exported_without_names(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Annotators are the letters of the screen, and the reviewer is left out."""
    on = ("review", "export", "-w", str(folder))
    rows = json.loads(printed(capsys, *on, "--json"))
    assert [row["decision"] for row in rows if row["sample"] == "a"] == [
        "taken", "taken", "rejected", "rejected", "rejected",
    ]  # fmt: skip
    taken = next(row for row in rows if row["labels"] == ["Unwanted.Intrinsic"])
    assert taken["spans"][0]["text"] == "loved by families"
    assert {"document", "document_key"} <= taken["spans"][0].keys()
    with workspace.open(folder) as space:
        names = space.team.review.names(space.person("rev").id, FIRST)
        people = [each for each in space.people.all() if each.name != SETTLED]
    letter = next(letter for letter, name in names.items() if name == "li")
    assert (taken["annotators"], taken["reviewer"]) == ([letter], None)
    table = printed(capsys, *on)
    assert len(list(csv.DictReader(StringIO(table)))) == len(rows)
    words = re.findall(r"[\w-]+", table)
    assert not {word for each in people for word in (each.id, each.name)} & set(words)


def test_a_spreadsheet_runs_no_cell_of_the_decisions() -> None:
    """A note of a reviewer that begins like a formula gets a leading quote."""
    decision = ReviewDecision(
        *("d", "1", State.DONE, "own", ("-A",), (), "=1+1", "", "", "", ("A",), None)
    )
    (row,) = csv.DictReader(StringIO(_decisions_to_csv([decision])))
    assert (row["labels"], row["note"], row["sample"]) == ("'-A", "'=1+1", "1")


def test_decisions_are_exported_with_names_or_pseudonyms(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same rows; a pseudonym is the same for a person in every row."""
    on = ("review", "export", "-w", str(folder))
    named = json.loads(printed(capsys, *on, "--names", "--json"))
    plain = json.loads(printed(capsys, *on, "--json"))
    taken = [row for row in named if row["decision"] == "taken"]
    assert [row["annotators"] for row in taken] == [["li"], ["ana", "ben", "li"]]
    assert {row["reviewer"] for row in named} == {"rev"}
    for row in (*named, *plain):
        del row["annotators"], row["reviewer"]
    assert named == plain
    hidden = json.loads(printed(capsys, *on, "--pseudonymize", "--json"))
    words = {one["name"]: one["pseudonym"] for one in json.loads(
        printed(capsys, "users", "pseudonyms", "list", "-w", str(folder), "--json"))}  # fmt: skip
    assert {row["reviewer"] for row in hidden} == {words["rev"]}
    assert hidden[0]["annotators"] == [words["li"]]
    assert run((*on, "--names", "--pseudonymize")) == 2
    assert run((*on, "--dataset", "nope")) == 2


def test_letters_stay_those_of_the_screen(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where an annotator skipped the sample later, the others keep the letters of the screen."""
    with workspace.open(folder) as space:
        space.corpus.allow_edits_after_adjudication("films", allowed=True)
        for name in ("ana", "ben"):
            who = space.person(name).id
            space.annotate.skip(who, FIRST, seconds=1)
            names = space.team.review.names(space.person("rev").id, FIRST)
            rows = json.loads(printed(capsys, "review", "export", "-w", str(folder), "--json"))
            (letter,), everyone = (row["annotators"] for row in rows if row["decision"] == "taken")
            assert names[letter] == "li"
            assert len(everyone) == 3
            space.annotate.undo(who)


def test_the_decision_on_a_rating_is_exported(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the annotators who gave the rating."""
    with workspace.open(folder) as space:
        for name, rating in (("ana", "good"), ("ben", "bad")):
            who = space.person(name).id
            space.annotate.rate(who, CHINESE, rating, seconds=1)
        review, who = space.team.review, space.person("rev").id
        review.rate(who, CHINESE, "good", seen=review.open(who, CHINESE).seen, seconds=1)
    rows = json.loads(printed(capsys, "review", "export", "-w", str(folder), "--names", "--json"))
    (rated,) = [row for row in rows if row["decision"] == "rated"]
    assert (rated["sample"], rated["rating"], rated["annotators"]) == ("c", "good", ["ana"])


@pytest.fixture
def pool(folder: Path) -> Path:
    """A pool with two people for each sample, of which ana completed the first."""
    with workspace.open(folder) as space:
        fill(space.corpus, "1", "2", dataset="pool")
        space.team.assignments.pool("pool", Pool(2, "ingested"))
        ana = space.person("ana").id
        key = space.annotate.next_unfinished(ana, None)
        assert key == SampleKey("pool", "1")
        space.annotate.finish(ana, key, seconds=1)
    return folder


def test_incomplete_samples_are_listed_apart(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A sample that one of two people completed is listed last, as not ready."""
    on = ("review", "list", "-w", str(pool), "--as", "rev")
    *_, row = json.loads(printed(capsys, *on, "--json"))
    assert (row["sample"], row["ready"], row["annotators"], row["pending"]) == ("1", False, 1, 1)
    assert row["conflicts"] is None
    out = printed(capsys, *on)
    assert out.index("films/b") < out.index("pool/1")
    assert "completed by 1 of 2" in out


def test_the_list_fits_a_narrow_terminal(
    pool: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At 80 columns, neither a sample nor a kind of difference is cut."""
    monkeypatch.setenv("COLUMNS", "80")
    out = printed(capsys, "review", "list", "-w", str(pool), "--as", "rev")
    assert max(map(len, out.splitlines())) <= 80
    assert "…" not in out
    assert "differences in" in out


def test_an_admin_allows_the_review_of_an_incomplete_sample(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A reason is required; the log keeps the reason; a second permission is refused."""
    on = ("review", "allow", "-w", str(pool), "--as", "rev")
    assert run((*on, "pool/1", "--reason", " ")) == 2
    assert run((*on, "pool/2", "--reason", "no time")) == 1
    assert run((*on, "films/c", "--reason", "no time")) == 1
    assert run((*on, "films/nope", "--reason", "no time")) == 2
    capsys.readouterr()
    allowed = json.loads(printed(capsys, *on, "pool/1", "--reason", "ben left", "--json"))
    assert (allowed["sample"], allowed["annotators"], allowed["pending"]) == ("1", 1, 1)
    rows = json.loads(printed(capsys, "review", "list", "-w", str(pool), "--json"))
    assert next(row for row in rows if row["dataset"] == "pool")["ready"]
    with workspace.open(pool) as space:
        (event,) = space.log.events(SETTLED, SampleKey("pool", "1"))
        reviewer = space.person("rev").id
    assert (event.action.verb, event.versions["reason"]) == ("allow", "ben left")
    assert event.versions["by"] == reviewer
    assert run((*on, "pool/1", "--reason", "again")) == 1
    assert run(("audit", "verify", "-w", str(pool))) == 0


def test_the_list_of_no_dataset_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A name that is mistyped is no empty queue."""
    assert run(("review", "list", "-w", str(folder), "--dataset", "nope", "--as", "rev")) == 2
    assert "'nope'" in capsys.readouterr().err


def test_people_against_machines_come_first_when_asked(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Settled or not, by how far they are apart; an unknown score and another order are misuse."""
    review_app.say(folder, 0.1, 0.2, 0.7)
    on = ("review", "list", "-w", str(folder))
    rows = json.loads(printed(capsys, *on, "--order", "disagree:q", "--json"))
    assert [row["sample"] for row in rows] == ["b", "c", "a"]
    assert [row["against"] for row in rows] == pytest.approx([0.8, 0.7, 0.1])
    assert "0.80" in printed(capsys, *on, "--order", "disagree:q")
    for order, words in (("disagree:p", " q\n"), ("worst:q", " conflicts")):
        assert run((*on, "--order", order)) == 2
        assert words in capsys.readouterr().err


def test_a_reviewer_reopens_work_with_a_reason(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The work of one person, or the sample; the list marks who edited it afterwards."""
    where = ("-w", str(folder))
    reopen = ("review", "reopen", "films/a", *where, "--as", "rev", "--reason", "see rule 4")
    done = json.loads(printed(capsys, *reopen, "--person", "ben", "--json"))
    assert done == {"dataset": "films", "sample": "a", "people": ["ben"], "reason": "see rule 4"}
    assert run([*reopen, "--person", "ben"]) == 1
    assert run([*reopen, "--person", "nobody"]) == 2
    assert run([*reopen[:-1], " "]) == 2
    capsys.readouterr()
    with workspace.open(folder) as space:
        ben = space.person("ben").id
        space.annotate.comment(ben, FIRST, "now I see", seconds=1)
    rows = {row["sample"]: row for row in _list(capsys, *where)}
    assert (rows["a"]["edited"], rows["a"]["reopened"]) == (1, 1)
    assert (rows["b"]["edited"], rows["b"]["reopened"]) == (0, 0)
    out = printed(capsys, "review", "list", *where, "--as", "rev")
    assert "1 edited later, 1 reopened" in " ".join(out.split())
    with workspace.open(folder) as space:
        space.annotate.finish(ben, FIRST, seconds=1)
    people = json.loads(printed(capsys, *reopen, "--json"))["people"]
    assert sorted(people) == ["ana", "ben", "li"]
    assert run(["review", "reopen", "c", *where, "--as", "rev", "--reason", "x"]) == 1
    assert run(["audit", "verify", *where]) == 0


def _list(capsys: pytest.CaptureFixture[str], *where: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(
        printed(capsys, "review", "list", *where, "--as", "rev", "--json")
    )
    return rows


def test_exports_mark_work_that_was_edited_after_adjudication(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Formats that carry the mark have it at the person's work; others count it as lost."""
    assert all(
        "edited_after_adjudication" not in work
        for line in exported(capsys, folder)
        for work in line["assignments"]
    )
    with workspace.open(folder) as space:
        space.corpus.allow_edits_after_adjudication("films", allowed=True)
        ben = space.person("ben").id
        space.annotate.comment(ben, FIRST, "now I see", seconds=1)
        space.annotate.finish(ben, FIRST, seconds=1)
    marked = [
        (line["id"], work["person"])
        for line in exported(capsys, folder)
        for work in line["assignments"]
        if work.get("edited_after_adjudication")
    ]
    assert marked == [("a", ben)]
    out = printed(capsys, "export", "-w", str(folder), "--to", "csv")
    rows = list(csv.DictReader(StringIO(out)))
    edited = {
        (row["sample_id"], row["annotator"]) for row in rows if row["edited_after_adjudication"]
    }
    assert edited == {("a", ben)}
    assert run(["export", "-w", str(folder), "--to", "w3c"]) == 0
    assert Loss.LATER_EDITS.value in capsys.readouterr().err


def test_status_and_doctor_name_edits_after_adjudication(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Counts with and without a reopening; a sample that nobody edited is not mentioned."""
    where = ("-w", str(folder))
    assert "after adjudication" not in printed(capsys, "status", *where)
    assert "edits after adjudication" not in printed(capsys, "doctor", *where)
    reason = ("--as", "rev", "--reason", "see rule 4")
    printed(capsys, "review", "reopen", "films/a", *where, *reason, "--person", "ben")
    with workspace.open(folder) as space:
        ben, ana = space.person("ben").id, space.person("ana").id
        space.annotate.comment(ben, FIRST, "I see", seconds=1)
        space.annotate.finish(ben, FIRST, seconds=1)
        space.corpus.allow_edits_after_adjudication("films", allowed=True)
        space.annotate.comment(ana, SECOND, "more", seconds=1)
    assert json.loads(printed(capsys, "status", *where, "--json"))["after_adjudication"] == {
        "adjudicated": 2,
        "edited_samples": 2,
        "edited_readings": 2,
        "edits_after_reopening": 1,
        "edits_without_reopening": 1,
        "reopenings": 1,
        "changed_samples": 2,
    }
    assert "1 after a reopening, 1 without" in printed(capsys, "status", *where)
    assert "1 after a reopening, 1 without" in " ".join(printed(capsys, "doctor", *where).split())


def test_the_list_and_status_name_what_changed_since(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The sample waits again; its decisions keep their annotators though a source was deleted."""
    where = ("-w", str(folder))
    before = printed(capsys, "review", "export", *where).splitlines()
    with workspace.open(folder) as space:
        space.corpus.allow_edits_after_adjudication("films", allowed=True)
        li = space.person("li").id
        space.annotate.remove(li, FIRST, "li-1", version=1, seconds=1)
        space.annotate.finish(li, FIRST, seconds=1)
    assert printed(capsys, "review", "export", *where).splitlines() == before
    out = printed(capsys, "review", "list", *where, "--as", "rev")
    assert "changed since adjudication (1)" in out
    rows = json.loads(printed(capsys, "review", "list", *where, "--json"))
    (row,) = [row for row in rows if row["sample"] == "a"]
    assert (row["state"], row["changed"], row["open_decisions"]) == ("done", 1, 2)
    status = printed(capsys, "status", *where)
    assert "changed since adjudication: 1 sample" in status
    assert f"review again: tui-annotate -w {folder} review list" in status


def test_questions_after_the_adjudication_are_counted(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the list and the status, with the command that lists them in the same workspace."""
    where = ("-w", str(folder))
    assert "unanswered" not in printed(capsys, "review", "list", *where)
    assert "unanswered" not in printed(capsys, "status", *where)
    with workspace.open(folder) as space:
        space.team.comments.write(space.person("ana").id, FIRST, "please reopen")
    command = f"tui-annotate -w {folder} messages questions list --unanswered"
    out = printed(capsys, "review", "list", *where)
    assert "adjudicated, 1 unanswered" in out
    assert f"unanswered questions about these samples: 1; to list them: {command}" in out
    rows = json.loads(printed(capsys, "review", "list", *where, "--json"))
    assert {row["sample"]: row["unanswered_questions"] for row in rows}["a"] == 1
    assert f"unanswered questions: 1; to list them: {command}" in printed(capsys, "status", *where)
    assert json.loads(printed(capsys, "status", *where, "--json"))["unanswered_questions"] == 1


def test_reading_commands_add_no_person(filled: Command) -> None:
    """A person who only reads is not stored, so samples cannot be assigned to them."""
    filled("review", "list", "--as", "someone", "--json")
    filled("review", "list")
    filled("sync", "status", "shared")
    filled("status")
    assert filled("users", "list", "--all", "--json").json == []
