"""The keys in force: the table with a user's changes, taken whole or refused whole with reasons.

Digits stay options and can not be bound to anything else. Also here: what a key event means in the
table's terms.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.nearest import nearest
from tui_annotate.tui.keys import items, suggestions, sync
from tui_annotate.tui.keys.annotate import DIGITS, EDITING, Action
from tui_annotate.tui.keys.line import EDIT_LINE, LINE, LINE_AT
from tui_annotate.tui.keys.review import ALL_QUESTIONS, REVIEWING
from tui_annotate.tui.keys.review import LINE as REVIEW_LINE
from tui_annotate.tui.keys.view import ALL_ACTIONS, VIEWING
from tui_annotate.tui.keys.view import LINE as VIEW_LINE

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
_LATER: Final = frozenset(
    action.id for action in (*items.ACTIONS, *suggestions.ACTIONS, *sync.ACTIONS)
)
_WIDE_ASCII = range(0xFF01, 0xFF5F)


@dataclass(frozen=True, slots=True)
class KeyMap:
    """The actions with the keys in force. Build it with `key_map`."""

    actions: tuple[Action, ...]
    by_key: Mapping[tuple[str, str], str]

    def action(self, key: str, state: str) -> str:
        """The id of what `key` does in `state`; empty where it does nothing."""
        return self.by_key.get((key, state), "")

    def get(self, action_id: str) -> Action:
        """The action of an id that is in the table."""
        return next(action for action in self.actions if action.id == action_id)

    def help(self, state: str) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
        """(group, rows of (keys, words)) of what acts in a state, in the table's order."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for action in self.actions:
            if state in action.states and action.keys:
                row = (shown_keys(action.keys), action.words(state))
                groups.setdefault(action.group, []).append(row)
        return tuple((group, tuple(rows)) for group, rows in groups.items())

    def line(
        self,
        state: str,
        *,
        question: str = "",
        digits: str = "",
        named: Sequence[tuple[str, str]] = LINE,
    ) -> tuple[tuple[str, str], ...]:
        """(key, short name) of the most useful actions in a state, the first key of each.

        Args:
            question: one of `ALL_QUESTIONS`, where one waits for its answer.
            digits: those that choose just now; empty for the whole row.
            named: the actions of an annotator with their names, the most useful first.
        """
        pairs = []
        lines = {REVIEWING: REVIEW_LINE, VIEWING: VIEW_LINE, EDITING: EDIT_LINE}
        usually = lines.get(state, named)
        for name, usual in ALL_QUESTIONS[question] if question else usually:
            action, short = self.get(name), LINE_AT.get((name, state), usual)
            if short and action.keys and (question or state in action.states):
                keys = shown_keys(action.keys) if action.fixed else shown(action.keys[0])
                chosen = digits if name == "option.choose" and digits else keys
                pairs.append((chosen, short))
        return tuple(pairs)

    def help_key(self, state: str) -> tuple[str, str] | None:
        """The key that shows all of them; None where it does nothing in a state."""
        action = self.get("help.show")
        return (shown(action.keys[0]), "keys") if action.keys and state in action.states else None


def key_map(changes: Mapping[str, Any] | None = None) -> KeyMap:
    """The table with a user's changes: id -> key or list of keys; an empty list takes all keys off.

    Raises:
        InvalidInput: an id is unknown, a key can not be read or is reserved, or one key would do
            two things in one state; the message lists everything that is wrong.
    """
    wanted, problems = _read(changes or {})
    actions = tuple(
        replace(action, keys=wanted[action.id]) if action.id in wanted else action
        for action in _given_way(wanted)
    )
    by_key, clashes = _by_key(actions)
    problems += clashes
    if problems:
        raise InvalidInput(
            "the key map is refused: " + "; ".join(problems),
            "mend [keys] in your configuration file; the default keys are in force until then",
        )
    return KeyMap(actions, by_key)


@cache
def default_keys() -> KeyMap:
    """The table as it is."""
    return key_map()


def _read(changes: Mapping[str, Any]) -> tuple[dict[str, tuple[str, ...]], list[str]]:
    known = {action.id: action for action in ALL_ACTIONS}
    wanted: dict[str, tuple[str, ...]] = {}
    problems: list[str] = []
    for name, value in changes.items():
        keys = [value] if isinstance(value, str) else value
        if name not in known:
            near = nearest(str(name), known)
            problems.append(f"{name!r} is no action" + (f", is it {near!r}?" if near else ""))
        elif known[name].fixed:
            problems.append(f"the keys of {name!r} can not be changed")
        elif not isinstance(keys, Sequence) or not all(isinstance(key, str) for key in keys):
            problems.append(f"{name!r} is {value!r}, not a key or a list of keys")
        else:
            wrong = [f"{name!r}: {problem}" for key in keys if (problem := _problem(key))]
            problems += wrong
            wanted[name] = tuple(keys)
    return wanted, problems


def _given_way(wanted: Mapping[str, tuple[str, ...]]) -> Iterable[Action]:
    """All actions; those that came later leave a user their own keys, and are in the palette then.

    Without it a key map that held before them would be refused.
    """
    taken = {
        (key, state)
        for action in ALL_ACTIONS
        for key in wanted.get(action.id, ())
        for state in action.states
    }
    for action in ALL_ACTIONS:
        if action.id in _LATER:
            free = (key for key in action.keys if not taken & {(key, at) for at in action.states})
            action = replace(action, keys=tuple(free))  # noqa: PLW2901 (with fewer keys)
        yield action


def _problem(key: str) -> str:
    """Why a key can not be bound; empty where it can."""
    *modifiers, name = key.split("+") if len(key) > 1 else [key]
    if key in _TWINS:
        return f"a terminal can not tell {key!r} from {_TWINS[key]!r}"
    if key in DIGITS and key:
        return f"{key!r} is a digit, and digits are options"
    printable = len(name) == 1 and name.isprintable() and name != " "
    if not printable and name not in _NAMED:
        return f"{key!r} is no key (write a character, or a name such as 'pagedown', 'ctrl+d')"
    if not set(modifiers) <= {"ctrl", "shift", "alt"} or len(set(modifiers)) < len(modifiers):
        return f"{key!r} has a modifier that is not one of ctrl, shift, alt"
    if modifiers == ["shift"] and printable:
        return f"write {key!r} as the character that it types"
    return ""


def _by_key(actions: Iterable[Action]) -> tuple[dict[tuple[str, str], str], list[str]]:
    by_key: dict[tuple[str, str], str] = {}
    clashes: dict[tuple[str, str, str], None] = {}
    for action in actions:
        for key in action.keys:
            for state in action.states:
                other = by_key.setdefault((key, state), action.id)
                if other != action.id:
                    clashes[key, other, action.id] = None
    return by_key, [
        f"{key!r} would do both {first!r} and {second!r}" for key, first, second in clashes
    ]


def shown(key: str) -> str:
    """A key as people read it: arrows as arrows, names with their capital."""
    *modifiers, name = key.split("+") if len(key) > 1 else [key]
    if len(name) > 1 and name[0] == "f" and name[1:].isdigit():
        name = name.upper()
    return "+".join([*modifiers, _SHOWN.get(name, name)])


def shown_keys(keys: Sequence[str]) -> str:
    """Several keys as people read them; a run of digits as a range; empty for none."""
    if len(keys) > 2 and "".join(keys) in DIGITS:
        return f"{keys[0]}-{keys[-1]}"
    return " ".join(shown(key) for key in keys)


def typed(name: str, character: str | None) -> tuple[str, bool]:
    """(key in the table's terms, whether an input method swallowed it) of a key event.

    Full-width punctuation, digits and letters become their ASCII twins; any other character outside
    ASCII in the wide scripts says that an input method is on, and gives no key.

    Args:
        name: the event's name for the key, such as `down` or `full_stop`.
        character: what it typed; None where it typed nothing.
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
