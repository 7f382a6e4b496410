"""Where the store of a workspace is, as its settings file names it."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Final

_TABLE: Final = re.compile(r"^\[store\][^\n]*\n(?:(?!\[)[^\n]*(?:\n|\Z))*", re.MULTILINE)
"""The table `[store]` of a settings file, up to the next table or the end of the file."""
_SETTING: Final = re.compile(r"^\s*[\"']?(?:url|schema)[\"']?\s*=[^\n]*\n?", re.MULTILINE)


def write_store_location(text: str, *, url: str, schema: str) -> str:
    """Return the text of a settings file that names a different store; all else stays as it is.

    Args:
        text: the file; it may have comments.
        url: URL of the PostgreSQL database; empty for the SQLite file of the workspace.

    Raises:
        ValueError: the text is not valid TOML, or the table `[store]` has an unusual form.
    """
    others = {name: value for name, value in tomllib.loads(text).items() if name != "store"}
    kept = _TABLE.sub(_keep_comments, text)
    wanted = {"url": url, "schema": schema} if url else {}
    # A JSON string is also a TOML string.
    lines = "".join(
        f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in wanted.items()
    )
    changed = f"{kept.rstrip()}\n\n[store]\n{lines}" if url else kept
    found = tomllib.loads(changed)
    if found.pop("store", {}) != wanted or found != others:
        raise ValueError("the table [store] has an unusual form")
    return changed


def _keep_comments(table: re.Match[str]) -> str:
    """Return the comments of a table, without its heading and settings."""
    return _SETTING.sub("", table[0]).partition("\n")[2]
