"""Generated work on pairs of texts, as hostile as people and programs make it, for all formats."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.plugins.strategies import metas
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.people import Person, PersonKind
from tui_annotate.domain.records import Owned, Record
from tui_annotate.domain.samples import Document, Request, Sample, Side
from tui_annotate.domain.spans import Span
from tui_annotate.plugins.joined import SEPARATOR

_PIECES = [
    "e\u0301", "👩\u200d🚀", "🌉", "\r\n", "\r", "\n", "\t", "\u00a0", "\u2028", "\x85", "\x1b[31m",
    "\x1b]0;x\x07", "\u202e", "\ufeff", "=1+1", "@x", '"', "\\", "今天。", "A sentence. ", "b", " ",
    SEPARATOR, "\n\n=== SUMMARY", "[x]", "T1\tX 0 1\t", "\x00",
]  # fmt: skip
texts = st.lists(st.sampled_from(_PIECES), min_size=1, max_size=8).map("".join).filter(str.strip)
notes = st.just("") | texts
_NAMES = st.sampled_from(
    ["Unwanted", "Intrinsic", "a.b", "a/b", "幻觉", "Ja & Nein", "x_y", "é", "."]
)
_PATHS = st.lists(_NAMES, min_size=1, max_size=3).map(tuple)
_TIMES = st.sampled_from(
    ["", "2026-01-02T09:00:00.000000+00:00", "2026-01-02T09:00:00.123456+00:00"]
)
PEOPLE = [
    Person("ana", "ana", PersonKind.IMPORTED),
    Person("5f/..", "Ben É", PersonKind.IMPORTED),
    Person("7", "李", PersonKind.IMPORTED),
]


@st.composite
def _anchors(draw: st.DrawFn, side: Side, text: str, *, least: int = 0) -> tuple[Anchor, ...]:
    found = set()
    for _ in range(draw(st.integers(least, draw(st.integers(1, 3))))):
        start = draw(st.integers(0, len(text) - 1))
        found.add(Anchor(side, 0, Span(start, draw(st.integers(start + 1, len(text))))))
    return tuple(sorted(found))


@st.composite
def work(draw: st.DrawFn, *, key: str = "", people: tuple[Person, ...] = tuple(PEOPLE)) -> Record:
    """A pair with work of several people, with all that a record can hold but traces."""
    source, summary = draw(texts), draw(texts)
    sample = Sample(
        "d",
        key or draw(st.sampled_from(["1", "a b", "x/y", "桥", "=1", "007"])),
        (Document(Side.SOURCE, source), Document(Side.SUMMARY, summary)),
        group=draw(st.sampled_from(["", "g", "a/b 桥"])),
        request=draw(st.sampled_from([Request(), Request(question="who?")])),
        meta=draw(st.just({}) | metas),
    )
    owned = []
    for number in range(draw(st.integers(0, 4))):
        claim = draw(_anchors(Side.SUMMARY, summary))
        evidence = draw(_anchors(Side.SOURCE, source, least=0 if claim else 1))
        annotation = Annotation(
            f"id-{sample.id}-{number}",
            claim,
            evidence,
            labels=tuple(dict.fromkeys(draw(st.lists(_PATHS, max_size=2)))),
            note=draw(notes),
            origin=draw(st.sampled_from(["human", "human", "machine:x", "adjudicated"])),
            created=draw(_TIMES),
            updated=draw(_TIMES),
        )
        owned.append(Owned(draw(st.sampled_from(people)).id, annotation))
        if draw(st.booleans()):  # the same words again, by whomever
            twin = Annotation(f"twin-{sample.id}-{number}", claim, evidence, note="again")
            owned.append(Owned(draw(st.sampled_from(people)).id, twin))
    done = draw(st.lists(st.sampled_from(people), unique=True))
    states = st.sampled_from([State.DONE, State.DONE, *State])
    assigned = tuple(Assignment(one.id, draw(states), comment=draw(notes)) for one in done)
    named = {one.person for one in owned} | {one.id for one in done}
    there = tuple(person for person in people if person.id in named)
    return Record(sample, tuple(owned), assigned, there)


def several(people: tuple[Person, ...] = tuple(PEOPLE)) -> st.SearchStrategy[list[Record]]:
    """Up to three samples of one dataset."""
    keys = st.lists(st.sampled_from(["1", "a b", "x/y", "桥", "007"]), max_size=3, unique=True)
    of_keys = keys.map(lambda names: [work(key=name, people=people) for name in names])
    return of_keys.flatmap(lambda each: st.tuples(*each)).map(list)
