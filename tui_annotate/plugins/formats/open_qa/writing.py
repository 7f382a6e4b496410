"""Samples of questions back to rows, with the metric's verdict and those of people beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TextIO

from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import Person
from tui_annotate.domain.positions import ANSWER, VERDICT, Task, passages, task, verdict_of
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Kind, Sample, Side
from tui_annotate.methods.position import scored
from tui_annotate.plugins.formats.open_qa.names import ABOUT, FORMAT, OWN_META, PEOPLE
from tui_annotate.plugins.losses import Tally
from tui_annotate.plugins.protocols import Report
from tui_annotate.plugins.traits import Trait

_SHOWN_PAIRS = ("model_ordered_kv_records", "ordered_kv_records")


class Writer:
    """Writes a row a sample.

    Attributes:
        report: what was written, and what has no place in rows.
    """

    def __init__(self) -> None:
        self.report = Report()
        self._tally = Tally(ABOUT, self.report, own=FORMAT)
        self._names: dict[str, str] = {}

    def write(self, record: Record, target: TextIO) -> None:
        """Writes one sample with all that people said of it as a whole."""
        if record.sample.kind is not Kind.QUESTION:
            self.report.lose("samples that are no question")
            self.report.lose("annotations of such samples", len(record.annotations))
            return
        self._count(record)
        row = row_of(record.sample)
        score = record.sample.meta.get("metric", scored(row))
        if score is not None:
            row[task(row).metric] = score
        row |= self._verdicts(record)
        target.write(json.dumps(row, ensure_ascii=False))
        target.write("\n")

    def _verdicts(self, record: Record) -> dict[str, Any]:
        people = {person.id: person for person in record.people}
        said = [work for work in record.assignments if _says(work)]
        if not said:
            return {}
        each = [
            {"person": self._name(people.get(work.person)), "verdict": work.rating}
            | ({"comment": work.comment} if work.comment else {})
            for work in said
        ]
        return {VERDICT: verdict_of(said), PEOPLE: each}

    def _name(self, person: Person | None) -> str:
        """What somebody is called in rows: by name; by id where another one has the name."""
        if person is None:
            return "?"
        if person.id not in self._names:
            taken = person.name in self._names.values()
            self._names[person.id] = person.id if taken else person.name
            self.report.lose("ids of annotators", self._names[person.id] != person.id)
        return self._names[person.id]

    def _count(self, record: Record) -> None:
        report, sample = self.report, record.sample
        self._tally.count(record)
        report.records += 1
        report.lose("annotations", len(record.annotations))
        if not _ours(sample):
            report.lose(Trait.META.value, len(sample.meta.keys() - OWN_META))
            report.lose(Trait.GROUP.value, bool(sample.group))


def _says(work: Assignment) -> bool:
    return bool(work.rating or work.comment) or work.state is State.DONE


def _ours(sample: Sample) -> bool:
    return bool(sample.imported) and (sample.imported or {}).get("format") == FORMAT


def row_of(sample: Sample) -> dict[str, Any]:
    """The row that a sample came from; of another's question, one that is made of what it has."""
    if not _ours(sample):
        return _made(sample)
    try:
        return _again(sample)
    except (AttributeError, InvalidInput, KeyError, TypeError, ValueError):  # not as we kept it
        return _made(sample)


def _again(sample: Sample) -> dict[str, Any]:
    row: dict[str, Any] = dict((sample.imported or {})["row"])
    sources = sample.side(Side.SOURCE)
    if task(row) is Task.KV:
        (shown,) = (name for name in _SHOWN_PAIRS if name in row and row[name] is None)
        row[shown] = json.loads(sources[0].text, object_pairs_hook=_as_lists)
        return row
    passages(row)
    for name in ("ctxs", "model_documents"):
        if isinstance(row.get(name), list):
            texts = [each.text for each in sources]
            row[name] = [_with(each, at, texts) for at, each in enumerate(row[name])]
    return row


def _as_lists(found: list[tuple[str, Any]]) -> list[list[Any]]:
    return [list(pair) for pair in found]


def _with(passage: Mapping[str, Any], at: int, texts: list[str]) -> dict[str, Any]:
    if "text" in passage and passage["text"] is None and at < len(texts):
        return {**passage, "text": texts[at]}
    return dict(passage)


def _made(sample: Sample) -> dict[str, Any]:
    request, meta = sample.request, sample.meta
    answers = meta.get("answers")
    gold = meta.get("gold_position")
    said = sample.side(Side.SUMMARY)
    row: dict[str, Any] = {
        "question": request.question or request.problem or request.title,
        "answers": answers if isinstance(answers, list) else [],
        "ctxs": [
            {"title": each.title, "text": each.text, "isgold": at == gold}
            for at, each in enumerate(sample.side(Side.SOURCE))
        ],
    }
    return row | ({ANSWER: said[0].text} if said else {})
