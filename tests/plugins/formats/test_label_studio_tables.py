"""Label Studio's flat exports: CSV, TSV, Excel and JSON-MIN give what its export JSON gives."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.plugins.record_reader import file, read, write
from tests.plugins.test_text_checks import table
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.people import Person
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.domain.samples import Document, Sample, Side
from tui_annotate.domain.spans import Span

SOURCE = "🌉 The mill by the river was built in 1874, and sold in 1931."
SUMMARY = "It is old. The mill was built in 1871."
TABLES = ["csv", "tsv", "xlsx"]
FLAT = [*TABLES, "json"]
SUBMISSION = {"created_at": "2026-01-02T03:04:05Z", "updated_at": "2026-01-02T03:05:05Z"}


def span(text: str, words: str) -> Span:
    start = text.index(words)
    return Span(start, start + len(words))


def region(text: str, words: str, *labels: str) -> dict[str, Any]:
    """The value of a region as Label Studio writes it."""
    found = span(text, words)
    return {"start": found.start, "end": found.end, "text": words, "labels": list(labels)}


def row(task: int | None, person: Any, **controls: Any) -> dict[str, Any]:
    """A row in the order of JSON-MIN, with values of controls as JSON-MIN has them."""
    number = {} if task is None else {"id": task}
    own = {"annotator": person, "annotation_id": 9, **SUBMISSION, "lead_time": 2.5}
    return {"source": SOURCE, "summary": SUMMARY, "topic": "mills", **number, **controls, **own}


def flat_file(folder: Path, kind: str, rows: list[dict[str, Any]]) -> Path:
    """A file of rows: JSON-MIN, or a table with sorted columns and results as JSON in cells."""
    if kind == "json":
        return table(folder, kind, rows)
    names = sorted({name for each in rows for name in each})
    cells = [{name: cell(each.get(name)) for name in names} for each in rows]
    return table(folder, kind, cells)


def cell(value: Any) -> Any:
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    return "" if value is None else value


def flatten(tasks: list[dict[str, Any]], kind: str) -> Iterator[dict[str, Any]]:
    """Rows as Label Studio makes them of tasks; regions and relations lose their ids."""
    for task in tasks:
        for submission in task["annotations"]:
            controls: dict[str, list[Any]] = {}
            for item in submission["result"]:
                if item["type"] == "relation":
                    continue
                value = deepcopy(item["value"])
                if item["type"] == "choices" and len(value["choices"]) == 1:
                    value = value["choices"][0]
                if item["type"] == "textarea" and len(value["text"]) == 1:
                    value = value["text"][0]
                controls.setdefault(item["from_name"], []).append(value)
            names = ("rating", "comment", "note")
            outputs = {
                name: found[0] if name in names and len(found) == 1 else found
                for name, found in controls.items()
            }
            user = submission["completed_by"]
            own = {
                "annotator": user["email"] if isinstance(user, dict) else user,
                "annotation_id": submission["id"],
                "created_at": submission.get("created_at"),
                "updated_at": submission.get("updated_at"),
                "lead_time": submission["lead_time"],
            }
            if kind != "json" and isinstance(own["annotator"], int):
                own["annotator"] = str(own["annotator"])
            yield task["data"] | {"id": task["id"]} | outputs | own


def work(record: Record) -> set[tuple[Any, ...]]:
    """What each annotation marks, without its id and times."""
    return {
        (owned.person, one.claim, one.evidence, one.labels, one.note)
        for owned in record.annotations
        for one in [owned.annotation]
    }


def words(record: Record) -> set[tuple[str, str, str]]:
    """Person, side and words of each annotation."""
    return {
        (owned.person, side.value, place.of(record.sample.document(side).text))
        for owned in record.annotations
        for side, _, place in owned.annotation.anchors
    }


def record_of(number: int) -> Record:
    """A sample with the work of two people: a note, evidence, a rating and comments."""
    documents = (
        Document(Side.SOURCE, SOURCE, language="en"),
        Document(Side.SUMMARY, SUMMARY, language="en"),
    )
    meta = {"model": "m", "scores": {"a": "b"}}
    sample = Sample("news", f"s{number}", documents, group=f"g{number}", meta=meta)
    claims = {"ana": ("1871", "It"), "bob@example.org": ("old",)}
    annotations = [
        OwnedAnnotation(
            person,
            Annotation(
                f"{number}-{person}-{word}",
                claim=(Anchor(Side.SUMMARY, 0, span(SUMMARY, word)),),
                labels=(("Unwanted", "Intrinsic"), ("Benign",)),
                note="why, here" if person != "ana" else "",
            ),
        )
        for person, marked in claims.items()
        for word in marked
    ]
    evidence = (Anchor(Side.SOURCE, 0, span(SOURCE, "1874")),)
    annotations.append(OwnedAnnotation("ana", Annotation(f"{number}-e", (), evidence)))
    updated = "2026-01-02T03:04:05.000000+00:00"
    assignments = (
        Assignment("ana", State.DONE, rating="good", comment="It is, well.", seconds=2.5),
        Assignment("bob@example.org", State.DONE, rating="bad", seconds=8.0, updated=updated),
    )
    people = (Person("ana", "ana"), Person("bob@example.org", "bob@example.org"))
    return Record(sample, tuple(annotations), assignments, people)


@pytest.mark.parametrize("kind", FLAT)
def test_our_export_that_label_studio_flattens_reads_back_equal(tmp_path: Path, kind: str) -> None:
    """The texts, metadata, people, spans, labels, notes, ratings and times of work are equal."""
    text, _ = write([record_of(1), record_of(2)], "labelstudio")
    tasks = file(tmp_path, "tasks.json", text)
    expected, problems = read(tasks)
    assert problems == []
    path = flat_file(tmp_path, kind, list(flatten(json.loads(text), kind)))
    found, problems = read(path)
    assert problems == []
    assert [one.sample for one in found] == [one.sample for one in expected]
    assert [work(one) for one in found] == [work(one) for one in expected]
    assert [one.assignments for one in found] == [one.assignments for one in expected]
    assert [one.people for one in found] == [one.people for one in expected]


@pytest.mark.parametrize(
    ("kind", "where"), [("csv", ".csv:3"), ("tsv", ".tsv:3"), ("xlsx", "row 3")]
)
def test_a_cut_cell_is_refused_alone(tmp_path: Path, kind: str, where: str) -> None:
    """Its person is in progress; the other cells, rows and tasks come in; the line is named."""
    old, year = region(SUMMARY, "old", "A"), region(SUMMARY, "1871", "A")
    cut = json.dumps([old, year])[:-30]
    rows = [row(1, 5, claim=[old]), row(1, 6, claim=cut, ev=[year]), row(2, 6, claim=[year])]
    records, (problem,) = read(flat_file(tmp_path, kind, rows))
    assert problem.refuses_part
    assert problem.where.endswith(where)
    assert "'claim'" in problem.message
    first, second = map(words, records)
    assert first == {
        ("labelstudio:5", "summary", "old"),
        ("labelstudio:6", "summary", "1871"),
    }
    assert second == {("labelstudio:6", "summary", "1871")}
    states = [[one.state for one in record.assignments] for record in records]
    assert states == [[State.DONE, State.DRAFT], [State.DONE]]


@pytest.mark.parametrize("kind", TABLES)
def test_the_only_cell_with_regions_may_be_cut(tmp_path: Path, kind: str) -> None:
    """The cell is refused, and is no metadata of the sample."""
    cut = json.dumps([region(SUMMARY, "old", "A")])[:-5]
    (record,), (problem,) = read(flat_file(tmp_path, kind, [row(1, 5, claim=cut)]))
    assert problem.refuses_part
    assert record.assignments[0].state is State.DRAFT
    assert "claim" not in record.sample.meta


@pytest.mark.parametrize("kind", TABLES)
def test_regions_after_many_rows_without_any_are_read(tmp_path: Path, kind: str) -> None:
    """The columns of the table show that Label Studio exported it."""
    rows = [row(number, 5, claim=None) for number in range(60)]
    rows.append(row(60, 5, claim=[region(SUMMARY, "old", "A")]))
    records, problems = read(flat_file(tmp_path, kind, rows))
    assert problems == []
    assert [len(record.annotations) for record in records] == [0] * 60 + [1]
    assert {one.person for record in records for one in record.assignments} == {"labelstudio:5"}


@pytest.mark.parametrize("kind", FLAT)
def test_all_controls_and_both_texts_are_read(tmp_path: Path, kind: str) -> None:
    """A region of the source is evidence; a control's other regions decide where both texts fit."""
    source, summary = "The mill was old in 1874.", "The mill was new in 1871."
    years = [region(source, "1874", "E"), region(source, "mill", "E")]
    rows = [
        row(
            1,
            5,
            first=[region(summary, "1871", "A")],
            second=[region(summary, "new", "B")],
            ev=years,
        )
        | {"source": source, "summary": summary}
    ]
    (record,), problems = read(flat_file(tmp_path, kind, rows))
    assert problems == []
    assert words(record) == {
        ("labelstudio:5", "summary", "1871"),
        ("labelstudio:5", "summary", "new"),
        ("labelstudio:5", "source", "1874"),
        ("labelstudio:5", "source", "mill"),
    }


@pytest.mark.parametrize("cell", ["", "[]", json.dumps([region(SUMMARY, "old", "A")])])
def test_a_control_is_never_the_text(tmp_path: Path, cell: str) -> None:
    """A control named as columns of summaries are, empty in the first rows or not, is no text."""
    names = {"source": "article", "summary": "headline"}
    rows = [
        {names.get(name, name): value for name, value in row(number, 5, claim=cell).items()}
        for number in range(60)
    ]
    rows[-1]["claim"] = [region(SUMMARY, "1871", "A")]
    records, problems = read(flat_file(tmp_path, "csv", rows))
    assert problems == []
    assert [one.sample.document(Side.SUMMARY).text for one in records] == [SUMMARY] * 60
    assert words(records[-1]) == {("labelstudio:5", "summary", "1871")}


def test_a_region_that_fits_both_texts_is_counted(tmp_path: Path) -> None:
    """Without other regions of the control, it is one of the summary, with a warning."""
    values = row(1, 5, claim=[region("The mill", "mill", "A")])
    texts = {"source": "The mill was old.", "summary": "The mill was new."}
    (record,), (problem,) = read(flat_file(tmp_path, "csv", [values | texts]))
    assert words(record) == {("labelstudio:5", "summary", "mill")}
    assert "'claim'" in problem.message
    assert not problem.refuses_part


@pytest.mark.parametrize(
    ("values", "side", "warns"),
    [
        ([("mill", ["Evidence"])], "source", False),
        ([("mill", ["Evidence"]), ("new", ["A"])], "summary", False),
        ([("mill", ["Evidence", "A"])], "summary", True),
        ([("mill", ["A"])], "summary", True),
    ],
)
def test_the_label_evidence_decides_where_a_region_fits_both_texts(
    tmp_path: Path, values: list[tuple[str, list[str]]], side: str, *, warns: bool
) -> None:
    """Other regions of the control decide first; the note of the region stays with it."""
    texts = {"source": "The mill was old.", "summary": "The mill was new."}
    found = [region(texts["summary"], quote, *labels) for quote, labels in values]
    note = {name: found[0][name] for name in ("start", "end")} | {"text": ["why"]}
    rows = [row(1, 5, marks=found, note=[note]) | texts]
    (record,), problems = read(flat_file(tmp_path, "csv", rows))
    assert ("labelstudio:5", side, "mill") in words(record)
    assert len(problems) == warns
    (one,) = [each.annotation for each in record.annotations if each.annotation.note]
    assert [anchor.side for anchor in one.anchors] == [side]
    assert one.note == "why"
    if side == "source":
        assert (one.labels, one.claim) == ((), ())


@pytest.mark.parametrize("kind", [*FLAT, "tasks"])
@pytest.mark.parametrize(
    ("user", "person"),
    [
        (1, "labelstudio:1"),
        ("1", "labelstudio:1"),
        ("1.0", "labelstudio:1"),
        (" 1 ", "labelstudio:1"),
        ("bea@example.org", "bea@example.org"),
        ("bea@example.org ", "bea@example.org"),
        ("ana", "ana"),
    ],
)
def test_a_person_is_the_same_in_all_exports(
    tmp_path: Path, kind: str, user: Any, person: str
) -> None:
    """A number of a user is the person `labelstudio:NUMBER`, also as text of a cell."""
    if kind == "tasks":
        submission = {"completed_by": user, "lead_time": 2.5, "result": []}
        data = {"source": SOURCE, "summary": SUMMARY}
        path = file(
            tmp_path,
            "a.json",
            json.dumps([{"id": 1, "data": data, "annotations": [submission]}]),
        )
    else:
        path = flat_file(tmp_path, kind, [row(1, user)])
    (record,), _ = read(path)
    assert [one.id for one in record.people] == [person]


@pytest.mark.parametrize("kind", FLAT)
def test_ratings_and_comments_belong_to_their_people(tmp_path: Path, kind: str) -> None:
    """Choices and texts have any form that Label Studio writes, and names of their own."""
    remark = "It has a wrong year, and it is too short."
    rows = [
        row(1, 5, quality="good", remark=remark, stars=[{"rating": 4}]),
        row(1, 6, quality="bad", remark={"text": ["One.", "Two."]}),
        row(1, 7, quality={"choices": ["fair"]}),
    ]
    (record,), problems = read(flat_file(tmp_path, kind, rows))
    assert [(one.rating, one.comment) for one in record.assignments] == [
        ("good", remark),
        ("bad", "One.\nTwo."),
        ("fair", ""),
    ]
    assert record.sample.meta == {"topic": "mills"}
    assert ["'rating'" in problem.message for problem in problems] == [True]


@pytest.mark.parametrize("kind", FLAT)
@pytest.mark.parametrize("empty", ["[]", " [ ] ", []], ids=["text", "spaces", "list"])
@pytest.mark.parametrize("has_regions", [True, False])
def test_an_empty_list_in_a_cell_is_no_result(
    tmp_path: Path, kind: str, empty: Any, *, has_regions: bool
) -> None:
    """A person who marked nothing has no rating and no message, whatever others marked."""
    marked = [region(SUMMARY, "mill", "Odd")] if has_regions else empty
    rows = [
        row(1, "ana", claim=marked, rating="Good", comment=empty),
        row(1, "bob", claim=empty, rating=empty, comment="It is old."),
        row(2, "bob", claim=empty, rating="Bad", comment=empty),
    ]
    records, problems = read(flat_file(tmp_path, kind, rows))
    assert problems == []
    assert [len(record.annotations) for record in records] == [has_regions, 0]
    found = [
        (work.person, work.state, work.rating, work.comment)
        for record in records
        for work in record.assignments
    ]
    assert found == [
        ("ana", State.DONE, "Good", ""),
        ("bob", State.DONE, "", "It is old."),
        ("bob", State.DONE, "Bad", ""),
    ]


@pytest.mark.parametrize("kind", TABLES)
def test_differing_numbers_of_other_columns_are_refused_by_name(tmp_path: Path, kind: str) -> None:
    """They are no data of the task, and no known result."""
    rows = [row(1, 5) | {"version": 1}, row(1, 6) | {"version": 2}]
    (record,), problems = read(flat_file(tmp_path, kind, rows))
    assert "version" not in record.sample.meta
    assert [one.rating for one in record.assignments] == ["", ""]
    assert [(each.refuses_part, "'version'" in each.message) for each in problems] == [
        (True, True)
    ] * 2


@pytest.mark.parametrize("kind", FLAT)
def test_a_control_of_one_person_is_known_by_its_name(tmp_path: Path, kind: str) -> None:
    """`rating` and `comment` are the controls of our configuration."""
    rows = [row(1, 5, comment="ok", rating="very good") | {"agreement": 1.0}]
    (record,), problems = read(flat_file(tmp_path, kind, rows))
    assert problems == []
    (assignment,) = record.assignments
    assert (assignment.rating, assignment.comment) == ("very good", "ok")


@pytest.mark.parametrize("kind", FLAT)
def test_notes_without_a_known_region_are_counted_by_name(tmp_path: Path, kind: str) -> None:
    """Label Studio drops the region of a note of one line: several regions may have it."""
    both = [region(SUMMARY, "old", "A"), region(SUMMARY, "1871", "A")]
    rows = [row(1, 5, claim=both, note=["one", "two"]), row(2, 5, claim=both, note="one")]
    records, problems = read(flat_file(tmp_path, kind, rows))
    assert [len(record.annotations) for record in records] == [2, 2]
    assert {owned.annotation.note for record in records for owned in record.annotations} == {""}
    assert [one.comment for record in records for one in record.assignments] == ["", ""]
    assert [(each.refuses_part, "'note'" in each.message) for each in problems] == [
        (True, True)
    ] * 2


@pytest.mark.parametrize("kind", FLAT)
def test_further_results_of_a_region_join_it(tmp_path: Path, kind: str) -> None:
    """A note of several lines and choices name their region by its offsets."""
    old = region(SUMMARY, "old", "A")
    offsets = {"start": old["start"], "end": old["end"]}
    values = row(
        1,
        5,
        claim=[region(SUMMARY, "1871", "B"), old],
        remark={**offsets, "text": ["one", "two"]},
        kinds=[{**offsets, "text": "old", "choices": ["C", "D"]}],
    )
    (record,), problems = read(flat_file(tmp_path, kind, [values]))
    assert problems == []
    found = {
        one.claim[0].span.of(SUMMARY): one for one in (o.annotation for o in record.annotations)
    }
    assert (found["old"].note, found["old"].labels) == ("one\ntwo", (("A",), ("C",), ("D",)))
    assert (found["1871"].note, found["1871"].labels) == ("", (("B",),))


@pytest.mark.parametrize("kind", FLAT)
def test_a_task_without_a_submission_has_no_work(tmp_path: Path, kind: str) -> None:
    """Label Studio can export all tasks; a row without annotator and number is no submission."""
    values = row(1, None) | dict.fromkeys(("annotation_id", "created_at", "lead_time"))
    (record,), problems = read(flat_file(tmp_path, kind, [values]))
    assert (record.assignments, record.people, problems) == ((), (), [])


@pytest.mark.parametrize("kind", TABLES)
def test_rows_without_ids_are_grouped_by_their_texts(tmp_path: Path, kind: str) -> None:
    """The message names the option that chooses a column of ids."""
    rows = [row(None, 5), row(None, 6), row(None, 5) | {"summary": "The mill is quite new."}]
    path = flat_file(tmp_path, kind, rows)
    records, (problem,) = read(path)
    assert [record.sample.id for record in records] == ["1", "3"]
    assert [len(record.assignments) for record in records] == [2, 1]
    assert problem.code == "ids-missing"
    assert "--id-column" in problem.hint


@pytest.mark.parametrize("kind", FLAT)
def test_a_column_of_ids_can_be_chosen(tmp_path: Path, kind: str) -> None:
    """Rows with the same value are one sample; `id` is the number of the task."""
    rows = [row(1, 5, key="k"), row(2, 6, key="k")]
    path = flat_file(tmp_path, kind, rows)
    (record,), _ = read(path, id_column="key")
    assert (record.sample.id, len(record.assignments)) == ("k", 2)
    records, _ = read(path, id_column="id")
    assert [record.sample.id for record in records] == ["1", "2"]


@pytest.mark.parametrize(
    ("quote", "kept"),
    [(1871, True), (1871.0, True), (1872, False), (["1871"], False), (None, True)],
)
def test_a_quote_that_is_a_number_is_compared(tmp_path: Path, quote: Any, *, kept: bool) -> None:
    """A number is its text; another value is no quote, and its region is refused."""
    value = region(SUMMARY, "1871", "A") | {"text": quote}
    item = {"type": "labels", "from_name": "claim", "to_name": "summary", "value": value}
    task = {
        "id": 1,
        "data": {"source": SOURCE, "summary": SUMMARY},
        "annotations": [{"completed_by": 1, "result": [item]}],
    }
    (record,), problems = read(file(tmp_path, "a.json", json.dumps([task])))
    assert [each.refuses_part for each in problems] == [True] * (not kept)
    assert len(record.annotations) == kept
    assert record.assignments[0].state is (State.DONE if kept else State.DRAFT)
