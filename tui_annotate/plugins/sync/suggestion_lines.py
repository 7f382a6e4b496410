"""Reads and writes the machine suggestions in bundles, as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TextIO

from tui_annotate.domain.records import Problem
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.scores import RunKind, ScoreRun
from tui_annotate.domain.suggestions import Suggestion, suggestion_from_json, suggestion_to_json
from tui_annotate.plugins.files.json_values import JsonValue, read_json_values
from tui_annotate.plugins.json_records import check_object, read_objects
from tui_annotate.plugins.record_validation import parse_identifier

Line = tuple[ScoreRun, SampleKey, Suggestion]


def write(lines: Iterable[Line], target: TextIO) -> int:
    """Write machine suggestions as JSON lines in order; return their number."""
    count = 0
    for count, (run, key, suggestion) in enumerate(lines, start=1):  # noqa: B007  the last counts
        about = {"id": run.id, "maker": run.maker, "parameters": dict(run.parameters), "at": run.at}
        fields = suggestion_to_json(suggestion)
        value = {"dataset": key.dataset, "sample": key.id, "run": about, "suggestion": fields}
        target.write(json.dumps(value, separators=(",", ":"), sort_keys=True) + "\n")
    return count


def read(path: Path) -> Iterator[Line | Problem]:
    """Yield the suggestions of a file, or problems of its lines."""
    return read_objects(read_json_values(path), _read_line, what="line")


def _read_line(fields: dict[str, Any], _: JsonValue) -> tuple[Line]:
    dataset = parse_identifier(fields.get("dataset"), what="dataset")
    key = SampleKey(dataset, parse_identifier(fields.get("sample"), what="id"))
    run = check_object(fields.get("run"), what="run")
    at = run.get("at")
    made = ScoreRun(
        id=parse_identifier(run.get("id"), what="id of a run"),
        kind=RunKind.SUGGEST,
        maker=parse_identifier(run.get("maker"), what="maker"),
        dataset=dataset,
        parameters=check_object(run.get("parameters"), what="parameters"),
        at=at if isinstance(at, str) else "",
    )
    suggestion = check_object(fields.get("suggestion"), what="suggestion")
    return ((made, key, suggestion_from_json(suggestion)),)
