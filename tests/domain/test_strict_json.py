"""Strict JSON: numbers that JSON does not have, and keys that occur twice."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.domain.strict_json import (
    RepeatedKey,
    encode_strict,
    find_repeated_key,
    parse_unique,
    replace_non_finite,
)

_KEYS = st.sampled_from(["a", "b", "{", '"', ":", "\\"])
_VALUES = st.recursive(
    st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.lists(st.tuples(_KEYS, inner), max_size=4),
    max_leaves=12,
)


def _refuse(word: str) -> Any:
    raise AssertionError(word)


def _text(value: Any) -> str:
    """JSON of a value, in which a list of pairs is an object that may repeat a key."""
    if isinstance(value, list) and value and isinstance(value[0], tuple):
        return "{" + ", ".join(f"{json.dumps(key)} : {_text(each)}" for key, each in value) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_text, value)) + "]"
    return json.dumps(None if isinstance(value, float) else value)


@given(_VALUES)
def test_no_other_program_refuses_what_is_written(value: Any) -> None:
    """Finite numbers stay, NaN and infinities become null and are counted."""
    text, count = encode_strict(value)
    assert json.loads(text, parse_constant=_refuse) == json.loads(
        json.dumps(value), parse_constant=lambda _: None
    )
    words: list[str] = []
    json.loads(json.dumps(value), parse_constant=words.append)
    assert count == len(words)


def test_options_of_json_apply_to_what_is_replaced() -> None:
    """Indentation, ASCII and the conversion of other types are those of `json.dumps`."""
    found = encode_strict({"ä": {1.5, math.nan}}, ensure_ascii=True, default=sorted)
    assert found[1] == 1
    assert json.loads(found[0]) == {"ä": [1.5, None]} or json.loads(found[0]) == {"ä": [None, 1.5]}
    assert found[0].isascii()
    assert encode_strict([math.inf], indent=1)[0] == "[\n null\n]"
    assert replace_non_finite((1, True, None, "NaN", -math.inf)) == (
        [1, True, None, "NaN", None],
        1,
    )
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises((ValueError, RecursionError)):
        encode_strict(endless)


@given(_VALUES)
def test_a_repeated_key_is_found(value: Any) -> None:
    """The parser refuses a text exactly if the search finds a key in it that occurs twice."""
    text = _text(value)
    found = find_repeated_key(text)
    if found is None:
        assert parse_unique(text) == json.loads(text)
        return
    assert text.startswith(json.dumps(found.key), found.offset)
    with pytest.raises(RepeatedKey):
        parse_unique(text)


@pytest.mark.parametrize(
    ("text", "key", "offset"),
    [
        ('{"a": 1, "a": 2}', "a", 9),
        ('[{"a": 1}, {"a": 1, "b": {"c": "a", "\\u0063": 2}}]', "c", 36),
        ('{"a": "{", "b": ["a", "a"], "a": 1}', "a", 28),
    ],
)
def test_the_second_key_has_a_position(text: str, key: str, offset: int) -> None:
    """The same key in another object, or a string that is no key, is not repeated."""
    assert find_repeated_key(text) == (key, offset)
