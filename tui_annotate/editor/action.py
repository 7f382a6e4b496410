"""A user action: its keys, its words, where it works, and what it does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Flag, auto
from typing import Final

from tui_annotate.domain.report_collections import RATED_KINDS
from tui_annotate.domain.samples import SampleKind, Side
from tui_annotate.editor.effects import Effects
from tui_annotate.editor.key_state import (
    ANNOTATING,
    NOWHERE,
    OPTION,
    KeyState,
)
from tui_annotate.editor.screen_message import screen_text
from tui_annotate.editor.state import Draft


class Need(Flag):
    """What a sample or a workspace has, without which some actions have no use.

    Attributes:
        DOCUMENTS: several documents in the source.
        ITEMS: the sample is a report, or a document or citation of one, which are rated.
        QUESTION: the sample is a question of a position study.
        SUGGESTIONS: unanswered suggestions of machines.
        ACCOUNT: the user signed in with an account.
        SHARING: work is shared with other machines.
        SECOND_READING: samples are assigned to the user for a second time.
    """

    DOCUMENTS = auto()
    ITEMS = auto()
    QUESTION = auto()
    SUGGESTIONS = auto()
    ACCOUNT = auto()
    SHARING = auto()
    SECOND_READING = auto()


NO_NEED: Final = Need(0)


def find_needs(draft: Draft) -> Need:
    """Return what the sample of a draft has."""
    found = NO_NEED
    if len(draft.sample.side(Side.SOURCE)) > 1:
        found |= Need.DOCUMENTS
    if draft.sample.kind in RATED_KINDS:
        found |= Need.ITEMS
    if draft.sample.kind is SampleKind.QUESTION:
        found |= Need.QUESTION
    if draft.suggestions:
        found |= Need.SUGGESTIONS
    return found


@dataclass(frozen=True, slots=True)
class Action:
    """A user action, such as "next sample", the keys that run it, and the function that does it.

    The texts (`help`, `group`, `short`, `at` and the like) are looked up by `screen_text` when they
    are displayed.

    Attributes:
        id: stable name for key maps, `noun.verb`.
        keys: keys that run the action: a printable character as it is typed, or a name such as
            `down`, `ctrl+d`, `f1`.
        states: where the action is available.
        short: name of the action on the key line.
        short_at: other names on the key line by state; an empty name hides the action.
        at: other descriptions by state.
        group_at: other groups by state.
        fixed: whether users cannot change the keys.
        early: whether the action changes no data, so that it works before the sample is on screen,
            or in a window that is too small to show the sample.
        small_window: whether an action that is not `early` works in such a window.
        after_save: whether the action depends on stored data, so that it waits for a running save.
        after_search: whether the action depends on found words, so that it waits for a search.
        changes: the states in which the action changes stored work, or prepares a change, so that a
            read-only workspace refuses the action.
        needs: what the sample or the workspace must have, so that the help and the list of actions
            name the action.
        yields: whether a user's own binding of a key takes precedence; for actions that are newer
            than the first key maps.
        do: changes the sample on screen, and returns requests to the screen. None if digits, the
            note line, or a part of the screen handle the action. Review and the viewer have tables
            of the actions that they do in their own way.
    """

    id: str
    keys: tuple[str, ...]
    help: str
    group: str
    states: KeyState = ANNOTATING
    short: str = ""
    short_at: Mapping[KeyState, str] = field(default_factory=dict)
    at: Mapping[KeyState, str] = field(default_factory=dict)
    group_at: Mapping[KeyState, str] = field(default_factory=dict)
    fixed: bool = False
    early: bool = False
    small_window: bool = False
    after_save: bool = False
    after_search: bool = False
    needs_source: bool = False
    needs: Need = NO_NEED
    listed: bool = True
    yields: bool = False
    changes: KeyState = NOWHERE
    do: Callable[[Draft], Effects] | None = None

    def is_listed(self, state: KeyState, found: Need) -> bool:
        """Return whether the help and the list of actions name the action.

        Args:
            found: what the sample and the workspace have.
        """
        return state in self.states and self.needs in found

    def words(self, state: KeyState) -> str:
        """Return what a key's action does in a state of the screen, in the screen's language."""
        return screen_text(self.at.get(state, self.help))

    def group_in(self, state: KeyState) -> str:
        """Return the group of the action in a state of the screen; `screen_text` translates it."""
        return self.group_at.get(state, self.group)

    @property
    def in_small_window(self) -> bool:
        """Whether the action works in a window that is too small to show the sample."""
        return self.early or self.small_window

    @property
    def while_pending(self) -> bool:
        """Whether the action works while a question waits for its answer."""
        return OPTION in self.states
