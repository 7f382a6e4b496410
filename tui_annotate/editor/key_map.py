"""The key map, which is the table of actions with a user's changes, and the names of keys.

A key map with a problem is rejected as a whole. Digits always choose options.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final, NamedTuple

from tui_annotate.domain.did_you_mean import find_nearest
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.editor.action import Action, Need
from tui_annotate.editor.actions import ACTIONS
from tui_annotate.editor.key_lines import QUESTIONS, READING_LINE, STATE_LINES, Names
from tui_annotate.editor.key_state import DIGITS, REVIEWING, SELECTING, KeyState
from tui_annotate.editor.screen_message import ScreenMessage, screen_text

_NAMED: Final = frozenset({
    "up", "down", "left", "right", "home", "end", "pageup", "pagedown", "insert", "delete", "tab",
    "enter", "space", "backspace", "escape",
}) | {f"f{number}" for number in range(1, 13)}  # fmt: skip
_TWINS: Final = {
    "ctrl+m": "enter", "ctrl+j": "enter", "ctrl+i": "tab", "ctrl+h": "backspace",
    "ctrl+[": "escape",
}  # fmt: skip
_SHOWN: Final = {
    "up": "↑", "down": "↓", "left": "←", "right": "→", "pageup": "PgUp", "pagedown": "PgDn",
    "home": "Home", "end": "End", "tab": "Tab", "enter": "Enter", "space": "Space",
    "backspace": "Backspace", "escape": "Esc", "insert": "Ins", "delete": "Del",
}  # fmt: skip
_FULL_WIDTH: Final = {
    "。": ".", "、": "/", "《": "<", "》": ">", "〈": "<", "〉": ">", "【": "[", "】": "]",
    "「": "{", "」": "}", "『": "{", "』": "}", "\u3000": " ", "“": '"', "”": '"', "‘": "'",
    "’": "'", "…": "^", "—": "_", "¥": "$", "￥": "$",
}  # fmt: skip
_REVIEW_DAILY: Final = (
    "item.next", "item.previous", "option.choose", "option.list", "proposal.take",
    "rivals.merge", "annotation.edit", "annotation.delete", "own.add", "sample.rate",
    "note.write", "sample.done", "undo", "redo", "annotation.next", "annotation.previous",
    "names.show", "request.show",
)  # fmt: skip
"""A reviewer's most frequent actions, which the help lists first, in this order."""
_WIDE_ASCII = range(0xFF01, 0xFF5F)


class KeyText(ScreenMessage):
    """Texts about keys: the name of the help's key, and problems of a key map."""

    KEYS = "keys"
    INVALID = "invalid key map: {problems}"
    FIX = "fix [keys] in your configuration file; the default keys are used until then"
    UNKNOWN_ACTION = "unknown action {name!r}"
    UNKNOWN_ACTION_NEAR = "unknown action {name!r}, did you mean {near!r}?"
    FIXED = "the keys of {name!r} cannot be changed"
    NO_LIST = "{name!r} is {value!r}, not a key or a list of keys"
    OF_ACTION = "{name!r}: {problem}"
    TWIN = "terminals send the same code for {key!r} and {other!r}"
    SUSPENDS = "{key!r} suspends the program"
    DIGIT = "{key!r} is a digit, and digits always choose options"
    NO_KEY = "{key!r} is not a key (write a character, or a name such as 'pagedown', 'ctrl+d')"
    MODIFIER = "{key!r} has a modifier that is not one of ctrl, shift, alt"
    SHIFTED = "{key!r} is not a key name (write the character that shift types, such as 'A')"
    BOUND_TWICE = "{key!r} is bound to both {first!r} and {second!r}"


class HelpGroup(NamedTuple):
    """A group of the help, with rows of (keys, what they do)."""

    title: str
    rows: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class KeyMap:
    """All actions with a user's keys; `by_key` maps (key, single state) to an action id."""

    actions: tuple[Action, ...]
    by_key: Mapping[tuple[str, KeyState], str]

    def action(self, key: str, state: KeyState) -> str:
        """Return the id of the action that a key runs in a state of the screen; empty for none."""
        return self.by_key.get((key, state), "")

    def get(self, action_id: str) -> Action:
        """Return the action with an id, which must exist."""
        return next(action for action in self.actions if action.id == action_id)

    def help(self, state: KeyState, found: Need) -> tuple[HelpGroup, ...]:
        """Return the actions with keys in a state, in groups.

        Args:
            found: what the sample and the workspace have; actions that need more are left out.

        In review, daily actions come first. While text is selected, evidence and labels come first.
        In both, moving comes last.
        """
        first = _REVIEW_DAILY if state == REVIEWING else ()
        groups: dict[str, list[tuple[str, str]]] = {"Review": []} if first else {}
        for action in (*map(self.get, first), *self.actions):
            if not action.is_listed(state, found) or not action.keys:
                continue
            name = "Review" if action.id in first else action.group_in(state)
            if first and name == "Evidence":
                name = "View"  # the next hit of a search has the key of the next match
            row = (shown_keys(action.keys), action.words(state))
            rows = groups.setdefault(name, [])
            if row not in rows:
                rows.append(row)
        ordered = list(groups.items())
        if state in (REVIEWING, SELECTING):
            ordered.sort(key=lambda each: each[0].startswith("Move"))
        if state == SELECTING:
            ordered.sort(key=lambda each: each[0] not in ("Evidence", "Label"))
        return tuple(HelpGroup(screen_text(name), tuple(rows)) for name, rows in ordered)

    def line(
        self,
        state: KeyState,
        *,
        question: str = "",
        digits: str = "",
        named: Names = READING_LINE,
        without: Collection[str] = (),
    ) -> tuple[tuple[str, str], ...]:
        """Return (first key, short name) of the most useful actions in a state of the screen.

        Args:
            question: kind of the open question, a key of `QUESTIONS`; empty if there is none.
            digits: digits that choose an option now, as text; empty for all.
            without: ids of actions that do nothing now.
        """
        pairs = []
        names = QUESTIONS[question] if question else STATE_LINES.get(state, named)
        for name, usual in names:
            if name in without:
                continue
            action = self.get(name)
            short = action.short_at.get(state, usual)
            if short and action.keys and (question or state in action.states):
                keys = shown_keys(action.keys) if action.fixed else key_label(action.keys[0])
                chosen = digits if name == "option.choose" and digits else keys
                pairs.append((chosen, screen_text(short)))
        return tuple(pairs)

    def help_key(self, state: KeyState) -> tuple[str, str] | None:
        """Return the key that opens the help, and its name on the key line; None for no key."""
        action = self.get("help.show")
        if not action.keys or state not in action.states:
            return None
        return key_label(action.keys[0]), KeyText.KEYS.text()


def key_map(changes: Mapping[str, Any] | None = None) -> KeyMap:
    """Create the key map from the table of actions and a user's changes.

    Args:
        changes: key or list of keys by action id; an empty list for no key.

    Raises:
        InvalidInput: an id is unknown, a key is unknown or reserved, or a key has two actions in a
            state; the message lists all problems.
    """
    wanted, problems = _read_changes(changes or {})
    actions = tuple(
        replace(action, keys=wanted[action.id]) if action.id in wanted else action
        for action in _yield_keys(wanted)
    )
    by_key, clashes = _index_by_key(actions)
    problems += clashes
    if problems:
        raise InvalidInput(
            KeyText.INVALID.text(problems="; ".join(problems)),
            KeyText.FIX.text(),
            code="invalid-key-map",
        )
    return KeyMap(actions, by_key)


@cache
def default_keys() -> KeyMap:
    """Return the key map without changes by a user; it is created once."""
    return key_map()


def _read_changes(changes: Mapping[str, Any]) -> tuple[dict[str, tuple[str, ...]], list[str]]:
    known = {action.id: action for action in ACTIONS}
    wanted: dict[str, tuple[str, ...]] = {}
    problems: list[str] = []
    for name, value in changes.items():
        keys = [value] if isinstance(value, str) else value
        if name not in known:
            near = find_nearest(str(name), known)
            unknown = KeyText.UNKNOWN_ACTION_NEAR if near else KeyText.UNKNOWN_ACTION
            problems.append(unknown.text(name=name, near=near))
        elif known[name].fixed:
            problems.append(KeyText.FIXED.text(name=name))
        elif not isinstance(keys, Sequence) or not all(isinstance(key, str) for key in keys):
            problems.append(KeyText.NO_LIST.text(name=name, value=value))
        else:
            found = filter(None, map(_find_problem, keys))
            problems += [KeyText.OF_ACTION.text(name=name, problem=problem) for problem in found]
            wanted[name] = tuple(keys)
    return wanted, problems


def _yield_keys(wanted: Mapping[str, tuple[str, ...]]) -> Iterable[Action]:
    """Return all actions, but remove default keys that the user gives to other actions.

    Only actions with `yields`, which are newer than the first key maps, lose keys. Otherwise a key
    map for an earlier version of the program would be invalid.
    """
    taken = {
        (key, state)
        for action in ACTIONS
        for key in wanted.get(action.id, ())
        for state in action.states
    }
    for action in ACTIONS:
        if action.yields:
            free = (key for key in action.keys if not taken & {(key, at) for at in action.states})
            action = replace(action, keys=tuple(free))  # noqa: PLW2901 (with fewer keys)
        yield action


def _find_problem(key: str) -> str:
    """Return the reason why an action cannot be bound to a key; empty if it can be bound."""
    *modifiers, name = key.split("+") if len(key) > 1 else [key]
    if key in _TWINS:
        return KeyText.TWIN.text(key=key, other=_TWINS[key])
    if key == "ctrl+z":
        return KeyText.SUSPENDS.text(key=key)
    if key in DIGITS and key:
        return KeyText.DIGIT.text(key=key)
    printable = len(name) == 1 and name.isprintable() and name != " "
    if not printable and name not in _NAMED:
        return KeyText.NO_KEY.text(key=key)
    if not set(modifiers) <= {"ctrl", "shift", "alt"} or len(set(modifiers)) < len(modifiers):
        return KeyText.MODIFIER.text(key=key)
    if modifiers == ["shift"] and printable:
        return KeyText.SHIFTED.text(key=key)
    return ""


def _index_by_key(actions: Iterable[Action]) -> tuple[dict[tuple[str, KeyState], str], list[str]]:
    by_key: dict[tuple[str, KeyState], str] = {}
    clashes: dict[tuple[str, str, str], None] = {}
    for action in actions:
        for key in action.keys:
            for state in action.states:
                other = by_key.setdefault((key, state), action.id)
                if other != action.id:
                    clashes[key, other, action.id] = None
    return by_key, [
        KeyText.BOUND_TWICE.text(key=key, first=first, second=second)
        for key, first, second in clashes
    ]


def key_label(key: str) -> str:
    """Format a key's name for display: arrow symbols for arrow keys, others capitalized."""
    *modifiers, name = key.split("+") if len(key) > 1 else [key]
    if len(name) > 1 and name[0] == "f" and name[1:].isdigit():
        name = name.upper()
    return "+".join([*modifiers, _SHOWN.get(name, name)])


def shown_keys(keys: Sequence[str]) -> str:
    """Format several key names for display. Consecutive digits become a range, such as `1-9`."""
    if len(keys) > 2 and "".join(keys) in DIGITS:
        return f"{keys[0]}-{keys[-1]}"
    return " ".join(key_label(key) for key in keys)


def table_key(name: str, character: str | None) -> tuple[str, bool]:
    """Convert a key event to the name of the key in the table of actions.

    The second value of the result states whether an input method is on, as for Chinese text.
    Full-width punctuation, digits and letters become ASCII characters. Any other wide character
    means that an input method is on; the key is empty then.
    """
    if name in _TWINS:
        return _TWINS[name], False
    character = _FULL_WIDTH.get(character or "", character)
    if not character or not character.isprintable() or "+" in name:
        return name, False
    if ord(character) in _WIDE_ASCII:
        character = chr(ord(character) - 0xFEE0)
    if character == " ":
        return "space", False
    return ("", True) if ord(character[0]) > 0x2E7F else (character, False)
