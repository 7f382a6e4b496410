"""Shell completion of option values; it prints no messages and changes no files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.workspace_files import LABELS, STORE

if TYPE_CHECKING:
    from tui_annotate.plugins import registry
    from tui_annotate.storage import completion_names

Completer = Callable[[typer.Context, str], list[str]]

_PLAIN: Final = re.compile(r"[\w.,/@+%=~-]+")
"""Pattern of names that every shell reads as one word without quotation marks."""


def _drop_odd_names(names: Iterable[str]) -> list[str]:
    return [name for name in names if _PLAIN.fullmatch(name)]


def _find_folder(context: typer.Context) -> Path | None:
    """Return the workspace folder of an incomplete command line; None without a workspace."""
    from tui_annotate.settings import find_workspace

    named: Path | None = None
    at: typer.Context | None = context
    while at is not None and named is None:
        named = at.params.get("workspace")
        at = at.parent  # type: ignore[assignment]
    try:
        return find_workspace(named)
    except TuiAnnotateError:
        return None


def _read_names(context: typer.Context, kind: completion_names.Kind, start: str) -> list[str]:
    from tui_annotate.storage.completion_names import list_names

    folder = _find_folder(context)
    return _drop_odd_names(list_names(folder / STORE, kind, start)) if folder else []


def datasets(context: typer.Context, incomplete: str) -> list[str]:
    """Return the names of datasets that begin with the typed text."""
    return _read_names(context, "datasets", incomplete)


def people(context: typer.Context, incomplete: str) -> list[str]:
    """Return the names of people that begin with the typed text."""
    return _read_names(context, "people", incomplete)


def samples(context: typer.Context, incomplete: str) -> list[str]:
    """Return the ids of samples that begin with the typed text; after a `/`, also whole keys."""
    found = _read_names(context, "samples", incomplete)
    return [*found, *_read_names(context, "keys", incomplete)] if "/" in incomplete else found


def labels(context: typer.Context, incomplete: str) -> list[str]:
    """Return the full paths of the workspace's labels that begin with the typed text."""
    from tui_annotate.domain.label_files import parse_labels
    from tui_annotate.domain.labels import JOINER

    folder = _find_folder(context)
    try:
        text = (folder / LABELS).read_text("utf-8") if folder else ""
        tree = parse_labels(text)
    except (OSError, UnicodeDecodeError, TuiAnnotateError):
        return []
    return [
        each
        for each in _drop_odd_names(JOINER.join(label.path) for label in tree.walk())
        if each.startswith(incomplete)
    ]


def complete_plugins(kind: registry.Kind, *words: str) -> Completer:
    """Return a shell completion function that proposes `words` and the names of plug-ins."""

    def propose(_context: typer.Context, incomplete: str) -> list[str]:
        from tui_annotate.plugins.registry import plugin_names

        return [name for name in (*words, *plugin_names(kind)) if name.startswith(incomplete)]

    return propose


def complete_words(*words: str) -> Completer:
    """Return a function that completes one of these words."""

    def propose(_context: typer.Context, incomplete: str) -> list[str]:
        return [word for word in words if word.startswith(incomplete)]

    return propose
