"""A workspace of the example data, the app on it, and the actions that its log holds."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.helpers.folder_cache import build_once
from tests.helpers.terminal import ROOT, Terminal, program
from tui_annotate import workspace
from tui_annotate.domain.history import READ, REDO, UNDO, Event
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.workspace import Workspace

PAIRS: Final = ROOT / "sample_data" / "pairs.jsonl"

LoggedAction = tuple[str, str]
"""A verb of the log, and the label, or the verb of the undone action, that it is about."""


def make(folder: Path) -> Path:
    """The workspace, without vectors."""

    def build(folder: Path) -> None:
        options = ImportOptions(dataset="news", id_column="id", group_column="group")
        with workspace.create(folder) as space:
            space.ingest(PAIRS, options=options, embedder="none")

    return build_once(folder, "example", build)


def annotate(
    folder: Path, *options: str, name: str = "ana", columns: int = 100, rows: int = 30
) -> Terminal:
    """The app as ana starts it, or somebody else."""
    command = program("annotate", "-w", str(folder), "--as", name, *options)
    return Terminal(command, columns=columns, rows=rows)


def logged_actions(space: Workspace, person: str = "") -> list[LoggedAction]:
    """All actions, or a person's, in the order of time, without those that only record time spent.

    Args:
        person: by id; empty for everybody.
    """
    streams = (stream for stream in space.log.streams() if person in {"", stream[0]})
    events = sorted(
        (event for stream in streams for event in space.log.events(*stream)),
        key=lambda event: event.at,
    )
    known = {event.id: event for event in events}
    return [
        (event.action.verb, _about(event, known)) for event in events if event.action.verb != READ
    ]


def _about(event: Event, known: dict[str, Event]) -> str:
    action = event.action
    if action.verb in {UNDO, REDO}:
        target = known[action.undoes]
        return _about(target, known) if action.verb == REDO else target.action.verb
    change = action.after if action.verb == "add" else action.before
    payloads = [payload for payload in change.annotations.values() if payload]
    return str(payloads[0]["labels"][0][-1]) if action.verb in {"add", "remove"} else ""


def find_store_errors(space: Workspace) -> list[str]:
    """Errors of the store: pages, keys, log against tables, labels."""
    found = [finding for finding in space.check() if finding.state == "error"]
    return [f"{finding.check}: {finding.message}" for finding in found]
