"""`assign`: what it prints, what it refuses, and that a dry run writes nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command, numbers
from tests.helpers.folder_cache import build_once
from tests.helpers.stores import claim
from tui_annotate import workspace as workspaces
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.people import Person, PersonKind
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.domain.scores import RunKind, Score, ScoreRun


@pytest.fixture
def six(command: Command, tmp_path: Path) -> Command:
    """A workspace of six samples over two sources, with scores."""

    def build(folder: Path) -> None:
        rows = [
            {
                "id": f"s{at}",
                "source": f"The bridge cost {at % 2} million pounds.",
                "summary": f"It cost {at}.",
                "doubt": at,
            }
            for at in range(6)
        ]
        (folder / "news.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
        assert command("init").code == 0
        assert command("ingest", "--id-column", "id", "--embedder", "none", "news.jsonl").code == 0

    build_once(tmp_path, "six samples", build)
    return command


def queue(folder: Path, name: str) -> list[str]:
    """The ids that somebody sees, in their order."""
    with workspaces.open(folder) as space:
        person = space.people.local(name).id
        return [row.key.id for row in space.queue.page(person, order="ingested").rows]


def test_a_share_is_told_as_a_table_and_as_json(six: Command, tmp_path: Path) -> None:
    """The dry run prints the same and writes nothing."""
    asked = (
        "assignments", "create", "--dataset", "news", "--create",
        "--person", "ana", "--person", "ben", "--overlap", "2",
    )  # fmt: skip
    dry = six(*asked, "--dry-run")
    assert dry.code == 0
    assert "--dry-run" in dry.err
    assert queue(tmp_path, "ana") == queue(tmp_path, "li")
    done = six(*asked)
    assert done.out.startswith(dry.out.rstrip("\n"))
    assert numbers(done.out.splitlines()[-1]) == [1, 6]
    shown = six(*asked, "--json").json
    assert (shown["batch"], shown["samples"], shown["dry_run"]) == (0, 0, False)
    assert len(queue(tmp_path, "ana")) == 6
    assert queue(tmp_path, "li") == []


def test_listed_batches_have_the_names_of_commands_and_options(six: Command) -> None:
    """The table of batches names today's commands and options; the JSON keeps stored names."""
    on = ("--dataset", "news", "--person", "ana")
    by_field = ("--order", "meta:doubt", "--descending")
    assert six("assignments", "create", *on, "--create", "--count", "50%", *by_field).code == 0
    assert six("assignments", "top-up", *on, "--open", "4").code == 0
    assert six("assignments", "move", "ana", "ben", "--create").code == 0
    assert six("assignments", "undo").code == 0
    rows = six("assignments", "list").out.splitlines()[-3:]
    kinds_and_requests = [" ".join(row.split()[2:]) for row in rows]
    assert kinds_and_requests == [
        "create news person ana, count 50%, overlap 1, order meta:doubt, seed 1, descending yes",
        "top-up news person ana, count all, overlap 1, order by-source, seed 1, open 4",
        "move, undone from ana, to ben",
    ]
    batches = six("assignments", "list", "--json").json["batches"]
    assert [each["kind"] for each in batches] == ["give", "topup", "move"]
    assert batches[0]["parameters"]["share"] == "50%"


def test_ids_come_as_arguments_or_from_a_file(six: Command, tmp_path: Path) -> None:
    """One a line; together with arguments both."""
    (tmp_path / "ids.txt").write_text("s4\n\n s1 \n", "utf-8")
    given = six(
        "assignments", "create", "s0", "--dataset", "news", "--create", "--person", "ana",
        "--file", "ids.txt",
        "--order", "ingested",
    )  # fmt: skip
    assert given.code == 0
    assert queue(tmp_path, "ana") == ["s0", "s1", "s4"]
    (tmp_path / "none.txt").write_text("\n", "utf-8")
    (tmp_path / "wrong.txt").write_bytes(b"\xff\xfe\x00")
    for name in ("none.txt", "wrong.txt"):
        refused = six(
            "assignments", "create", "--dataset", "news", "--person", "ana", "--file", name
        )
        assert refused.code == 2
        assert "Traceback" not in refused.err
    assert (
        six("assignments", "create", "--dataset", "news", "--person", "a", "--file", "no").code == 2
    )


def test_by_score_the_largest_come_first_when_asked(six: Command, tmp_path: Path) -> None:
    """The field is one of the samples' meta."""
    report = six(
        "assignments", "create", "--dataset", "news", "--person", "ana", "--count", "3",
        "--order", "meta:doubt", "--descending", "--create",
    )  # fmt: skip
    assert report.code == 0
    assert queue(tmp_path, "ana") == ["s5", "s4", "s3"]


def test_by_what_a_machine_says(six: Command, tmp_path: Path) -> None:
    """A share and a pool by an order of the queue; a score that is not there is named."""
    with workspaces.open(tmp_path) as space:
        keys = space.corpus.keys("news")
        scores = [
            Score(key=key, name="q", raw=float(-at), value=1 - at / 9)
            for at, key in enumerate(keys)
        ]
        run = ScoreRun(id="r", kind=RunKind.SCORE, maker="m", dataset="news")
        space.machines.scores.write(run, scores)
    on = ("--dataset", "news")
    tried = six("assignments", "pool", *on, "--order", "best:q", "--json", "--dry-run")
    assert tried.json["order"] == "best:q"
    for command in ("create", "pool"):
        to = ("--create", "--person", "ana") if command == "create" else ()
        refused = six("assignments", command, *on, *to, "--order", "worst:p")
        assert type(refused.error) is InvalidInput
        assert refused.error.hint.split()[-1] == "q"
    given = six(
        "assignments",
        "create",
        *on,
        "--create",
        "--person",
        "ana",
        "--count",
        "3",
        "--order",
        "worst:q",
    )
    assert given.code == 0
    assert queue(tmp_path, "ana") == ["s5", "s4", "s3"]


@pytest.mark.parametrize(
    "options",
    [
        ("--order", "score"),
        ("--order", "odd"),
        ("--order", "meta:"),
        ("--order", "metadata:doubt"),
        ("--descending",),
        ("--descending", "--order", "random"),
        ("--order", "meta:nothing"),
        ("--count", "0"),
        ("--count", "120%"),
        ("--overlap", "0"),
    ],
)
def test_what_makes_no_sense_is_misuse(six: Command, options: tuple[str, ...]) -> None:
    """Nobody gets anything."""
    refused = six(
        "assignments", "create", "--dataset", "news", "--create", "--person", "ana", *options
    )
    assert refused.code == 2
    assert six("assignments", "list", "--json").json["batches"] == []


def test_nobody_and_nothing_are_told(six: Command) -> None:
    """Without people, of an absent dataset, with nothing to undo."""
    assert six("assignments", "create", "--dataset", "news").code == 2
    absent = six("assignments", "create", "--dataset", "old", "--create", "--person", "ana")
    assert type(absent.error) is NotFound
    assert "'old'" in absent.error.message
    assert six("assignments", "undo").code == 1
    assert six("assignments", "top-up", "--dataset", "news", "--open", "2").code == 2
    assert six("assignments", "escalate", "--dataset", "news").code == 2
    assert six("assignments", "escalate", "--dataset", "news", "--now").code == 1
    refused = six("assignments", "pool", "--dataset", "news", "--order", "score")
    assert type(refused.error) is InvalidInput
    assert "by-source, ingested, random, worst:SCORE" in refused.error.hint
    assert (
        six("assignments", "practice", "--dataset", "news", "--person", "ana", "--create").code == 1
    )


def _check_what_is_shown(six: Command) -> None:
    """The table for people holds who has what, the rules and what was done."""
    shown = six("assignments", "list")
    report = six("assignments", "list", "--json").json
    assert [each["samples"] for each in report["progress"]] == [6, 3]
    assert [(each["rule"].partition(":")[0], each["waiting"]) for each in report["rules"]] == [
        ("escalate", 0),
        ("pool", 6),
    ]
    names = [each["name"] for each in report["progress"]]
    kinds = [each["kind"] for each in report["batches"]]
    assert "move" in kinds
    commands = {"give": "create", "topup": "top-up"}
    kinds = [commands.get(each, each) for each in kinds]
    for word in (*names, *kinds, *(each["rule"] for each in report["rules"])):
        assert word in shown.out


def test_everything_that_was_handed_out_is_shown_and_taken_back(
    six: Command, tmp_path: Path
) -> None:
    """A share, more of it, a move, a second reading, rules; then undo, one after the other."""
    on = ("--dataset", "news")
    assert (
        six("assignments", "create", *on, "--create", "--person", "ana", "--count", "2").code == 0
    )
    assert six("assignments", "top-up", *on, "--open", "3").code == 0
    assert numbers(six("assignments", "top-up", *on, "--open", "9").err) == [3]
    moved = six("assignments", "move", "ana", "ben", "--create")
    assert numbers(moved.out.splitlines()[-1]) == [4, 6]
    assert six("assignments", "repeat", *on, "--person", "ben", "--count", "50%").code == 0
    tried = six("assignments", "pool", *on, "--overlap", "2", "--dry-run")
    assert "news" in tried.out
    assert numbers(tried.out) == [2, 6]
    assert "--dry-run" in tried.err
    pool = six("assignments", "pool", *on, "--overlap", "2", "--order", "random", "--json").json
    assert pool.pop("waiting") == 6
    assert pool == {"batch": 6, "dataset": "news", "overlap": 2, "order": "random:1"}
    tried = six("assignments", "escalate", *on, "--when", "label", "--dry-run")
    assert (numbers(tried.out), "news" in tried.out) == ([1], True)
    ruled = six("assignments", "escalate", *on, "--when", "label", "--now")
    assert numbers(ruled.out.splitlines()[-1])[-2:] == [0, 0]
    _check_what_is_shown(six)
    assert six("assignments", "list", "--dataset", "none").code == 2
    for number in (7, 6, 5, 4, 3, 2):
        assert numbers(six("assignments", "undo").out)[0] == number
    assert queue(tmp_path, "li") == []
    assert six("assignments", "undo", "1").code == 0
    assert six("assignments", "undo", "1").code == 1
    assert len(queue(tmp_path, "li")) == 6


def test_what_was_drawn_goes_back_to_the_pool(six: Command, tmp_path: Path) -> None:
    """A move to nobody."""
    six("assignments", "pool", "--dataset", "news")
    with workspaces.open(tmp_path) as space:
        person = space.people.local("ana").id
        assert space.annotate.start(person) is not None
    assert six("assignments", "list", "--json").json["progress"][0]["from_pool"] == 1
    assert numbers(six("assignments", "move", "ana").err) == [1]
    assert six("assignments", "list", "--json").json["progress"] == []
    nothing = six("assignments", "move", "ana", "ben", "--create")
    assert (nothing.code, nothing.err.count("\n")) == (0, 1)
    assert "ana" in nothing.err
    assert "--include-started" not in nothing.err  # there is nothing in progress either


def test_practice_for_nobody_is_told(six: Command, tmp_path: Path) -> None:
    """The dataset is for practice, but nobody has it; what was not asked for is no word."""
    with workspaces.open(tmp_path) as space:
        (first, *_) = space.corpus.keys()
        kim = Person("kim", "kim", PersonKind.IMPORTED)
        mark, work = claim("k", 0, 4, label="Benign"), Assignment("kim", State.DONE)
        sample = space.corpus.sample(first).sample
        space.log.import_records([Record(sample, (OwnedAnnotation("kim", mark),), (work,), (kim,))])
    asked = ("assignments", "practice", "--dataset", "news", "--gold", "kim")
    done = six(*asked)
    assert (done.code, done.err.count("\n")) == (0, 1)
    shown = six("assignments", "list").out
    assert "gold kim" in shown
    assert "to ," not in shown


def test_practice_is_left_out_of_exports_and_told(six: Command, tmp_path: Path) -> None:
    """Unless it is asked for."""
    with workspaces.open(tmp_path) as space:
        kim, ana = space.people.local("kim").id, space.people.local("ana").id
        (first, *_) = space.corpus.keys()
        space.annotate.comment(kim, first, "right", seconds=0)
        space.annotate.add(kim, first, claim("k", 0, 4, label="Benign"), seconds=0)
    assert (
        six("assignments", "practice", "--dataset", "news", "--gold", "kim", "--dry-run").code == 0
    )
    done = six(
        "assignments",
        "practice",
        "--dataset",
        "news",
        "--gold",
        "kim",
        "--person",
        "ana",
        "--create",
    )
    assert done.out.splitlines()[-1].endswith(": 6 samples")
    with workspaces.open(tmp_path) as space:
        space.annotate.add(ana, first, claim("a", 0, 4, label="Benign"), seconds=0)
    plain = six("export", "--to", "native")
    assert len(json.loads(plain.out.splitlines()[0])["annotations"]) == 1
    left_out, *others = plain.err.splitlines()
    assert 1 in numbers(left_out)
    whole = six("export", "--to", "native", "--include-practice")
    assert len(json.loads(whole.out.splitlines()[0])["annotations"]) == 2
    assert len(whole.err.splitlines()) == len(others)


def test_a_new_person_is_created_on_request_only(six: Command) -> None:
    """An unknown name is refused with the nearest known one, and nobody is added."""
    on = ("--dataset", "news")
    assert six("assignments", "create", *on, "--create", "--person", "johanna").code == 0
    for words in (
        ("create", *on, "--person", "johana"),
        ("top-up", *on, "--open", "2", "--person", "johana"),
        ("move", "johanna", "johana"),
        ("repeat", *on, "--person", "johana"),
        ("practice", *on, "--person", "johana"),
    ):
        refused = six("assignments", *words)
        assert type(refused.error) is NotFound
        assert refused.error.hint.startswith("did you mean 'johanna'?")
    listed = six("users", "list", "--all", "--json").json
    assert "johana" not in [each["name"] for each in listed]
    (one,) = [each for each in listed if each["name"] == "johanna"]
    assert (one["kind"], one["role"], one["annotations"]) == ("local", "", 0)
    assert "johanna" in six("users", "list", "--all").out


def test_practice_has_criteria_and_results(six: Command, tmp_path: Path) -> None:
    """The rule in the list, the result in `status` and in the report."""
    with workspaces.open(tmp_path) as space:
        kim, ana = space.person("kim").id, space.person("ana").id
        keys = space.corpus.keys()
        space.annotate.add(kim, keys[0], claim("k", 0, 4, label="Benign"), seconds=0)
    asked = ("assignments", "practice", "--dataset", "news", "--gold", "kim", "--person", "ana")
    assert six(*asked, "--attempts", "2").code == 2
    assert six(*asked, "--pass", "101").code == 2
    assert six(*asked, "--pass", "90", "--attempts", "2", "--hold").code == 0
    assert "90% correct to pass, 2 attempts, then work is paused" in six("assignments", "list").out
    with workspaces.open(tmp_path) as space:
        for key in keys:
            space.annotate.finish(ana, key, seconds=60)
        assert space.annotate.next_unfinished(ana, keys[-1]) == keys[0]
    (found,) = six("status", "--json").json["practice"]
    assert (found["name"], found["dataset"], found["attempts"]) == ("ana", "news", 1)
    assert (found["needed"], found["passed"], found["final"]) == (0.9, False, False)
    assert found["score"] == pytest.approx(5 / 6, abs=0.001)
    assert "not passed yet" in six("status").out
    assert six("report", "-o", "page.html").code == 0
    assert "not passed yet" in (tmp_path / "page.html").read_text("utf-8")
    assert six("audit", "verify").code == 0


@pytest.fixture
def checked(six: Command, tmp_path: Path) -> Command:
    """Of twelve samples kim answered three, which are gold; ana completed all with nothing."""

    def build(folder: Path) -> None:
        rows = [
            {"id": f"t{at}", "source": "It cost 1.", "summary": f"It cost {at}."} for at in range(6)
        ]
        (folder / "more.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
        columns = ("--dataset", "news", "--id-column", "id", "--embedder", "none")
        assert six("ingest", *columns, "more.jsonl").code == 0
        with workspaces.open(folder) as space:
            kim, ana = space.person("kim").id, space.person("ana").id
            for one in space.corpus.keys()[:3]:
                space.annotate.add(kim, one, claim(f"k{one.id}", 0, 4, label="Benign"), seconds=0)
                space.annotate.finish(kim, one, seconds=0)
        assert six("assignments", "pool", "--dataset", "news").code == 0
        made = six("assignments", "gold", "--dataset", "news", "--gold", "kim", "--every", "2")
        assert (made.code, numbers(made.out)[1:]) == (0, [3, 1, 2])
        with workspaces.open(folder) as space:
            while key := space.annotate.next_unfinished(ana, None):
                space.annotate.finish(ana, key, seconds=60)

    build_once(tmp_path, "checked samples", build)
    return six


def test_gold_samples_are_declared_and_listed(checked: Command) -> None:
    """By all samples with answers, or by named ones; a dry run stores nothing."""
    on = ("assignments", "gold", "--dataset", "news", "--gold", "kim")
    listed = checked("assignments", "list", "--json").json
    assert {each["name"]: each["gold"] for each in listed["progress"]} == {"ana": 3, "kim": 0}
    assert "3 samples" in next(one["rule"] for one in listed["rules"] if "gold" in one["rule"])
    dry = checked(*on, "s1", "--dry-run")
    assert (dry.code, "--dry-run" in dry.err) == (0, True)
    assert checked(*on, "s1", "--dry-run", "--json").json == {
        "batch": 0, "dataset": "news", "every": 10, "threshold": 70, "samples": 1,
        "recognizable": False, "checks": 3, "edited_later": 0,
    }  # fmt: skip
    assert checked("assignments", "list", "--json").json == listed
    assert checked(*on, "s5").code == 1
    assert checked(*on, "nope").code == 2
    assert checked(*on, "--every", "1").code == 2
    assert checked(*on, "--threshold", "101").code == 2
    assert checked("assignments", "gold", "--dataset", "news").code == 1
    undone = checked("assignments", "undo")
    assert (undone.code, numbers(undone.out.splitlines()[1])) == (0, [3])
    assert "--include-started" not in undone.out


def test_status_shows_the_accuracy_and_the_alert(checked: Command) -> None:
    """As tables and as JSON: of all checks, of the last ones, and by week."""
    (found,) = checked("status", "--json").json["gold"]
    assert (found["name"], found["checks"], found["accuracy"]) == ("ana", 3, 0.0)
    assert (found["recent_accuracy"], found["threshold"], found["alert"]) == (0.0, 0.7, True)
    assert sum(week["checks"] for week in found["weeks"]) == 3
    shown = checked("status").out
    assert "below 70%" in shown
    assert found["weeks"][0]["week"] in shown
    again = ("--gold", "kim", "--every", "2", "--threshold", "0")
    assert checked("assignments", "gold", "--dataset", "news", *again).code == 0
    assert not checked("status", "--json").json["gold"][0]["alert"]
    assert "below" not in checked("status").out


def test_skipped_gold_samples_are_shown(checked: Command, tmp_path: Path) -> None:
    """In the table of accuracy, and apart from completed samples in the list of assignments."""
    assert checked("status", "--json").json["gold_skipped"] == []
    assert checked("assignments", "pool", "--dataset", "news", "--overlap", "2").code == 0
    with workspaces.open(tmp_path) as space:
        who = space.person("ben").id
        while key := space.annotate.next_unfinished(who, None):
            space.annotate.skip(who, key, seconds=0)
    (found,) = checked("status", "--json").json["gold_skipped"]
    assert (found["name"], found["dataset"]) == ("ben", "news")
    assert f"checks skipped: {found['skipped']}" in checked("status").out
    (row,) = [
        each
        for each in checked("assignments", "list", "--json").json["progress"]
        if each["name"] == "ben"
    ]
    assert row["skipped"] == row["finished"] == row["samples"]


def test_a_paused_person_is_listed_and_resumed(checked: Command, tmp_path: Path) -> None:
    """The rule, the pause and its end are in the list of batches; `audit verify` knows them."""
    on = ("assignments", "gold", "--dataset", "news", "--gold", "kim", "--every", "2", "--pause")
    assert checked(*on).code == 0
    assert checked("assignments", "resume", "ana").code == 1
    with workspaces.open(tmp_path) as space:
        ana = space.person("ana").id
        keys = space.corpus.keys()
        key = next(one for one in keys if one.id == "t5")
        space.annotate.add(ana, key, claim("again", 0, 4, label="Benign"), seconds=0)
        space.annotate.finish(ana, key, seconds=0)
    (found,) = checked("status", "--json").json["gold"]
    assert (found["alert"], found["paused"]) == (True, True)
    assert "below 70%, paused" in checked("status").out
    listed = checked("assignments", "list").out
    assert "alert and pause below 70%" in listed
    assert "person ana" in listed
    assert checked("assignments", "resume", "ana", "--json").json["datasets"] == ["news"]
    assert not checked("status", "--json").json["gold"][0]["paused"]
    assert checked("audit", "verify").code == 0
    assert checked("assignments", "resume", "nope").code == 2


def test_agreed_samples_become_gold_samples(checked: Command, tmp_path: Path) -> None:
    """They are adjudicated first; samples with a difference are not."""
    with workspaces.open(tmp_path) as space:
        ben = space.person("ben").id
        for name in ("t2", "t3", "t4"):
            key = next(one for one in list(space.corpus.keys()) if one.id == name)
            if name == "t4":
                space.annotate.add(ben, key, claim("b4", 0, 4, label="Benign"), seconds=0)
            space.annotate.finish(ben, key, seconds=0)
    on = ("assignments", "promote-to-gold", "--dataset", "news")
    assert checked(*on).code == 1
    assert checked(*on, "t4", "--agreed", "--as", "rea").code == 1
    found = checked(*on, "--agreed", "--as", "rea", "--json").json
    assert (found["samples"], found["adjudicated"]) == (2, 2)
    assert "5 samples" in checked("assignments", "list").out
    assert checked(*on).code == 1


def test_status_says_where_a_check_uses_an_older_answer(checked: Command, tmp_path: Path) -> None:
    """Until an admin recomputes; the page of the report has the same number."""
    with workspaces.open(tmp_path) as space:
        kim, key = space.person("kim").id, space.corpus.keys()[0]
        name = space.log.stream(kim, key).annotations[0].id
        space.annotate.remove(kim, key, name, version=1, seconds=0)
        space.annotate.finish(kim, key, seconds=0)
    (found,) = checked("status", "--json").json["gold"]
    assert (found["accuracy"], found["older_answers"]) == (0.0, 1)
    assert "assignments rescore-gold --dataset news" in checked("status").err
    again = ("assignments", "rescore-gold", "--dataset", "news")
    tried = checked(*again, "--dry-run", "--json").json
    assert tried == {"batch": 0, "dataset": "news", "checks": 3, "changed": 1}
    assert numbers(checked(*again).out)[1:] == [3, 1]
    (found,) = checked("status", "--json").json["gold"]
    assert (found["accuracy"], found["older_answers"]) == (pytest.approx(1 / 3), 0)
    assert "recompute" not in checked("status").err
    assert checked("assignments", "rescore-gold", "--dataset", "nope").code == 2


def test_gold_work_is_left_out_of_exports_and_told(checked: Command) -> None:
    """Unless it is asked for; agreement and reports are without it too."""

    def work(*more: str) -> list[str]:
        records = map(json.loads, checked("export", "--to", "native", *more).out.splitlines())
        return [one["person"] for record in records for one in record["assignments"]]

    assert (len(work()), len(work("--include-gold"))) == (12, 15)
    told = checked("export", "--to", "native").err
    (line,) = [line for line in told.splitlines() if "--include-gold" in line]
    assert numbers(line) == [3]
    assert "--include-gold" not in checked("export", "--to", "native", "--include-gold").err
    assert checked("agreement", "--json").json["together"]["samples"] == 0
    page = checked("report", "-o", "report.html")
    assert "--include-gold" in page.err
    assert "--include-gold" not in checked("report", "--include-gold", "-o", "all.html").err


def test_status_counts_checks_that_were_edited_later(checked: Command, tmp_path: Path) -> None:
    """In `status`, in `assignments gold` and in the method text; the accuracy stays."""
    on = ("assignments", "gold", "--dataset", "news", "--gold", "kim", "--every", "2", "--dry-run")
    (before,) = checked("status", "--json").json["gold"]
    assert "edited after" not in checked("status").err
    with workspaces.open(tmp_path) as space:
        ana, key = space.person("ana").id, space.corpus.keys()[0]
        space.annotate.add(ana, key, claim("late", 5, 9, label="Benign"), seconds=0)
        space.annotate.finish(ana, key, seconds=0)
    (found,) = checked("status", "--json").json["gold"]
    assert found == {**before, "edited_later": 1}
    assert "1 edited after the first completion" in " ".join(checked("status").err.split())
    counts = checked(*on, "--json").json
    assert (counts["checks"], counts["edited_later"]) == (3, 1)
    assert "edited after the first completion: 1" in checked(*on).out
    assert checked("audit", "snapshots", "create", "one").code == 0
    (method,) = tmp_path.rglob("method.md")
    text = " ".join(method.read_text().split())
    assert "of 3 gold checks, 1 was edited after the first completion" in text


def test_doctor_finds_a_low_accuracy(checked: Command) -> None:
    """Below the threshold of the dataset, which the result states; it names no person."""

    def find() -> list[dict[str, str]]:
        checks = checked("doctor", "--json").json
        return [each for each in checks if each["check"] == "accuracy on gold samples"]

    (found,) = find()
    assert found["state"] == "warning"
    assert "1 of 1 annotator" in found["message"]
    assert "70%" in found["message"]
    assert "ana" not in found["message"].replace("annotator", "")
    on = ("assignments", "gold", "--dataset", "news", "--gold", "kim", "--threshold", "0")
    assert checked(*on).code == 0
    assert [each["state"] for each in find()] == ["ok"]


def test_an_admin_who_decides_becomes_no_annotator(checked: Command, tmp_path: Path) -> None:
    """Neither by adjudicating agreed samples, nor by deleting work that does not exist."""
    with workspaces.open(tmp_path) as space:
        ben = space.person("ben").id
        for name in ("t2", "t3"):
            key = next(one for one in list(space.corpus.keys()) if one.id == name)
            space.annotate.finish(ben, key, seconds=0)
    before = checked("users", "list", "--all", "--json").json
    done = checked("assignments", "promote-to-gold", "--dataset", "news", "--agreed", "--json")
    assert done.json["adjudicated"] == 2
    assert "new annotator" not in done.err
    assert checked("review", "reopen", "news/t2", "--reason", "again").code == 0
    assert checked("datasets", "clear", "--mine", "--yes").code == 0
    after = checked("users", "list", "--all", "--json").json
    assert {each["name"] for each in after} - {"adjudicated"} == {
        each["name"] for each in before
    } - {"adjudicated"}


def test_one_more_attempt_at_practice(command: Command, tmp_path: Path) -> None:
    """`assignments resume --retry` says in which dataset; nobody else has one to get."""
    (tmp_path / "p.csv").write_text("id,source,summary\n1,It cost 1.,It cost 2.\n")
    assert command("init").code == 0
    assert command("ingest", str(tmp_path / "p.csv"), "--dataset", "p").code == 0
    with workspaces.open(tmp_path) as space:
        (key,) = space.corpus.keys()
        kim, ana = space.person("kim").id, space.person("ana").id
        space.annotate.add(kim, key, claim("k", 0, 4, label="Benign"), seconds=0)
        space.annotate.finish(kim, key, seconds=0)
    on = ("assignments", "practice", "--dataset", "p", "--person", "ana", "--gold", "kim")
    assert command(*on, "--pass", "80", "--attempts", "1", "--hold").code == 0
    with workspaces.open(tmp_path) as space:
        space.annotate.finish(ana, key, seconds=0)
        space.annotate.next_unfinished(ana, key)
    assert command("assignments", "resume", "kim", "--retry").code == 1
    given = command("assignments", "resume", "ana", "--retry", "--json").json
    assert (given["datasets"], given["retried"]) == (["p"], ["p"])
    with workspaces.open(tmp_path) as space:
        assert space.annotate.start(ana) == key
    assert command("assignments", "resume", "ana", "--retry").code == 1
    assert command("audit", "verify").code == 0
