"""Texts of the app: the open workspace, its end, and errors of sign-in and storage."""

from __future__ import annotations

from tui_annotate.domain.errors import Unavailable
from tui_annotate.editor.screen_message import ScreenMessage


class WorkspaceText(ScreenMessage):
    """Texts about the workspace that is open, and about the program's end."""

    OPENING = "Opening the workspace…"
    NO_WORKSPACE = "no workspace is open"
    NO_SAMPLE = (
        "No samples assigned to you (q quits):"
        " tui-annotate ingest FILE imports samples, tui-annotate assignments create assigns them"
    )
    LABELS_NOT_APPLIED = (
        "labels.yaml changed and was not applied: annotations would lose labels"
        " · details: tui-annotate labels apply labels.yaml --dry-run"
    )
    UNKNOWN_SCORE = "unknown score {score!r}: the queue order is {order}, not {wanted}"

    UNEXPECTED = "unexpected error: {error}"

    # after the program ended
    SAVED_DETAILS = "Everything that was shown as saved is saved. Details: {log}"
    INPUT_ENDED = "the terminal's input ended; everything that was shown as saved is saved"
    NOT_SAVED_AT_END = "the last action is not saved: {error}"
    UNCHANGED_DETAILS = "The file is unchanged. Details: {log}"
    INPUT_ENDED_UNCHANGED = "the terminal's input ended; the file is unchanged"
    INTERNAL_ERROR = "tui-annotate ended because of an internal error: {error}"

    # keys
    NOT_SUSPENDED = "Not suspended"
    NO_SHELL = (
        "Ctrl+Z cannot suspend the program here, because no shell waits in this terminal to"
        " continue it.\n\nAll work is saved. To quit, press ctrl+q."
    )
    PASTE_TOO_LONG = (
        "Not inserted: the pasted text has {count:,} characters; at most {most:,} are allowed"
    )


def no_workspace_error() -> Unavailable:
    """Return the error of an action that needs an open workspace."""
    return Unavailable(WorkspaceText.NO_WORKSPACE.text(), code="no-workspace-open")
