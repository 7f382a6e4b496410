"""JSON with what no value of Python holds: double keys, numbers without end, halves of signs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from tests.fuzz.choices import Choices


class Raw(str):
    """What stands in a file as it is."""

    __slots__ = ()


class Pairs(list[Any]):
    """An object as the list of its names and values, so that a name may come twice."""


class _Place(NamedTuple):
    """Where a value stands: in a list of items, or as the second of a pair."""

    holder: Any
    at: int


_RAW = [
    "1e400", "-1e400", "NaN", "Infinity", "-0", "9" * 400, "9" * 4300, "9" * 4301,
    "-" + "9" * 20, "1.5", "0.1e-9999", '"\\ud800"', '"\\udc00 x"', '"\\u0000"', '"\\ud83c\\udf09"',
    "[" * 101 + "]" * 101,
    '{"a":' * 101 + "0" + "}" * 101, "[" * 3000, '"\\x"', "'", "nul", "",
]  # fmt: skip
_VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 2**31, 2**53, 2**63, 10**400, 1.5, "", " ", "x", "\n", "\0", "🌉",
    "é\r\n", "\ufeff", "a.b", ".", "a/b", "=1", "\x1b[31m", "Evidence", "part", "x" * 1001, [],
    [[]], [None], [""], [0, 1], {"a": 1}, {"": None}, {"start": 0, "end": 1},
]  # fmt: skip


def loaded(text: str) -> Any:
    """A value with its objects as pairs.

    Raises:
        ValueError, RecursionError: it is no JSON.
    """
    return json.loads(text, object_pairs_hook=lambda pairs: Pairs(map(list, pairs)))


def dumped(value: Any) -> str:
    """A value as it is written."""
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, Pairs):
        inner = (f"{dumped(name)}: {dumped(each)}" for name, each in value)
        return "{" + ", ".join(inner) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(dumped, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def altered(value: Any, choices: Choices) -> Any:
    """The value with one thing changed somewhere in it."""
    root = [value]
    places = list(_places(root))
    place = places[choices.below(len(places))]
    _CHANGES[choices.below(len(_CHANGES))](place, places, choices)
    return root[0] if root else Raw("")


def _places(holder: Any) -> Iterator[_Place]:
    for index, item in enumerate(holder):
        inner = item[1] if isinstance(holder, Pairs) else item
        yield _Place(item, 1) if isinstance(holder, Pairs) else _Place(holder, index)
        if isinstance(inner, list):
            yield from _places(inner)


def _replace(place: _Place, _: list[_Place], choices: Choices) -> None:
    value = choices.of(_VALUES)
    plain = Pairs(map(list, value.items())) if isinstance(value, dict) else value
    place.holder[place.at] = list(plain) if type(plain) is list else plain


def _replace_raw(place: _Place, _: list[_Place], choices: Choices) -> None:
    place.holder[place.at] = Raw(choices.of(_RAW))


def _delete(place: _Place, _: list[_Place], choices: Choices) -> None:
    value = place.holder[place.at]
    if isinstance(value, list) and value:
        del value[choices.below(len(value))]
    else:
        place.holder[place.at] = None


def _double(place: _Place, _: list[_Place], choices: Choices) -> None:
    value = place.holder[place.at]
    if isinstance(value, list) and value:
        item = value[choices.below(len(value))]
        value.insert(choices.below(len(value) + 1), loaded(dumped(item)) if _sound(item) else item)
    else:
        place.holder[place.at] = [value, value]


def _sound(value: Any) -> bool:
    return not isinstance(value, list) or all(
        not isinstance(each, Raw) and _sound(each) for each in value
    )


def _swap(place: _Place, places: list[_Place], choices: Choices) -> None:
    other = choices.of(places)
    mine, theirs = place.holder[place.at], other.holder[other.at]
    if _sound(mine) and _sound(theirs):
        mine, theirs = loaded(dumped(mine)), loaded(dumped(theirs))
        place.holder[place.at], other.holder[other.at] = theirs, mine


def _nest(place: _Place, _: list[_Place], choices: Choices) -> None:
    value = place.holder[place.at]
    for _each in range(choices.of([1, 2, 95, 101])):
        value = [value]
    place.holder[place.at] = value


def _rename(place: _Place, _: list[_Place], choices: Choices) -> None:
    value = place.holder[place.at]
    if isinstance(value, Pairs) and value:
        one = choices.of(value)
        one[0] = choices.of([choices.of(value)[0], "id", "text", "source", "", "\0", "🌉"])


def _nudge(place: _Place, _: list[_Place], choices: Choices) -> None:
    value = place.holder[place.at]
    if isinstance(value, int) and not isinstance(value, bool):
        place.holder[place.at] = choices.of([value + 1, value - 1, -value, value * 1000])
    elif isinstance(value, str) and not isinstance(value, Raw):
        at = choices.below(len(value) + 1)
        piece = choices.of(["🌉", "\r\n", "\n", " ", "\ufeff", "e\u0301", "", "\u2028"])
        drop = choices.below(3)
        place.holder[place.at] = value[:at] + piece + value[at + drop :]


_CHANGES: list[Callable[[_Place, list[_Place], Choices], None]] = [
    _replace, _replace_raw, _delete, _double, _swap, _nest, _rename, _nudge, _nudge,
]  # fmt: skip
