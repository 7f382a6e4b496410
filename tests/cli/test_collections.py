"""Collections of reports at the command line: in, judged, out, and converted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command, numbers
from tests.plugins.formats.test_autojudge import POOLS, TOPICS, lines, report
from tui_annotate import workspace as workspaces
from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.samples import SampleKey

ROOT = Path(__file__).parents[2]
COLLECTION = ROOT / "sample_data" / "autojudge"
RUNS = ("--from", "autojudge", "--dataset", "rag", "--embedder", "none")
EMOJI = "Crabs 🦀 hide."


@pytest.fixture
def rag(command: Command, tmp_path: Path) -> Command:
    """A workspace with a report on each of two topics; ana rated one, and opened another item."""
    lines(tmp_path / "topics.jsonl", *TOPICS)
    rows = [
        report((EMOJI, ["a"]), "It rains.", documents={"a": POOLS}),
        report("风筝飞了。", run="run2", topic="1102"),
    ]
    lines(tmp_path / "runs.jsonl", *rows)
    assert command("init").code == 0
    done = command("ingest", "runs.jsonl", "--topics", "topics.jsonl", *RUNS)
    assert (done.code, numbers(done.out)) == (0, [6])
    with workspaces.open(tmp_path) as space:
        ana = space.people.local("ana").id
        space.annotate.rate(ana, SampleKey("rag", "c|1101|run1|0|a"), "So-so", seconds=1.0)
        space.annotate.finish(ana, SampleKey("rag", "d|1101|a"), seconds=1.0)
    return command


def _rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_one_topic_of_the_sample_collection(command: Command) -> None:
    """The folder of runs with both files beside it; the others are passed over."""
    assert command("init").code == 0
    topics = ("--topics", str(COLLECTION / "topics.jsonl"), "--topic", "103")
    documents = ("--documents", str(COLLECTION / "documents.jsonl"))
    done = command("ingest", str(COLLECTION / "runs"), *topics, *documents, *RUNS)
    assert (done.code, done.err) == (0, "")
    native = _rows(command("export", "--to", "native").out)
    assert {row["meta"]["topic_id"] for row in native} == {"103"}
    assert {row["dataset"] for row in native} == {"rag"}


def test_bad_lines_cost_themselves_and_the_exit_code_says_so(command: Command) -> None:
    """3 where some are refused, 2 where all are, 2 with nothing stored where asked to be strict."""
    lines(Path("topics.jsonl"), *TOPICS)
    lines(Path("runs.jsonl"), report("a"), "{", report("b", run="run2"))
    lines(Path("bad.jsonl"), "{")
    assert command("init").code == 0
    strict = command("ingest", "runs.jsonl", "--topics", "topics.jsonl", "--strict", *RUNS)
    assert (strict.code, "runs.jsonl:2" in strict.err) == (2, True)
    assert command("export", "--to", "native").out == ""
    some = command("ingest", "runs.jsonl", "--topics", "topics.jsonl", *RUNS)
    assert (some.code, numbers(some.out)) == (3, [4, 1])
    assert command("ingest", "bad.jsonl", "--topics", "topics.jsonl", *RUNS).code == 2


def test_what_is_missing_is_named_with_the_option(command: Command) -> None:
    """Topics that are not named, not there, or lack the one that is wanted."""
    lines(Path("topics.jsonl"), *TOPICS)
    lines(Path("runs.jsonl"), report("a"))
    assert command("init").code == 0
    bare = command("ingest", "runs.jsonl", *RUNS)
    assert (bare.code, "--topics" in bare.err) == (2, True)
    absent = command("ingest", "runs.jsonl", "--topics", "nowhere.jsonl", *RUNS)
    assert (absent.code, "nowhere.jsonl" in absent.err) == (2, True)
    other = command("ingest", "runs.jsonl", "--topics", "topics.jsonl", "--topic", "1103", *RUNS)
    assert type(other.error) is NotFound
    assert "'1103'" in other.error.message
    assert "1101" in other.error.hint


def test_judgements_go_out_and_come_back(rag: Command) -> None:
    """What is only opened is asked for; read into another workspace the lines are the same."""
    (row,) = _rows(rag("export", "--to", "autojudge").out)
    assert (row["username"], row["rating"], row["citation"]["docid"]) == ("ana", "So-so", "a")
    done = rag("export", "--to", "autojudge", "--include-unrated", "-o", "judged.jsonl")
    assert "autojudge" in done.err
    assert "ids of annotators: 1" in done.err
    written = Path("judged.jsonl").read_text("utf-8")
    assert [(one["rating"], "docid" in one) for one in _rows(written)] == [
        ("So-so", False),
        ("Not rated", True),
    ]
    assert rag("init", "other").code == 0
    back = rag("ingest", "judged.jsonl", "-w", "other", "--embedder", "none")
    assert back.code == 0
    again = rag("export", "-w", "other", "--to", "autojudge", "--include-unrated")
    assert again.out == written


def test_offsets_are_counted_as_asked(rag: Command, tmp_path: Path) -> None:
    """In UTF-16 units behind an emoji, and back."""
    native = _rows(rag("export", "--to", "native").out)
    (cited,) = [row for row in native if row["id"] == "c|1101|run1|0|a"]
    hide = {"labels": [["Passage"]], "claim": [["summary", 0, 8, 12]], "quotes": ["hide"]}
    cited["annotations"] = [{"person": "li", "id": "x", **hide}]
    cited["people"] = [*cited.get("people", []), {"id": "li", "name": "li", "kind": "imported"}]
    rest = [row for row in native if row is not cited]
    rows = [rest[0], cited, *rest[1:]]
    lines(tmp_path / "native.jsonl", *rows)
    for offsets, start in {"codepoint": 8, "utf16": 9}.items():
        target = f"{offsets}.jsonl"
        to = ("--to", "autojudge", "--offsets", offsets)
        assert rag("convert", "native.jsonl", target, *to).code == 0
        by_name = {row["username"]: row for row in _rows(Path(target).read_text("utf-8"))}
        (span,) = by_name["li"]["report_spans"]
        assert span == {"start": start, "end": start + 4, "text": "hide"}
        back = rag("convert", target, "-", "--to", "native")
        quotes = [one["quotes"] for row in _rows(back.out) for one in row["annotations"]]
        assert quotes == [["hide"]]


def test_pseudonyms_and_layers_work_for_lines(rag: Command) -> None:
    """Nobody is named; one person's lines are theirs alone."""
    hidden = rag("export", "--to", "autojudge", "--pseudonymize").out
    assert "ana" not in hidden
    assert _rows(hidden)[0]["username"].startswith("person-")
    assert len(_rows(rag("export", "--to", "autojudge", "--layer", "ana").out)) == 1
    assert rag("export", "--to", "autojudge", "--layer", "adjudicated").out == ""


def test_a_filter_leaves_the_report_of_a_citation_where_it_is(rag: Command) -> None:
    """Nobody said anything of the report itself; the line has it whole all the same."""
    (row,) = _rows(rag("export", "--to", "autojudge", "--person", "ana").out)
    assert [one["text"] for one in row["citation"]["report"]["sentences"]] == [EMOJI, "It rains."]
    assert list(row["citation"]["report"]["documents"]) == ["a"]
