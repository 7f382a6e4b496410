"""Generated records, hostile texts included, for the laws of formats."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from tests.domain.strategies import traces
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.people import Person, PersonKind
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.domain.samples import Document, Request, Sample, SampleKind, Side
from tui_annotate.domain.spans import Span

_HOSTILE = [
    "e\u0301", "👩\u200d🚀", "🌉", "\r\n", "\r", "\t", "\u00a0", "\u2028", "\x00", "\x1b[31m",
    "\u202e", "\ufeff", "=HYPERLINK(1)", "'", '"', "今天", ". ", ",", "[bold]",
]  # fmt: skip
_CHARACTERS = st.characters(exclude_categories=["Cs"])
texts = st.lists(st.sampled_from(_HOSTILE) | st.text(_CHARACTERS, max_size=8), max_size=8).map(
    "".join
)
full_texts = texts.filter(str.strip)
words = texts.map(lambda text: text.replace("\0", ""))
_NAMES = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="."), min_size=1, max_size=8
).filter(str.strip)
_JSON = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts
)
metas = st.dictionaries(
    texts, _JSON | st.lists(_JSON, max_size=3) | st.dictionaries(texts, _JSON, max_size=2),
    max_size=3,
)  # fmt: skip
people = st.lists(
    st.builds(Person, _NAMES, texts, st.sampled_from(PersonKind)),
    min_size=1,
    max_size=3,
    unique_by=lambda person: person.id,
)


@st.composite
def anchors(draw: st.DrawFn, sample: Sample, side: Side, *, least: int = 0) -> tuple[Anchor, ...]:
    """Distinct anchors of one side, in reading order; none where the side has no documents."""
    documents = sample.side(side)
    if not documents:
        return ()
    found = set()
    for _ in range(draw(st.integers(least, 3))):
        index = draw(st.integers(0, len(documents) - 1))
        start = draw(st.integers(0, len(documents[index].text) - 1))
        end = draw(st.integers(start + 1, len(documents[index].text)))
        found.add(Anchor(side, index, Span(start, end)))
    return tuple(sorted(found))


@st.composite
def judgements(draw: st.DrawFn, sample: Sample) -> Annotation:
    """An annotation of a sample, with a claim, with evidence, or with both."""
    claim = draw(anchors(sample, Side.SUMMARY))
    evidence = draw(anchors(sample, Side.SOURCE, least=0 if claim else 1))
    return Annotation(
        str(draw(st.uuids())),
        claim,
        evidence,
        labels=tuple(
            draw(st.lists(st.lists(_NAMES, min_size=1, max_size=3).map(tuple), max_size=3))
        ),
        note=draw(texts),
        origin=draw(st.sampled_from(["human", "adjudicated", "machine:x", "imported:doccano"])),
        version=draw(st.integers(1, 9)),
        number=draw(st.integers(0, 999)),
        label_set=draw(st.sampled_from(["", "ab" * 32])),
        guidelines=draw(st.sampled_from(["", "cd" * 32])),
        created=draw(st.sampled_from(["", "2026-01-01T09:00:00.000000+00:00"])),
        updated=draw(st.sampled_from(["", "2026-01-02T09:00:00.000000+00:00"])),
        imported=draw(st.none() | metas),
        trace=draw(st.none() | traces(len(evidence))),
    )


@st.composite
def documents(draw: st.DrawFn, *, pair: bool) -> tuple[Document, ...]:
    """One source and one summary for a pair; else one or more sources, and perhaps a summary."""
    many = draw(st.lists(full_texts, min_size=1, max_size=1 if pair else 3))
    named, titled = (st.just("") if pair else each for each in (words, texts))
    sources = [Document(Side.SOURCE, text, draw(named), draw(titled), "zh") for text in many]
    if pair or draw(st.booleans()):
        sources.append(Document(Side.SUMMARY, draw(full_texts), language="en"))
    return tuple(sources)


@st.composite
def records(draw: st.DrawFn, *, pair: bool = False, name: str = "") -> Record:
    """A record with all that one can hold; `pair` for what a format of pairs has a place for."""
    sample = Sample(
        draw(_NAMES),
        name or draw(_NAMES),
        draw(documents(pair=pair)),
        kind=SampleKind.PAIR if pair else draw(st.sampled_from(SampleKind)),
        group="" if pair else draw(words),
        request=Request() if pair else draw(st.builds(Request, texts, texts, texts, texts)),
        meta=draw(metas),
        imported=None if pair else draw(st.none() | metas),
    )
    crowd = draw(people)
    owned = tuple(
        OwnedAnnotation(draw(st.sampled_from(crowd)).id, draw(judgements(sample)))
        for _ in range(draw(st.integers(0, 3)))
    )
    assigned = tuple(
        draw(
            st.builds(
                Assignment,
                st.just(person.id),
                st.sampled_from(State),
                texts,
                texts,
                st.floats(0, 1e6),
                st.sampled_from(["", "2026-01-02T09:00:00.000000+00:00"]),
            )
        )
        for person in crowd[: draw(st.integers(0, len(crowd)))]
    )
    return _with_named_people(sample, owned, assigned, crowd)


def _with_named_people(
    sample: Sample,
    owned: tuple[OwnedAnnotation, ...],
    assigned: tuple[Assignment, ...],
    crowd: list[Person],
) -> Record:
    named = [one.person for one in owned] + [one.person for one in assigned]
    known = {person.id: person for person in crowd}
    return Record(sample, owned, assigned, tuple(known[key] for key in dict.fromkeys(named)))


_ROW = {"annot_id": 1, "sample_id": 0, "annotator": "a", "label": ["X", "X.Y"], "note": "n"}
_SPAN = {"summary_span": "It", "summary_start": 0, "summary_end": 2, "annotator_name": "ana"}
DUMP = {"sample_id": 0, "source": "A. \u1234", "summary": "It is.", "annotations": [_ROW | _SPAN]}
NATIVE = {
    "format": "tui-annotate/1",
    "dataset": "d",
    "id": "1",
    "documents": [{"side": "source", "text": "A."}, {"side": "summary", "text": "It is."}],
    "annotations": [{"id": "a", "person": "p", "claim": [["summary", 0, 0, 2]], "quotes": ["It"]}],
    "assignments": [{"person": "p", "state": "done", "seconds": 1.5}],
    "people": [{"id": "p", "name": "ana", "kind": "local"}],
}
"""A sound record of the native form, and a sound sample of a dump (`DUMP`)."""

_VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3)
_OTHER = st.recursive(
    _VALUES,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
)


@st.composite
def altered(draw: st.DrawFn, sound: dict[str, Any]) -> dict[str, Any]:
    """A sound record with any JSON value in one place of it."""
    record: dict[str, Any] = json.loads(json.dumps(sound))
    place: Any = record
    while True:
        keys = list(place) if isinstance(place, dict) else range(len(place))
        key = draw(st.sampled_from(keys))
        inner = place[key]
        if not isinstance(inner, dict | list) or not inner or draw(st.booleans()):
            place[key] = draw(_OTHER)
            return record
        place = inner
