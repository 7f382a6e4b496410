"""Records of a JSON file with one object a sample: read one by one, each sample once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.records import Problem, Record
from tui_annotate.plugins.admission import Seen, described, problem
from tui_annotate.plugins.files.json_values import Value, json_values
from tui_annotate.plugins.protocols import ImportOptions

Read = Callable[[dict[str, Any], Value], tuple[Record, Sequence[str]]]
"""An object, and where it stands, to its record and the doubts about it; or `InvalidInput`."""


def json_records(
    path: Path, options: ImportOptions, read: Read, *, what: str
) -> Iterator[Record | Problem]:
    """One record an object, then the doubts about it; see `Importer.read`.

    Args:
        what: an object is called in messages.
    """
    with closing(Seen()) as seen:
        for value in json_values(path, encoding=options.encoding, meter=options.meter):
            if isinstance(value, Problem):
                yield value
                continue
            try:
                if not isinstance(value.value, dict):
                    raise InvalidInput(f"the {what} is {described(value.value)}, not an object")
                record, doubts = read(value.value, value)
                name = json.dumps(record.sample.key)
                if (before := seen.first(name, value.where)) != value.where:
                    raise InvalidInput(f"{record.sample.key} was given at {before} already")
                yield record
                yield from (Problem(value.where, each, refused=False) for each in doubts)
            except InvalidInput as error:
                yield problem(value.where, error)
