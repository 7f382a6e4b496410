"""tui-annotate: mark unsupported spans of a summary, in the terminal and from Python."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui_annotate.domain.version import VERSION

if TYPE_CHECKING:
    from tui_annotate.workspace import Workspace

__version__ = VERSION
__all__ = ["create", "open"]


def open(path: Path | str | None = None, **flags: Any) -> Workspace:  # noqa: A001  the API's word
    """Opens a workspace; see `tui_annotate.workspace.open`."""
    from tui_annotate import workspace

    return workspace.open(path, **flags)


def create(path: Path | str) -> Workspace:
    """Makes a workspace; see `tui_annotate.workspace.create`."""
    from tui_annotate import workspace

    return workspace.create(path)
