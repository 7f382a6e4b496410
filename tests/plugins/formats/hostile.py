"""Generated work on pairs of texts, as hostile as people and programs make it, for all formats."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import Final

from hypothesis import strategies as st

from tests.domain.strategies import provenances, settlements, traces
from tests.plugins.strategies import metas
from tui_annotate.domain.adjudication import Adjudication
from tui_annotate.domain.annotations import ADJUDICATED, Anchor, Annotation, LabelPath
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.people import Person, PersonKind
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.domain.samples import Document, Request, Sample, SampleKind, Side
from tui_annotate.domain.spans import Span
from tui_annotate.plugins.joined_texts import SEPARATOR

_PIECES = [
    "e\u0301", "👩\u200d🚀", "🌉", "\r\n", "\r", "\n", "\t", "\u00a0", "\u2028", "\x85", "\x1b[31m",
    "\x1b]0;x\x07", "\u202e", "\ufeff", "=1+1", "@x", '"', "\\", "今天。", "A sentence. ", "b", " ",
    SEPARATOR, "\n\n=== SUMMARY", "[x]", "T1\tX 0 1\t", "\x00",
]  # fmt: skip
_STARTS = st.sampled_from(["", "", "", "=1+1"])  # as a spreadsheet would read it, if it could
texts = (
    st.builds("{}{}".format, _STARTS, st.lists(st.sampled_from(_PIECES), max_size=8).map("".join))
).filter(str.strip)
notes = st.just("") | texts
_NAMES = st.sampled_from(
    ["Unwanted", "Intrinsic", "a.b", "a/b", "幻觉", "Ja & Nein", "x_y", "é", ".", "Evidence",
     "Unlabelled", "👩\u200d🚀", "a\tb", "[x]", "x-2"]
)  # fmt: skip
_PATHS = st.lists(_NAMES, min_size=1, max_size=3).map(tuple)
_TIMES = st.sampled_from(
    ["", "2026-01-02T09:00:00.000000+00:00", "2026-01-02T09:00:00.123456+00:00"]
)
_ORIGINALS = [None, None, None, {"format": "elsewhere", "confidence": 0.9}]
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


def _settled(origin: str) -> st.SearchStrategy[Adjudication | None]:
    return st.none() | settlements() if origin == ADJUDICATED else st.none()


@st.composite
def _labels(draw: st.DrawFn) -> tuple[LabelPath, ...]:
    """Up to two, at times with one that stands above the last."""
    paths = draw(st.lists(_PATHS, max_size=2))
    above = [path[:-1] for path in paths[-1:] if len(path) > 1 and draw(st.booleans())]
    return tuple(dict.fromkeys([*paths, *above]))


@st.composite
def _annotation(draw: st.DrawFn, key: str, source: str, summary: str) -> Annotation:
    claim = draw(_anchors(Side.SUMMARY, summary))
    evidence = draw(_anchors(Side.SOURCE, source, least=0 if claim else 1))
    origin = draw(st.sampled_from(["human", "human", "machine:x", ADJUDICATED]))
    return Annotation(
        key,
        claim,
        evidence,
        labels=draw(_labels()),
        note=draw(notes),
        origin=origin,
        version=draw(st.sampled_from([1, 1, 2])),
        label_set=draw(st.sampled_from(["", "", "ab" * 32])),
        created=draw(_TIMES),
        updated=draw(_TIMES),
        trace=draw(st.none() | st.none() | traces(len(evidence))),
        settled=draw(_settled(origin)),
        suggested=draw(st.none() | st.none() | provenances()),
        imported=draw(st.sampled_from(_ORIGINALS)),
    )


@st.composite
def _sample(draw: st.DrawFn, key: tuple[str, str]) -> Sample:
    source, summary = draw(texts), draw(texts)
    title = draw(st.sampled_from(["", "", "a = b"]))
    return Sample(
        *key,
        (Document(Side.SOURCE, source, title=title), Document(Side.SUMMARY, summary)),
        kind=draw(st.sampled_from([SampleKind.PAIR, SampleKind.PAIR, SampleKind.QUESTION])),
        group=draw(st.sampled_from(["", "g", "a/b 桥"])),
        request=draw(st.sampled_from([Request(), Request(), Request(question="who?")])),
        meta=draw(st.just({}) | metas),
        imported=draw(st.sampled_from(_ORIGINALS)),
    )


@st.composite
def work(
    draw: st.DrawFn, key: tuple[str, str], *, people: tuple[Person, ...] = tuple(PEOPLE)
) -> Record:
    """A pair with work of several people, with all that a record can hold."""
    sample = draw(_sample(key))
    source, summary = (document.text for document in sample.documents)
    owned = []
    for number in range(draw(st.integers(0, 4))):
        name = f"{'-'.join(key)}-{number}"
        annotation = draw(_annotation(f"id-{name}", source, summary))
        owned.append(OwnedAnnotation(draw(st.sampled_from(people)).id, annotation))
        if draw(st.booleans()):  # the same words again, by whomever
            twin = Annotation(f"twin-{name}", annotation.claim, annotation.evidence, note="again")
            owned.append(OwnedAnnotation(draw(st.sampled_from(people)).id, twin))
    done = draw(st.lists(st.sampled_from(people), unique=True))
    assigned = tuple(draw(_assignment(one.id)) for one in done)
    return _record(sample, owned, assigned, people)


def _assignment(person: str) -> st.SearchStrategy[Assignment]:
    return st.builds(
        Assignment,
        st.just(person),
        st.sampled_from([State.DONE, State.DONE, *State]),
        rating=st.sampled_from(["", "", "good"]),
        comment=notes,
        seconds=st.sampled_from([0.0, 0.0, 41.5]),
        updated=_TIMES,
    )


def _record(
    sample: Sample,
    owned: Sequence[OwnedAnnotation],
    assigned: tuple[Assignment, ...],
    people: Iterable[Person],
) -> Record:
    known = {person.id: person for person in people}
    named = dict.fromkeys([one.person for one in owned] + [one.person for one in assigned])
    return Record(sample, tuple(owned), assigned, tuple(known[name] for name in named))


_KEYS = st.tuples(
    st.sampled_from(["d", "d", "d", "e/桥"]),
    st.sampled_from(["1", "a b", "x/y", "桥", "=1", "007"]),
)


def several(people: tuple[Person, ...] = tuple(PEOPLE)) -> st.SearchStrategy[list[Record]]:
    """Up to three samples, mostly of one dataset."""
    keys = st.lists(_KEYS, max_size=3, unique=True)
    of_keys = keys.map(lambda names: [work(name, people=people) for name in names])
    return of_keys.flatmap(lambda each: st.tuples(*each)).map(list)


CROWD: Final = 200


def crowded(seed: int, people: Sequence[Person] = tuple(PEOPLE)) -> Record:
    """A pair whose texts are full of spans, `CROWD` of each side, many of them twice.

    Not drawn one by one: hypothesis would spend its time on choosing offsets.
    """
    dice = Random(seed)
    sides = {side: "A " + "".join(dice.choices([*_PIECES[:-5], "word "], k=200)) for side in Side}
    spans = {
        side: [_span(dice, text) for _ in range(CROWD // 2)] * 2 for side, text in sides.items()
    }
    owned = [
        OwnedAnnotation(
            dice.choice(people).id,
            Annotation(
                f"a{place:03}",
                (Anchor(Side.SUMMARY, 0, claim),),
                (Anchor(Side.SOURCE, 0, evidence),),
                labels=((dice.choice(["Unwanted", "幻觉", "a/b"]), "x"),),
                note=dice.choice(["", "twelve"]),
            ),
        )
        for place, (claim, evidence) in enumerate(
            zip(spans[Side.SUMMARY], spans[Side.SOURCE], strict=True)
        )
    ]
    documents = tuple(Document(side, sides[side]) for side in (Side.SOURCE, Side.SUMMARY))
    return _record(Sample("d", "1", documents), owned, (), people)


def _span(dice: Random, text: str) -> Span:
    start = dice.randrange(len(text))
    return Span(start, dice.randint(start + 1, min(len(text), start + 60)))
