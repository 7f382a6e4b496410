"""Checks the paths that users name for output: no file of a workspace is replaced."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.workspace_files import WORKSPACE_FILE, describe_kept

_UNFINISHED: Final = re.compile(r"\.tui-annotate-.+\.part")
"""Names of temporary folders, in which the program writes the files of a snapshot."""


def require_output_path(target: Path, *, allow: str = "") -> None:
    """Check that a path that a user names for output is not where a workspace keeps its own data.

    The path is checked as it is written, and with its links followed.

    `allow`: name of a folder of a workspace in which the caller creates new files only.

    Raises:
        InvalidInput: the path is, or is below, a file or folder that the program keeps.
    """
    # As written, for a kept folder that is a link; and followed, for a link to a kept file. The
    # functions of pathlib raise for a loop of links, or for a folder that cannot be read.
    for path in {Path(os.path.abspath(target)), Path(os.path.realpath(target))}:  # noqa: PTH100
        for folder in path.parents:
            if not os.path.isfile(folder / WORKSPACE_FILE):  # noqa: PTH113
                continue
            parts = path.relative_to(folder).parts
            if parts[0] == allow or any(map(_UNFINISHED.fullmatch, parts)):
                continue
            if what := describe_kept(parts) or _describe_setting(path, folder):
                raise InvalidInput(
                    f"{target} cannot be written: {folder} is a workspace that keeps {what} there",
                    "choose a different path",
                    code="workspace-file",
                )


def _describe_setting(path: Path, workspace: Path) -> str:
    """Return what a file is that the settings of a workspace name; empty if they do not."""
    import tomllib  # only for a path inside a workspace: the import costs 9 ms

    try:
        values = tomllib.loads((workspace / WORKSPACE_FILE).read_text("utf-8"))
    except (OSError, ValueError):  # commands that read the settings report it
        return ""
    people = values.get("people")
    named = {
        "the key of the pseudonyms": values.get("pseudonyms_key"),
        "the accounts": people.get("store") if isinstance(people, dict) else None,
    }
    for what, value in named.items():
        if isinstance(value, str) and value:
            file = workspace / os.path.expanduser(value)  # noqa: PTH111  pathlib raises
            if os.path.realpath(file) == os.path.realpath(path):
                return what
    return ""
