"""Offsets of other programs: each reader takes one way of counting for a whole text, or refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.fuzz.readers import placed
from tests.plugins.formats.laws import read, write
from tests.plugins.test_offset_units import WAYS, counted, quoted_by
from tui_annotate.domain.records import Problem, Record
from tui_annotate.domain.samples import Side, fingerprint
from tui_annotate.plugins.joined_texts import SEPARATOR
from tui_annotate.plugins.offset_units import CODE_POINTS

SOURCE = "The source."
PIECES = [
    "🌉",
    "é",
    "e\u0301",
    "\r\n",
    "\n",
    "今天",
    "a b",
    "x",
    " y",
    "w.",
    "\ufeff",
    "👩\u200d🚀",
]
TEXTS = st.lists(st.sampled_from(PIECES), min_size=2, max_size=8).map("".join).filter(str.strip)


class Told(NamedTuple):
    """A span of the summary as a file tells it."""

    start: int
    end: int
    quote: str


Files = dict[str, str]


def _mercury(texts: list[str], told: list[list[Told]]) -> Files:
    return {
        "a.json": json.dumps([_dumped(*each) for each in enumerate(zip(texts, told, strict=True))])
    }


def _dumped(number: int, sample: tuple[str, list[Told]]) -> dict[str, Any]:
    rows = [
        {"annot_id": place, "annotator": "a", "label": ["X"], "note": "",
         "summary_start": one.start, "summary_end": one.end, "summary_span": one.quote}
        for place, one in enumerate(sample[1])
    ]  # fmt: skip
    return {"sample_id": number, "source": SOURCE, "summary": sample[0], "annotations": rows}


def _faithbench(texts: list[str], told: list[list[Told]]) -> Files:
    return {"a.json": json.dumps({"samples": json.loads(_mercury(texts, told)["a.json"])})}


def _ragtruth(texts: list[str], told: list[list[Told]]) -> Files:
    rows = [
        {"id": str(number), "source_id": "s", "response": text,
         "labels": [{"start": one.start, "end": one.end, "text": one.quote} for one in spans]}
        for number, (text, spans) in enumerate(zip(texts, told, strict=True))
    ]  # fmt: skip
    source = json.dumps({"source_id": "s", "source_info": SOURCE})
    return {"source_info.jsonl": source, "response.jsonl": "\n".join(map(json.dumps, rows))}


def _labelstudio(texts: list[str], told: list[list[Told]]) -> Files:
    tasks = []
    for number, (text, spans) in enumerate(zip(texts, told, strict=True)):
        regions = [
            {"id": f"r{place}", "to_name": "summary", "type": "labels",
             "value": {"start": one.start, "end": one.end, "text": one.quote, "labels": ["X"]}}
            for place, one in enumerate(spans)
        ]  # fmt: skip
        data = {"source": SOURCE, "summary": text}
        tasks.append({"id": number, "data": data, "annotations": [{"result": regions}]})
    return {"a.json": json.dumps(tasks)}


def _native(texts: list[str], told: list[list[Told]]) -> Files:
    lines = []
    for number, (text, spans) in enumerate(zip(texts, told, strict=True)):
        rows = [
            {"id": f"{number}-{place}", "person": "a", "quotes": [one.quote],
             "claim": [["summary", 0, one.start, one.end]]}
            for place, one in enumerate(spans)
        ]  # fmt: skip
        documents = [{"side": "source", "text": SOURCE}, {"side": "summary", "text": text}]
        line = {
            "format": "tui-annotate/1",
            "dataset": "d",
            "id": str(number),
            "people": [{"id": "a"}],
        }
        lines.append(line | {"documents": documents, "annotations": rows})
    return {"a.jsonl": "\n".join(map(json.dumps, lines))}


def _w3c(texts: list[str], told: list[list[Told]]) -> Files:
    collections = []
    for number, (text, spans) in enumerate(zip(texts, told, strict=True)):
        rows = [
            {"id": f"urn:tui-annotate:annotation:{number}-{place}", "body": [],
             "creator": {"id": "urn:tui-annotate:person:a"},
             "target": [{"tui:role": "claim", "source": f"urn:sha256:{fingerprint(text)}",
                         "selector": [
                 {"type": "TextPositionSelector", "start": one.start, "end": one.end},
                 {"type": "TextQuoteSelector", "exact": one.quote}]}]}
            for place, one in enumerate(spans)
        ]  # fmt: skip
        documents = [
            {"tui:side": side, "value": value, "id": f"urn:sha256:{fingerprint(value)}"}
            for side, value in (("source", SOURCE), ("summary", text))
        ]
        head = {"@context": [], "type": "AnnotationCollection", "tui:dataset": "d"}
        told_of = {"tui:sample": str(number), "tui:documents": documents, "first": {"items": rows}}
        collections.append(head | told_of)
    return {"a.json": json.dumps(collections)}


def _brat(texts: list[str], told: list[list[Told]]) -> Files:
    files = {}
    for number, (text, spans) in enumerate(zip(texts, told, strict=True)):
        files[f"a/{number}.txt"] = SOURCE + SEPARATOR + text
        lines = [
            f"T{place} X {one.start} {one.end}\t{one.quote}".replace(" X", "\tX", 1)
            for place, one in enumerate(spans, 1)
        ]
        files[f"a/{number}.ann"] = "\n".join(lines)
    return files


Made = Callable[[list[str], list[list[Told]]], Files]
FORMATS: dict[str, Made] = {
    "mercury": _mercury,
    "faithbench": _faithbench,
    "ragtruth": _ragtruth,
    "labelstudio": _labelstudio,
    "native": _native,
    "w3c": _w3c,
    "brat": _brat,
}
"""The formats that quote what their spans cover, and how a file of each is made."""


def _read(
    name: str, texts: list[str], told: list[list[Told]]
) -> tuple[list[Record], list[Problem]]:
    with TemporaryDirectory() as folder:
        files = {key: text.encode() for key, text in FORMATS[name](texts, told).items()}
        return read(placed(files, Path(folder)), name, dataset="d")


def _spans(record: Record) -> list[tuple[int, int]]:
    found = [owned.annotation.claim[0].span for owned in record.annotations]
    return [(span.start, span.end) for span in found]


def _whole(name: str, text: str) -> tuple[str, int]:
    """The text whose offsets a format counts, and where the summary begins in it."""
    before = SOURCE + SEPARATOR if name == "brat" else ""
    return before + text, len(before)


@st.composite
def _meant(draw: st.DrawFn) -> tuple[str, list[tuple[int, int]]]:
    text = draw(TEXTS)
    spans = []
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text) - 1))
        spans.append((start, draw(st.integers(start + 1, len(text)))))
    return text, spans


def _in_brat(name: str, text: str, spans: list[tuple[int, int]]) -> bool:
    """Whether its lines can hold the words: no line end stands in a line of standoff."""
    return name != "brat" or not any("\n" in text[start:end] for start, end in spans)


@pytest.mark.parametrize("name", FORMATS)
@given(meant=_meant(), way=st.sampled_from(WAYS))
def test_a_text_counted_otherwise_is_read_as_it_was_meant(
    name: str, meant: tuple[str, list[tuple[int, int]]], way: str
) -> None:
    """Or refused by its name where two ways fit; what was counted otherwise is told."""
    text, spans = meant
    whole, shift = _whole(name, text)
    spans = list(dict.fromkeys(spans))
    moved = [(start + shift, end + shift) for start, end in spans]
    assume(_in_brat(name, text, spans))
    report = [counted(whole, span, way) for span in moved]
    assume(None not in report)
    numbers = [each for each in report if each is not None]
    quotes = [quoted_by(whole, span, way) for span in moved]
    rows = [Told(*pair, quote) for pair, quote in zip(numbers, quotes, strict=True)]
    records, problems = _read(name, [text, "Next."], [rows, []])
    assert records[-1].sample.document(Side.SUMMARY).text == "Next."
    assert len(records) == 2
    if any(problem.refuses_part for problem in problems):
        assert all(
            text[start:end] in {quote for _, _, quote in rows} for start, end in _spans(records[0])
        )
        return
    found = _spans(records[0])
    if found == spans:
        assert problems or numbers == moved
    else:  # the plainer way fits these words as well
        assert [text[start:end] for start, end in found] == [quote for _, _, quote in rows]


@pytest.mark.parametrize("name", FORMATS)
def test_of_two_ways_in_one_text_none_moves_a_span(name: str) -> None:
    """One span in code points and one in UTF-16: a format's own unit is taken, else neither."""
    text = "🌉 one two three"
    whole, shift = _whole(name, text)
    assert counted(whole, (2 + shift, 5 + shift), CODE_POINTS) == (2 + shift, 5 + shift)
    rows = [Told(2 + shift, 5 + shift, "one"), Told(7 + shift, 10 + shift, "two")]
    records, problems = _read(name, [text, "Next."], [rows, []])
    assert [record.sample.document(Side.SUMMARY).text for record in records] == [text, "Next."]
    fixed = name != "labelstudio"  # its releases count in either unit
    assert _spans(records[0]) == ([(2, 5)] if fixed else [])
    refused = [problem for problem in problems if problem.refuses_part]
    assert len(refused) == 2 - fixed
    for each in refused:
        assert ("covers" if fixed else "is ambiguous") in each.message
        assert any(word in each.message for word in ("annotation", "label", "region", "entity"))


@pytest.mark.parametrize("name", ["mercury", "faithbench", "ragtruth"])
def test_what_goes_out_word_for_word_goes_out_as_it_is_meant(tmp_path: Path, name: str) -> None:
    """Rows that nobody edited are in code points then, as those beside them that somebody did."""
    text = "🌉 one two three"
    records, problems = _read(name, [text], [[Told(3, 6, "one"), Told(7, 10, "two")]])
    assert [problem.refused for problem in problems] == [False]
    write(records, name, tmp_path / "out")
    (back,), problems = read(tmp_path / "out", name, dataset="d")
    assert _spans(back) == [(2, 5), (6, 9)]
    assert [problem.message for problem in problems if "offsets" in problem.message] == []
