"""Suggestions by command: in and out, told and hidden; and never in what people did."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command, numbers
from tests.helpers.errors import has_code
from tests.helpers.folder_cache import build_once
from tests.helpers.stores import claim
from tests.helpers.suggestions import run, suggestion
from tests.plugins.sync.table_server import KEY, FakeTable, serving_table
from tui_annotate import workspace as workspaces
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.people import Actor, Person, Role
from tui_annotate.domain.provenance import Provenance
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.suggestions import AnswerKind, SuggestionStatus
from tui_annotate.plugins import registry
from tui_annotate.plugins.traits import RecordTrait
from tui_annotate.storage.log.audit import AuditStore
from tui_annotate.storage.suggestions import SuggestionStore
from tui_annotate.storage.work_statistics import WorkStatisticsStore
from tui_annotate.workspace import Workspace, bundles

BRIDGE, TEA = SampleKey("pairs", "bridge"), SampleKey("pairs", "tea")
WORDS = "15 million pounds"


@pytest.fixture
def found(filled: Command, tmp_path: Path) -> Command:
    """A workspace with two suggestions on one sample and one on another, out of a file."""

    def build(folder: Path) -> None:
        lines = [
            {
                "sample": "bridge",
                "quote": WORDS,
                "label": "Benign",
                "reason": "m4chine",
                "score": 0.5,
            },
            {"sample": "bridge", "quote": "loved", "maker": "judge:m4chine"},
            {"sample": "tea", "quote": "两千吨", "label": "Benign"},
        ]
        path = folder / "found.jsonl"
        path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
        done = filled("suggestions", "import", str(path), "--maker", "import:m4chine", "--json")
        counts = {"added": 3, "known": 0, "updated": 0, "samples": 0, "earlier": []}
        assert done.json == counts, done.err

    build_once(tmp_path, "suggestions", build)
    return filled


def _suggested(
    space: Workspace, key: SampleKey = BRIDGE, *, who: str = ""
) -> tuple[SuggestionStatus, ...]:
    return space.annotate.store.suggested(space.person(who).id, key)


def _take(key: SampleKey = BRIDGE, *, who: str = "") -> None:
    with workspaces.open() as space:
        one = _suggested(space, key, who=who)[0].suggestion
        space.annotate.accept(space.person(who).id, key, one.id, seconds=1)


# commands -----------------------------------------------------------------------------------------


def test_they_come_in_are_listed_and_taken_out(found: Command) -> None:
    """Once more adds nothing; the list is cut to the open ones; a maker goes with all of its."""
    again = found("suggestions", "import", "found.jsonl", "--maker", "import:m4chine")
    assert numbers(again.out) == [0, 3]
    listed = found("suggestions", "list", "--json").json
    assert [(each["sample"], each["quote"]) for each in listed if each["score"]] == [
        ("bridge", WORDS)
    ]
    assert (listed[0]["answers"], listed[0]["seen"], listed[0]["reasons"]) == ({}, 0, [])
    _take()
    table = found("suggestions", "list")
    (line,) = [line for line in table.out.splitlines() if WORDS in line]
    assert 1 in numbers(line)
    assert "accepted" in line
    assert "judge:m4chine" in table.out
    assert len(found("suggestions", "list", "--open", "--json").json) == 2
    gone = found("suggestions", "delete", "--maker", "import:m4chine", "--yes")
    assert numbers(gone.out) == [2]
    with workspaces.open() as space:
        assert len(space.annotate.open(space.person().id, BRIDGE).annotations) == 1
        assert not list(AuditStore(space.team.database).find_faults())
    assert found("suggestions", "delete", "--run", "zz", "--yes").code == 2
    for both in ([], ["--run", "zz", "--maker", "import:m4chine"]):
        refused = found("suggestions", "delete", *both)  # before any question
        assert isinstance(refused.error, InvalidInput)
        assert "judge:m4chine" in refused.error.hint
    found("suggestions", "delete", "--maker", "judge:m4chine", "--yes")
    for words in (("list",), ("list", "--open"), ("report",)):
        nothing = found("suggestions", *words)
        assert (nothing.code, nothing.out, nothing.err.count("\n")) == (0, "", 1)


@pytest.mark.parametrize(
    ("words", "known"),
    [
        (("--maker", "judge:other"), "judge:m4chine"),
        (("--dataset", "nix", "--maker", "judge:m4chine"), "datasets list"),
        (("--run", "zz"), "the runs are: "),
    ],
)
def test_nothing_to_delete_is_an_error_before_the_question(
    found: Command, words: tuple[str, ...], known: str
) -> None:
    """Without --yes, too: the error names what there is."""
    refused = found("suggestions", "delete", *words)
    assert type(refused.error) is NotFound
    assert words[1] in refused.error.message
    assert known in refused.error.hint


def test_the_question_names_what_is_deleted(found: Command) -> None:
    """The dataset, the maker and the whole id of the run, even if the user gave its beginning."""
    with workspaces.open() as space:
        runs = {each.maker: each.id for each in space.machines.suggestions.runs()}
    for maker, name in runs.items():
        for words in (("--maker", maker), ("--run", name[:6])):
            asked = found("suggestions", "delete", *words)
            assert isinstance(asked.error, InvalidInput)
            assert [
                each for each in (maker, "pairs", name) if each not in asked.error.message
            ] == []


@pytest.mark.parametrize("asked", ["list", "report"])
def test_an_unknown_maker_is_an_error(found: Command, asked: str) -> None:
    """A name with a slip does not look like a maker without suggestions; the hint names makers."""
    for dataset in ((), ("--dataset", "pairs")):
        done = found("suggestions", asked, "--maker", "judge:machine", *dataset)
        assert (done.code, done.out) == (2, "")
        assert isinstance(done.error, NotFound)
        assert "judge:m4chine" in done.error.hint
    assert found("suggestions", asked, "--maker", "judge:m4chine").code == 0


@pytest.mark.parametrize("asked", ["list", "report"])
def test_a_maker_of_another_dataset_is_known(found: Command, asked: str) -> None:
    """A script asks about each dataset, and gets an empty list where the maker made none."""
    Path("more.csv").write_text("source,summary\nA b.,A c.\n", "utf-8")
    assert found("ingest", "more.csv", "--embedder", "none").code == 0
    line = {"sample": "1", "start": 0, "end": 1}
    Path("other.jsonl").write_text(json.dumps(line) + "\n", "utf-8")
    done = found("suggestions", "import", "other.jsonl", "--dataset", "more", "--maker", "n")
    assert done.code == 0, done.err
    words = ("--maker", "judge:m4chine", "--dataset", "more")
    assert found("suggestions", asked, *words).code == 0


@pytest.mark.parametrize("asked", ["list", "report"])
def test_without_suggestions_no_maker_is_wrong(filled: Command, asked: str) -> None:
    """Where none are stored yet, a name of a maker is no slip."""
    done = filled("suggestions", asked, "--maker", "judge:m4chine")
    assert (done.code, done.out, done.err.count("\n")) == (0, "", 1)


@pytest.mark.parametrize("asked", ["list", "report"])
def test_a_dataset_that_is_not_there_is_told(found: Command, asked: str) -> None:
    """A name with a slip is an error, and does not look like a dataset without suggestions."""
    done = found("suggestions", asked, "--dataset", "nix")
    assert (done.code, done.out) == (2, "")
    assert type(done.error) is NotFound
    assert "'nix'" in done.error.message


def test_earlier_suggestions_that_a_new_list_lacks_are_reported(
    found: Command, tmp_path: Path
) -> None:
    """With the command that deletes them, after which the file is imported as it is."""
    path = tmp_path / "nothing.jsonl"
    path.write_text('{"sample": "bridge", "suggestions": []}\n', "utf-8")
    done = found("suggestions", "import", str(path), "--maker", "judge:m4chine", "--json")
    assert done.code == 0
    assert done.json["earlier"] == [{"dataset": "pairs", "maker": "judge:m4chine", "count": 1}]
    assert "warning: judge:m4chine already had 1 earlier suggestion" in done.err
    remove = "suggestions delete --maker judge:m4chine --dataset pairs"
    assert remove in done.err
    assert found(*remove.split(), "--yes").code == 0
    again = found("suggestions", "import", str(path), "--maker", "judge:m4chine", "--json")
    assert again.json["earlier"] == []
    assert "warning" not in again.err


def test_a_wrong_file_is_told_line_by_line(filled: Command, tmp_path: Path) -> None:
    """With what to do; nothing of it is taken."""
    path = tmp_path / "x.jsonl"
    path.write_text('{"sample": "bridge", "quote": "nowhere"}\n{"sample": 3}\n[\n', "utf-8")
    done = filled("suggestions", "import", str(path))
    assert done.code == 2
    first, *_ = done.err.splitlines()
    assert all(each in first for each in ("x.jsonl:1: ", "'nowhere'", "pairs/bridge"))
    assert "x.jsonl:3: " in done.err
    assert type(done.error) is InvalidInput
    assert numbers(done.error.message) == [3]
    assert filled("suggestions", "list", "--json").json == []


def test_the_report_tells_rates_and_reasons(
    found: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a table in which 80 columns have room for names of makers, and as JSON."""
    monkeypatch.setenv("COLUMNS", "80")
    with workspaces.open() as space:
        ana = space.person("ana").id
        for at, each in enumerate(_suggested(space, who="ana")):
            space.annotate.refuse(ana, BRIDGE, each.suggestion.id, reason="n" * at, seconds=1)
        for at in range(6):
            who = space.person(f"p{at}").id
            (one,) = space.annotate.store.suggested(who, TEA)
            space.annotate.refuse(who, TEA, one.suggestion.id, reason=f"why {at}", seconds=1)
    _take()
    shown = found("suggestions", "report")
    assert "reason for rejection" in shown.out
    assert "(no reason)" in shown.out
    assert re.search(r"^import:m4chine +2 +\d", shown.out, re.MULTILINE)
    assert "removed" not in shown.out
    assert 3 in numbers(shown.err)
    assert found("suggestions", "report", "--json").json["rate"]["share"] == pytest.approx(1 / 9)


def test_what_is_hidden_is_on_no_screen(found: Command) -> None:
    """Commands tell it on; a dataset for practice stays without."""
    hidden = found("suggestions", "hide", "--dataset", "pairs").err
    assert "pairs" in hidden
    with workspaces.open() as space:
        assert _suggested(space) == ()
    assert len(found("suggestions", "list", "--json").json) == 3
    shown = found("suggestions", "unhide", "--dataset", "pairs").err
    assert "pairs" in shown
    assert shown != hidden
    with workspaces.open() as space:
        assert len(_suggested(space)) == 2
    _take(TEA, who="gold")
    done = found(
        "assignments",
        "practice",
        "--dataset",
        "pairs",
        "--person",
        "ana",
        "--gold",
        "gold",
        "--create",
    )
    assert done.code == 0, done.err
    practised = found("suggestions", "unhide", "--dataset", "pairs").err
    assert "pairs" in practised
    assert practised not in {shown, hidden}
    assert found("suggestions", "hide", "--dataset", "nowhere").code == 2


def test_scores_of_segments_become_suggestions(found: Command) -> None:
    """Where a run says them."""
    words = ("--dataset", "pairs", "--score", "q", "--below", "0.5")
    absent = found("suggestions", "create", *words).error
    assert type(absent) is NotFound
    assert all(each in absent.message for each in ("'q'", "'pairs'"))
    from tui_annotate.domain.scores import RunKind, Score, ScoreRun

    with workspaces.open() as space:
        about = ScoreRun(id="r", kind=RunKind.SCORE, maker="unigram", dataset="pairs")
        said = Score(key=BRIDGE, name="q", parts=(0.1, 0.9), of="segments")
        space.machines.scores.write(about, [said])
    done = found("suggestions", "create", *words, "--label", "Benign")
    assert numbers(done.out) == [1, 1], done.err  # a suggestion, and the sample it is of
    assert found("suggestions", "create", *words[:-2]).code == 2


# laws ---------------------------------------------------------------------------------------------

_OF_ANSWERS = "suggestions"
_EXPORTED = [name for name in registry.plugin_names("exporters") if name != _OF_ANSWERS]


def test_no_export_tells_of_what_nobody_took(found: Command, tmp_path: Path) -> None:
    """In no format but that of answers: neither maker nor reason, neither open nor refused."""
    with workspaces.open() as space:
        one = _suggested(space)[0].suggestion
        space.annotate.refuse(space.person().id, BRIDGE, one.id, reason="m4chine", seconds=1)
        space.annotate.finish(space.person().id, BRIDGE, seconds=1)
    for form in _EXPORTED:
        out = tmp_path / f"out-{form}"
        done = found("export", "--to", form, "-o", str(out), "--layer", "reader")
        if done.code:
            done = found("export", "--to", form, "-o", str(out))
        written = [path for path in (out, *out.glob("**/*")) if path.is_file()]
        assert not any(b"m4chine" in path.read_bytes() for path in written), form


def test_answers_are_exported_for_training(found: Command, tmp_path: Path) -> None:
    """Rejected suggestions with person, maker and reason; by person, or under pseudonyms."""
    with workspaces.open() as space:
        one, two = (each.suggestion for each in _suggested(space, who="ana"))
        ana, ben = (space.person(name).id for name in ("ana", "ben"))
        space.annotate.refuse(ana, BRIDGE, one.id, reason="it fits", seconds=1)
        made = space.annotate.accept(ana, BRIDGE, two.id, seconds=1).annotations[-1]
        space.annotate.accept(ben, BRIDGE, one.id, seconds=1)
        space.annotate.remove(ana, BRIDGE, made.id, version=made.version, seconds=1)
    out = tmp_path / "answers.jsonl"

    def exported(*options: str) -> list[dict[str, Any]]:
        assert found("export", "--to", _OF_ANSWERS, "-o", str(out), *options).code == 0
        return [json.loads(line) for line in out.read_text("utf-8").splitlines()]

    rows = exported()
    by_answer = {row["answer"]: row for row in rows}
    assert sorted(by_answer) == ["accepted", "refused", "removed"]
    refused = by_answer["refused"]
    assert (refused["person"], refused["maker"], refused["reason"]) == (ana, one.maker, "it fits")
    assert [each["quote"] for each in refused["claim"]] == [WORDS]
    assert refused["summary"][refused["claim"][0]["start"] :].startswith(WORDS)
    done = found("export", "--to", _OF_ANSWERS, "-o", str(out))
    assert "3 answers of 1 sample" in done.err
    counts = found("export", "--to", _OF_ANSWERS, "-o", str(out), "--json").json
    assert (counts["samples"], counts["annotations"], counts["answers"]) == (1, 0, 3)
    assert by_answer["accepted"]["person"] == ben
    assert [row["person"] for row in exported("--person", "ben")] == [ben]
    hidden = exported("--pseudonymize")
    assert len(hidden) == 3
    assert not {ana, ben, "ana", "ben"} & {row["person"] for row in hidden}
    done = found("suggestions", "delete", "--maker", one.maker, "--yes")
    assert done.code == 0
    assert len(exported()) == 1


def test_before_it_is_taken_it_counts_nowhere(found: Command) -> None:
    """Not in figures, agreement, review, labels or the report of the assist; only as answered."""
    for who in ("ana", "ben"):
        with workspaces.open() as space:
            one = _suggested(space, who=who)[1].suggestion
            space.annotate.refuse(space.person(who).id, BRIDGE, one.id, seconds=1)
            space.annotate.finish(space.person(who).id, BRIDGE, seconds=1)
    status = found("status", "--json").json
    assert (status["annotations"], status["completed"]) == (0, 2)
    with workspaces.open() as space:
        assert space.export("/dev/null").annotations == 0
        assert space.log.labels_in_use() == {}
        assert space.assist_report()["annotations"] == 0
        waiting = space.team.review.queue(space.person("cem").id)
        assert [(row.key, row.annotations) for row in waiting] == [(BRIDGE, 0)]
    report = found("agreement", "--json").json
    (answered,) = report.pop("suggested_work")
    assert (answered["readings"], answered["refused"]) == (2, 2)
    assert "m4chine" not in json.dumps(report)
    assert report["together"]["samples"] == 1


def test_work_that_began_with_suggestions_is_visible(found: Command) -> None:
    """In agreement and its JSON and CSV, and for each person in `status`."""
    for who in ("ana", "ben"):
        with workspaces.open() as space:
            person = space.person(who).id
            one, two = (each.suggestion for each in _suggested(space, who=who))
            space.annotate.accept(person, BRIDGE, one.id, seconds=1)
            if who == "ben":
                space.annotate.refuse(person, BRIDGE, two.id, seconds=1)
            space.annotate.finish(person, BRIDGE, seconds=1)
            space.annotate.finish(person, TEA, seconds=1)
    shown = found("agreement")
    warned = [line for line in shown.err.splitlines() if line.startswith("warning: in ")]
    assert len(warned) == 2
    assert "2 readings, annotators answered suggestions of import:m4chine (2 accepted" in warned[0]
    assert "ana 1, ben 1" in warned[0]
    assert "1 reading, annotators answered suggestions of judge:m4chine (1 refused" in warned[1]
    report = found("agreement", "--json").json
    assert [(each["maker"], each["readings"]) for each in report["suggested_work"]] == [
        ("import:m4chine", 2),
        ("judge:m4chine", 1),
    ]
    assert report["suggested_work"][0]["people"] == [
        {"name": "ana", "readings": 1},
        {"name": "ben", "readings": 1},
    ]
    pseudonymised = found("agreement", "--json", "--pseudonymize").out
    assert '"ana"' not in pseudonymised
    rows = [line for line in found("agreement", "--csv").out.splitlines() if "suggest" in line]
    assert rows == [
        "reading,suggestions_answered,,,,2,import:m4chine: 2 accepted",
        "reading,suggestions_answered,,,,1,judge:m4chine: 1 refused",
    ]
    without = found("agreement", "--without-suggested-work", "--json").json
    assert (report["together"]["samples"], without["together"]["samples"]) == (2, 1)
    assert [each["count"] for each in without["left_out"] if "suggestion" in each["reason"]] == [2]
    assert without["suggested_work"] == report["suggested_work"]
    assert found("report", "-o", "page.html").code == 0
    page = Path("page.html").read_text("utf-8")
    (data,) = re.findall(r'id="data-figures">(.*?)</script>', page, re.DOTALL)
    assert json.loads(data)["agreement"]["suggested_work"] == report["suggested_work"]
    status = found("status", "--json").json["suggestion_answers"]
    assert [
        (each["name"], each["answered"], each["accepted"], each["refused"], each["acceptance"])
        for each in status
    ] == [("ana", 1, 1, 0, 1.0), ("ben", 2, 1, 1, 0.5)]
    table = found("status").out
    assert re.search(r"^ana +pairs +1 +1 +0 +0 +0 +100%$", table, re.MULTILINE)


def test_an_undone_acceptance_is_no_independent_work(found: Command) -> None:
    """Its words marked by hand afterwards: counted, excluded on request, and in the method."""
    with workspaces.open() as space:
        ana, ben = (space.person(name).id for name in ("ana", "ben"))
        one = _suggested(space, who="ana")[0].suggestion
        space.annotate.accept(ana, BRIDGE, one.id, seconds=1)
        space.annotate.undo(ana)
        space.annotate.add(ana, BRIDGE, claim("by-hand", 0, 3, label="Benign"), seconds=1)
        for person in (ana, ben):
            space.annotate.finish(person, BRIDGE, seconds=1)
    report = found("agreement", "--json").json
    assert report["suggested_work"] == [
        {
            "maker": "import:m4chine",
            "readings": 1,
            "accepted": 0,
            "changed": 0,
            "refused": 0,
            "undone": 1,
            "people": [{"name": "ana", "readings": 1}],
        }
    ]
    without = found("agreement", "--without-suggested-work", "--json").json
    assert [each["count"] for each in without["left_out"] if "suggestion" in each["reason"]] == [1]
    status = found("status")
    assert "ana, pairs: 1 acceptance undone, without a later answer" in status.err
    for name in ("ana", "ben"):
        assert f"{name}, pairs: suggestions without an answer in 1 completed" in status.err
    answers = found("status", "--json").json["suggestion_answers"]
    assert [
        (each["name"], each["answered"], each["passed"], each["undone"]) for each in answers
    ] == [("ana", 0, 1, 1), ("ben", 0, 1, 0)]
    assert found("audit", "snapshots", "create", "paper").code == 0
    (method,) = Path().rglob("method.md")
    assert "No annotator answered a suggestion. 1 acceptance in completed" in method.read_text()
    assert "In 2 completed readings, the annotator did not answer all" in method.read_text()
    with workspaces.open() as space:
        space.annotate.accept(ana, BRIDGE, one.id, seconds=1)
        space.annotate.finish(ana, BRIDGE, seconds=1)
    (work,) = found("agreement", "--json").json["suggested_work"]
    assert (work["accepted"], work["undone"]) == (1, 0)


def test_answers_after_the_adjudication_count_only_after_review(found: Command) -> None:
    """As all other work: the reading that is compared began without suggestions."""
    with workspaces.open() as space:
        ana, ben, rea = (space.person(name).id for name in ("ana", "ben", "rea"))
        one, two = (each.suggestion for each in _suggested(space, who="ana"))
        for who in (ana, ben):
            for key in (BRIDGE, TEA):
                space.annotate.finish(who, key, seconds=1)
        space.annotate.refuse(ben, BRIDGE, two.id, seconds=1)
        space.annotate.finish(ben, BRIDGE, seconds=1)
        review = space.team.review
        review.finish(rea, BRIDGE, seen=review.open(rea, BRIDGE).seen, seconds=1)
        space.corpus.allow_edits_after_adjudication("pairs", allowed=True)
        space.annotate.accept(ana, BRIDGE, one.id, seconds=1)
        space.annotate.refuse(ben, BRIDGE, one.id, seconds=1)
        for who in (ana, ben):
            space.annotate.finish(who, BRIDGE, seconds=1)
    for option, expected in (
        ((), {"judge:m4chine": (1, 0, 1)}),
        (("--after-review",), {"import:m4chine": (2, 1, 1), "judge:m4chine": (1, 0, 1)}),
    ):
        counted = found("agreement", "--json", *option).json["suggested_work"]
        assert {
            each["maker"]: (each["readings"], each["accepted"], each["refused"]) for each in counted
        } == expected
    without = found("agreement", "--json", "--without-suggested-work").json
    assert without["together"]["samples"] == 1


def test_acceptances_undone_before_the_adjudication_still_count(found: Command) -> None:
    """Also if the annotator edits the sample after it; those undone after it do not."""
    with workspaces.open() as space:
        ana, ben, rea = (space.person(name).id for name in ("ana", "ben", "rea"))
        one = _suggested(space, who="ana")[0].suggestion
        space.annotate.accept(ana, BRIDGE, one.id, seconds=1)
        space.annotate.undo(ana)
        for who in (ana, ben):
            space.annotate.finish(who, BRIDGE, seconds=1)
        review = space.team.review
        review.finish(rea, BRIDGE, seen=review.open(rea, BRIDGE).seen, seconds=1)
        space.corpus.allow_edits_after_adjudication("pairs", allowed=True)
        space.annotate.add(ana, BRIDGE, claim("late", 0, 3, label="Benign"), seconds=1)
        space.annotate.accept(ben, BRIDGE, one.id, seconds=1)
        space.annotate.undo(ben)
        for who in (ana, ben):
            space.annotate.finish(who, BRIDGE, seconds=1)
    for option, people in (((), ["ana"]), (("--after-review",), ["ana", "ben"])):
        (work,) = found("agreement", "--json", *option).json["suggested_work"]
        assert [each["name"] for each in work["people"]] == people
        assert work["undone"] == len(people)


@pytest.mark.usefixtures("found")
def test_annotators_see_only_their_own_answers() -> None:
    """And none where suggestions are hidden, as in `status` and in agreement."""
    for who in ("ana", "ben"):
        _take(who=who)
    with workspaces.open() as space:
        ana = space.person("ana").id
        database = space.team.database
        own = WorkStatisticsStore(database, actor=Actor(ana, Role.ANNOTATOR))
        assert [each.person for each in own.suggestion_answers()] == [ana]
        answers = SuggestionStore(database, actor=Actor(ana, Role.ANNOTATOR)).answers("pairs")
        assert [person for _, person in answers] == [ana]
        space.machines.blind_datasets.hide("pairs")
        assert own.suggestion_answers() == []
        hidden = SuggestionStore(database, actor=Actor(ana, Role.ANNOTATOR)).answers("pairs")
        assert hidden == {}


def test_what_was_taken_comes_out_and_in_without_loss(found: Command, tmp_path: Path) -> None:
    """In the native form, to the byte; changed or not."""
    with workspaces.open() as space:
        ana = space.person("ana").id
        one, two = (each.suggestion for each in _suggested(space, who="ana"))
        space.annotate.accept(ana, BRIDGE, one.id, seconds=1)
        other = replace(claim("x", 0, 3, label="Benign"), labels=(("Benign",),))
        space.annotate.accept(ana, BRIDGE, two.id, changed=other, seconds=1)
        origins = {each.suggested for each in space.annotate.open(ana, BRIDGE).annotations}
    assert origins == {
        Provenance(suggestion=one.id, maker=one.maker, score=0.5),
        Provenance(suggestion=two.id, maker="judge:m4chine", changed=True),
    }
    assert found("export", "--to", "native", "-o", "a.jsonl").code == 0
    found("init", "again")
    assert found("ingest", "-w", "again", "a.jsonl", "--embedder", "none").code == 0
    assert found("export", "-w", "again", "--to", "native", "-o", "b.jsonl").code == 0
    report = [
        [json.loads(line)["annotations"] for line in (tmp_path / name).open(encoding="utf-8")]
        for name in ("a.jsonl", "b.jsonl")
    ]
    assert report[0] == report[1]
    assert [bool(each["suggested"]) for each in report[0][0]] == [True, True]
    csv = found("export", "--to", "csv", "-o", "a.csv")
    assert f" {RecordTrait.SUGGESTED}: 2\n" in csv.err


@pytest.mark.usefixtures("found")
def test_a_reviewer_is_not_told_what_a_machine_found() -> None:
    """While they settle, nor is what they settle a machine's; it still names its sources."""
    for who in ("ana", "ben"):
        _take(who=who)
        with workspaces.open() as space:
            space.annotate.finish(space.person(who).id, BRIDGE, seconds=1)
    with workspaces.open() as space:
        cem = space.person("cem").id
        open_sample = space.team.review.open(cem, BRIDGE)
        assert [each.suggested for layer in open_sample.layers for each in layer.annotations] == [
            None
        ] * 2
        assert "m4chine" not in repr(open_sample.groups)
        sources = open_sample.groups[0].candidates[0].sources
        judged = space.team.review.take(cem, BRIDGE, [sources], seen=open_sample.seen, seconds=1)
        (settled,) = judged.settled
        assert settled.suggested is None
        assert settled.settled
        assert settled.settled.sources == sources


def test_labels_that_are_renamed_are_so_on_what_was_taken(found: Command) -> None:
    """Its provenance and the answer stay; what is open is taken under the new name, unchanged."""
    _take()
    assert found("labels", "rename", "Benign", "Harmless").code == 0
    with workspaces.open() as space:
        me = space.person().id
        (made,) = space.annotate.open(me, BRIDGE).annotations
        assert made.labels == (("Harmless",),)
        assert made.suggested
        assert not made.suggested.changed
        assert _suggested(space)[0].answer is AnswerKind.ACCEPTED
        (open_one,) = _suggested(space, TEA)
        saved = space.annotate.accept(me, TEA, open_one.suggestion.id, seconds=1)
        assert saved.answers[open_one.suggestion.id].answer is AnswerKind.ACCEPTED
        assert saved.annotations[0].labels == (("Harmless",),)
        assert not list(AuditStore(space.team.database).find_faults())


def test_the_log_alone_brings_all_answers_back(found: Command, tmp_path: Path) -> None:
    """As a state that is kept, or a backup, is made of it."""
    from tui_annotate.storage.log.rebuild import rebuild_tables
    from tui_annotate.storage.sqlite_database import SqliteDatabase

    _take()
    with workspaces.open() as space:
        one = _suggested(space)[1].suggestion
        space.annotate.refuse(space.person().id, BRIDGE, one.id, reason="no", seconds=1)
        before = _suggested(space)
        space.team.database.copy_to(tmp_path / "copy.sqlite")
    with sqlite3.connect(tmp_path / "copy.sqlite") as raw:
        rows = raw.execute("SELECT * FROM answers ORDER BY 1, 2, 3").fetchall()
        raw.execute("DELETE FROM answers")
        raw.commit()
    raw.close()
    copy = SqliteDatabase.open(tmp_path / "copy.sqlite")
    assert len(list(AuditStore(copy).find_faults())) == 1
    rebuild_tables(copy)
    with copy.reading() as connection:
        again = connection.exec_driver_sql("SELECT * FROM answers ORDER BY 1, 2, 3").fetchall()
    assert [tuple(row) for row in again] == rows
    copy.close()
    assert found("backup", "create", "kept").code == 0
    assert found("backup", "restore", "kept", "restored").code == 0
    with workspaces.open(tmp_path / "restored") as space:
        assert _suggested(space) == before


def test_texts_that_change_end_suggestions_and_answers(found: Command, tmp_path: Path) -> None:
    """What was answered is in the log; on the new text nothing of it stands."""
    _take()
    lines = (tmp_path / "pairs.jsonl").read_text("utf-8").replace("12 million", "13 million")
    (tmp_path / "pairs.jsonl").write_text(lines, "utf-8")
    replace_ = ("datasets", "replace", "pairs", "pairs.jsonl", "--id-column", "id", "--embedder")
    done = found(*replace_, "none", "--delete-annotations")
    assert done.code == 0, done.err
    with workspaces.open() as space:
        assert _suggested(space) == ()
        assert len(_suggested(space, TEA)) == 1
        assert space.log.state(space.person().id, BRIDGE).suggestions == {}
        assert not list(AuditStore(space.team.database).find_faults())


# elsewhere ----------------------------------------------------------------------------------------


def _bundle(command: Command, file: Path) -> tuple[Path, Person]:
    file.unlink(missing_ok=True)
    with workspaces.open() as space:
        space.annotate.comment(space.person().id, TEA, "mine", seconds=1)
    made = command("sync", "bundles", "create", "--person", "reader", "-o", str(file))
    assert made.code == 0, made.err
    folder, merged = bundles.open_bundle(file)
    return folder, merged.person


def test_a_bundle_takes_suggestions_and_brings_answers(found: Command, tmp_path: Path) -> None:
    """Under labels as they are now; made anew it brings what is new; hidden it brings none."""
    file = tmp_path / "me.bundle"
    assert found("labels", "rename", "Benign", "Harmless").code == 0
    folder, person = _bundle(found, file)
    with workspaces.open(folder) as away, workspaces.open() as space:
        assert away.machines.suggestions.runs() == space.machines.suggestions.runs()
        mine = away.annotate.store.suggested(person.id, BRIDGE)
        assert mine == space.annotate.store.suggested(person.id, BRIDGE)
        away.annotate.accept(person.id, BRIDGE, mine[0].suggestion.id, seconds=1)
        away.annotate.refuse(person.id, BRIDGE, mine[1].suggestion.id, reason="no", seconds=1)
        answered = away.annotate.store.suggested(person.id, BRIDGE)
    bundles.write_back(file, folder)
    assert found("sync", "bundles", "merge", str(file)).code == 0
    with workspaces.open() as space:
        assert space.annotate.store.suggested(person.id, BRIDGE) == answered
        space.machines.suggestions.add(run(dataset="pairs"), [(TEA, suggestion(TEA, 0, 2))])
    folder, _ = _bundle(found, file)
    with workspaces.open(folder) as away:
        assert len(away.annotate.store.suggested(person.id, TEA)) == 2
        assert away.annotate.store.suggested(person.id, BRIDGE) == answered
    found("suggestions", "hide", "--dataset", "pairs")
    folder, _ = _bundle(found, file)
    with workspaces.open(folder) as away:
        assert away.annotate.store.suggested(person.id, TEA) == ()
        assert len(away.annotate.open(person.id, BRIDGE).annotations) == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda line: line | {"sample": "gone"},
        lambda line: line | {"run": 3},
        lambda line: line | {"suggestion": line["suggestion"] | {"score": 3}},
        lambda line: line | {"suggestion": line["suggestion"] | {"maker": "another"}},
        lambda line: (
            line | {"suggestion": line["suggestion"] | {"claim": [["summary", 0, 1, 999]]}}
        ),
        lambda line: [line],
    ],
)
def test_a_bundle_with_odd_suggestions_is_damaged(
    change: object, found: Command, tmp_path: Path
) -> None:
    """It is told, and the folder keeps what it had."""
    from tui_annotate.domain.errors import InvalidInput
    from tui_annotate.plugins.sync import bundle_file
    from tui_annotate.workspace import bundles

    folder, person = _bundle(found, tmp_path / "me.bundle")
    place = tmp_path / "place"
    place.mkdir()
    bundle_file.unpack(tmp_path / "me.bundle", place)
    member = place / bundle_file.SUGGESTIONS
    first, *rest = member.read_text("utf-8").splitlines()
    odd = json.dumps(change(json.loads(first)))  # type: ignore[operator]
    member.write_text("\n".join([*rest, odd]), "utf-8")
    with workspaces.open(folder) as away:
        with pytest.raises(InvalidInput, check=has_code("bundle-damaged")):
            bundles.take_suggestions(away, tmp_path / "me.bundle", place)
        assert len(away.annotate.store.suggested(person.id, BRIDGE)) == 2


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeTable]:
    """A table, and where it is in the environment."""
    with serving_table() as running:
        monkeypatch.setenv("TUI_ANNOTATE_SYNC_URL", running.url)
        monkeypatch.setenv("TUI_ANNOTATE_SYNC_KEY", KEY)
        yield running


@pytest.fixture
def both(found: Command, tmp_path: Path) -> Command:
    """A second workspace with the same suggestions; in the first all three are answered."""
    found("init", "two")
    ids = ("--id-column", "id", "--embedder", "none")
    assert found("ingest", "-w", "two", "pairs.jsonl", *ids).code == 0
    file = (str(tmp_path / "found.jsonl"), "--maker", "import:m4chine")
    assert found("suggestions", "import", "-w", "two", *file).code == 0
    with workspaces.open() as space:
        me = space.person().id
        one, two = (each.suggestion for each in _suggested(space))
        (tea,) = (each.suggestion for each in _suggested(space, TEA))
        space.annotate.accept(me, BRIDGE, one.id, seconds=1)
        space.annotate.refuse(me, BRIDGE, two.id, reason="no", seconds=1)
        space.annotate.refuse(me, TEA, tea.id, reason="nor that", seconds=1)
    return found


def _answers(space: Workspace, key: SampleKey) -> list[tuple[str, object, str, str, bool]]:
    return [
        (each.suggestion.id, each.answer, each.reason, each.annotation, each.annotation_exists)
        for each in _suggested(space, key)
    ]


def test_a_table_carries_answers(both: Command, tmp_path: Path, fake: FakeTable) -> None:
    """Taken and refused, and taken back; once more nothing is sent."""
    assert both("sync", "push", "--json").json["samples"] == 2
    assert both("sync", "push", "--json").json["samples"] == 0
    assert both("sync", "pull", "-w", "two", "--json").json[0]["samples"] == 2
    with workspaces.open() as here, workspaces.open(tmp_path / "two") as there:
        for key in (BRIDGE, TEA):
            assert _answers(here, key) == _answers(there, key)
        assert not list(AuditStore(there.team.database).find_faults())
        here.annotate.undo(here.person().id)
    assert both("sync", "push", "--json").json["samples"] == 1
    assert both("sync", "pull", "-w", "two").code == 0
    with workspaces.open(tmp_path / "two") as there:
        assert _suggested(there, TEA)[0].open
    assert len(fake.rows) == 2


@pytest.mark.parametrize("answers", [3, {"": {}}, {"s": {"answer": "maybe"}}])
def test_a_row_that_says_nonsense_of_answers_is_left(
    answers: object, both: Command, fake: FakeTable
) -> None:
    """And what is here stays."""
    both("sync", "push")
    row = fake.rows["pairs", "reader", "bridge"]
    row["payload"]["suggestions"] = answers
    row["updated_at"] = "2099-01-01T00:00:00+00:00"
    report = both("sync", "pull")
    assert "answer" in report.out + report.err
    with workspaces.open() as space:
        assert [each.answer for each in _suggested(space)] == [
            AnswerKind.ACCEPTED,
            AnswerKind.REFUSED,
        ]
