"""Label Studio: submissions, predictions, relations and both ways of counting."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.helpers.effort import example_limit
from tests.plugins.formats.laws import read, write
from tests.plugins.formats.record_values import views
from tests.plugins.record_reader import file
from tests.plugins.strategies import altered
from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.records import Problem, Record
from tui_annotate.plugins.format_detection import detect

SOURCE = "The bridge 🌉 opened in 1932.\nIt cost 12 million pounds."
SUMMARY = "The 1932 bridge cost 15 million pounds and was loved."


def _labels(key: str, side: str, quote: str, label: str, *, shift: int = 0) -> dict[str, Any]:
    start = (SOURCE if side == "source" else SUMMARY).index(quote) + shift
    value = {"start": start, "end": start + len(quote), "text": quote, "labels": [label]}
    name = "ev" if side == "source" else "claim"
    return {"id": key, "from_name": name, "to_name": side, "type": "labels", "value": value}


CLAIM = _labels("r1", "summary", "15 million pounds", "Unwanted.Intrinsic")
PROOF = _labels("r2", "source", "12 million pounds", "Evidence")
LOVED = _labels("r3", "summary", "was loved", "Unwanted.Extrinsic")
NOTE = {
    "id": "r1", "from_name": "note", "to_name": "summary", "type": "textarea",
    "value": {"start": 21, "end": 38, "text": ["12, not 15"]},
}  # fmt: skip
LINK = {
    "type": "relation", "from_id": "r1", "to_id": "r2", "direction": "right",
    "labels": ["evidence"],
}  # fmt: skip
TASK: dict[str, Any] = {
    "id": 7,
    "data": {"source": SOURCE, "summary": SUMMARY, "sample_id": "b-001", "topic": "bridges"},
    "annotations": [
        {"id": 1, "completed_by": 3, "was_cancelled": False, "lead_time": 41.5,
         "created_at": "2026-11-20T09:00:00Z", "updated_at": "2026-11-20T09:01:00.5Z",
         "result": [CLAIM, NOTE, PROOF, LOVED, LINK]},
        {"id": 2, "completed_by": {"id": 4, "email": "ben@example.org", "first_name": "Ben",
                                   "last_name": "B"}, "result": []},
        {"id": 3, "completed_by": 5, "was_cancelled": True, "result": []},
    ],
    "predictions": [{"model_version": "toy-1", "result": [LOVED]}],
}  # fmt: skip


def _read(folder: Path, *tasks: Any, **options: Any) -> tuple[list[Record], list[Problem]]:
    return read(file(folder, "tasks.json", json.dumps(tasks)), "labelstudio", **options)


def _changed(change: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    task = copy.deepcopy(TASK)
    change(task)
    return task


def test_a_task_becomes_a_sample(tmp_path: Path) -> None:
    """Regions are claims and evidence by their relations; each who submitted is a person."""
    (record,), problems = _read(tmp_path, TASK)
    assert problems == []
    assert (record.sample.id, record.sample.dataset) == ("b-001", "tasks")
    assert record.sample.meta == {"topic": "bridges"}
    first, second, guess = record.annotations
    assert first.annotation.claim[0].span.of(SUMMARY) == "15 million pounds"
    assert first.annotation.evidence[0].span.of(SOURCE) == "12 million pounds"
    assert first.annotation.labels == (("Unwanted", "Intrinsic"),)
    assert (first.annotation.note, first.annotation.origin) == (
        "12, not 15",
        "imported:labelstudio",
    )
    assert (second.person, second.annotation.evidence) == ("labelstudio:3", ())
    assert (guess.person, guess.annotation.origin) == ("machine:toy-1", "machine:toy-1")
    assert [(person.id, person.name) for person in record.people] == [
        ("labelstudio:3", "3"),
        ("ben@example.org", "Ben B"),
        ("labelstudio:5", "5"),
        ("machine:toy-1", "toy-1"),
    ]


def test_regions_that_are_parts_of_each_other_are_one_annotation(tmp_path: Path) -> None:
    """A cycle of relations loses no region; the evidence of a part is the annotation's."""

    def change(task: dict[str, Any]) -> None:
        part = LINK | {"labels": ["part"]}
        task["annotations"][0]["result"] = [
            *(CLAIM, NOTE, PROOF, LOVED, LINK | {"from_id": "r3"}),
            part | {"from_id": "r1", "to_id": "r3"},
            part | {"from_id": "r3", "to_id": "r1"},
        ]

    (record,), _ = _read(tmp_path, _changed(change))
    (one,) = (each.annotation for each in record.annotations if each.person == "labelstudio:3")
    assert [each.span.of(SUMMARY) for each in one.claim] == ["15 million pounds", "was loved"]
    assert [each.span.of(SOURCE) for each in one.evidence] == ["12 million pounds"]


def test_labels_of_linked_regions_are_counted(tmp_path: Path) -> None:
    """An annotation has the labels of its first region: what it does not keep is named."""
    proof = _labels("r2", "source", "12 million pounds", "Wrong year")
    note = NOTE | {"id": "r2", "to_name": "source"}

    def change(task: dict[str, Any]) -> None:
        task["annotations"][0]["result"] = [
            *(CLAIM, proof, note, LOVED, LINK | {"labels": ["contradicts", "evidence"]}),
            LINK | {"labels": ["part"], "to_id": "r3"},
        ]

    (record,), problems = _read(tmp_path, _changed(change))
    (one,) = (each.annotation for each in record.annotations if each.person == "labelstudio:3")
    assert one.labels == (("Unwanted", "Intrinsic"),)
    assert (len(one.claim), len(one.evidence)) == (2, 1)
    messages = " ".join(problem.message for problem in problems)
    for what in (
        "1 types 'contradicts' of relations",
        "1 labels 'Unwanted.Extrinsic' of parts",
        "1 labels 'Wrong year' of evidence",
        "1 notes of evidence",
    ):
        assert what in messages


def test_how_each_person_stands(tmp_path: Path) -> None:
    """An empty result is read with nothing found; a cancelled one is skipped."""
    (record,), _ = _read(tmp_path, TASK)
    done, clean, skipped = record.assignments
    assert (done.state, done.seconds) == (State.DONE, 41.5)
    assert done.updated == "2026-11-20T09:01:00.500000+00:00"
    assert (clean.person, clean.state) == ("ben@example.org", State.DONE)
    assert skipped.state is State.SKIPPED


@pytest.mark.parametrize("order", [1, -1])
def test_cancelled_work_of_a_person_with_another_submission_is_left_out(
    tmp_path: Path, order: int
) -> None:
    """It changes neither the state nor the annotations, whichever came first; it is counted."""
    kept = {"completed_by": 3, "result": [CLAIM]}
    cancelled = {"completed_by": 3, "was_cancelled": True, "result": [LOVED, {"id": "bad"}]}
    other = {"completed_by": 5, "was_cancelled": True, "result": []}
    (record,), (problem,) = _read(
        tmp_path, TASK | {"annotations": [*[kept, cancelled][::order], other], "predictions": []}
    )
    assert [(each.person, each.state) for each in record.assignments] == [
        ("labelstudio:3", State.DONE),
        ("labelstudio:5", State.SKIPPED),
    ]
    (one,) = (each.annotation for each in record.annotations)
    assert one.claim[0].span.of(SUMMARY) == "15 million pounds"
    assert "1 cancelled submission of people" in problem.message
    assert not problem.refuses_part


def test_two_submissions_of_a_person_have_one_rating(tmp_path: Path) -> None:
    """A later submission without a rating keeps the earlier one; another rating is named."""

    def rated(rating: str) -> dict[str, Any]:
        item = {"type": "choices", "to_name": "summary", "value": {"choices": [rating]}}
        return {"completed_by": 3, "result": [item]}

    for ratings, expected, count in ((("good",), "good", 0), (("good", "bad"), "bad", 1)):
        submissions = [*map(rated, ratings), {"completed_by": 3, "result": []}]
        (record,), problems = _read(tmp_path, TASK | {"annotations": submissions})
        assert record.assignments[0].rating == expected
        assert ["'good'" in problem.message for problem in problems] == [True] * count


def test_when_a_submission_was_made_is_when_its_annotations_were(tmp_path: Path) -> None:
    """Unless a region says so itself; what is written here claims no such time."""
    (record,), _ = _read(tmp_path, TASK)
    first, second, guess = (owned.annotation for owned in record.annotations)
    assert first.created == second.created == "2026-11-20T09:00:00.000000+00:00"
    assert guess.created == ""
    report = CLAIM | {"meta": {"created": "2026-11-19T09:00:00Z"}}
    task = _changed(lambda one: one["annotations"][0]["result"].__setitem__(0, report))
    (record,), _ = _read(tmp_path, task)
    assert record.annotations[0].annotation.created == "2026-11-19T09:00:00.000000+00:00"
    assert write([record], "labelstudio", tmp_path / "out.json").lost == {}
    assert "created_at" not in (tmp_path / "out.json").read_text("utf-8")


def test_fields_of_a_task_beside_its_data_are_kept(tmp_path: Path) -> None:
    """`meta` and `inner_id` are meta, and come back; of two of one name the data's is kept."""
    task = TASK | {"inner_id": 4, "meta": {"batch": "b"}}
    (record,), problems = _read(tmp_path, task)
    assert problems == []
    assert record.sample.meta == {"topic": "bridges", "inner_id": 4, "meta": {"batch": "b"}}
    write([record], "labelstudio", tmp_path / "out.json")
    (back,), problems = read(tmp_path / "out.json", "labelstudio")
    assert (back.sample.meta, problems) == (record.sample.meta, [])
    twice = _changed(lambda one: one["data"].update({"inner_id": 9}))
    (record,), (doubt,) = _read(tmp_path, twice | {"inner_id": 4})
    assert record.sample.meta["inner_id"] == 9
    assert not doubt.refused
    assert "'inner_id'" in doubt.message


def test_what_belongs_to_the_project_is_told(tmp_path: Path) -> None:
    """Drafts that nobody submitted, the project and the file of the upload; empty ones are none."""
    task = TASK | {"drafts": [{"result": []}], "project": 0, "file_upload": "9-tasks.json"}
    _, problems = _read(tmp_path, task)
    assert [problem.refused for problem in problems] == [False] * 3
    for problem, value in zip(problems, ("1", "'project'", "'file_upload'"), strict=True):
        assert value in problem.message
    assert _read(tmp_path, TASK | {"drafts": [], "project": None, "file_upload": ""})[1] == []


def test_offsets_of_older_releases_are_recognised(tmp_path: Path) -> None:
    """Units of UTF-16 behind the emoji are translated, and that is told."""
    late = _labels("r2", "source", "12 million pounds", "Evidence", shift=1)
    task = _changed(lambda one: one["annotations"][0]["result"].__setitem__(2, late))
    (record,), (doubt,) = _read(tmp_path, task)
    assert record.annotations[0].annotation.evidence[0].span.of(SOURCE) == "12 million pounds"
    assert not doubt.refused
    assert "UTF-16" in doubt.message


def test_taxonomies_choices_and_directions(tmp_path: Path) -> None:
    """Paths of a taxonomy and choices of a region are labels; an arrow may point either way."""
    value = {key: CLAIM["value"][key] for key in ("start", "end", "text")}
    extra = [
        CLAIM | {"type": "taxonomy", "value": value | {"taxonomy": [["A", "B"]]}},
        CLAIM | {"type": "choices", "value": value | {"choices": ["grave"]}},
        {"type": "relation", "from_id": "r2", "to_id": "r3", "direction": "left"},
        {"type": "relation", "from_id": "r1", "to_id": "r3", "direction": "right"},
        {"id": "x", "type": "choices", "to_name": "summary", "value": {"choices": ["good"]}},
        {"id": "y", "type": "hypertextlabels", "value": {}},
    ]
    task = _changed(lambda one: one["annotations"][0]["result"].extend(extra))
    task["predictions"][0]["score"] = 0.5
    (record,), problems = _read(tmp_path, task)
    first, second = (owned.annotation for owned in record.annotations[:2])
    assert first.labels == (("Unwanted", "Intrinsic"), ("A", "B"), ("grave",))
    assert first.evidence == second.evidence != ()
    assert record.assignments[0].rating == "good"
    assert [problem.refused for problem in problems] == [False] * 3
    assert len({problem.message for problem in problems}) == 3
    assert any("'hypertextlabels'" in problem.message for problem in problems)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda one: one.update(data=None), "the field 'data' of the task is an empty value"),
        (lambda one: one["data"].pop("summary"), "no column 'summary'"),
        (lambda one: one["annotations"].append(5), "the submission is a number (5)"),
        (lambda one: one["annotations"][0].update(result={}), "'result' is an object, not a list"),
        (lambda one: one["annotations"][0]["result"][0].update(to_name="x"), "is about 'x'"),
        (lambda one: one["annotations"][0]["result"][0]["value"].update(start=0), "covers"),
        (
            lambda one: one["annotations"][0]["result"][0]["value"].update(end="9"),
            "are not integers",
        ),
    ],
)
def test_what_does_not_fit_is_refused_alone(
    tmp_path: Path, change: Callable[[dict[str, Any]], Any], message: str
) -> None:
    """A region, a submission or a task is named; the others come in."""
    other = _changed(lambda one: one["data"].update(sample_id="other"))
    records, (problem, *more) = _read(tmp_path, _changed(change), other)
    assert len(records) == 1 + problem.refuses_part
    assert problem.refused != problem.refuses_part
    assert all("relations that do not connect" in each.message for each in more)
    assert message in problem.message
    assert problem.where.endswith("record 1")


def test_texts_may_be_called_otherwise(tmp_path: Path) -> None:
    """The options name the two texts, in the data and in the regions."""
    text = json.dumps(TASK).replace('"source"', '"doc"').replace('"summary"', '"answer"')
    options = {"source_column": "doc", "summary_column": "answer", "id_column": "topic"}
    (record,), problems = _read(tmp_path, json.loads(text), **options)
    assert (problems, record.sample.id) == ([], "bridges")
    assert len(record.annotations) == 3


def test_tasks_are_known_by_their_content(tmp_path: Path) -> None:
    """A list of tasks needs no --format."""
    assert detect(file(tmp_path, "a.json", json.dumps([TASK]))) == "labelstudio"


def test_what_was_read_goes_out_the_same_twice(tmp_path: Path) -> None:
    """A prediction stays one, people keep their names, and bytes are stable."""
    first, _ = _read(tmp_path, TASK)
    report = write(first, "labelstudio", tmp_path / "a.json")
    assert report.lost == {}
    (task,) = json.loads((tmp_path / "a.json").read_text("utf-8"))
    assert [one["model_version"] for one in task["predictions"]] == ["toy-1"]
    second, problems = read(tmp_path / "a.json", "labelstudio", dataset="tasks")
    assert problems == []
    assert views(second, "labelstudio") == views(first, "labelstudio")
    write(second, "labelstudio", tmp_path / "b.json")
    third, _ = read(tmp_path / "b.json", "labelstudio")
    write(third, "labelstudio", tmp_path / "c.json")
    write(third, "labelstudio", tmp_path / "d.json")
    assert (tmp_path / "c.json").read_bytes() == (tmp_path / "d.json").read_bytes()


@given(data=st.data())
@settings(max_examples=example_limit(150), deadline=None, suppress_health_check=list(HealthCheck))
def test_no_value_breaks_the_reader(data: st.DataObject) -> None:
    """Any JSON value in any place of a sound task is read or refused, never an accident."""
    task = data.draw(altered(TASK))
    with TemporaryDirectory() as folder:
        try:
            _, problems = _read(Path(folder), task)
        except TuiAnnotateError:
            return
        for problem in problems:
            assert "\n" not in str(problem)


def test_a_region_s_meta_text_is_its_note(tmp_path: Path) -> None:
    """Label Studio repeats it in each item of the region; fields that nothing reads are named."""
    value = {key: CLAIM["value"][key] for key in ("start", "end", "text")}
    noted = CLAIM | {"meta": {"text": ["12, not 15"]}, "score": 0.5}
    choice = noted | {"type": "choices", "value": value | {"choices": ["grave"], "odd": 1}}

    def change(one: dict[str, Any]) -> None:
        one["annotations"][0]["result"] = [noted, choice]

    (record,), problems = _read(tmp_path, _changed(change))
    assert record.annotations[0].annotation.note == "12, not 15"
    assert any("'odd'" in problem.message for problem in problems)
    assert any("scores of regions" in problem.message for problem in problems)
