"""Files with judge results: formats of the project RagSGE, tables, and JSON lines."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.strict_json import encode_strict
from tui_annotate.lab.judge.context_order import ContextOrderResult
from tui_annotate.lab.judge.evaluation import EvaluationResult
from tui_annotate.lab.judge.reference_answers import ReferenceAnswer, truth_file_name
from tui_annotate.plugins.files.packing import remove_packed_ending
from tui_annotate.plugins.files.sheets import FORMULA, write_workbook
from tui_annotate.plugins.files.targets import open_output

_MAX_LINE: Final = 1_400
_PREFIX: Final = "答案: "


def write_sorted(found: Sequence[ContextOrderResult], target: Path | None) -> None:
    """Write sorted texts as a JSON array, to standard output if `target` is None.

    Raises:
        InvalidInput, Unavailable: the target cannot be written.
    """
    with open_output(target) as file:
        file.write("[\n")
        file.write(",\n".join(_format_record(each.as_json()) for each in found))
        file.write("\n]\n")


def _format_record(values: dict[str, Any]) -> str:
    lines = ",\n".join(
        f"    {_dump(name)}: {_format_value(value)}" for name, value in values.items()
    )
    return f"  {{\n{lines}\n  }}"


def _format_value(value: Any) -> str:
    short = _dump(value)
    if not isinstance(value, list) or len(short) <= _MAX_LINE:
        return short
    return "[\n" + ",\n".join(f"      {_dump(each)}" for each in value) + "\n    ]"


def write_generated(found: Sequence[ReferenceAnswer], target: Path | None) -> None:
    _write_lines([each.as_json() for each in found], target)


def write_truths(found: Sequence[ReferenceAnswer], folder: Path) -> int:
    """Write one file for each reference answer in RagSGE's format; return their number.

    Questions that occur twice get two files.

    Raises:
        InvalidInput, Unavailable: the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise InvalidInput(
            f"{folder} is a file, not a folder", "name a different folder with --answers-dir"
        ) from error
    taken: set[str] = set()
    there = [each for each in found if each.ground_truth is not None]
    for each in there:
        values = {
            "question": each.row.question,
            "contexts": list(each.row.contexts),
            "ground_truth": f"{_PREFIX}{each.ground_truth}",
        }
        with open_output(folder / truth_file_name(each.row.question, taken=taken)) as file:
            file.write(encode_strict(values, indent=4)[0] + "\n")
    return len(there)


def write_evaluated(
    found: Sequence[EvaluationResult], metrics: Sequence[str], target: Path | None
) -> None:
    """Write scores in the format of the file's suffix: `.xlsx`, `.csv`, else JSON lines."""
    ending = "" if target is None else remove_packed_ending(target.name.lower())
    if ending.endswith(".xlsx"):
        columns = _table_columns(metrics)
        with open_output(target) as file:
            write_workbook(file.buffer, "result", columns=columns, rows=_table_rows(found, columns))
    elif ending.endswith(".csv"):
        columns = _table_columns(metrics)
        with open_output(target) as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(columns)
            for row in _table_rows(found, columns):
                writer.writerow(map(_escape_cell, row.values()))
    else:
        _write_lines([each.as_json() for each in found], target)


def _table_columns(metrics: Sequence[str]) -> tuple[str, ...]:
    published = ("answer_relevancy", "faithfulness", "context_recall", "context_precision")
    scores = tuple(name for name in published if name in metrics)
    return (
        "",
        "question",
        "contexts",
        "ground_truth",
        "answer",
        *scores,
        "generated",
        "reasons",
        "unclear",
    )


def _table_rows(
    found: Sequence[EvaluationResult], columns: Sequence[str]
) -> Iterator[dict[str, Any]]:
    for number, each in enumerate(found):
        reasons = "; ".join(f"{name}: {why}" for name, why in each.reasons.items())
        values = {
            "": number,
            **each.as_json(),
            "contexts": _dump(list(each.row.contexts)),
            "generated": " ".join(each.generated),
            "reasons": reasons,
        }
        yield {name: values[name] for name in columns}


def _escape_cell(value: Any) -> Any:
    """Return the CSV cell of a value; a text that looks like a formula gets a leading quote."""
    if value is None:
        return ""
    return f"'{value}" if isinstance(value, str) and value[:1] in FORMULA else value


def _write_lines(rows: Sequence[dict[str, Any]], target: Path | None) -> None:
    with open_output(target) as file:
        for row in rows:
            file.write(_dump(row) + "\n")


def _dump(value: Any) -> str:
    return encode_strict(value)[0]  # scores are finite numbers or None
