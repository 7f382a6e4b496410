"""The key of sharing one's work while annotating."""

from __future__ import annotations

from typing import Final

from tui_annotate.tui.keys.annotate import Action

TOGGLE: Final = "sync.toggle"
ACTIONS: Final[tuple[Action, ...]] = (
    Action(TOGGLE, ("ctrl+o",), "share work: go online, or offline", "You"),
)
"""Where no shared place is set up it says so."""
