"""Judges the columns of Label Studio's flat rows by all rows of a file: data of tasks, or controls.

A control is an element of the labelling configuration, such as `Labels`, that holds results.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tui_annotate.domain.errors import InvalidInput, InvalidSpan
from tui_annotate.domain.offsets import utf16_map
from tui_annotate.domain.spans import Span
from tui_annotate.domain.strict_json import parse_unique
from tui_annotate.plugins.files.json_values import check_text
from tui_annotate.plugins.joined_texts import EVIDENCE
from tui_annotate.plugins.label_studio.results import read_quote
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.plugins.record_validation import shorten_quote

SUBMISSION: Final = {
    "annotation_id": "id",
    "annotator": "completed_by",
    "created_at": "created_at",
    "updated_at": "updated_at",
    "lead_time": "lead_time",
}
"""Maps the fields of a submission in a row to their names in a task."""
_NEVER_CONTROLS: Final = frozenset({*SUBMISSION, "id"})
_KNOWN_CONTROLS: Final = {"rating": "choices", "comment": "textarea", "note": "textarea"}
"""Names of controls in our own labelling configuration, and what a plain text of them is."""
_RESULT_KEYS: Final = ("labels", "choices", "taxonomy")
_RESULTS: Final = re.compile(r'\s*(?:\[\s*[{"]|\{\s*")')
"""Start of a cell that holds results as JSON."""
_NO_RESULTS: Final = re.compile(r"\s*\[\s*\]\s*")
"""Cell of a control without a result, as a table holds an empty list."""
_CUT_REGIONS: Final = re.compile(r'\s*\[\s*\{\s*".*"(?:start|end|labels)"', re.DOTALL)
_PLAIN: Final = re.compile(r"\s*(?:[-+]?\d[\d.,]*|true|false)\s*", re.IGNORECASE)
_LONGEST_CHOICE: Final = 5
"""Number of words from which on a text of unknown kind is a comment rather than a choice."""


def parse_results(value: Any) -> Any:
    """Return the results of a control, which a table holds as JSON; other values as they are.

    Raises:
        InvalidInput: the JSON is broken, for example because a cell was cut.
    """
    if not isinstance(value, str):
        return value
    if _NO_RESULTS.fullmatch(value):
        return []
    if not _RESULTS.match(value):
        return value
    try:
        parsed = parse_unique(value)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"the JSON {shorten_quote(value)} is cut or invalid") from error
    check_text(parsed, value)
    return parsed


def is_region(value: Any) -> bool:
    """Return whether a result marks a span of a text."""
    return isinstance(value, dict) and value.keys() >= {"start", "end"}


def name_result_type(value: Any) -> str:
    """Return the type that a result has in a task, which flat rows do not name."""
    if not isinstance(value, dict):
        return ""
    for key in _RESULT_KEYS:
        if key in value:
            return key
    if isinstance(value.get("text"), list):
        return "textarea"
    if is_region(value):
        others = [key for key in value if key.endswith("labels") and isinstance(value[key], list)]
        return others[0] if others else "labels"
    return next(iter(value), "")


def _are_results(value: Any) -> bool:
    """Return whether a value has a form that only results have."""
    if isinstance(value, list):
        has_region = any(is_region(each) for each in value)
        return has_region or (len(value) == 1 and _is_task_result(value[0]))
    return is_region(value) or _is_task_result(value)


def _is_task_result(value: Any) -> bool:
    if not isinstance(value, dict) or len(value) != 1:
        return False
    ((key, held),) = value.items()
    if key in ("choices", "text", "taxonomy"):
        return isinstance(held, list)
    return key in ("rating", "number")


def text_columns(options: ImportOptions) -> tuple[str, ...]:
    """Return the columns of the texts, which are the same in all rows of a task."""
    names = (options.source_column, options.summary_column, options.second_source_column)
    return tuple(name for name in names if name)


@dataclass(slots=True)
class Columns:
    """What the rows of a file show about its columns; `add` and `compare` come before the rest.

    A column is a control if a value has the form of results, or if it comes between `id` and
    `annotator` in rows that begin with the data, as JSON-MIN has them. In files with columns in
    another order, a control is a column whose values differ between the rows of a task, or that
    has a name of our own labelling configuration: `rating`, `comment` or `note`.
    """

    options: ImportOptions
    _results: set[str] = field(default_factory=set)
    _inside: set[str] = field(default_factory=set)
    _outside: set[str] = field(default_factory=set)
    _differing: set[str] = field(default_factory=set)
    _kinds: dict[str, str] = field(default_factory=dict)
    _sentences: set[str] = field(default_factory=set)
    _texts: set[str] = field(default_factory=set)
    _sides: dict[str, Counter[str]] = field(default_factory=dict)

    @property
    def summary(self) -> str:
        """Name of the column with the summary."""
        return self.options.summary_column

    @property
    def source(self) -> str:
        """Name of the column with the source."""
        return self.options.source_column

    def add(self, fields: Mapping[str, Any]) -> None:
        """Note what a row shows."""
        self._note_order(list(fields))
        for name, value in fields.items():
            if self._is_fixed(name) or value in ("", None):
                continue
            if isinstance(value, str) and _NO_RESULTS.fullmatch(value):
                continue
            if isinstance(value, str) and not _RESULTS.match(value):
                if not _PLAIN.fullmatch(value):
                    self._texts.add(name)
                if _is_sentence(value):
                    self._sentences.add(name)
                continue
            if not isinstance(value, str | list | dict):
                continue
            try:
                parsed = parse_results(value)
            except InvalidInput:
                if isinstance(value, str) and _CUT_REGIONS.match(value):
                    self._results.add(name)
                continue
            if _are_results(parsed):
                self._results.add(name)
                self._note_results(name, parsed, fields)

    def _note_order(self, names: list[str]) -> None:
        first = names.index("id") if "id" in names else len(names)
        last = names.index("annotator") if "annotator" in names else -1
        texts = [names.index(name) for name in text_columns(self.options) if name in names]
        is_last = names[last + 1 : last + 2] == ["annotation_id"]
        if is_last and first < last and all(position < first for position in texts):
            self._inside.update(names[first + 1 : last])
            self._outside.update(names[:first])

    def _note_results(self, name: str, results: Any, fields: Mapping[str, Any]) -> None:
        sides = self._sides.setdefault(name, Counter())
        for value in results if isinstance(results, list) else [results]:
            if is_region(value):
                fitting = self._fitting_texts(value, fields)
                if len(fitting) == 1:
                    sides[fitting[0]] += 1
            elif (kind := name_result_type(value)) in ("choices", "textarea"):
                self._kinds[name] = kind

    def compare(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Note the columns in which rows with one task's number differ: these are no data."""
        texts = text_columns(self.options)
        same = [row for row in rows if all(row.get(name) == rows[0].get(name) for name in texts)]
        if "id" not in rows[0]:  # tasks with the same texts may have other data
            return
        for name in dict.fromkeys(name for row in same for name in row):
            values = [None if row.get(name) == "" else row.get(name) for row in same]
            if any(value != values[0] for value in values):
                self._differing.add(name)

    def _is_fixed(self, name: str) -> bool:
        chosen = {*text_columns(self.options), self.options.id_column, self.options.group_column}
        return name in _NEVER_CONTROLS or name in chosen

    def is_data(self, name: str) -> bool:
        """Return whether a column is part of the task's data."""
        return name not in _NEVER_CONTROLS and not self._is_control(name)

    def _is_control(self, name: str) -> bool:
        if self._is_fixed(name):
            return False
        if name in self._results or name in self._inside:
            return True
        is_personal = name in self._differing or name in _KNOWN_CONTROLS
        return is_personal and name not in self._outside

    def list_controls(self, fields: Mapping[str, Any]) -> Iterator[str]:
        """Yield the controls of a row: first those of the rating and the comment."""
        names = [name for name in fields if self._is_control(name)]
        yield from sorted(names, key=lambda name: name not in _KNOWN_CONTROLS)

    def kind(self, name: str) -> str:
        """Return what a plain text of a control is: `choices` or `textarea`; empty if neither.

        Numbers and Boolean values that only differ between rows may be from another program.
        """
        if found := self._kinds.get(name) or _KNOWN_CONTROLS.get(name):
            return found
        if name not in self._texts and name not in self._inside:
            return ""
        return "textarea" if name in self._sentences else "choices"

    def find_text(
        self, name: str, region: Mapping[str, Any], fields: Mapping[str, Any]
    ) -> tuple[str, bool]:
        """Return the column of the text that a region is about, and whether this is certain.

        A region belongs to the text that it fits. If it fits both or none, the text of most other
        regions of its control decides. Else a region that fits both belongs to the source if it has
        the label of evidence, and any other region to the summary.
        """
        fitting = self._fitting_texts(region, fields)
        if len(fitting) == 1:
            return fitting[0], True
        sides = self._sides.get(name, Counter())
        source = self.options.source_column
        summary = self.options.summary_column
        if sides[source] > sides[summary]:
            return source, True
        is_even = sides[source] == sides[summary]
        if fitting and is_even and region.get("labels") == [EVIDENCE]:
            return source, True
        is_clear = not fitting or sides[source] < sides[summary]
        return summary, is_clear

    def _fitting_texts(self, region: Mapping[str, Any], fields: Mapping[str, Any]) -> list[str]:
        names = (self.options.summary_column, self.options.source_column)
        return [name for name in dict.fromkeys(names) if _fits(region, fields.get(name))]


def _is_sentence(text: str) -> bool:
    return "\n" in text or len(text.split()) > _LONGEST_CHOICE


def _fits(region: Mapping[str, Any], text: Any) -> bool:
    if not isinstance(text, str):
        return False
    start = region.get("start")
    end = region.get("end")
    if type(start) is not int or type(end) is not int:
        return False
    quote: str | None = None
    if name_result_type(region) == "labels":
        try:
            quote = read_quote(region)
        except InvalidInput:
            return False
    units: list[Callable[[int], int]] = [int]
    if not text.isascii():
        units.append(utf16_map(text).to_code_points)
    for to_code_points in units:
        try:
            found = Span(to_code_points(start), to_code_points(end)).of(text)
        except InvalidSpan:
            continue
        if quote in (None, found):
            return True
    return False
