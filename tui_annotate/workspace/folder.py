"""Creation of a workspace's folder, and writing of its user-edited files; opens no store."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from tui_annotate.domain.errors import Unavailable
from tui_annotate.domain.workspace_files import BACKUPS, LABELS, LOG, VECTORS
from tui_annotate.plugins.files.targets import replace_file
from tui_annotate.storage.atomic_folder import write_text


def create_folders(folder: Path, texts: Mapping[str, str]) -> None:
    """Create the missing folders of a workspace and a default label set; keep existing files.

    Args:
        texts: texts of missing files, such as the label set, by name.

    Raises:
        Unavailable: the folder cannot be written.
    """
    try:
        for place in (folder, folder / VECTORS, folder / LOG, folder / BACKUPS):
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name, text in ({LABELS: default_labels()} | dict(texts)).items():
            if not (folder / name).exists():
                write_text(folder / name, text)
    except OSError as error:
        raise Unavailable(
            f"cannot write the folder {folder}: {error.strerror}",
            "check the owner and permissions of the folder, or choose a different folder",
        ) from error


def write_if_changed(file: Path, text: str) -> None:
    """Write a user-edited file atomically; a file with the same text is not touched.

    A new file is readable only by its owner; an existing file keeps its mode, so that a group that
    shares the workspace can still read it.

    Raises:
        Unavailable: the file cannot be written.
    """
    try:
        if file.exists() and file.read_bytes() == text.encode():
            return
        with replace_file(file) as raw:
            raw.write(text.encode())
    except OSError as error:
        raise Unavailable(
            f"cannot write {file}: {error.strerror}", "check the owner and permissions of the file"
        ) from error


def default_labels() -> str:
    """Return the text of the label set that a new workspace gets."""
    return (files("tui_annotate") / LABELS).read_text("utf-8")
