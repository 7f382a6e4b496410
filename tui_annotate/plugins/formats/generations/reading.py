"""A row of generated answers to samples, one for each normal one; the others stay with the first.

A row without a right answer or a normal generation is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Document, Kind, Request, Sample, Side
from tui_annotate.plugins.admission import described, document, field, identifier
from tui_annotate.plugins.formats.generations.names import FORMAT, OF_GENERATIONS
from tui_annotate.plugins.generated import ANSWER, NORMAL, OTHERS, UNCERTAINTY
from tui_annotate.plugins.protocols import ImportOptions

_TAKEN = frozenset({"question", "answer", "generation", "rank"})
"""Columns that no sample has among its own: a rank repeats answers, and stays with the first."""
_JOINED = "; "


class _Placed(NamedTuple):
    """A generation and its place in the list of its row, from 0."""

    place: int
    fields: dict[str, Any]


def records(
    row: Any, options: ImportOptions, *, dataset: str, number: int, where: str
) -> tuple[list[Record], list[str]]:
    """The samples of a row, and doubts about it.

    Args:
        number: of the row among all, from 0: its name where no column of ids is named.

    Raises:
        InvalidInput: something is missing, or of the wrong kind.
    """
    if not isinstance(row, dict):
        raise InvalidInput(f"the row is {described(row)}, not an object")
    generations = list(_generations(field(row, "generation", option="")))
    normal = [each for each in generations if _says(each)]
    if not normal:
        raise InvalidInput(
            f"none of its {len(generations)} generations is normal and has a text",
            "there is nothing to read in it",
        )
    question = _question(field(row, "question", option=""))
    answer = _answer(row, [question, *(each.fields["text"] for each in normal)], options.language)
    name = _name(row, options, number)
    blank = [each.place for each in generations if each not in normal and _is(each, NORMAL)]
    others = [[each.place, each.fields] for each in generations if each not in normal]
    made = []
    for each in normal:
        key = f"{name}.{each.place}"
        sample = _sample(row, each, dataset=dataset, key=key, answer=answer)
        if each is normal[0]:
            sample = replace(sample, imported=_of_first(sample, row, others))
        made.append(
            Record(replace(sample, group=name, request=Request(question=question)), where=where)
        )
    doubts = [] if question.strip() else ["the question is empty"]
    return made, doubts + [f"generation {place} has no text and is left out" for place in blank]


def _of_first(sample: Sample, row: Mapping[str, Any], others: Sequence[Any]) -> dict[str, Any]:
    """What the first sample of a row keeps: its own, and what is no sample's."""
    kept = dict(sample.imported or {})
    if "rank" in row:
        kept["row"] = kept["row"] | {"rank": row["rank"]}
    return kept | {OTHERS: others}


def _generations(value: Any) -> Iterator[_Placed]:
    if not isinstance(value, list):
        raise InvalidInput(f"'generation' is {described(value)}, not a list")
    for place, fields in enumerate(value):
        if not isinstance(fields, dict):
            raise InvalidInput(f"generation {place} is {described(fields)}, not an object")
        text, kind = fields.get("text"), fields.get("type", NORMAL)
        if not isinstance(text, str):
            raise InvalidInput(f"the text of generation {place} is {described(text)}")
        if kind not in (NORMAL, UNCERTAINTY):
            raise InvalidInput(
                f"the type of generation {place} is {kind!r}", f"{NORMAL} or {UNCERTAINTY}"
            )
        yield _Placed(place, fields)


def _is(each: _Placed, kind: str) -> bool:
    return bool(each.fields.get("type", NORMAL) == kind)


def _says(each: _Placed) -> bool:
    """Whether somebody can read it."""
    return _is(each, NORMAL) and bool(each.fields["text"].strip())


def _name(row: Mapping[str, Any], options: ImportOptions, number: int) -> str:
    if not options.id_column:
        return str(number)
    value = field(row, options.id_column, option="--id-column")
    return identifier(value, what=options.id_column)


def _answer(row: Mapping[str, Any], beside: Sequence[str], language: str) -> Document:
    """The right answer; its language is that of all texts of the row, as it may be one number."""
    from tui_annotate.methods.segmentation import guess_language

    text = _word(field(row, "answer", option=""), "answer")
    told = language or guess_language(" ".join((text, *beside)))
    made = document(text, side=Side.SOURCE, column="answer", language=told)
    return replace(made, key=ANSWER)


def _question(value: Any) -> str:
    """What was asked; an empty one goes out again as it came."""
    return value if value == "" else _word(value, "question")


def _word(value: Any, column: str) -> str:
    """A text; of a number its digits, of several what each is, joined.

    Raises:
        InvalidInput: it is empty, or neither.
    """
    if isinstance(value, list) and value:
        return _JOINED.join(_word(each, column) for each in value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise InvalidInput(f"{column!r} is {described(value)}", "write it as text")
    if not value.strip():
        raise InvalidInput(f"{column!r} is empty", "every question needs its right answer")
    return value


def _sample(
    row: Mapping[str, Any], each: _Placed, *, dataset: str, key: str, answer: Document
) -> Sample:
    """A sample without its group; what its own fields and those of the row have no name for."""
    fields = {name: each.fields[name] for name in each.fields if name not in OF_GENERATIONS}
    about = {name: value for name, value in row.items() if name not in _TAKEN}
    text = document(each.fields["text"], side=Side.SUMMARY, column="text", language=answer.language)
    return Sample(
        dataset,
        key,
        (answer, text),
        kind=Kind.QUESTION,
        meta=about | fields,
        imported={
            "format": FORMAT,
            "place": each.place,
            "row_keys": list(row),
            "keys": list(each.fields),
            # What meta does not hold: fields of both that bear one name, and what became text.
            "row": {name: value for name, value in about.items() if name in fields}
            | {
                name: row[name] for name in ("question", "answer") if not isinstance(row[name], str)
            },
        },
    )
