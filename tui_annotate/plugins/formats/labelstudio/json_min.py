"""Label Studio's export JSON-MIN: one flat row for each submission, converted to tasks.

A row has the task's data, the results of one annotator under the names of their controls, and
fields of the submission. It does not name the texts that the results are about.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from tui_annotate.domain.errors import InvalidInput, InvalidSpan
from tui_annotate.domain.offsets import utf16_map
from tui_annotate.domain.records import Problem
from tui_annotate.domain.spans import Span
from tui_annotate.plugins.files.json_values import JsonValue, read_json_values
from tui_annotate.plugins.json_records import check_object, problems_at
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.plugins.record_validation import NameRegister, make_problem, parse_identifier

_SUBMISSION: Final = {
    "annotation_id": "id",
    "annotator": "completed_by",
    "created_at": "created_at",
    "updated_at": "updated_at",
    "lead_time": "lead_time",
}
"""Maps the fields of a submission in a row to their names in a task."""
_OWN: Final = frozenset({*_SUBMISSION, "id"})


def is_min_row(fields: Mapping[str, Any]) -> bool:
    """Return whether a record is a row of a JSON-MIN export."""
    return fields.keys() >= {"annotation_id", "annotator", "id"} and "data" not in fields


def read_min_tasks(path: Path, options: ImportOptions) -> Iterator[JsonValue | Problem]:
    """Yield a task for each id of a file's rows, with all submissions, in order of the first row.

    Rows are stored on disk temporarily, so that memory use stays constant.
    """
    with closing(NameRegister()) as rows:
        count = 0
        values = read_json_values(path, encoding=options.encoding, meter=options.meter)
        for value in values:
            if isinstance(value, Problem):
                yield value
                continue
            try:
                fields = check_object(value.value, what="row")
                key = parse_identifier(fields.get("id"), what="id")
            except InvalidInput as error:
                yield make_problem(value.where, error)
                continue
            place = 0
            word = json.dumps([value.where, fields])
            while rows.remember(f"{place} {key}", word) != word:
                place += 1
            if not place:
                rows.remember(f"#{count}", key)
                count += 1
        for number in range(count):
            yield from _merge_rows(rows, rows.recall(f"#{number}") or "", number, options=options)


def _merge_rows(
    rows: NameRegister, key: str, number: int, *, options: ImportOptions
) -> Iterator[JsonValue | Problem]:
    task: dict[str, Any] = {}
    where, place = "", 0
    problems: list[Problem] = []
    while (word := rows.recall(f"{place} {key}")) is not None:
        at, fields = json.loads(word)
        place += 1
        submission, data = _split_row(fields, options)
        if not task:
            where = at
            task = {"id": fields["id"], "data": data, "annotations": [submission]}
            continue
        texts = (options.source_column, options.summary_column)
        if any(task["data"].get(name) != data.get(name) for name in texts):
            error = InvalidInput(
                f"the texts of the task {key} differ from those at {where}",
                "give each task an id of its own",
            )
            problems += problems_at(at, [error])
            continue
        task["annotations"].append(submission)
        others = [name for name in data if task["data"].setdefault(name, data[name]) != data[name]]
        if others:
            shown = ", ".join(map(repr, others))
            message = f"the values of {shown} are ignored; other values at {where} are kept"
            problems.append(Problem(at, message, refused=False))
    yield JsonValue(number + 1, where, task)
    yield from problems


def _split_row(
    fields: Mapping[str, Any], options: ImportOptions
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the submission of a row, and the task's data."""
    result: list[dict[str, Any]] = []
    data: dict[str, Any] = {}
    for name, value in fields.items():
        if name in _OWN:
            continue
        if _are_regions(value):
            result += (
                {
                    "id": f"{name}-{number}",
                    "from_name": name,
                    "to_name": _find_text(region, fields, options),
                    "type": "labels",
                    "value": region,
                }
                for number, region in enumerate(value)
            )
        elif isinstance(value, dict) and value.keys() == {"choices"}:
            result.append({"id": name, "from_name": name, "type": "choices", "value": value})
        else:
            data[name] = value
    submission = {new: fields[old] for old, new in _SUBMISSION.items() if old in fields}
    return {**submission, "result": result}, data


def _are_regions(value: Any) -> bool:
    return isinstance(value, list) and any(
        isinstance(each, dict) and each.keys() >= {"start", "end"} for each in value
    )


def _find_text(region: Any, fields: Mapping[str, Any], options: ImportOptions) -> str:
    """Return the column of the text that a region is about: the summary, unless it fits less."""
    columns = (options.summary_column, options.source_column)
    fitting = [name for name in columns if _fits(region, fields.get(name))]
    return fitting[0] if fitting else options.summary_column


def _fits(region: Any, text: Any) -> bool:
    if not isinstance(region, dict) or not isinstance(text, str):
        return False
    start, end, quote = region.get("start"), region.get("end"), region.get("text")
    if type(start) is not int or type(end) is not int:
        return False
    for to_code_points in (int, utf16_map(text).to_code_points):
        try:
            found = Span(to_code_points(start), to_code_points(end)).of(text)
        except InvalidSpan:
            continue
        if quote in (None, found):
            return True
    return False
