"""RAGTruth: two files in, the same two files out, and one clear line for what does not fit."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.helpers.effort import example_limit
from tests.plugins.formats.laws import read, write
from tests.plugins.strategies import altered
from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import NotFound, TuiAnnotateError
from tui_annotate.domain.people import Person, PersonKind
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Request, Side
from tui_annotate.domain.spans import Span
from tui_annotate.plugins.format_detection import detect
from tui_annotate.plugins.traits import Loss, RecordTrait

SOURCE = "The bridge opened in 1932.\nIt cost 12 million pounds 🌉 and took six years."
SUMMARY = "The 1932 bridge 🌉 cost 15 million pounds and was loved."
RECORD = {"name": "Bridge Café", "hours": {"Monday": "9:0-17:0"}, "stars": 4.5, "open": None}
REVIEWED = RECORD | {"review_info": [{"review_stars": 5.0, "review_text": "Nice."}]}
SOURCES: list[dict[str, Any]] = [
    {"source_id": "s1", "task_type": "Summary", "source": "Invented", "source_info": SOURCE,
     "prompt": "Summarise."},
    {"source_id": "s2", "task_type": "Data2txt", "source": "Toy", "source_info": REVIEWED,
     "prompt": "Write."},
    {"source_id": "s3", "task_type": "QA", "source": "Toy",
     "source_info": {"question": "Who?", "passages": "passage 1: Ana.\n\n"}, "prompt": "Say."},
]  # fmt: skip
LABELS: list[dict[str, Any]] = [
    {"start": 45, "end": 54, "text": "was loved", "meta": "LOW INTRO OF NEW INFO\nnot said",
     "label_type": "Subtle Baseless Info", "implicit_true": True, "due_to_null": False},
    {"start": 23, "end": 40, "text": "15 million pounds", "meta": "12, not 15",
     "label_type": "Evident Conflict"},
]  # fmt: skip
RESPONSES: list[dict[str, Any]] = [
    {"id": "0", "source_id": "s1", "model": "toy-1", "temperature": 0.7, "labels": LABELS,
     "split": "test", "quality": "good", "response": SUMMARY},
    {"id": "1", "source_id": "s1", "model": "toy-2", "temperature": 1, "labels": [],
     "split": "train", "quality": "truncated", "response": "A bridge."},
    {"id": "2", "source_id": "s2", "model": "toy-1", "temperature": 0.7, "labels": [],
     "split": "train", "quality": "good", "response": "It is nice."},
    {"id": "3", "source_id": "s3", "model": "toy-1", "temperature": 0.7, "labels": [],
     "split": "train", "quality": "good", "response": "Ana."},
]  # fmt: skip
GOLD = (Person("ragtruth", "ragtruth", PersonKind.IMPORTED),)


def _lines(rows: list[Any]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _folder(path: Path, *, sources: list[Any], responses: list[Any]) -> Path:
    path.mkdir(exist_ok=True)
    (path / "source_info.jsonl").write_text(_lines(sources), "utf-8")
    (path / "response.jsonl").write_text(_lines(responses), "utf-8")
    return path


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A corpus of three sources and four responses."""
    return _folder(tmp_path / "corpus", sources=SOURCES, responses=RESPONSES)


def test_both_files_come_out_as_they_went_in(corpus: Path, tmp_path: Path) -> None:
    """Texts, records, flags, notes, columns and their order: the same bytes, nothing lost."""
    records, problems = read(corpus, "ragtruth")
    assert problems == []
    report = write(records, "ragtruth", tmp_path / "out")
    assert (report.records, report.annotations, report.lost) == (4, 2, {})
    for name in ("source_info.jsonl", "response.jsonl"):
        assert (tmp_path / "out" / name).read_bytes() == (corpus / name).read_bytes()


def test_what_a_row_becomes(corpus: Path) -> None:
    """A response is the summary of its source; rivals share a group; no labels is read, clean."""
    first, second, third, fourth = read(corpus, "ragtruth")[0]
    assert [document.text for document in first.sample.documents] == [SOURCE, SUMMARY]
    assert (first.sample.dataset, first.sample.id) == ("corpus", "0")
    assert first.sample.group == second.sample.group == "s1"
    assert first.sample.meta["model"] == "toy-1"
    assert first.sample.meta["task_type"] == "Summary"
    loved, cost = (owned.annotation for owned in first.annotations)
    assert loved.claim[0].span.of(SUMMARY) == "was loved"
    assert (cost.labels, cost.note) == ((("Evident Conflict",),), "12, not 15")
    assert [work.state for work in second.assignments] == [State.DONE]
    assert third.sample.side(Side.SOURCE)[0].text.splitlines() == [
        "name: Bridge Café",
        "hours:",
        "  Monday: 9:0-17:0",
        "stars: 4.5",
        "open: null",
        "review_info:",
        "  -",
        "    review_stars: 5.0",
        "    review_text: Nice.",
    ]
    assert (
        fourth.sample.side(Side.SOURCE)[0].text == "question: Who?\npassages: passage 1: Ana.\n\n"
    )


def test_the_folder_or_either_way_to_it_is_known(corpus: Path) -> None:
    """A folder with both files, and the file of responses, are detected; packed ones too."""
    assert detect(corpus) == detect(corpus / "response.jsonl") == "ragtruth"
    assert read(corpus / "response.jsonl", "ragtruth") == read(corpus, "ragtruth")
    (corpus / "source_info.jsonl").rename(corpus / "elsewhere")
    with pytest.raises(NotFound, match=r"source_info\.jsonl"):
        read(corpus / "response.jsonl", "ragtruth")


@pytest.mark.parametrize("shift", [1, 0])
def test_offsets_of_another_unit_are_recognised(tmp_path: Path, shift: int) -> None:
    """Offsets behind the emoji in UTF-16 units are translated; what fits no unit is refused."""
    labels = [each | {"start": each["start"] + 1, "end": each["end"] + 1} for each in LABELS]
    labels[1]["start"] += 2 * (shift - 1)
    row = RESPONSES[0] | {"labels": labels}
    records, problems = read(_folder(tmp_path, sources=SOURCES[:1], responses=[row]), "ragtruth")
    assert [problem.refuses_part for problem in problems] == [*[True] * (1 - shift), False]
    assert not any(problem.refused for problem in problems)
    assert "UTF-16" in problems[-1].message
    quotes = [owned.annotation.claim[0].span.of(SUMMARY) for owned in records[0].annotations]
    assert quotes == ["was loved", "15 million pounds"][: 1 + shift]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"source_id": "s9"}, ["'s9'", "source_info.jsonl"]),
        ({"labels": None}, ["'labels'"]),
        ({"labels": [LABELS[1] | {"start": 0}]}, ["label 1", "0:"]),
        ({"labels": [LABELS[1] | {"end": "40"}]}, ["label 1", "'40'"]),
        ({"labels": [LABELS[1] | {"meta": 5}]}, ["'meta'", "(5)"]),
        ({"response": ""}, ["'response'"]),
        ({"id": "1"}, ["/1", "response.jsonl:1"]),
    ],
)
def test_what_does_not_fit_is_refused_by_its_line(
    tmp_path: Path, change: dict[str, Any], named: list[str]
) -> None:
    """One wrong row is one problem with its place and the value; the others come in."""
    rows = [RESPONSES[1], RESPONSES[0] | change]
    records, problems = read(_folder(tmp_path, sources=SOURCES[:1], responses=rows), "ragtruth")
    (found,) = problems
    kept = ["0"] if found.refuses_part else []
    assert [record.sample.id for record in records] == ["1", *kept]
    assert found.refused != found.refuses_part
    assert [value for value in named if value not in found.message] == []
    assert found.where.endswith("response.jsonl:2")


@pytest.mark.parametrize("first", ["{broken", '{"id": "9"}', "5"])
def test_a_file_with_all_columns_is_read_alone(tmp_path: Path, first: str) -> None:
    """A first row that cannot be used costs itself, and hides nothing about the other rows."""
    joined = [SOURCES[0] | row for row in RESPONSES[:2]]
    (tmp_path / "joined.jsonl").write_text(f"{first}\n{_lines(joined)}", "utf-8")
    records, problems = read(tmp_path / "joined.jsonl", "ragtruth")
    assert [record.sample.id for record in records] == ["0", "1"]
    assert [(problem.refused, problem.where[-2:]) for problem in problems] == [(True, ":1")]


def test_a_file_of_sources_is_used_whatever_the_first_line_is(tmp_path: Path) -> None:
    """Where there are two files, the first row that can be read decides."""
    folder = _folder(tmp_path / "two", sources=SOURCES[:1], responses=RESPONSES[:2])
    whole = (folder / "response.jsonl").read_text("utf-8")
    (folder / "response.jsonl").write_text(f"{{broken\n{whole}", "utf-8")
    records, problems = read(folder, "ragtruth")
    assert [record.sample.id for record in records] == ["0", "1"]
    assert [problem.refused for problem in problems] == [True]


def test_columns_of_the_other_file_are_ignored_with_a_warning(tmp_path: Path) -> None:
    """A column that both files cannot have is not dropped in silence."""
    source = SOURCES[0] | {"id": 77, "labels": ["news"]}
    response = RESPONSES[1] | {"source_info": "Another text."}
    folder = _folder(tmp_path / "two", sources=[source], responses=[RESPONSES[2], response])
    records, problems = read(folder, "ragtruth")
    assert [record.sample.id for record in records] == ["1"]
    warned = [problem.message for problem in problems if not problem.refused]
    assert [name for name in ("'id'", "'labels'", "'source_info'") if name in str(warned)] == [
        "'id'",
        "'labels'",
        "'source_info'",
    ]


def test_sources_without_a_response_are_told(tmp_path: Path) -> None:
    """They make no sample, and are counted."""
    folder = _folder(tmp_path, sources=SOURCES, responses=RESPONSES[:2])
    _, problems = read(folder, "ragtruth")
    (problem,) = problems
    assert "2" in problem.message


def test_what_the_layer_has_not_read_is_left_out(corpus: Path, tmp_path: Path) -> None:
    """A sample without annotations is clean only where somebody said so."""
    records, _ = read(corpus, "ragtruth")
    unread = [Record(record.sample) for record in records]
    report = write(unread, "ragtruth", tmp_path / "out")
    assert report.lost == {RecordTrait.UNREAD: 4}
    assert (tmp_path / "out" / "response.jsonl").read_text() == ""


def test_only_records_that_are_written_lose_data(corpus: Path, tmp_path: Path) -> None:
    """A record whose annotations have no claim loses these annotations, and no other data."""
    record = read(corpus, "ragtruth")[0][0]
    (first, *_) = record.annotations
    evidence = (Anchor(Side.SOURCE, 0, Span(0, 3)),)
    unclaimed = replace(first.annotation, claim=(), evidence=evidence, labels=(("a.b",),))
    rated = replace(record.assignments[0], rating="good", seconds=5.0)
    lost = replace(
        record,
        annotations=(replace(first, annotation=unclaimed),),
        assignments=(rated,),
        sample=replace(record.sample, dataset="other", request=Request(question="Why?")),
    )
    report = write([lost, record], "ragtruth", tmp_path / "out")
    assert report.lost == {Loss.NO_CLAIM: 1, RecordTrait.UNCLAIMED: 1}
    assert (report.records, report.annotations) == (1, 2)


def test_a_source_has_one_row_and_what_differs_is_counted(corpus: Path, tmp_path: Path) -> None:
    """Two samples that share a source can not each have their own of its columns."""
    records, _ = read(corpus, "ragtruth")
    sample = records[1].sample
    records[1] = replace(records[1], sample=replace(sample, meta={**sample.meta, "prompt": "Cut."}))
    report = write(records, "ragtruth", tmp_path / "out")
    assert report.lost == {Loss.SOURCE_COLUMNS: 1}
    rows = (tmp_path / "out" / "source_info.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(row)["source_id"] for row in rows] == ["s1", "s2", "s3"]


def test_an_edited_annotation_is_written_anew(corpus: Path, tmp_path: Path) -> None:
    """Once the original record is gone the row is made of what the annotation says."""
    record = read(corpus, "ragtruth")[0][0]
    owned = record.annotations[0]
    edited = replace(owned.annotation, note="new", imported=None, labels=(("A", "B"), ("C",)))
    done = write([replace(record, annotations=(replace(owned, annotation=edited),))], "ragtruth",
                 tmp_path / "out")  # fmt: skip
    row = json.loads((tmp_path / "out" / "response.jsonl").read_text())
    assert [label["label_type"] for label in row["labels"]] == ["A.B", "C"]
    assert row["labels"][0]["meta"] == "new"
    assert done.lost == {RecordTrait.SEVERAL: 1}


@given(data=st.data())
@settings(max_examples=example_limit(200), deadline=None, suppress_health_check=list(HealthCheck))
def test_no_value_breaks_the_reader(data: st.DataObject) -> None:
    """Any JSON value in any place of either file is read or refused, never an accident."""
    sources, responses = [SOURCES[0]], [RESPONSES[0]]
    if data.draw(st.booleans()):
        sources = [data.draw(altered(SOURCES[1])), *sources]
    else:
        responses = [data.draw(altered(RESPONSES[0]))]
    with TemporaryDirectory() as folder:
        path = _folder(Path(folder), sources=sources, responses=responses)
        try:
            _, problems = read(path, "ragtruth")
        except TuiAnnotateError:
            return
        for problem in problems:
            assert "\n" not in str(problem)
