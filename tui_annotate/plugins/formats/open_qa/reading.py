"""Rows of position studies to samples: the passages as sources, the model's answer beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import count
from typing import Any

from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import Person, PersonKind, checked_name
from tui_annotate.domain.positions import (
    ANSWER,
    Row,
    Task,
    asked,
    gold_position,
    golds,
    identity,
    pairs,
    passages,
    size,
    task,
    text,
)
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Document, Kind, Request, Sample, Side
from tui_annotate.methods.position import scored
from tui_annotate.methods.position_prompts import pairs_block
from tui_annotate.plugins.admission import Seen, described, document, identifier
from tui_annotate.plugins.formats.open_qa.names import FORMAT, LONG, PEOPLE
from tui_annotate.plugins.protocols import ImportOptions

_OF_PASSAGES = ("id", "score", "hasanswer", "original_retrieval_index", "isgold")
_SHOWN_LISTS = ("ctxs", "model_documents")


class RowReader:
    """Rows of one file.

    Args:
        dataset: of their samples.
        names: what the ids that were given are kept in.
    """

    def __init__(self, dataset: str, options: ImportOptions, names: Seen) -> None:
        self._dataset = dataset
        self._language = options.language
        self._names = names

    def record(self, row: dict[str, Any], where: str) -> tuple[Record, list[str]]:
        """The sample of a row, with what people said of it; and doubts about it.

        Raises:
            InvalidInput: a field is missing, or not what it must be.
        """
        name, kind = asked(row), task(row)
        sources = self._passages(row) if kind is Task.QA else (self._pairs(row),)
        documents = (*sources, *self._answer(row))
        work, people = _said(row)
        sample = Sample(
            self._dataset,
            self._id(row, where),
            documents,
            kind=Kind.QUESTION,
            group=identity(row),
            request=Request(question=name),
            meta=_meta(row, kind),
            imported={"format": FORMAT, "row": _kept(row)},
        )
        return Record(sample, assignments=work, people=people, where=where), _doubts(row)

    def _id(self, row: Row, where: str) -> str:
        """The question, where its answer stands, and which model: the same in every file."""
        place, model = gold_position(row), row.get("model")
        name = identity(row) + ("" if place is None else f"@{place}")
        if isinstance(model, str) and model.strip():
            name += f":{model}"
        numbered = (name if time == 1 else f"{name}#{time}" for time in count(1))
        return next(
            each
            for each in numbered
            if self._names.first(identifier(each, what="id"), where) == where
        )

    def _passages(self, row: Row) -> tuple[Document, ...]:
        return tuple(
            replace(
                document(
                    each.get("text"),
                    side=Side.SOURCE,
                    column=f"text of passage {number}",
                    language=self._language,
                ),
                key=str(number),
                title=each["title"] if isinstance(each.get("title"), str) else "",
            )
            for number, each in enumerate(passages(row), 1)
        )

    def _pairs(self, row: Row) -> Document:
        text(row, "value")
        found = pairs_block(pairs(row))
        return document(found, side=Side.SOURCE, column="pairs", language=self._language or "en")

    def _answer(self, row: Row) -> tuple[Document, ...]:
        """What is judged: the model's answer, else the first gold one; none where it is blank."""
        said = row[ANSWER] if ANSWER in row else next(iter(golds(row)), None)
        if said is None:
            return ()
        if not isinstance(said, str):
            raise InvalidInput(f"{ANSWER!r} holds {described(said)}, not text", "quote it")
        if not said.strip():
            return ()
        return (document(said, side=Side.SUMMARY, column=ANSWER, language=self._language),)


def _meta(row: Row, kind: Task) -> dict[str, Any]:
    """Where the answer stands and what the metric says, then fields of the row that are short."""
    found: dict[str, Any] = {
        "task": kind.value,
        "answers": list(golds(row)),
        "gold_position": gold_position(row),
        "size": size(row),
    }
    if kind is Task.QA:
        found["passages"] = [
            {name: each[name] for name in _OF_PASSAGES if name in each} for each in passages(row)
        ]
    said = row.get(kind.metric)
    score = said if isinstance(said, int | float) else scored(row)
    if score is not None:
        found["metric"] = float(score)
    others = {name: value for name, value in row.items() if name not in LONG}
    return others | found


def _kept(row: Row) -> dict[str, Any]:
    """The row without what the sample's documents hold; the writer puts it back."""
    kept = {name: value for name, value in row.items() if name not in {PEOPLE, "human_verdict"}}
    if task(row) is Task.KV:
        for name in _pair_lists(row)[:1]:
            kept[name] = None
        return kept
    texts = [each["text"] for each in passages(row)]
    for name in _SHOWN_LISTS:
        if isinstance(row.get(name), list):
            there = zip(row[name], texts, strict=False)
            kept[name] = [_without(each, words) for each, words in there]
            kept[name] += row[name][len(texts) :]
    return kept


def _without(passage: Row, words: str) -> Row:
    if passage.get("text") != words:
        return passage
    return {name: None if name == "text" else value for name, value in passage.items()}


def _pair_lists(row: Row) -> list[str]:
    """The names of a row's lists of pairs, first that which the model was shown."""
    return [name for name in ("model_ordered_kv_records", "ordered_kv_records") if row.get(name)]


def _said(row: Row) -> tuple[tuple[Assignment, ...], tuple[Person, ...]]:
    found = row.get(PEOPLE) or []
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise InvalidInput(f"{PEOPLE!r} is no list of objects", "each has person and verdict")
    named = list(_verdicts(found))
    names = [person.id for person, _ in named]
    if len(set(names)) < len(names):
        raise InvalidInput(f"{PEOPLE!r} names somebody twice")
    return tuple(work for _, work in named), tuple(person for person, _ in named)


def _verdicts(found: list[Mapping[str, Any]]) -> Iterator[tuple[Person, Assignment]]:
    for each in found:
        words = [each.get(name) or "" for name in ("person", "verdict", "comment")]
        if not all(isinstance(word, str) for word in words):
            raise InvalidInput(f"{PEOPLE!r} holds what is no text", "person, verdict, comment")
        name = checked_name(words[0])
        work = Assignment(name, State.DONE, rating=words[1], comment=words[2])
        yield Person(name, name, PersonKind.IMPORTED), work


def _doubts(row: Row) -> list[str]:
    if task(row) is Task.KV:
        return [] if gold_position(row) is not None else ["the key stands in no pair"]
    marked = sum(each.get("isgold") is True for each in passages(row))
    return [f"{marked} passages are marked as gold: the first counts"] if marked > 1 else []
