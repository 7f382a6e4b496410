"""Rows of position studies made: distractors chosen, the gold put at a place, keys drawn.

The same input and seed give the same rows, on every machine and version of Python: only
`Random.random` is promised to stay as it is, so all that is drawn comes from it.

Source: N. F. Liu et al., "Lost in the Middle" (2023), and its programs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any, TypeVar
from uuid import UUID

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.positions import Row, pairs, passages, text
from tui_annotate.methods.position import normalised

_Item = TypeVar("_Item")


def drawn(seed: int, name: str) -> Random:
    """What draws for one row of a seed, whatever came before it."""
    return Random(f"{seed}/{name}")  # noqa: S311  no secret


def below(count: int, source: Random) -> int:
    """A whole number in [0, count), each as likely."""
    return int(source.random() * count)


def shuffled(items: Iterable[_Item], source: Random) -> list[_Item]:
    """The items in a drawn order, each order as likely."""
    found = list(items)
    for last in range(len(found) - 1, 0, -1):
        other = below(last + 1, source)
        found[last], found[other] = found[other], found[last]
    return found


def placed(items: Sequence[_Item], item: _Item, at: int) -> list[_Item]:
    """The items with one more, which stands at `at`, in [0, len(items)]."""
    return [*items[:at], item, *items[at:]]


def gold_passage(row: Row) -> dict[str, Any]:
    """The passage that answers: the annotated one of the row, else the one that is marked.

    Raises:
        InvalidInput: it has neither, or it is no text.
    """
    if "nq_annotated_gold" in row:
        gold = row["nq_annotated_gold"]
        if not isinstance(gold, dict):
            raise InvalidInput("'nq_annotated_gold' is no object", "it has title and texts")
        title, words = gold.get("title"), gold.get("chunked_long_answer")
    else:
        marked = next((each for each in passages(row) if each.get("isgold") is True), {})
        title, words = marked.get("title"), marked.get("text")
    if not isinstance(title, str) or not isinstance(words, str) or not words.strip():
        raise InvalidInput(
            "the row tells of no gold passage",
            "in nq_annotated_gold, with title and chunked_long_answer, or as isgold in ctxs",
        )
    return {"title": title, "text": words, "hasanswer": True, "isgold": True}


def distractors(row: Row) -> list[dict[str, Any]]:
    """The passages that do not answer, in order: those whose `hasanswer` is exactly false.

    Each tells its place in the row that it comes from, where it tells of none yet.
    """
    return [
        {
            **each,
            "original_retrieval_index": each.get("original_retrieval_index", at),
            "isgold": False,
        }
        for at, each in enumerate(passages(row, shown=False))
        if each.get("hasanswer") is False
    ]


def question_rows(
    row: Row, *, count: int, places: Iterable[int], order: Random | None = None
) -> Iterator[dict[str, Any]]:
    """The row with its gold passage at each place among the first distractors.

    Args:
        count: of passages in all, at least 2.
        places: in [0, count).
        order: shuffles the distractors, the same way for all places; the retriever's order else.

    Raises:
        InvalidInput: there are too few distractors, or the row lacks a field.
    """
    text(row, "question")
    gold, others = gold_passage(row), distractors(row)
    if len(others) < count - 1:
        raise InvalidInput(
            f"{len(others)} passages without the answer, and {count - 1} are needed",
            f"ask for at most {len(others) + 1} documents",
        )
    chosen = others[: count - 1]
    if order is not None:
        chosen = shuffled(chosen, order)
    for at in places:
        yield {**row, "ctxs": placed(chosen, gold, at)}


def oracle_row(row: Row) -> dict[str, Any]:
    """The row with its gold passage alone."""
    text(row, "question")
    return {**row, "ctxs": [gold_passage(row)]}


def reordered(row: Row) -> bool:
    """Whether the distractors stand in another order than the retriever's."""
    marks = [each.get("original_retrieval_index") for each in passages(row, shown=False)]
    found = [mark for mark in marks if isinstance(mark, int)]
    return found != sorted(found)


def key_value_row(count: int, source: Random) -> dict[str, Any]:
    """So many pairs of random ids, each key once, and one of the pairs that is asked for."""
    records: dict[str, str] = {}
    while len(records) < count:
        records.setdefault(_id(source), _id(source))
    made = [[key, value] for key, value in records.items()]
    key, value = made[below(count, source)]
    return {"ordered_kv_records": made, "key": key, "value": value}


def _id(source: Random) -> str:
    """An id in the form of a random UUID, of version 4."""
    bits = sum(below(2**32, source) << (32 * part) for part in range(4))
    return str(UUID(int=bits, version=4))


def key_value_at(row: Row, at: int) -> dict[str, Any]:
    """The row with the pair that is asked for at a place, in [0, number of pairs).

    Raises:
        InvalidInput: the row lacks a field, or its key stands in no pair.
    """
    key, value = text(row, "key"), text(row, "value")
    found = [list(pair) for pair in pairs(row, shown=False)]
    if [key, value] not in found:
        raise InvalidInput(f"the key {key!r} stands in no pair with its value")
    found.remove([key, value])
    return {**row, "ordered_kv_records": placed(found, [key, value], at)}


def holds_answer(passage: str, golds: Iterable[str]) -> bool:
    """Whether a passage holds any gold answer in the normal form."""
    form = normalised(passage)
    return any(gold in form for gold in map(normalised, golds) if gold)
