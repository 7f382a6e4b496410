"""report: of a workspace and of a file, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command, numbers
from tests.helpers.stores import claim
from tui_annotate import workspace as workspaces
from tui_annotate.cli import report as cli_report
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.samples import SampleKey
from tui_annotate.services import report as reports

DUMP = [
    {
        "sample_id": number,
        "source": f"It cost 12 million. {number}",
        "summary": "It cost 15 million.",
        "annotations": [
            {
                "annot_id": f"{number}",
                "annotator": "a1b2",
                "annotator_name": "ana",
                "label": ["Benign"],
                "note": "by ana",
                "summary_start": 3,
                "summary_end": 10,
            }
        ],
    }
    for number in range(2)
]


@pytest.fixture
def dump(tmp_path: Path) -> str:
    """A file of two samples with an annotation each."""
    path = tmp_path / "dump.json"
    path.write_text(json.dumps(DUMP), "utf-8")
    return str(path)


def test_a_workspace_becomes_a_page(filled: Command, tmp_path: Path) -> None:
    """Named by its folder, in a file or on standard output; what is in it is told."""
    with workspaces.open(tmp_path) as space:
        ana = space.person("ana").id
        space.annotate.add(ana, SampleKey("pairs", "bridge"), claim("a", label="Benign"), seconds=1)
    done = filled("report", "--all-samples", "-o", "out.html")
    assert (done.code, done.out) == (0, "")
    assert numbers(done.err) == [1, 2]
    assert done.err.endswith(" out.html\n")
    page = (tmp_path / "out.html").read_text("utf-8")
    assert f'{{"title":"{tmp_path.name}"' in page
    assert filled("report", "--all-samples", "-o", "-").out == page
    annotated = filled("report", "-o", "out.html")
    assert numbers(annotated.err) == [1, 1]
    assert (filled("report").code, len(list(tmp_path.glob("report-*.html")))) == (0, 1)
    narrow = filled("report", "--label", "Benign", "-o", "out.html")
    assert numbers(narrow.err) == [1, 1]
    refused = filled("report", "--label", "Nothing").error
    assert type(refused) is InvalidInput
    assert "'Nothing'" in refused.message
    assert "Benign, Questionable" in refused.hint


def test_a_page_has_no_numbers_that_json_does_not_have(command: Command, tmp_path: Path) -> None:
    """A browser reads no NaN: it is null on the page, and counted."""
    row = {"source": "It cost 12.", "summary": "It cost 15.", "p": float("nan"), "q": [1e999]}
    (tmp_path / "odd.jsonl").write_text(json.dumps(row), "utf-8")
    done = command("report", "odd.jsonl", "-o", "out.html", "--json", "--all-samples")
    assert (done.code, done.json["not_finite"]) == (0, 2), done.err
    assert '"meta":{"p":null,"q":[null]}' in (tmp_path / "out.html").read_text("utf-8")
    assert [2] in [numbers(line) for line in done.err.splitlines()]


def test_a_file_becomes_a_page_without_a_workspace(
    command: Command, dump: str, tmp_path: Path
) -> None:
    """The same file gives the same page, whenever it is read; nothing else is written."""
    made = command("report", dump, "-o", "one.html")
    assert (made.code, numbers(made.err)) == (0, [2, 2])
    assert made.err.endswith(" one.html\n")
    page = (tmp_path / "one.html").read_text("utf-8")
    assert "by ana" in page
    assert command("report", dump, "-o", "-").out == page
    assert sorted(each.name for each in tmp_path.iterdir()) == ["dump.json", "one.html"]
    assert command("report", dump, "--person", "ana", "-o", "one.html").code == 0
    assert command("report", dump, "--person", "ben", "-o", "one.html").code == 2


def test_a_file_is_read_as_it_is_said(command: Command, tmp_path: Path) -> None:
    """By columns, as in convert; what can not be read is told, and the rest is there."""
    lines = [{"text": "One.", "sum": "Two."}, {"text": "One."}]
    (tmp_path / "in.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    columns = ("--source-column", "text", "--summary-column", "sum")
    wanted = ("--from", "pairs", *columns, "--all-samples", "-o", "out.html")
    done = command("report", "in.jsonl", *wanted)
    assert done.code == 3
    assert "in.jsonl:2" in done.err
    last = done.err.splitlines()[-1]
    assert numbers(last) == [0, 1]
    assert last.endswith(" out.html")
    assert command("report", "in.jsonl", "-o", "out.html").code == 2


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--columns", "frank"), "FILE"),
        (("--from", "pairs"), "FILE"),
        (("--pseudonym-key", "k"), "--pseudonym-key"),
        (("dump.json", "-w", "."), "--workspace"),
        (("dump.json", "--pseudonymize"), "--pseudonym-key"),
        (("dump.json", "-o", "dump.json"), "dump.json"),
        (("none.json",), "none.json"),
    ],
)
def test_wishes_that_contradict_are_refused(
    filled: Command, dump: str, arguments: tuple[str, ...], told: str
) -> None:
    """An option that would do nothing is misuse."""
    done = filled("report", *arguments)
    assert isinstance(done.error, InvalidInput | NotFound)
    assert told in done.error.message + done.error.hint
    assert json.loads(Path(dump).read_text("utf-8")) == DUMP


def test_a_report_replaces_no_file_that_it_reads(command: Command, tmp_path: Path) -> None:
    """Not in a folder, and not one of several files that a pattern names."""
    folder = tmp_path / "rt"
    folder.mkdir()
    source = {"source_id": "1", "source_info": "It cost 12.", "task_type": "Summary"}
    response = {"id": "1", "source_id": "1", "response": "It cost 15.", "labels": []}
    (folder / "source_info.jsonl").write_text(json.dumps(source), "utf-8")
    (folder / "response.jsonl").write_text(json.dumps(response), "utf-8")
    assert command("report", "rt", "-o", "out.html").code == 0
    for target in ("rt/response.jsonl", "rt/source_info.jsonl"):
        refused = command("report", "rt", "-o", target)
        assert type(refused.error) is InvalidInput
        assert target in refused.error.message
    assert json.loads((folder / "response.jsonl").read_text("utf-8")) == response
    rows = {"source": "It cost 12.", "summary": "It cost 15."}
    (tmp_path / "a1.jsonl").write_text(json.dumps(rows), "utf-8")
    for _ in range(2):  # the second time, the report exists
        assert command("report", "a*.jsonl", "-o", "out.html").code == 0
    refused = command("report", "a*.jsonl", "-o", "a1.jsonl")
    assert type(refused.error) is InvalidInput


@pytest.mark.parametrize("exists", [False, True])
def test_a_missing_file_is_told_also_if_the_report_exists(
    command: Command, tmp_path: Path, *, exists: bool
) -> None:
    """With the same code."""
    if exists:
        (tmp_path / "out.html").write_text("x", "utf-8")
    done = command("report", "none.json", "--from", "mercury", "-o", "out.html")
    assert type(done.error) is NotFound


def test_all_problems_are_counted_if_nothing_can_be_read(command: Command, tmp_path: Path) -> None:
    """The first ones in full, as in convert."""
    (tmp_path / "bad.jsonl").write_text('{"source": "One.", "summary": ""}\n' * 30, "utf-8")
    done = command("report", "bad.jsonl", "--from", "pairs", "-o", "out.html")
    assert type(done.error) is InvalidInput
    assert "and 10 more problems" in done.err
    assert "  30: " in done.err


def test_a_file_s_people_can_be_hidden(command: Command, dump: str, tmp_path: Path) -> None:
    """By words that a key makes, as in convert; what may name them all the same is told."""
    key = ("--pseudonymize", "--pseudonym-key", "k")
    done = command("report", dump, *key, "-o", "out.html")
    assert done.code == 0
    assert [1] in [numbers(line) for line in done.err.splitlines()]
    page = (tmp_path / "out.html").read_text("utf-8")
    assert '"ana"' not in page
    assert "a1b2" not in page
    assert page.count("person-") >= 3


def test_a_heavy_page_is_told(
    filled: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With what makes it lighter."""
    wanted = ("report", "--all-samples", "-o", str(tmp_path / "out.html"))
    assert filled(*wanted).err.count("\n") == 1
    monkeypatch.setattr(reports, "HEAVY", 1_000)
    *_, heavy = filled(*wanted).err.splitlines()
    assert "--dataset" in heavy


def test_a_report_without_samples_is_told(filled: Command) -> None:
    """Where nothing is annotated, the report is empty, and the option for all samples is named."""
    done = filled("report", "-o", "out.html")
    assert done.code == 0
    assert "--all-samples" in done.err
    assert "no annotated sample matches the options" in done.err


def test_a_large_report_is_told_before_and_after(
    annotated: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its size before it is written, its pages afterwards; as JSON, the files of all pages."""
    monkeypatch.setattr(reports, "PAGE_BYTES", 1)
    monkeypatch.setattr(cli_report, "_MEGABYTE", 100)
    lines = annotated("report", "--all-samples", "-o", "out.html").err.splitlines()
    before, after, *_ = lines
    assert numbers(before)[0] == 2
    assert "out.html" not in before
    assert "out.html" in after
    done = annotated("report", "--all-samples", "-o", "out.html", "--json")
    assert done.json["pages"] == ["out.html", "out-2.html"]
    sizes = [(tmp_path / each).stat().st_size for each in done.json["pages"]]
    assert done.json["bytes"] == sum(sizes)
