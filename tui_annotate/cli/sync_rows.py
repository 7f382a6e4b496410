"""The table that people share: where it is, and its rows written to a file without a workspace."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from tui_annotate.cli import output
from tui_annotate.cli.options import unless_stdout
from tui_annotate.domain.errors import InvalidInput

if TYPE_CHECKING:
    from tui_annotate.plugins.exchange.table import Table


def write_rows(target: Path, dataset: str) -> None:
    """Writes the rows of a dataset, of all where none is named, to a file; - for stdout."""
    from tui_annotate.plugins.files.targets import output as written

    count = 0
    rows = table().rows(dataset=dataset)
    first = next(rows, None)
    if first is None:
        output.say("no annotations found; nothing was written")
        return
    with written(unless_stdout(target)) as file:
        for count, row in enumerate((first, *rows), start=1):  # noqa: B007  the last one counts
            file.write(json.dumps(row.exported(), ensure_ascii=False) + "\n")
    output.say(f"{output.many(count, 'row')} written")


def table() -> Table:
    """The one that the environment names.

    Raises:
        InvalidInput: it names none.
    """
    from tui_annotate.plugins.exchange import sync_key
    from tui_annotate.plugins.exchange.table import Table

    if not sync_key.address():
        hint = f"set {sync_key.URL} and {sync_key.KEY}, or name a folder with --dir"
        raise InvalidInput("nobody says where the table is", hint)
    return Table(sync_key.address())
