"""Former module of `tui_annotate.lab.assist.evaluation.evaluate`, for programs that import it."""

from __future__ import annotations

from typing import Any

from tui_annotate.plugins import registry


def __getattr__(name: str) -> Any:
    """Return `evaluate` of the research tool."""
    if name != "evaluate":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return registry.load_hook("services", "assist_studies").evaluate
