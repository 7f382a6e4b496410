"""Mercury's dump: in, and out again word for word; what it has no place for is counted."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.effort import example_limit
from tests.plugins.record_reader import file, placeless, read, write
from tests.plugins.strategies import records
from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.assist_traces import OUTSIDE, AssistTrace
from tui_annotate.domain.people import PersonKind
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span
from tui_annotate.plugins.traits import Loss, RecordTrait

SOURCE = "The bridge opened in 1932.\nIt cost 12 million pounds 🌉 and took six years."
SUMMARY = "The 1932 bridge cost 15 million pounds and was loved."
CLAIM = {
    "annot_id": 7,
    "sample_id": 3,
    "annotator": "aa11",
    "label": ["Unwanted", "Unwanted.Intrinsic"],
    "note": "12, not 15",
    "annotator_name": "Alice",
    "summary_span": "15 million pounds",
    "summary_start": 21,
    "summary_end": 38,
    "source_span": "12 million pounds",
    "source_start": 35,
    "source_end": 52,
}
BARE = {
    "annot_id": 9,
    "sample_id": 3,
    "annotator": "bb22",
    "label": ["Unwanted", "Unwanted.Extrinsic"],
    "note": "",
    "annotator_name": "Bo",
    "summary_span": "was loved",
    "summary_start": 43,
    "summary_end": 52,
}


def _sample(*annotations: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "sample_id": 3,
        "source": SOURCE,
        "summary": SUMMARY,
        "annotations": list(annotations),
        "meta_model": "toy-1",
        "meta_score": 0.25,
    } | more


def _dump(folder: Path, *samples: dict[str, Any]) -> Path:
    return file(folder, "batch.json", json.dumps(list(samples)))


def test_a_sample_comes_in(tmp_path: Path) -> None:
    """Texts, meta, people by their ids, label lists as paths, spans as anchors."""
    found, problems = read(_dump(tmp_path, _sample(CLAIM, BARE)))
    assert problems == []
    record = found[0]
    assert record.sample.key == ("batch", "3")
    assert record.sample.meta == {"model": "toy-1", "score": 0.25}
    assert [(who.id, who.name, who.kind) for who in record.people] == [
        ("aa11", "Alice", PersonKind.IMPORTED),
        ("bb22", "Bo", PersonKind.IMPORTED),
    ]
    first, second = (owned.annotation for owned in record.annotations)
    assert first.labels == (("Unwanted", "Intrinsic"),)
    assert first.claim == ((Side.SUMMARY, 0, Span(21, 38)),)
    assert first.evidence == ((Side.SOURCE, 0, Span(35, 52)),)
    assert (first.note, first.origin) == ("12, not 15", "imported:mercury")
    assert second.evidence == ()


def test_unedited_work_goes_out_word_for_word(tmp_path: Path) -> None:
    """Order, odd keys and odd values of samples and annotations survive."""
    odd = CLAIM | {"extra": [1, None], "note": None}
    twice = _sample(BARE, odd, BARE, zeal={"a": [1.5]})
    samples = [twice, _sample(sample_id=1), _sample(sample_id=20, annotations=[])]
    found, _ = read(_dump(tmp_path, *samples))
    text, report = write(found, "mercury")
    assert json.loads(text) == samples
    assert (report.records, report.annotations, report.lost) == (3, 3, {})
    assert [list(sample) for sample in json.loads(text)] == [list(sample) for sample in samples]


def test_ids_depend_on_dataset_sample_and_content_alone(tmp_path: Path) -> None:
    """The same file gives the same ids, twins differ, another dataset gives others."""
    path = _dump(tmp_path, _sample(CLAIM, CLAIM, BARE))
    ids = [owned.annotation.id for owned in read(path)[0][0].annotations]
    assert ids == [owned.annotation.id for owned in read(path)[0][0].annotations]
    assert len(set(ids)) == 3
    others = {owned.annotation.id for owned in read(path, dataset="other")[0][0].annotations}
    assert not others & set(ids)


def test_edited_work_keeps_its_place_and_number(tmp_path: Path) -> None:
    """An edited annotation is written anew under its old number, its neighbours as they came."""
    found, _ = read(_dump(tmp_path, _sample(CLAIM, BARE)))
    first, second = found[0].annotations
    edited = replace(first.annotation, note="really 12", imported=None, version=2)
    record = replace(found[0], annotations=(second, OwnedAnnotation(first.person, edited)))
    rows = json.loads(write([record], "mercury")[0])[0]["annotations"]
    assert rows == [CLAIM | {"note": "really 12"}, BARE]


def test_new_work_beside_imported_work_gets_free_numbers(tmp_path: Path) -> None:
    """A number of the store never meets one of the dump."""
    found, _ = read(_dump(tmp_path, _sample(CLAIM)))
    mine = OwnedAnnotation(
        "me", Annotation("x", found[0].annotations[0].annotation.claim, number=7)
    )
    record = replace(found[0], annotations=(*found[0].annotations, mine))
    rows = json.loads(write([record], "mercury")[0])[0]["annotations"]
    assert [row["annot_id"] for row in rows] == [7, 1_000_000_001]
    assert rows[1]["annotator_name"] == "me"


def test_new_work_stands_in_the_order_of_the_summary(tmp_path: Path) -> None:
    """Whatever order the store has: claims by their places, then evidence that has no claim."""
    found, _ = read(_dump(tmp_path, _sample(CLAIM, BARE)))
    first, second = (owned.annotation for owned in found[0].annotations)
    made = [Annotation("c", (), first.evidence), Annotation("a", second.claim)]
    made.append(Annotation("b", first.claim))
    sample = replace(found[0].sample, imported=None)
    record = replace(
        found[0], sample=sample, annotations=tuple(OwnedAnnotation("me", one) for one in made)
    )
    rows = json.loads(write([record], "mercury")[0])[0]["annotations"]
    assert [row.get("summary_start") for row in rows] == [21, 43, None]


@pytest.mark.parametrize(
    ("labels", "paths", "doubt"),
    [
        (["Benign"], [("Benign",)], ""),
        (["Unwanted"], [("Unwanted",)], ""),
        (["Unwanted.Intrinsic", "Unwanted"], [("Unwanted", "Intrinsic")], ""),
        (
            ["Unwanted.Instrinsic", "Questionable"],
            [("Unwanted", "Instrinsic"), ("Questionable",)],
            "annotation 7 has the label 'Unwanted.Instrinsic' without its parent label",
        ),
        (
            ["Questionable", "Benign"],
            [("Questionable",), ("Benign",)],
            "annotation 7 has labels under",
        ),
        ([], [], "annotation 7 has no label"),
        (None, [], "annotation 7 has no label"),
        ("", [], "annotation 7 has no label"),
        ("null", [], "annotation 7 has no label"),
        ("Unwanted", [("Unwanted",)], ""),
        ("5", [("5",)], ""),
        ('"Benign"', [("Benign",)], ""),
        ('["Unwanted", "Unwanted.Intrinsic"]', [("Unwanted", "Intrinsic")], ""),
        (
            ["A.", "..", ""],
            [("A.",), ("..",), ("",)],
            "annotation 7 has labels under different top labels",
        ),
    ],
)
def test_odd_labels_come_in_as_they_are_and_are_told(
    tmp_path: Path, labels: Any, paths: list[tuple[str, ...]], doubt: str
) -> None:
    """What is not a parent with its child is kept, counted as a doubt, and written back."""
    sample = _sample(CLAIM | {"label": labels})
    found, problems = read(_dump(tmp_path, sample))
    assert found[0].annotations[0].annotation.labels == tuple(paths)
    assert all(not problem.refused for problem in problems)
    assert doubt in "\n".join(map(str, problems))
    assert bool(problems) == bool(doubt)
    assert json.loads(write(found, "mercury")[0]) == [sample]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"summary_start": 22}, ["summary span", "22:38", "'5 million pounds'"]),
        ({"source_end": 999}, ["source span", "35:999", "74"]),
        ({"source_end": 35}, ["source span", "35:35"]),
        ({"source_end": None}, ["source span", "35:None"]),
        ({"source_start": 35.0}, ["source span", "35.0:52"]),
        ({"source_start": True}, ["source span", "True:52"]),
        ({"annotator": ""}, ["annotator"]),
        ({"annotator": "a\0"}, ["annotator", "'a\\x00'", "'\\x00'"]),
        ({"label": {"a": 1}}, ["label", "object"]),
        ({"label": '["Unwanted"'}, ["label", "JSON"]),
        ({"label": '{"a": 1}'}, ["label", "object"]),
        ({"label": [1]}, ["label", "list"]),
        ({"note": 5}, ["note", "(5)"]),
    ],
)
def test_an_annotation_that_contradicts_itself_is_refused_alone(
    tmp_path: Path, change: dict[str, Any], named: list[str]
) -> None:
    """One line names the record, the annotation and both readings; other work comes in."""
    path = _dump(tmp_path, _sample(CLAIM | change, BARE), _sample(BARE, sample_id=4))
    found, problems = read(path)
    assert [len(record.annotations) for record in found] == [1, 1]
    (problem,) = problems
    assert problem.refuses_part
    assert problem.where == f"{path}, record 1"
    assert [value for value in ("annotation 7", *named) if value not in problem.message] == []


def test_an_annotation_without_any_span_is_refused(tmp_path: Path) -> None:
    """There is nothing that it could be about."""
    bare = {key: value for key, value in BARE.items() if not key.startswith("summary")}
    (found,), problems = read(_dump(tmp_path, _sample(bare)))
    assert found.annotations == ()
    assert [work.state.value for work in found.assignments] == ["draft"]
    assert [problem.refuses_part for problem in problems] == [True]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"source": ""}, ["'source'"]),
        ({"summary": 5}, ["'summary'", "(5)"]),
        ({"annotations": {}}, ["'annotations'"]),
        ({"annotations": [1]}, ["the annotation is a number (1)"]),
        ({"sample_id": 1.5}, ["sample_id", "(1.5)"]),
    ],
)
def test_a_sample_of_the_wrong_shape_is_refused(
    tmp_path: Path, change: dict[str, Any], named: list[str]
) -> None:
    """One problem a sample, with the field and the value."""
    _, (problem,) = read(path := _dump(tmp_path, _sample(**change)), "mercury")
    assert problem.where == f"{path}, record 1"
    assert [value for value in named if value not in problem.message] == []


def test_samples_need_their_parts_and_their_own_ids(tmp_path: Path) -> None:
    """A missing part, a list among samples, a double id: one line each."""
    broken = {"sample_id": 5, "source": "A.", "annotations": []}
    path = _dump(tmp_path, _sample(), _sample(), broken)
    path.write_text(path.read_text()[:-1] + ", []]")
    found, problems = read(path)
    assert len(found) == 1
    twice, partial, other = problems
    for number, problem in enumerate(problems, start=2):
        assert problem.where.startswith(str(path))
        assert problem.where.endswith(str(number))
    assert "sample_id 3" in twice.message
    assert str(path) in twice.message
    assert "'summary'" in partial.message
    assert "'sample_id', 'source', 'annotations'" in partial.message
    assert other.refused


def test_the_release_of_faithbench_is_read(tmp_path: Path) -> None:
    """Its wrapper, its `annotator_id`, its nulls for no evidence and its metadata are known."""
    row = {key: value for key, value in BARE.items() if key not in {"annotator", "sample_id"}}
    row |= {"annotator_id": "bb22", "source_span": None, "source_start": None, "source_end": None}
    sample = _sample(row, metadata={"summarizer": "toy-1"})
    sample = {key: value for key, value in sample.items() if not key.startswith("meta_")}
    found, problems = read(file(tmp_path, "release.json", json.dumps({"samples": [sample]})))
    assert problems == []
    assert found[0].sample.meta == {"summarizer": "toy-1"}
    text, _ = write(found, "mercury")
    out = json.loads(text)[0]
    assert out["meta_summarizer"] == "toy-1"
    assert out["annotations"][0].items() >= {"annotator": "bb22", "sample_id": 3}.items()
    assert "source_span" not in out["annotations"][0]


def test_what_mercury_has_no_place_for_is_counted(tmp_path: Path) -> None:
    """Several spans become rows; states, times, groups and names of samples are told as lost."""
    found, _ = read(_dump(tmp_path, _sample(CLAIM)))
    sample = replace(found[0].sample, id="bridge", group="g", imported=None, meta={})
    first = found[0].annotations[0].annotation
    two = replace(
        first,
        evidence=(*first.evidence, first.evidence[0]._replace(span=Span(0, 10))),
        labels=(("a.b",),),
        imported=None,
        origin="machine:x",
        number=12,
        created="2026-01-01T09:00:00.000000+00:00",
        trace=AssistTrace(places=(OUTSIDE, OUTSIDE)),
    )
    record = Record(
        sample,
        (OwnedAnnotation("aa11", two),),
        (Assignment("aa11", State.DONE), Assignment("cc33", State.DONE)),
        found[0].people,
    )
    text, report = write([record], "mercury")
    out = json.loads(text)[0]
    assert (out["sample_id"], out["meta_id"]) == (0, "bridge")
    assert [row["annot_id"] for row in out["annotations"]] == [12, 1_000_000_001]
    assert [row["source_start"] for row in out["annotations"]] == [35, 0]
    assert report.lost == {
        RecordTrait.GROUP: 1,
        RecordTrait.STATE: 1,
        RecordTrait.EMPTY: 1,
        Loss.NUMBERED_IDS: 1,
        RecordTrait.TIME: 1,
        RecordTrait.ORIGIN: 1,
        RecordTrait.TRACE: 1,
        Loss.DOT: 1,
        RecordTrait.EVIDENCES: 1,
    }


def test_no_two_samples_get_one_number(tmp_path: Path) -> None:
    """Names are numbered past the numbers that there are, also those of further datasets."""
    (record,), _ = read(_dump(tmp_path, _sample(CLAIM)))
    keys = [("a", "1"), ("a", "tea"), ("b", "1"), ("b", "4"), ("b", "x")]
    found = [
        replace(record, sample=replace(record.sample, dataset=dataset, id=name))
        for dataset, name in keys
    ]
    numbers = [row["sample_id"] for row in json.loads(write(found, "mercury")[0])]
    assert numbers == [1, 1_000_000_002, 2, 4, 1_000_000_005]


def test_no_records_are_an_empty_list() -> None:
    """Nothing to write is still a list."""
    assert write([], "mercury")[0] == "[]\n"


def _projected(record: Record) -> tuple[Any, ...]:
    """What a dump holds of a record, with a row a pair of spans."""
    names = {person.id: person.name or person.id for person in record.people}
    rows = [
        (owned.person, names[owned.person], _labels(owned), owned.annotation.note, claim, evidence)
        for owned in record.annotations
        for claim in owned.annotation.claim or (None,)
        for evidence in owned.annotation.evidence or (None,)
    ]
    texts = [document.text for document in record.sample.documents]
    return (record.sample.id, texts, dict(record.sample.meta), sorted(rows, key=repr))


def _labels(owned: OwnedAnnotation) -> set[tuple[str, ...]]:
    paths = owned.annotation.labels
    return {path for path in paths if not any(_above(path, other) for other in paths)}


def _above(path: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return len(path) < len(other) and other[: len(path)] == path


@given(found=st.lists(records(pair=True), max_size=3))
@settings(max_examples=example_limit(40))
def test_what_is_written_is_read_back_up_to_the_report(tmp_path: Path, found: list[Record]) -> None:
    """Texts, meta, people, labels, notes and every pair of spans come back, whatever they hold."""
    numbered = [
        replace(record, sample=replace(record.sample, id=str(place)))
        for place, record in enumerate(found)
    ]
    text, report = write(numbered, "mercury")
    back, problems = read(file(tmp_path, "a.json", text), "mercury")
    assert [problem for problem in problems if problem.refused and found] == []
    assert list(map(_projected, back)) == list(map(_projected, numbered))
    assert Loss.DOT not in report.lost
    again, second = write(back, "mercury")
    assert json.loads(again) == json.loads(text)
    assert second.lost == {}


def _batches() -> Iterator[Path]:
    here = Path(__file__).parents[2].parent / "shared"
    shared = Path(os.environ.get("TUI_ANNOTATE_SHARED", here))
    yield from sorted(shared.glob("data/faithbench/batch_*_annotation.json"))


def test_real_dumps_survive_word_for_word() -> None:
    """Every real dump is read without a refusal and written back as it was."""
    batches = list(_batches())
    if not batches:
        pytest.skip("real data: no folder TUI_ANNOTATE_SHARED with dumps")
    for path in batches:
        found, problems = read(path)
        assert [problem for problem in problems if problem.refused] == []
        assert json.loads(write(found, "mercury")[0]) == json.loads(path.read_text("utf-8"))
        native, _ = write(found, "native")
        assert native.count("\n") == len(found) == len(placeless(found))
