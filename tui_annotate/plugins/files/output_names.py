"""Refuses the name of a table for an output file that is written as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.plugins.files.packing import plain_suffixes

_TABLES: Final = frozenset({".csv", ".tsv", ".xlsx", ".xls", ".parquet"})
JSON_LINES_HINT: Final = "name a file that ends in .jsonl, .jsonl.gz or .jsonl.zst"


def check_json_name(target: Path | None, *, what: str, hint: str = JSON_LINES_HINT) -> None:
    """Refuse a target whose suffix is that of a table; `what` is the content, such as "rows".

    Raises:
        InvalidInput: the file would have the suffix of a table, and contain JSON.
    """
    suffix = plain_suffixes(target)[-1:] if target else []
    if suffix and suffix[0] in _TABLES:
        raise InvalidInput(f"{target} is the name of a table, but {what} are written as JSON", hint)
