"""The command palette's one provider: every action that acts where the draft is, by name."""

from __future__ import annotations

from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider

from tui_annotate.tui.keys.actions import Action
from tui_annotate.tui.keys.key_map import shown_keys
from tui_annotate.tui.palette import NAMES
from tui_annotate.tui.screens.sample.screen import SampleScreen


class ActionProvider(Provider):
    """Actions with their keys, then themes; digits are left out, as the bar shows them."""

    @property
    def _sample_screen(self) -> SampleScreen:
        screen = self.screen
        if not isinstance(screen, SampleScreen):
            raise TypeError(f"{type(screen).__name__} has no actions")
        return screen

    def _actions(self) -> list[tuple[Action, str, str]]:
        """(action, its words, its group and keys) of each, in the order of the key table."""
        screen = self._sample_screen
        keys, draft = screen.key_map, screen.draft
        if keys is None or draft is None:
            return []
        return [
            (action, action.words(draft.state), " · ".join(filter(None, (action.group, shown))))
            for action in keys.actions
            if action.listed and draft.state in action.states and screen.may_do(action.id)
            if screen.signed_in or not action.needs_account
            for shown in [shown_keys(action.keys)]
        ]

    async def discover(self) -> Hits:
        """All of them, in the order of the key table."""
        screen = self._sample_screen
        for action, text, about in self._actions():
            yield DiscoveryHit(text, partial(screen.do, action.id), help=about)
        for name in NAMES:
            themed = partial(screen.use_theme, name)
            yield DiscoveryHit(f"theme {name}", themed, help=screen.theme_help)

    async def search(self, query: str) -> Hits:
        """Those whose words or id are like what was typed."""
        screen, matcher = self._sample_screen, self.matcher(query)
        for action, text, about in self._actions():
            score = max(matcher.match(text), matcher.match(action.id))
            if score > 0:
                do = partial(screen.do, action.id)
                yield Hit(score, matcher.highlight(text), do, help=about)
        for name in NAMES:
            text = f"theme {name}"
            if (score := matcher.match(text)) > 0:
                themed = partial(screen.use_theme, name)
                yield Hit(score, matcher.highlight(text), themed, help=screen.theme_help)
