"""The contents of a workspace's folder, and how a new one is created; opens no store."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Final

from tui_annotate.domain.errors import Unavailable
from tui_annotate.storage.atomic_folder import write_text

STORE: Final = "store.sqlite"
VECTORS: Final = "vectors"
LABELS: Final = "labels.yaml"
GUIDELINES: Final = "guidelines.md"
LOG: Final = "log"
BACKUPS: Final = "backups"
FROZEN: Final = "frozen"
PSEUDONYMS: Final = "pseudonyms.key"
"""Left out of every copy: a copy without it names nobody."""


def create_folders(folder: Path) -> None:
    """Makes what is missing of the folders, and the label set; what is there stays.

    Raises:
        Unavailable: the folder can not be written.
    """
    try:
        for place in (folder, folder / VECTORS, folder / LOG, folder / BACKUPS):
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not (folder / LABELS).exists():
            write_text(folder / LABELS, default_labels())
    except OSError as error:
        raise Unavailable(
            f"{folder} can not be written: {error.strerror}",
            "check its owner and mode, or choose another folder",
        ) from error


def write_if_changed(file: Path, text: str) -> None:
    """Writes a file that people edit, at one go; one that says the same stays as it is.

    Raises:
        Unavailable: it can not be written.
    """
    try:
        if file.exists() and file.read_bytes() == text.encode():
            return
        part = file.with_name(f".{file.name}.part")
        part.unlink(missing_ok=True)
        part.touch(mode=0o600)
        part.write_bytes(text.encode())
        part.replace(file)
    except OSError as error:
        raise Unavailable(
            f"{file} can not be written: {error.strerror}", "check its owner and mode"
        ) from error


def default_labels() -> str:
    """The text of the label set that a new workspace begins with."""
    return (files("tui_annotate") / LABELS).read_text("utf-8")
