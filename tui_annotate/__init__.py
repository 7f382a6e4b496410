"""tui-annotate: mark unsupported spans of a summary, in the terminal and from Python."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from tui_annotate.domain.version import VERSION

if TYPE_CHECKING:
    from typing import Any, Unpack

    from tui_annotate.lab.judge.api import evaluate, generate, sort
    from tui_annotate.lab.services import ResearchServices
    from tui_annotate.settings import SettingsFlags
    from tui_annotate.workspace import Workspace

__version__ = VERSION
__all__ = ["create", "evaluate", "generate", "open", "research", "sort"]


def open(path: Path | str | None = None, **flags: Unpack[SettingsFlags]) -> Workspace:  # noqa: A001  the API's word
    """Open a workspace; see `tui_annotate.workspace.open`."""
    from tui_annotate import workspace

    return workspace.open(path, **flags)


def create(path: Path | str) -> Workspace:
    """Create a workspace; see `tui_annotate.workspace.create`."""
    from tui_annotate import workspace

    return workspace.create(path)


def research(workspace: Workspace) -> ResearchServices:
    """Return the services of the research tools with their types: those of `workspace.machines`.

    The first access to a service raises InvalidInput if its plug-in is disabled, and Unavailable if
    a package that the service needs is missing.
    """
    return cast("ResearchServices", workspace.machines)


def __getattr__(name: str) -> Any:
    """Import a function of the LLM judges at its first use."""
    if name not in {"evaluate", "generate", "sort"}:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from tui_annotate.lab.judge import api

    return getattr(api, name)
