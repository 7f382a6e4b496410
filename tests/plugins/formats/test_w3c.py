"""Web annotations: what the model has words for is said in them, and all of it comes back."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.effort import example_limit
from tests.plugins.formats.laws import read, write
from tests.plugins.strategies import altered, records
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.people import Person, PersonKind
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.domain.samples import Document, Sample, Side
from tui_annotate.domain.spans import Span
from tui_annotate.plugins.format_detection import detect
from tui_annotate.plugins.traits import RecordTrait

SOURCE = "The bridge opened in 1932.\nIt cost 12 million pounds 🌉 and took six years."
SUMMARY = "The 1932 bridge cost 15 million pounds and was loved."
RECORD = Record(
    Sample("d", "b/1", (Document(Side.SOURCE, SOURCE), Document(Side.SUMMARY, SUMMARY))),
    (
        OwnedAnnotation(
            "ana é",
            Annotation(
                "0f0e",
                (Anchor(Side.SUMMARY, 0, Span(21, 38)),),
                (Anchor(Side.SOURCE, 0, Span(35, 52)),),
                labels=(("Unwanted", "Intrinsic"),),
                note="12, not 15",
                created="2026-01-02T09:00:00.000000+00:00",
            ),
        ),
    ),
    (Assignment("ana é", State.DONE, comment="clear", seconds=41.5),),
    (Person("ana é", "Ana", PersonKind.LOCAL),),
)
_SOURCE, _SUMMARY = (f"urn:sha256:{each.sha256}" for each in RECORD.sample.documents)
CREATOR = {
    "id": "urn:tui-annotate:person:ana%20%C3%A9",
    "type": "Person",
    "name": "Ana",
    "tui:kind": "local",
}


def _selectors(start: int, end: int, *around: str) -> list[dict[str, Any]]:
    exact, prefix, suffix = around
    return [
        {"type": "TextPositionSelector", "start": start, "end": end},
        {"type": "TextQuoteSelector", "exact": exact, "prefix": prefix, "suffix": suffix},
    ]


ITEMS = [
    {
        "id": "urn:tui-annotate:annotation:0f0e",
        "type": "Annotation",
        "motivation": ["classifying", "commenting", "linking"],
        "creator": CREATOR,
        "tui:origin": "human",
        "tui:version": 1,
        "created": "2026-01-02T09:00:00.000000+00:00",
        "body": [
            {
                "type": "TextualBody", "purpose": "classifying", "format": "text/plain",
                "value": "Unwanted/Intrinsic", "tui:path": ["Unwanted", "Intrinsic"],
            },
            {
                "type": "TextualBody", "purpose": "commenting", "format": "text/plain",
                "value": "12, not 15",
            },
        ],
        "target": [
            {
                "type": "SpecificResource", "source": _SUMMARY, "tui:role": "claim",
                "selector": _selectors(
                    21, 38, "15 million pounds", "The 1932 bridge cost ", " and was loved."
                ),
            },
            {
                "type": "SpecificResource", "source": _SOURCE, "tui:role": "evidence",
                "selector": _selectors(
                    35, 52, "12 million pounds", SOURCE[3:35], " 🌉 and took six years."
                ),
            },
        ],
    },
    {
        "id": "urn:tui-annotate:work:d:b%2F1:ana%20%C3%A9",
        "type": "Annotation",
        "motivation": ["assessing"],
        "creator": CREATOR,
        "tui:state": "done",
        "tui:seconds": 41.5,
        "body": [
            {
                "type": "TextualBody", "purpose": "commenting", "format": "text/plain",
                "value": "clear",
            }
        ],
        "target": [_SOURCE, _SUMMARY],
    },
]  # fmt: skip


def _collection(path: Path) -> dict[str, Any]:
    write([RECORD], "w3c", path)
    (found,) = json.loads(path.read_text("utf-8"))
    return dict(found)


def test_what_a_record_becomes(tmp_path: Path) -> None:
    """Position and quote of each span, a role for each target, IRIs that need no network."""
    found = _collection(tmp_path / "a.json")
    assert found["first"]["items"] == ITEMS
    assert found["total"] == len(ITEMS)
    assert (found["id"], found["type"]) == (
        "urn:tui-annotate:sample:d:b%2F1", "AnnotationCollection",
    )  # fmt: skip
    assert found["@context"][0] == "http://www.w3.org/ns/anno.jsonld"
    assert [each["value"] for each in found["tui:documents"]] == [SOURCE, SUMMARY]
    assert [each["id"] for each in found["tui:documents"]] == [_SOURCE, _SUMMARY]
    assert detect(tmp_path / "a.json") == "w3c"


def test_evidence_alone_links_nothing(tmp_path: Path) -> None:
    """A link has two ends; what marks one place classifies it, or highlights it."""
    one = RECORD.annotations[0].annotation
    for labels, motivation in ((one.labels, "classifying"), ((), "highlighting")):
        bare = OwnedAnnotation("ana é", replace(one, claim=(), labels=labels, note=""))
        write([replace(RECORD, annotations=(bare,))], "w3c", tmp_path / "a.json")
        (found,) = json.loads((tmp_path / "a.json").read_text("utf-8"))
        item = found["first"]["items"][0]
        assert item["motivation"] == [motivation]


@given(record=records())
@settings(deadline=None, max_examples=example_limit(50))
def test_every_kind_of_sample_comes_back(record: Record) -> None:
    """Several sources, titles, requests, kinds, versions: all but places and settlements."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.json"
        report = write([record], "w3c", path)
        back, problems = read(path, "w3c")
    if problems:  # ids and texts that no reader takes
        assert back == []
        return
    bare = [
        replace(one, annotation=replace(one.annotation, trace=None, settled=None, imported=None,
                                        suggested=None, number=0))
        for one in record.annotations
    ]  # fmt: skip
    assert list(back[0].annotations) == bare
    assert back[0].assignments == record.assignments
    assert replace(back[0].sample, imported=None) == replace(record.sample, imported=None)
    traced = sum(one.annotation.trace is not None for one in record.annotations)
    assert report.lost.get(RecordTrait.TRACE, 0) == traced


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"type": "Annotation"}, "not 'AnnotationCollection'"),
        ({"tui:documents": []}, "no documents"),
        ({"tui:meta": []}, "'tui:meta' is a list, not a JSON object"),
        ({"tui:sample": ""}, "the id is empty"),
        ({"tui:group": "a\0"}, "U+0000"),
    ],
)
def test_other_collections_are_told(tmp_path: Path, change: dict[str, Any], told: str) -> None:
    """What is not as we write it is refused with the reason."""
    path = tmp_path / "a.json"
    path.write_text(json.dumps([_collection(path) | change]), "utf-8")
    back, (problem,) = read(path, "w3c")
    assert back == []
    assert told in problem.message


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"start": 21', '"start": 23', "covers"),
        ('"start": 21', '"start": 990', "claim of annotation 0f0e"),
        ("bridge opened", "bridge closed", "the source text has SHA-256"),
        ('"tui:role": "claim"', '"tui:role": "victim"', "the unknown role 'victim'"),
        (
            '"tui:role": "claim"',
            '"tui:role": "evidence"',
            "a text that the sample does not contain",
        ),
        ("TextPositionSelector", "XPathSelector", "has no position"),
        ("person:", "group:", "is not a valid person IRI"),
        ('"tui:state": "done"', '"tui:state": "gone"', "unknown value 'gone' of tui:state"),
    ],
)
def test_what_does_not_fit_is_told(tmp_path: Path, old: str, new: str, told: str) -> None:
    """Spans, hashes, roles and people are checked; the next collection is read all the same."""
    path = tmp_path / "a.json"
    good = json.dumps(_collection(path), ensure_ascii=False)
    bad = good.replace(old, new)
    assert bad != good
    other = good.replace('"tui:sample": "b/1"', '"tui:sample": "b/2"')
    path.write_text(f"[{bad},\n{other}]", "utf-8")
    back, (problem, *_) = read(path, "w3c")
    kept = ["b/2"] if problem.refused else ["b/1", "b/2"]
    assert [record.sample.id for record in back] == kept
    assert problem.refused == (old == "bridge opened")
    assert problem.refused != problem.refuses_part
    assert told in problem.message


@given(data=st.data())
@settings(
    deadline=None,
    max_examples=example_limit(50),
)
def test_no_value_breaks_the_reader(tmp_path: Path, data: st.DataObject) -> None:
    """Any JSON value in any place of a sound collection is read or refused."""
    path = tmp_path / "a.json"
    changed = data.draw(altered(_collection(path)))
    path.write_text(json.dumps([changed]), "utf-8")
    try:
        for problem in read(path, "w3c")[1]:
            assert "\n" not in str(problem)
    except TuiAnnotateError:
        return
