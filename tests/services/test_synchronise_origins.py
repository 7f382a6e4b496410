"""Where an accepted annotation is from goes out and comes home with the line of a document."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tui_annotate.domain.annotations import Anchor, Annotation, annotation_to_json
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.event_streams import EventStream
from tui_annotate.domain.history import StreamState
from tui_annotate.domain.people import Person
from tui_annotate.domain.provenance import Provenance
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.domain.report_collections import PASSAGE
from tui_annotate.domain.samples import Document, Sample, SampleKind, Side
from tui_annotate.domain.spans import Span
from tui_annotate.services.sync import payloads

AT = "2031-01-01T00:00:00.000000+00:00"
PAGE = Sample(
    "c",
    "d|t|p",
    (Document(Side.SOURCE, "Tea is a drink 😀 of leaves."),),
    kind=SampleKind.DOCUMENT,
    meta={"topic_id": "t", "docid": "p"},
)
FROM = Provenance(suggestion="s", maker="judge:tiny", score=0.5, changed=True)
TAKEN = Annotation(
    "a", (), (Anchor(Side.SOURCE, 0, Span(0, 3)), Anchor(Side.SOURCE, 0, Span(20, 26))),
    labels=(PASSAGE,), suggested=FROM,
)  # fmt: skip
OWN = replace(TAKEN, id="b", evidence=(Anchor(Side.SOURCE, 0, Span(9, 14)),), suggested=None)


def row(*annotations: Annotation) -> dict[str, Any]:
    """What is sent of somebody's work on the page."""
    owned = tuple(OwnedAnnotation("ana", each) for each in annotations)
    work = (Assignment("ana", State.DRAFT),)
    record = Record(PAGE, owned, work, (Person("ana", "ana"),))
    return payloads.build_payload(record, lambda _: PAGE, at=AT)


def come(value: dict[str, Any], *here: Annotation) -> dict[str, Any]:
    """The annotations that a row makes of those that stand here, by id."""
    standing = StreamState({each.id: annotation_to_json(each) for each in here})
    stream = EventStream("ana", PAGE.key, 1, standing)
    return dict(payloads.parse_payload(value, PAGE, stream, at=AT).annotations)


def test_what_was_accepted_says_so_on_another_machine() -> None:
    """Its id, all its spans together and its provenance come in; other passages as before."""
    value = row(TAKEN, OWN)
    assert [each["id"] for each in value[payloads.ORIGINS_KEY]] == ["a"]
    found = come(value)
    assert len(found) == 2
    assert found["a"]["suggested"] == annotation_to_json(TAKEN)["suggested"]
    assert found["a"]["evidence"] == annotation_to_json(TAKEN)["evidence"]
    (other,) = (each for name, each in found.items() if name != "a")
    assert "suggested" not in other


def test_a_row_without_such_work_stays_as_it_was() -> None:
    """Foreign readers, and rows of before, see no new key."""
    assert payloads.ORIGINS_KEY not in row(OWN)


def test_the_same_annotation_stays_as_it_stands_here() -> None:
    """Its note and its times are no matter of the row."""
    noted = replace(TAKEN, note="mine", created="then")
    assert come(row(TAKEN), noted) == {"a": annotation_to_json(noted)}


def test_passages_that_came_bare_before_are_not_doubled() -> None:
    """What an earlier row made of the spans gives way to the annotation that they are of."""
    value = row(TAKEN)
    bare = come({name: each for name, each in value.items() if name != payloads.ORIGINS_KEY})
    assert len(bare) == 2
    standing = StreamState(bare)
    again = payloads.parse_payload(value, PAGE, EventStream("ana", PAGE.key, 1, standing), at=AT)
    assert list(again.annotations) == ["a"]


def test_what_another_program_unmarked_does_not_come_back() -> None:
    """The spans of the line count; an annotation that they do not bear is gone."""
    value = {**row(TAKEN), "spans": []}
    assert come(value, TAKEN) == {}


SENT = payloads.collect_origins(Record(PAGE, (OwnedAnnotation("ana", TAKEN),)))[0]


@pytest.mark.parametrize(
    "told",
    [
        {},
        [1],
        [{name: each for name, each in SENT.items() if name != "suggested"}],
        [{**SENT, "id": "a\0"}],
        [{**SENT, "evidence": [[1, 2]]}],
        [{**SENT, "claim": [["summary", 0, 0, 1]]}],
        [{**SENT, "evidence": [["source", 0, 0, 999]]}],
        [{**SENT, "suggested": {"suggestion": "s"}}],
    ],
)
def test_what_does_not_fit_is_refused(told: Any) -> None:
    """A stranger's row can not bring in what this program could not have sent."""
    with pytest.raises(TuiAnnotateError):
        come({**row(TAKEN), payloads.ORIGINS_KEY: told})
