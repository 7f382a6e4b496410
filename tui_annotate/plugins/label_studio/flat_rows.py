"""Label Studio's flat exports: one row for each submission, converted to tasks.

The export JSON-MIN, and the tables CSV and TSV (also saved by a spreadsheet program), have the same
rows: the task's data, the results of one annotator under the names of their controls, and fields of
the submission. A row names neither the texts that the results are about, nor the regions that
belong together, nor the columns that are controls: `Columns` finds these by all rows of a file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.records import FIELD_REFUSED, SPAN_REFUSED, Problem, Record
from tui_annotate.domain.samples import Document
from tui_annotate.plugins.json_records import check_object, problems_at, refuse_repeated
from tui_annotate.plugins.label_studio.columns import (
    SUBMISSION,
    Columns,
    is_region,
    name_result_type,
    parse_results,
    text_columns,
)
from tui_annotate.plugins.label_studio.reader import read_person, read_task
from tui_annotate.plugins.label_studio.results import OF_DATA, UNIT
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.plugins.record_validation import (
    NameRegister,
    get_field,
    make_problem,
    parse_identifier,
)
from tui_annotate.plugins.row_groups import GroupedRow, RowGroups
from tui_annotate.plugins.span_columns import parse_literal

_ID: Final = "id"
_NOTE: Final = "note"
"""Name of the control of our own labelling configuration whose texts belong to regions."""


class FlatRow(NamedTuple):
    """A row of a flat export with its position; `name` is the sample's id if no column has ids."""

    where: str
    fields: Any
    name: str = ""


@dataclass(slots=True)
class _Task:
    """A task that is merged of rows.

    Attributes:
        incomplete: 0-based positions of the submissions of which a result cannot be read.
        problems: problems with positions of their own, which are reported after the task.
    """

    where: str
    fields: dict[str, Any]
    incomplete: set[int] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)


def is_flat_row(fields: Mapping[str, Any]) -> bool:
    """Return whether a JSON record is a row of a JSON-MIN export."""
    return fields.keys() >= {"annotation_id", "annotator", "id"} and "data" not in fields


def read_flat_rows(
    rows: Iterable[FlatRow | Problem],
    options: ImportOptions,
    *,
    dataset: str,
    seen: NameRegister,
    parse_documents: Callable[[Mapping[str, Any]], tuple[Document, ...]] | None = None,
) -> Iterator[Record | Problem]:
    """Yield a record for each task of a file's rows, in order of the first row.

    Rows are stored on disk temporarily, so that memory use stays constant.

    Args:
        seen: the keys of all samples of the import.
        parse_documents: returns the documents of a task's data, if they are more than two texts.
    """
    if options.id_column == _ID:
        options = replace(options, id_column="")
    columns = Columns(options)
    with RowGroups() as groups:
        for row in rows:
            if isinstance(row, Problem):
                yield row
                continue
            try:
                fields = check_object(row.fields, what="row")
                key = _name_task(row, fields, options)
            except InvalidInput as error:
                yield make_problem(row.where, error)
                continue
            columns.add(fields)
            groups.add(key, GroupedRow(row.where, fields, (dataset, row.name)))
        if not options.id_column:
            for several in groups.groups():
                columns.compare([row.fields for row in several])
        for number, several in enumerate(groups.groups(), 1):
            task = _merge_rows(several, columns, options)
            try:
                documents = parse_documents(task.fields["data"]) if parse_documents else ()
                record, doubts = read_task(
                    task.fields,
                    options,
                    dataset=dataset,
                    where=task.where,
                    number=number,
                    incomplete=frozenset(task.incomplete),
                    documents=documents,
                )
                refuse_repeated(record, task.where, seen)
            except InvalidInput as error:
                yield make_problem(task.where, error)
            else:
                yield record
                yield from problems_at(task.where, doubts)
            yield from task.problems


def _name_task(row: FlatRow, fields: Mapping[str, Any], options: ImportOptions) -> str | list[Any]:
    """Return what the rows of one task have in common: its id, else its texts.

    Raises:
        InvalidInput: the row has no id.
    """
    if options.id_column:
        named = get_field(fields, options.id_column, option="--id-column")
        return parse_identifier(named, what=options.id_column)
    if _ID in fields or not row.name:
        return parse_identifier(fields.get(_ID), what=_ID)
    return [fields.get(column) for column in text_columns(options)]


def _merge_rows(rows: list[GroupedRow], columns: Columns, options: ImportOptions) -> _Task:
    """Return the task of several rows; rows with other texts than the first are refused.

    Other data than those of the first row are ignored with a warning.
    """
    where, first, (_, name) = rows[0]
    data = _read_data(first, columns)
    named = first[_ID] if _ID in first else options.row_prefix + name
    task = _Task(where, {"id": named, "data": data, "annotations": []})
    for at, fields, _ in rows:
        if any(first.get(column) != fields.get(column) for column in text_columns(options)):
            error = InvalidInput(
                f"the texts of the task {named} differ from those at {where}",
                "give each task an id of its own",
            )
            task.problems += problems_at(at, [error])
            continue
        others = _read_data(fields, columns)
        differing = [key for key in others if data.setdefault(key, others[key]) != others[key]]
        if differing:
            shown = ", ".join(map(repr, differing))
            message = f"the values of {shown} are ignored; other values at {where} are kept"
            task.problems.append(Problem(at, message, refused=False))
        _SubmissionReader(at, fields, columns, task).add()
    return task


def _read_data(fields: Mapping[str, Any], columns: Columns) -> dict[str, Any]:
    """Return the task's data of a row; our own fields, which tables hold as text, are parsed."""
    data = {name: value for name, value in fields.items() if columns.is_data(name)}
    for name in OF_DATA:
        if data.get(name) in ("", None):
            data.pop(name, None)
    if UNIT in data:
        for name in ("request", "meta", "about"):
            if isinstance(data.get(name), str):
                data[name] = parse_literal(data[name])
    return data


@dataclass(slots=True)
class _SubmissionReader:
    """Converter of one row's results to a submission of a task."""

    where: str
    fields: Mapping[str, Any]
    columns: Columns
    task: _Task
    _items: list[dict[str, Any]] = field(default_factory=list)
    _ids: dict[str, list[str]] = field(default_factory=dict)
    """Ids of the regions with labels by text, start and end; each region takes one note."""

    def add(self) -> None:
        """Add the submission of the row; a row of a task without any submission has none."""
        submissions = self.task.fields["annotations"]
        values: dict[str, list[Any]] = {}
        for name in self.columns.list_controls(self.fields):
            try:
                values[name] = self._list_values(name)
            except InvalidInput as error:
                self.task.incomplete.add(len(submissions))
                self.task.problems.append(self._explain_broken(name, error))
        for name, found in values.items():
            self._add_regions(name, found)
        for name, found in values.items():
            self._add_other_results(name, found)
        submission = {
            new: self.fields[old] for old, new in SUBMISSION.items() if old in self.fields
        }
        if isinstance(seconds := submission.get("lead_time"), str):
            with suppress(ValueError):
                submission["lead_time"] = float(seconds)
        has_author = any(submission.get(name) not in ("", None) for name in ("id", "completed_by"))
        is_broken = len(submissions) in self.task.incomplete
        if has_author or self._items or is_broken:
            submissions.append({**submission, "result": self._items})

    def _list_values(self, name: str) -> list[Any]:
        value = parse_results(self.fields[name])
        if value in ("", None, []):
            return []
        return value if isinstance(value, list) else [value]

    def _explain_broken(self, name: str, error: InvalidInput) -> Problem:
        person = repr(self.fields.get("annotator"))
        with suppress(InvalidInput):
            person = repr(read_person(self.fields.get("annotator")).name)
        message = (
            f"column {name!r}: {error.message}: its results are not imported (on this sample, the"
            f" work of {person} counts as in progress)"
        )
        hint = (
            "a spreadsheet program cuts long cells: import the file that Label Studio exported, or"
            " its export JSON"
        )
        return Problem(self.where, message, hint, refused=False, code=SPAN_REFUSED)

    def _add_regions(self, name: str, values: list[Any]) -> None:
        """Add the items that mark spans of their own; other items of regions follow later."""
        unclear = 0
        for number, value in enumerate(values):
            if not is_region(value) or name_result_type(value) != "labels":
                continue
            text, is_clear = self.columns.find_text(name, value, self.fields)
            unclear += not is_clear
            key = f"{name}-{number}"
            self._ids.setdefault(_position_of(text, value), []).append(key)
            self._add_item(name, value, key=key, text=text)
        if unclear:
            message = (
                f"column {name!r}: the summary is taken as the text of regions that fit both texts"
                f" ({unclear:,})"
            )
            self.task.problems.append(Problem(self.where, message, refused=False))

    def _add_other_results(self, name: str, values: list[Any]) -> None:
        """Add notes and further labels of regions, and results about the whole task."""
        taken: dict[str, int] = {}
        unknown = 0
        only = self._items[0] if sum(map(len, self._ids.values())) == 1 else None
        for number, value in enumerate(values):
            if is_region(value):
                if name_result_type(value) == "labels":
                    continue
                text = self._find_marked_text(name, value)
                position = _position_of(text, value)
                ids = self._ids.get(position) or [f"{name}-{number}"]
                used = taken.get(position, 0)
                taken[position] = used + 1
                self._add_item(name, value, key=ids[min(used, len(ids) - 1)], text=text)
            elif isinstance(value, dict):
                self._add_item(name, value, key=f"{name}-{number}", text=self.columns.summary)
            elif name == _NOTE and only is not None and len(values) == 1:
                region = only["value"]
                note = {"start": region["start"], "end": region["end"], "text": [str(value)]}
                self._add_item(name, note, key=only["id"], text=only["to_name"])
            elif len(values) > 1 or (name == _NOTE and self._ids):
                unknown += 1
            elif kind := self.columns.kind(name):
                key = "text" if kind == "textarea" else kind
                result = {key: [str(value)]}
                self._add_item(name, result, key=name, text=self.columns.summary)
            else:
                self._refuse(name, f"the value {value!r} of a person is not imported")
        if unknown:
            message = (
                "values of regions are not imported, because the file does not name their regions"
                f" ({unknown:,})"
            )
            self._refuse(name, message)

    def _find_marked_text(self, name: str, value: Mapping[str, Any]) -> str:
        """Return the column of the text that a further result of a region is about.

        A result that fits both texts belongs to the text in which its region has labels.
        """
        text, is_clear = self.columns.find_text(name, value, self.fields)
        if is_clear or _position_of(text, value) in self._ids:
            return text
        others = (self.columns.summary, self.columns.source)
        marked = (other for other in others if _position_of(other, value) in self._ids)
        return next(marked, text)

    def _refuse(self, name: str, message: str) -> None:
        message = f"column {name!r}: {message}"
        hint = "use Label Studio's export JSON"
        problem = Problem(self.where, message, hint, refused=False, code=FIELD_REFUSED)
        self.task.problems.append(problem)

    def _add_item(self, name: str, value: dict[str, Any], *, key: str, text: str) -> None:
        item = {
            "id": key,
            "from_name": name,
            "to_name": text,
            "type": name_result_type(value),
            "value": value,
        }
        self._items.append(item)


def _position_of(text: str, value: Mapping[str, Any]) -> str:
    return json.dumps([text, value["start"], value["end"]])
