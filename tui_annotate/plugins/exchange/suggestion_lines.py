"""Suggestions of machines as JSON lines, each with its run: what a bundle holds of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.records import Problem
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.scores import Run, RunKind
from tui_annotate.domain.suggestions import Suggestion, suggestion_from_json, suggestion_to_json
from tui_annotate.plugins.admission import described, identifier
from tui_annotate.plugins.files.json_values import json_values

Line = tuple[Run, SampleKey, Suggestion]


def write(lines: Iterable[Line], target: TextIO) -> int:
    """Writes suggestions in the order given; how many there were."""
    count = 0
    for count, (run, key, suggestion) in enumerate(lines, start=1):  # noqa: B007  the last counts
        about = {"id": run.id, "maker": run.maker, "parameters": dict(run.parameters), "at": run.at}
        told = suggestion_to_json(suggestion)
        value = {"dataset": key.dataset, "sample": key.id, "run": about, "suggestion": told}
        target.write(json.dumps(value, separators=(",", ":"), sort_keys=True) + "\n")
    return count


def read(path: Path) -> Iterator[Line | Problem]:
    """The suggestions of a file in order; a Problem for what is none.

    Raises:
        NotFound, InvalidInput, Unavailable: it can not be opened.
    """
    for value in json_values(path):
        if isinstance(value, Problem):
            yield value
            continue
        try:
            yield _line(value.value)
        except InvalidInput as error:
            yield Problem(value.where, error.message, error.hint)


def _line(value: Any) -> Line:
    told = _object(value, "line")
    dataset = identifier(told.get("dataset"), what="dataset")
    key = SampleKey(dataset, identifier(told.get("sample"), what="id"))
    run = _object(told.get("run"), "run")
    at = run.get("at")
    made = Run(
        id=identifier(run.get("id"), what="id of a run"),
        kind=RunKind.SUGGEST,
        maker=identifier(run.get("maker"), what="maker"),
        dataset=dataset,
        parameters=_object(run.get("parameters"), "parameters"),
        at=at if isinstance(at, str) else "",
    )
    return made, key, suggestion_from_json(_object(told.get("suggestion"), "suggestion"))


def _object(value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise InvalidInput(f"the {what} is {described(value)}, not an object")
    return value
