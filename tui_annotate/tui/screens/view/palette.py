"""The command palette of a file that is looked at: what acts there, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui_annotate.tui.keys.view import VIEWING
from tui_annotate.tui.screens.annotate.palette import HIDDEN, ActionProvider

if TYPE_CHECKING:
    from tui_annotate.tui.keys.annotate import Action


class ViewProvider(ActionProvider):
    """Actions with their keys; digits are left out, as the bar shows them."""

    theme_help = "View · until you leave"

    def _actions(self) -> list[Action]:
        keys = getattr(self.screen, "keys", None)
        if keys is None:
            return []
        return [one for one in keys.actions if VIEWING in one.states and one.id not in HIDDEN]
