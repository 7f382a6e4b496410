"""A file that is looked at: whose annotations it has, and where the cursor is."""

from __future__ import annotations

from tests.helpers import annotated_file as viewed
from tui_annotate.domain.samples import Side
from tui_annotate.editor.state import SideCursor
from tui_annotate.editor.view import key_handlers
from tui_annotate.editor.view.state import ViewDraft

NAMES = {"adjudicated": "settled", "p1": "ana", "p2": "ben", "p3": "li"}


def focus(draft: ViewDraft, words: str) -> None:
    """The cursor of the summary stands on some words."""
    draft.enable_digits()
    draft.pointers[Side.SUMMARY] = SideCursor(0, viewed.SUMMARY.index(words))
    key_handlers.follow(draft)
