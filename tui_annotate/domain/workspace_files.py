"""Names of the files and folders that the program keeps in a workspace's folder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

WORKSPACE_FILE: Final = "tui-annotate.toml"
"""File with the settings of a workspace; a folder that has it is a workspace."""
STORE: Final = "store.sqlite"
LABELS: Final = "labels.yaml"
GUIDELINES: Final = "guidelines.md"
PSEUDONYMS: Final = "pseudonyms.key"
"""File name of the pseudonym key; backups omit the file, so that pseudonyms stay private."""
VECTORS: Final = "vectors"
LOG: Final = "log"
BACKUPS: Final = "backups"
FROZEN: Final = "frozen"
PROMPTS: Final = "prompts"

_FILES: Final = {
    WORKSPACE_FILE: "the settings",
    STORE: "the database",
    LABELS: "the label set",
    GUIDELINES: "the guidelines",
    PSEUDONYMS: "the key of the pseudonyms",
    **{f"{STORE}-{ending}": "a part of the database" for ending in ("wal", "shm", "journal")},
}
_FOLDERS: Final = {
    VECTORS: "the vectors",
    LOG: "the program's log",
    BACKUPS: "the backups",
    FROZEN: "the snapshots",
    PROMPTS: "the prompts",
}
KEPT_NAMES: Final = frozenset({*_FILES, *_FOLDERS})
"""All names of files and folders that the program keeps in a workspace."""


def describe_kept(parts: Sequence[str]) -> str:
    """Return what the program keeps at a path, or above it; empty if it keeps nothing there.

    Names that differ in case only count as equal, as they are one file on some file systems.

    `parts`: the path relative to the folder of a workspace.
    """
    first = parts[0].casefold()
    return _FILES.get(first) or _FOLDERS.get(first) or ""
