"""Files with judge results: formats of the project RagSGE, tables, and JSON lines."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum, unique
from pathlib import Path
from typing import Any, Final

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.strict_json import encode_strict
from tui_annotate.lab.judge.context_order import ContextOrderResult
from tui_annotate.lab.judge.evaluation import EvaluationResult
from tui_annotate.lab.judge.reference_answers import ReferenceAnswer, truth_file_name
from tui_annotate.plugins.files.packing import plain_suffixes
from tui_annotate.plugins.files.sheets import FORMULA, write_workbook
from tui_annotate.plugins.files.targets import open_output

_MAX_LINE: Final = 1_400
_PREFIX: Final = "答案: "


@unique
class ResultFormat(StrEnum):
    """Formats of result files; the values are suffixes of file names."""

    XLSX = ".xlsx"
    CSV = ".csv"
    JSON = ".json"
    LINES = ".jsonl"


_OTHER_FORMATS: Final = frozenset(
    {
        ".tsv",
        ".xls",
        ".ods",
        ".parquet",
        ".html",
        ".md",
        ".pdf",
        ".tex",
        ".xml",
        ".yaml",
        ".yml",
        ".db",
        ".sqlite",
    }
)
"""Suffixes of formats that are not written; a file of such a name would be no such file."""


def choose_format(target: Path | None, default: ResultFormat) -> ResultFormat:
    """Return the format that the suffix of a result file names, else the command's default.

    Raises:
        InvalidInput: the suffix names a format that cannot be written.
    """
    suffixes = [] if target is None else plain_suffixes(target)
    suffix = suffixes[-1] if suffixes else ""
    if suffix in _OTHER_FORMATS:
        raise InvalidInput(
            f"results cannot be written in the format of the file's suffix: {target}",
            f"name a file with one of the suffixes: {', '.join(ResultFormat)}",
        )
    if suffix == ".ndjson":
        return ResultFormat.LINES
    return ResultFormat(suffix) if suffix in set(ResultFormat) else default


SORT_FORMAT: Final = ResultFormat.JSON
GENERATE_FORMAT: Final = ResultFormat.LINES
EVALUATE_FORMAT: Final = ResultFormat.LINES
"""Format of each command's results if the suffix names none: RagSGE writes orders as JSON."""


def write_sorted(found: Sequence[ContextOrderResult], target: Path | None) -> None:
    """Write sorted texts, to standard output if `target` is None; see `choose_format`.

    Raises:
        InvalidInput, Unavailable: the target cannot be written.
    """
    columns = (
        "",
        "question",
        "contexts",
        "good",
        "bad",
        "sorted",
        "spearman",
        "sim",
        "overlap",
        "covered",
        "unclear",
        "refused",
        "failed",
        "reason",
    )
    rows = [each.as_json() for each in found]
    table = (_flatten_row(number, row, columns) for number, row in enumerate(rows))
    _write_results(rows, table, columns, target=target, default=SORT_FORMAT)


def _flatten_row(number: int, row: Mapping[str, Any], columns: Sequence[str]) -> dict[str, Any]:
    """Return a table row: lists as JSON, and the row's number in the first column."""
    cells = {
        name: _dump(value) if isinstance(value, list) else value for name, value in row.items()
    }
    return {name: number if name == "" else cells.get(name) for name in columns}


def _write_results(
    rows: Sequence[Mapping[str, object]],
    table: Iterable[dict[str, Any]],
    columns: Sequence[str],
    *,
    target: Path | None,
    default: ResultFormat,
) -> None:
    """Write results as JSON, or the same results as a table with columns."""
    chosen = choose_format(target, default)
    with open_output(target) as file:
        match chosen:
            case ResultFormat.XLSX:
                write_workbook(file.buffer, "result", columns=columns, rows=iter(table))
            case ResultFormat.CSV:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(columns)
                for row in table:
                    writer.writerow(map(_escape_cell, row.values()))
            case ResultFormat.JSON:
                file.write("[\n")
                file.write(",\n".join(map(_format_record, rows)))
                file.write("\n]\n")
            case ResultFormat.LINES:
                for values in rows:
                    file.write(_dump(values) + "\n")


def _format_record(values: Mapping[str, object]) -> str:
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
    """Write reference answers in the format of the file's suffix; see `choose_format`."""
    columns = (
        "",
        "id",
        "question",
        "contexts",
        "ground_truth",
        "unclear",
        "refused",
        "failed",
        "reason",
    )
    rows = [each.as_json() for each in found]
    table = (_flatten_row(number, row, columns) for number, row in enumerate(rows))
    _write_results(rows, table, columns, target=target, default=GENERATE_FORMAT)


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
    """Write scores in the format of the file's suffix; see `choose_format`."""
    columns = _table_columns(metrics)
    _write_results(
        [each.as_json() for each in found],
        _table_rows(found, columns),
        columns,
        target=target,
        default=EVALUATE_FORMAT,
    )


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
        "id",
        "generated",
        "reasons",
        "unsupported",
        "unclear",
        "refused",
        "failed",
        *(("similarity",) if "answer_relevancy" in metrics else ()),
    )


def _table_rows(
    found: Sequence[EvaluationResult], columns: Sequence[str]
) -> Iterator[dict[str, Any]]:
    for number, each in enumerate(found):
        reasons = "; ".join(f"{name}: {why}" for name, why in each.reasons.items())
        values = {
            "": number,
            "id": "",
            "similarity": "",
            **each.as_json(),
            "contexts": _dump(list(each.row.contexts)),
            "generated": " ".join(each.generated),
            "reasons": reasons,
            "unsupported": _dump(list(each.unsupported)),
        }
        yield {name: values[name] for name in columns}


def _escape_cell(value: Any) -> Any:
    """Return the CSV cell of a value; a text that looks like a formula gets a leading quote."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return _dump(value)  # as in JSON
    return f"'{value}" if isinstance(value, str) and value[:1] in FORMULA else value


def _dump(value: Any) -> str:
    return encode_strict(value)[0]  # scores are finite numbers or None
