"""The command palette's one provider: every action that acts where the annotator is, by name."""

from __future__ import annotations

from functools import partial
from typing import ClassVar, Protocol, runtime_checkable

from textual.command import DiscoveryHit, Hit, Hits, Provider

from tui_annotate.tui.draft.state import Draft
from tui_annotate.tui.keys.annotate import WITH_ACCOUNT, Action
from tui_annotate.tui.keys.map import shown_keys
from tui_annotate.tui.palette import NAMES
from tui_annotate.tui.session import Session

HIDDEN = frozenset({"option.choose", "palette.show"})
"""Actions that are not listed: the bar shows what digits do, and the palette is open."""


@runtime_checkable
class Acts(Protocol):
    """A screen with a draft and actions."""

    session: Session | None
    draft: Draft | None

    def do(self, action: str, *, digit: str = "") -> None:
        """Does an action."""

    def may_do(self, action: str) -> bool:
        """Whether an action is done in this window."""

    def use_theme(self, name: str) -> None:
        """Another look, remembered."""


class ActionProvider(Provider):
    """Actions with their keys; digits are left out, as the bar shows them."""

    theme_help: ClassVar[str] = "View · remembered for you"

    def _actions(self) -> list[Action]:
        screen = self.screen
        if not isinstance(screen, Acts) or screen.session is None or screen.draft is None:
            return []
        state = screen.draft.state
        hidden = HIDDEN if screen.session.signed_in else HIDDEN | WITH_ACCOUNT
        return [
            action
            for action in screen.session.keys.actions
            if state in action.states and action.id not in hidden and screen.may_do(action.id)
        ]

    def _row(self, action: Action) -> tuple[str, str]:
        screen = self.screen
        state = screen.draft.state if isinstance(screen, Acts) and screen.draft else "R"
        keys = shown_keys(action.keys)
        return action.words(state), f"{action.group}{f' · {keys}' if keys else ''}"

    def _use_theme(self, name: str) -> None:
        if isinstance(self.screen, Acts):
            self.screen.use_theme(name)

    def _do(self, action: Action) -> None:
        if isinstance(self.screen, Acts):
            self.screen.do(action.id)

    async def discover(self) -> Hits:
        """All of them, in the order of the key table."""
        for action in self._actions():
            text, help_text = self._row(action)
            yield DiscoveryHit(text, partial(self._do, action), help=help_text)
        for name in NAMES:
            yield DiscoveryHit(
                f"theme {name}", partial(self._use_theme, name), help=self.theme_help
            )

    async def search(self, query: str) -> Hits:
        """Those whose words or id are like what was typed."""
        matcher = self.matcher(query)
        for action in self._actions():
            text, help_text = self._row(action)
            score = max(matcher.match(text), matcher.match(action.id))
            if score > 0:
                yield Hit(score, matcher.highlight(text), partial(self._do, action), help=help_text)
        for name in NAMES:
            text = f"theme {name}"
            if (score := matcher.match(text)) > 0:
                themed = partial(self._use_theme, name)
                yield Hit(score, matcher.highlight(text), themed, help=self.theme_help)
