"""Makes rows of position studies: the answer's passage among others, or key-value pairs.

The same input and seed give the same rows, on every machine and version of Python. Python
guarantees this only for `Random.random`, so all random choices use this function.

Source: N. F. Liu et al., "Lost in the Middle" (2023), and its programs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final, TypeVar
from uuid import UUID

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.keyword_names import check_field_names, earlier_keywords
from tui_annotate.lab.position.metric import normalise_answer
from tui_annotate.lab.position.row_files import (
    LocatedRow,
    is_file_of_rows,
    locate_row,
    open_folder,
    rows_suffix,
)
from tui_annotate.lab.position.study_rows import (
    Row,
    StudyTask,
    gold_position,
    list_pairs,
    list_passages,
    parse_positions,
    parse_task,
    parse_text,
    prompt_size,
)
from tui_annotate.plugins.files.targets import open_output
from tui_annotate.plugins.json_records import write_json_line

_Item = TypeVar("_Item")


def row_random(seed: int, name: str) -> Random:
    """Return the random generator of one row, which does not depend on other rows."""
    return Random(f"{seed}/{name}")  # noqa: S311  no secret


def random_below(count: int, source: Random) -> int:
    """Return a uniform random integer in [0, count)."""
    return int(source.random() * count)


def shuffle(items: Iterable[_Item], source: Random) -> list[_Item]:
    """Return the items in a random order, the same for equal seeds in all Python versions."""
    found = list(items)
    for last in range(len(found) - 1, 0, -1):
        other = random_below(last + 1, source)
        found[last], found[other] = found[other], found[last]
    return found


def insert_at(items: Sequence[_Item], item: _Item, at: int) -> list[_Item]:
    """Return a copy of a list with one more item at an index."""
    return [*items[:at], item, *items[at:]]


def find_gold_passage(row: Row) -> dict[str, Any]:
    """Return the annotated passage with the answer, else the gold one; else raise InvalidInput."""
    if "nq_annotated_gold" in row:
        gold = row["nq_annotated_gold"]
        if not isinstance(gold, dict):
            raise InvalidInput(
                "'nq_annotated_gold' is not a JSON object",
                "write an object with the fields title and chunked_long_answer",
            )
        title = gold.get("title")
        words = gold.get("chunked_long_answer")
    else:
        marked = next((each for each in list_passages(row) if each.get("isgold") is True), {})
        title = marked.get("title")
        words = marked.get("text")
    if not isinstance(title, str) or not isinstance(words, str) or not words.strip():
        raise InvalidInput(
            "the row has no gold passage",
            "add the field nq_annotated_gold with title and chunked_long_answer, or mark a passage"
            " in ctxs with isgold",
        )
    return {"title": title, "text": words, "hasanswer": True, "isgold": True}


def find_distractors(row: Row) -> list[dict[str, Any]]:
    """Return the passages of a question that do not have the answer (`hasanswer` is false)."""
    return [
        {
            **each,
            "original_retrieval_index": each.get("original_retrieval_index", at),
            "isgold": False,
        }
        for at, each in enumerate(list_passages(row, shown=False))
        if each.get("hasanswer") is False
    ]


def build_question_rows(
    row: Row, *, count: int, places: Iterable[int], order: Random | None = None
) -> Iterator[dict[str, Any]]:
    """Yield, for each position, a copy of a question with its answer's passage there.

    The other passages are the first without the answer. `count`: number of all passages, at least
    2. `places`: positions in [0, count). `order` shuffles the others, equally for all positions.

    Raises:
        InvalidInput: the row has too few distractors, or lacks a field.
    """
    parse_text(row, "question")
    gold = find_gold_passage(row)
    others = find_distractors(row)
    if len(others) < count - 1:
        raise InvalidInput(
            f"the row has {len(others)} passages without the answer, but needs {count - 1}",
            f"pass --passages of at most {len(others) + 1}",
        )
    chosen = others[: count - 1]
    if order is not None:
        chosen = shuffle(chosen, order)
    for at in places:
        yield {**row, "ctxs": insert_at(chosen, gold, at)}


def build_oracle_row(row: Row) -> dict[str, Any]:
    """Return a question with only the passage that has its answer; InvalidInput without one."""
    parse_text(row, "question")
    return {**row, "ctxs": [find_gold_passage(row)]}


def is_reordered(row: Row) -> bool:
    """Return whether passages without the answer are not in the retriever's order."""
    marks = [each.get("original_retrieval_index") for each in list_passages(row, shown=False)]
    found = [mark for mark in marks if isinstance(mark, int)]
    return found != sorted(found)


def build_key_value_row(count: int, source: Random) -> dict[str, Any]:
    """Make `count` pairs of random ids with unique keys, and choose the pair to look up."""
    records: dict[str, str] = {}
    while len(records) < count:
        records.setdefault(_random_id(source), _random_id(source))
    made = [[key, value] for key, value in records.items()]
    key, value = made[random_below(count, source)]
    return {"ordered_kv_records": made, "key": key, "value": value}


def _random_id(source: Random) -> str:
    bits = sum(random_below(2**32, source) << (32 * part) for part in range(4))
    return str(UUID(int=bits, version=4))


def move_key_value(row: Row, at: int) -> dict[str, Any]:
    """Move the pair with the answer of a row to a position, in [0, number of pairs).

    Raises:
        InvalidInput: the row lacks a field, or no pair has its key and value.
    """
    key = parse_text(row, "key")
    value = parse_text(row, "value")
    found = [list(pair) for pair in list_pairs(row, shown=False)]
    if [key, value] not in found:
        raise InvalidInput(
            f"no key-value pair has both the key {key!r} and the value in the field 'value'"
        )
    found.remove([key, value])
    return {**row, "ordered_kv_records": insert_at(found, [key, value], at)}


def holds_answer(passage: str, golds: Iterable[str]) -> bool:
    """Return whether a normalised passage contains any normalised right answer."""
    form = normalise_answer(passage)
    return any(gold in form for gold in map(normalise_answer, golds) if gold)


MIN_PASSAGES: Final = 2
"""Minimum number of passages or pairs in a prompt, so that positions can be compared."""


@dataclass(frozen=True, slots=True)
class GenerationReport:
    """Files that were written, and how many rows they contain.

    `not_finite`: number of values that were written as null, because JSON has no such number.
    """

    files: tuple[Path, ...]
    rows: int
    not_finite: int = 0


@check_field_names(documents="passages", gold_at="gold_position")
@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationOptions:
    """Options for making rows of questions with several text passages.

    Attributes:
        passages: number of passages, at least 2.
        gold_position: positions, as `parse_positions` parses them.
        seed: random seed to shuffle the distractors; None keeps the retriever's order.
    """

    passages: int = MIN_PASSAGES
    gold_position: str = "0"
    oracle: bool = False
    seed: int | None = None


def write_questions(
    rows: Iterable[LocatedRow],
    target: Path | str,
    options: GenerationOptions,
    *,
    name: Path | str,
) -> GenerationReport:
    """Write a row for each question and each position of the passage with the answer.

    `target`: a folder for one file per position, or one file.

    Raises:
        InvalidInput: there are fewer than two documents, or a position is invalid.
        InvalidRecord: a row belongs to the other task, or has too few distractors.
    """
    if not options.oracle and options.passages < MIN_PASSAGES:
        raise InvalidInput(
            f"{options.passages} passages are too few",
            f"pass --passages of at least {MIN_PASSAGES}",
        )
    positions = (0,) if options.oracle else parse_positions(options.gold_position, options.passages)
    kind = "oracle" if options.oracle else f"{options.passages}-documents"

    def build() -> Iterator[dict[str, Any]]:
        for number, (where, row) in enumerate(rows):
            with locate_row(where):
                if parse_task(row) is not StudyTask.QA:
                    raise InvalidInput(
                        "the row is not a question about passages",
                        "use the command: tui-annotate lab position create-kv",
                    )
                if options.oracle:
                    yield build_oracle_row(row)
                    continue
                order = None if options.seed is None else row_random(options.seed, str(number))
                yield from build_question_rows(
                    row, count=options.passages, places=positions, order=order
                )

    return _write_rows(build(), Path(target), Path(name), kind=kind, by_position=not options.oracle)


@earlier_keywords(gold_at="gold_position")
def write_lookups(
    rows: Iterable[LocatedRow], target: Path | str, gold_position: str, *, name: Path | str
) -> GenerationReport:
    """Write each key-value row once for each requested position of the pair to look up.

    Without positions, the rows are unchanged.

    Raises:
        InvalidInput: a position is invalid.
        InvalidRecord: a row belongs to the other task, or has fewer pairs than a position requires.
    """

    def build() -> Iterator[dict[str, Any]]:
        for where, row in rows:
            with locate_row(where):
                if parse_task(row) is not StudyTask.KV:
                    raise InvalidInput(
                        "the row has no key-value pairs",
                        "use the command: tui-annotate lab position create-qa",
                    )
                if not gold_position:
                    yield row
                    continue
                for place in parse_positions(gold_position, prompt_size(row)):
                    yield move_key_value(row, place)

    return _write_rows(build(), Path(target), Path(name), kind="", by_position=bool(gold_position))


def _write_rows(
    rows: Iterable[dict[str, Any]], target: Path, source: Path, *, kind: str, by_position: bool
) -> GenerationReport:
    count = 0
    not_finite = 0
    if is_file_of_rows(target):
        with open_output(target) as file:
            for row in rows:
                not_finite += write_json_line(file, row)
                count += 1
        return GenerationReport((target,), count, not_finite)
    stem = source.name.lstrip(".").split(".", 1)[0]
    start = "-".join(filter(None, (stem, kind)))
    suffix = rows_suffix(source)
    with open_folder(target) as files:
        for row in rows:
            count += 1
            position = f"-gold-at-{gold_position(row)}" if by_position else ""
            not_finite += write_json_line(files.file(f"{start}{position}{suffix}"), row)
    return GenerationReport(tuple(target / name for name in files.opened), count, not_finite)


def generate_lookups(keys: int, examples: int, *, seed: int) -> Iterator[LocatedRow]:
    """Make rows by seed and number alone; raise InvalidInput for too few keys or rows."""
    if keys < MIN_PASSAGES:
        raise InvalidInput(f"{keys} keys are too few", f"pass --keys of at least {MIN_PASSAGES}")
    if examples < 1:
        raise InvalidInput(f"{examples} examples are too few", "pass --examples of at least 1")
    for number in range(examples):
        yield LocatedRow(
            f"example {number}", build_key_value_row(keys, row_random(seed, str(number)))
        )
