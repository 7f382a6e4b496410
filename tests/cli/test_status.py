"""status: its figures."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Command, numbers
from tests.helpers.stores import claim
from tui_annotate import workspace as workspaces
from tui_annotate.domain.scores import RunKind, ScoreRun


def test_status_counts_everything(annotated: Command) -> None:
    """The JSON of status has the figures of the whole, of datasets and of people."""
    shown = annotated("status", "--json").json
    expected = {"samples": 2, "documents": 4, "annotations": 1, "completed": 0}
    assert {name: shown[name] for name in expected} == expected
    assert shown["datasets"][0]["name"] == "pairs"
    assert shown["progress"][0]["name"] == "reader"
    assert shown["people"][0]["name"] == "reader"
    assert "reader" in annotated("status").out


def test_status_counts_what_machines_said(annotated: Command, tmp_path: Path) -> None:
    """Runs that ended; nothing is told where there is none."""
    assert annotated("status", "--json").json["runs"] == 0
    assert "tui-annotate lab scores list" not in annotated("status").out
    with workspaces.open(tmp_path) as space:
        run = ScoreRun(id="r", kind=RunKind.SCORE, maker="m", dataset="pairs")
        space.machines.scores.write(run, [])
    assert annotated("status", "--json").json["runs"] == 1
    (line,) = [line for line in annotated("status").out.splitlines() if "lab scores list" in line]
    assert numbers(line) == [1]
    assert "tui-annotate lab scores list" in line


def test_commands_that_status_names_work_when_typed(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In another folder, for a workspace and a dataset whose names contain spaces."""
    folder, on = tmp_path / "my work", ("--dataset", "old news")
    rows = [{"id": f"s{at}", "source": "It cost 1.", "summary": f"It cost {at}."} for at in "123"]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    assert command("init", str(folder)).code == 0
    monkeypatch.setenv("TUI_ANNOTATE_WORKSPACE", str(folder))
    assert command("ingest", "rows.jsonl", *on, "--id-column", "id", "--embedder", "none").code == 0
    with workspaces.open(folder) as space:
        kim, ana = space.person("kim").id, space.person("ana").id
        gold = next(iter(space.corpus.keys()))
        space.annotate.finish(kim, gold, seconds=0)
    assert command("assignments", "pool", *on).code == 0
    assert command("assignments", "gold", *on, "--gold", "kim", "--every", "2").code == 0
    with workspaces.open(folder) as space:
        while key := space.annotate.next_unfinished(ana, None):
            space.annotate.finish(ana, key, seconds=60)
        space.annotate.add(kim, gold, claim("k", 0, 4, label="Benign"), seconds=0)
        space.annotate.finish(kim, gold, seconds=0)
        run = ScoreRun(id="r", kind=RunKind.SCORE, maker="m", dataset="old news")
        space.machines.scores.write(run, [])
    monkeypatch.delenv("TUI_ANNOTATE_WORKSPACE")
    shown = command("-w", str(folder), "status")
    named = re.findall(r"tui-annotate .*", shown.out + shown.err)
    assert [shlex.split(each)[3:6] for each in named] == [
        ["lab", "scores", "list"],
        ["assignments", "rescore-gold", "--dataset"],
    ]
    assert [command(*shlex.split(each)[1:]).code for each in named] == [0, 0]


def test_status_tells_people_and_weeks(annotated: Command, tmp_path: Path) -> None:
    """Who is how far and how fast, what is ahead, a chart by week, flags with their reasons."""
    nothing = annotated("status", "--flagged")
    assert (nothing.code, nothing.out, nothing.err.count("\n")) == (0, "", 1)
    with workspaces.open(tmp_path) as space:
        person, keys = space.person("reader").id, space.corpus.keys()
        space.annotate.flag(person, keys[1], reason="cut \x1b[31m off", seconds=60)
        space.annotate.add(person, keys[0], claim("t", 0, 3, label=""), seconds=60)
    shown = annotated("status", "--weeks", "2").out
    for words in ("new", "samples/h", "no estimated end for reader", "completed readings"):
        assert words in shown
    assert "#" not in shown  # two minutes are 0.0 hours
    for words in ("assigned", "skipped", "readings remaining"):  # nothing is assigned or skipped
        assert words not in shown
    flagged = annotated("status", "--flagged").out
    assert "cut" in flagged
    assert "\x1b" not in flagged
    assert annotated("status", "--json").json["flags"][0]["sample"] == "tea"


def test_the_states_of_samples_add_up(annotated: Command, tmp_path: Path) -> None:
    """Each sample has one state for an annotator, in JSON and in the table."""
    with workspaces.open(tmp_path) as space:
        space.annotate.finish(space.person("kim").id, space.corpus.keys()[0], seconds=60)
    shown = annotated("status").out
    titles, *rows = shown[shown.index("samples by annotator:") :].splitlines()[1:4]
    columns = [each.replace(" ", "_") for each in re.split(r"  +", titles)]
    assert columns == ["annotator", "dataset", "completed", "in_progress", "new"]
    counts = {row.split()[0]: numbers(row) for row in rows}
    assert counts == {"kim": [1, 0, 1], "reader": [0, 1, 1]}
    assert "1 by 1 annotator" in shown


def test_short_work_has_no_pace(annotated: Command, tmp_path: Path) -> None:
    """Less than a minute is no time of day, and 15 minutes of work give numbers per hour."""
    with workspaces.open(tmp_path) as space:
        person, keys = space.person("kim").id, space.corpus.keys()
        for key in keys:
            space.annotate.finish(person, key, seconds=4)

    def row() -> list[str]:
        shown = annotated("status").out
        lines = shown[shown.index("annotations and working time") :].splitlines()
        return re.split(r"  +", next(line for line in lines if line.startswith("kim ")))

    assert row()[3:] == ["under a minute", "-", "-", "-"]  # nothing is left to estimate
    with workspaces.open(tmp_path) as space:
        for _ in range(15):
            space.annotate.rate(person, keys[0], "Good", seconds=60)
    assert row()[3] == "0:15"
    assert row()[4] != "-"


def test_status_counts_adjudicated_samples(annotated: Command, tmp_path: Path) -> None:
    """Out of all samples, once one is adjudicated."""
    assert "\nadjudicated" not in annotated("status").out
    with workspaces.open(tmp_path) as space:
        key, kim = space.corpus.keys()[0], space.person("kim").id
        for name in ("ana", "ben"):
            space.annotate.finish(space.person(name).id, key, seconds=1)
        seen = space.team.review.open(kim, key).seen
        space.team.review.finish(kim, key, seen=seen, seconds=1)
    assert re.search(r"^adjudicated +1 of 2 samples$", annotated("status").out, re.MULTILINE)


def test_a_short_week_has_a_short_bar(annotated: Command, tmp_path: Path) -> None:
    """A full bar is ten hours, or the longest week."""
    with workspaces.open(tmp_path) as space:
        person, key = space.person("reader").id, space.corpus.keys()[0]
        for _ in range(10):
            space.annotate.rate(person, key, "Good", seconds=60)
    (line,) = [line for line in annotated("status").out.splitlines() if "#" in line]
    assert 0 < line.count("#") < 3


def test_status_shows_who_takes_samples_from_the_pool(annotated: Command) -> None:
    """A column only if a dataset has a pool; people with fixed assignments take none."""
    assert "takes from pool" not in annotated("status").out
    on = ("--dataset", "pairs")
    assert annotated("assignments", "pool", *on).code == 0
    fixed = ("--person", "kim", "--create", "tea")
    assert annotated("assignments", "create", *on, *fixed).code == 0
    people = {
        each["name"]: each["from_pool"] for each in annotated("status", "--json").json["people"]
    }
    assert people == {"reader": True, "kim": False}
    lines = annotated("status").out.splitlines()
    start = next(at for at, line in enumerate(lines) if line.endswith("takes from pool"))
    shown = {line.split()[0]: line.split()[6:] for line in lines[start + 1 : start + 3]}
    assert (shown["reader"], shown["kim"][0]) == (["yes"], "no")
