"""What judges said, as files: the forms of the project RagSGE, tables, and lines of JSON."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final, TextIO

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.plugins.files.sheets import FORMULA, workbook
from tui_annotate.plugins.files.targets import output
from tui_annotate.services.judge.evaluate import Evaluated
from tui_annotate.services.judge.generate import Generated, file_name
from tui_annotate.services.judge.sort import Sorted

_ONE_LINE: Final = 1_400
"""Characters of a list that is written on one line."""
_PREFIX: Final = "答案: "
"""What the project RagSGE begins a ground truth with."""


def write_sorted(found: Sequence[Sorted], target: Path | None) -> None:
    """A JSON array, a question each; None stands for standard output.

    Raises:
        InvalidInput, Unavailable: the target can not be written.
    """
    with output(target) as file:
        file.write("[\n")
        file.write(",\n".join(_record(each.as_json()) for each in found))
        file.write("\n]\n")


def _record(values: dict[str, Any]) -> str:
    lines = ",\n".join(f"    {_json(name)}: {_listed(value)}" for name, value in values.items())
    return f"  {{\n{lines}\n  }}"


def _listed(value: Any) -> str:
    """A value on one line; of a long list each thing on its own."""
    short = _json(value)
    if not isinstance(value, list) or len(short) <= _ONE_LINE:
        return short
    return "[\n" + ",\n".join(f"      {_json(each)}" for each in value) + "\n    ]"


def write_generated(found: Sequence[Generated], target: Path | None) -> None:
    """A line of JSON for each question, which can be read again; else as `write_sorted`."""
    _lines([each.as_json() for each in found], target)


def write_truths(found: Sequence[Generated], folder: Path) -> int:
    """A file for each ground truth, as the project RagSGE writes them, with names that fit.

    The same question twice has two files. Files of other names are left alone.

    Returns:
        How many were written.

    Raises:
        InvalidInput, Unavailable: the folder can not be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise InvalidInput(f"{folder} is a file", "name a folder with --gt-dir") from error
    taken: set[str] = set()
    there = [each for each in found if each.ground_truth is not None]
    for each in there:
        values = {
            "question": each.row.question,
            "contexts": list(each.row.contexts),
            "ground_truth": f"{_PREFIX}{each.ground_truth}",
        }
        with output(folder / file_name(each.row.question, taken=taken)) as file:
            file.write(json.dumps(values, ensure_ascii=False, indent=4) + "\n")
    return len(there)


def write_evaluated(
    found: Sequence[Evaluated], metrics: Sequence[str], target: Path | None
) -> None:
    """A table by the target's ending: `.xlsx`, `.csv`, else lines of JSON; as `write_sorted`."""
    ending = "" if target is None else target.name.lower().removesuffix(".gz").removesuffix(".zst")
    if ending.endswith(".xlsx"):
        columns = _columns(metrics)
        with output(target) as file:
            workbook(_bytes(file), "result", columns=columns, rows=_rows(found, columns))
    elif ending.endswith(".csv"):
        _csv(found, _columns(metrics), target)
    else:
        _lines([each.as_json() for each in found], target)


def _columns(metrics: Sequence[str]) -> tuple[str, ...]:
    """As the project RagSGE has them, then ours."""
    published = ("answer_relevancy", "faithfulness", "context_recall", "context_precision")
    scores = tuple(name for name in published if name in metrics)
    return ("", "question", "contexts", "ground_truth", "answer", *scores, "generated", "reasons")


def _rows(found: Sequence[Evaluated], columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    for number, each in enumerate(found):
        reasons = "; ".join(f"{name}: {why}" for name, why in each.reasons.items())
        values = {
            "": number,
            **each.as_json(),
            "contexts": _json(list(each.row.contexts)),
            "generated": " ".join(each.generated),
            "reasons": reasons,
        }
        yield {name: values[name] for name in columns}


def _csv(found: Sequence[Evaluated], columns: Sequence[str], target: Path | None) -> None:
    """Cells that a spreadsheet would take for a formula get a leading quote."""
    with output(target) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for row in _rows(found, columns):
            writer.writerow([_harmless(row[name]) for name in columns])


def _harmless(value: Any) -> Any:
    if value is None:
        return ""
    return f"'{value}" if isinstance(value, str) and value[:1] in FORMULA else value


def _lines(rows: Sequence[dict[str, Any]], target: Path | None) -> None:
    with output(target) as file:
        for row in rows:
            file.write(_json(row) + "\n")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _bytes(file: TextIO) -> BinaryIO:
    file.flush()
    buffer: BinaryIO = file.buffer
    return buffer
