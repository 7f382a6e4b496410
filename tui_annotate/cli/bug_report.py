"""Writes the file of `doctor --bug-report`: what a bug report needs, without anything private."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tui_annotate.cli import output
from tui_annotate.cli.options import open_workspace
from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.findings import DiagnosticFinding
from tui_annotate.domain.workspace_files import LOG
from tui_annotate.settings import PREFIX, SETTING_NAMES, Settings, find_workspace, load
from tui_annotate.settings.environment import OTHER_VARIABLES

if TYPE_CHECKING:
    from tui_annotate.services.status import Status

_KEYWORDS: Final = {
    "order": ("by-source", "ingested", "random", "worst", "best", "uncertain"),
    "embedder": ("auto", "none", "static", "neural", "remote"),
}


def write_bug_report(
    target: Path, checks: Sequence[DiagnosticFinding], workspace: Path | None
) -> None:
    """Write the file for a bug report, even if the workspace or the settings are damaged.

    Raises:
        InvalidInput: the target is a folder, or its folder does not exist.
        Unavailable: the target cannot be written.
    """
    from tui_annotate.plugins.files.targets import open_output

    report = _collect(checks, workspace)
    with open_output(target) as file:
        file.write(json.dumps(report, indent=2, ensure_ascii=False) + "\n")
    output.print_note(f"wrote the bug report to {target}; read the file before you send it")


def _collect(checks: Sequence[DiagnosticFinding], workspace: Path | None) -> dict[str, Any]:
    from tui_annotate.services import bug_report

    folder: Path | None = None
    settings: dict[str, Any] = {}
    contents: dict[str, Any] = {}
    private: set[str] | None = None  # unknown if the workspace cannot be opened
    with suppress(TuiAnnotateError):
        folder = find_workspace(workspace)
    with suppress(TuiAnnotateError):
        settings = describe_settings(load(folder))
    with suppress(TuiAnnotateError), open_workspace(folder) as space:
        people = {name for person in space.people.all() for name in (person.id, person.name)}
        private = people | {info.name for info in space.corpus.datasets()}
        contents = count_contents(space.status())
    templates = bug_report.read_templates(private)
    log = bug_report.read_newest_log(folder / LOG) if folder else []
    size = shutil.get_terminal_size()
    return {
        "format": bug_report.FORMAT,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "program": bug_report.describe_program(),
        "terminal": bug_report.describe_terminal(os.environ, (size.columns, size.lines)),
        "settings": settings,
        "variables": list_variables(os.environ),
        "findings": bug_report.mask_findings(checks, templates),
        "contents": contents,
        "files": bug_report.measure_folder(folder) if folder else {},
        "log": bug_report.clean_log(log, templates),
    }


def describe_settings(settings: Settings) -> dict[str, Any]:
    """Return the settings for a bug report, without values that may be private."""
    return {name: _describe_value(name, getattr(settings, name)) for name in SETTING_NAMES}


def _describe_value(name: str, value: object) -> object:
    if isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        keyword = value.partition(":")[0]
        return keyword if keyword in _KEYWORDS.get(name, ()) else bool(value)
    return len(value) if isinstance(value, Sequence | Mapping) else None


def list_variables(environment: Mapping[str, str]) -> list[str]:
    """Return the names, not the values, of the program's environment variables that are set."""
    known = {*OTHER_VARIABLES, *(each.upper() for each in SETTING_NAMES)}
    return sorted(PREFIX + name for name in known if environment.get(PREFIX + name))


def count_contents(status: Status) -> dict[str, Any]:
    """Return numbers of a workspace's contents; names and texts are not included."""
    return {
        "samples": status.samples,
        "documents": status.documents,
        "segments": status.segments,
        "annotations": status.annotations,
        "completed": status.completed,
        "documents_with_vectors": status.embedded,
        "documents_by_words": status.lexical_only,
        "datasets": [
            {"samples": each.samples, "annotations": each.annotations, "completed": each.completed}
            for each in status.datasets
        ],
        "annotators": len({each.person for each in status.progress}),
        "waiting_for_a_label": sum(each.annotations for each in status.waiting),
    }
