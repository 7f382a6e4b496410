"""Commands of the command palette: the actions that are possible now, and the themes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from textual.command import DiscoveryHit, Hit, Hits, Provider

from tui_annotate.editor.key_map import shown_keys
from tui_annotate.editor.screen_message import screen_text
from tui_annotate.tui.palette import NAMES
from tui_annotate.tui.screens.sample.rows import SampleMessage
from tui_annotate.tui.screens.sample.screen import SampleScreen

FIRST_GROUPS: Final = (
    "Sample", "Review", "Suggestions", "Label", "Annotations", "Evidence", "Note", "View", "You",
)  # fmt: skip
"""Groups of actions in the order in which the palette lists them, before the themes."""
LAST_GROUPS: Final = ("Select", "Move")
"""Groups of the actions of the cursor, which few users look for by name: after the themes."""


class ActionProvider(Provider):
    """Provider of the command palette: all actions except those of digit keys, and the themes."""

    @property
    def _sample_screen(self) -> SampleScreen:
        screen = self.screen
        if not isinstance(screen, SampleScreen):
            raise TypeError(type(screen).__name__)
        return screen

    def _commands(self) -> Iterator[tuple[str, str, Callable[[], None], str]]:
        """Return (description, id, call, group and keys) of each command, groups in their order."""
        screen = self._sample_screen
        yield from self._actions(FIRST_GROUPS)
        for name in NAMES:
            theme = SampleMessage.THEME.text(name=name)
            yield theme, "", partial(screen.use_theme, name), screen.theme_help.text()
        yield from self._actions(LAST_GROUPS)

    def _actions(
        self, groups: tuple[str, ...]
    ) -> Iterator[tuple[str, str, Callable[[], None], str]]:
        """Return the possible actions of some groups, in the order of the groups."""
        screen = self._sample_screen
        keys = screen.key_map
        draft = screen.draft
        if not keys or not draft:
            return
        for group in groups:
            for action in keys.actions:
                if action.group != group or not action.listed or not screen.may_do(action.id):
                    continue
                if action.is_listed(draft.state, screen.found_needs):
                    title = screen_text(action.group_in(draft.state))
                    about = " · ".join(filter(None, (title, shown_keys(action.keys))))
                    yield action.words(draft.state), action.id, partial(screen.do, action.id), about

    async def discover(self) -> Hits:
        """Yield all commands, before anything is typed."""
        for text, _, call, about in self._commands():
            yield DiscoveryHit(text, call, help=about)

    async def search(self, query: str) -> Hits:
        """Yield the commands whose description or action id matches the typed text.

        If there are none, yield a row with this message: Textual's own text is about "matches",
        which are something else here.
        """
        matcher = self.matcher(query)
        is_empty = True
        for text, name, call, about in self._commands():
            score = max(matcher.match(text), matcher.match(name) if name else 0)
            if score > 0:
                is_empty = False
                yield Hit(score, matcher.highlight(text), call, help=about)
        if is_empty:
            yield Hit(1, SampleMessage.NO_ACTION.text(), lambda: None)
