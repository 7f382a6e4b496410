"""What a key press does to the open sample: it runs an action of the table.

Review and the viewer, which do some actions in their own way, have a `press` of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeVar

from tui_annotate.editor import label_actions
from tui_annotate.editor.actions import action_of
from tui_annotate.editor.effects import Blink, Effects
from tui_annotate.editor.key_state import REVIEWING, VIEWING
from tui_annotate.editor.messages import NO_MESSAGE
from tui_annotate.editor.state import Draft

Handlers = Mapping[str, Callable[[Draft], Effects]]
"""Handlers of actions by action id."""

NO_HANDLERS: Final[Mapping[str, Callable[[Any], Effects]]] = MappingProxyType({})

AnyDraft = TypeVar("AnyDraft", bound=Draft)


def press(
    draft: AnyDraft,
    action_id: str,
    *,
    digit: str = "",
    own: Mapping[str, Callable[[AnyDraft], Effects]] = NO_HANDLERS,
    choose: Callable[[AnyDraft, str], Effects] = label_actions.choose,
    more: Handlers = NO_HANDLERS,
) -> Effects:
    """Run a user's action: change the sample on screen, and return requests to the screen.

    Args:
        digit: the key of `option.choose` or `option.list`.
        own: handlers that are used instead of the table's.
        choose: chooses an option, such as a label, by its digit.
        more: handlers of parts of the screen, for actions without a handler elsewhere.
    """
    draft.message = NO_MESSAGE
    if draft.writing:
        return []
    if action_id in ("option.choose", "option.list"):
        return choose(draft, digit or "0")
    action = action_of(action_id)
    if draft.pending and not action.while_pending:
        return [Blink()]
    if draft.state in REVIEWING | VIEWING and draft.state not in action.states:
        return [Blink()]
    if action_id in own:
        return own[action_id](draft)
    handler = action.do or more.get(action_id)
    return handler(draft) if handler else [Blink()]
