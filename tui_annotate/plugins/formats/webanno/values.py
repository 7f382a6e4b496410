"""Fields of JSON objects by the kind of value that they must hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.plugins.admission import described

Fields = Mapping[str, Any]


def word(fields: Fields, name: str) -> str:
    """A text; empty where it is left out.

    Raises:
        InvalidInput: it is something else.
    """
    value = fields.get(name, "")
    if not isinstance(value, str):
        raise InvalidInput(f"{name!r} is {described(value)}, not text")
    return value


def name_of(fields: Fields, name: str) -> str:
    """A text that the store keeps as a name: without NUL; empty where it is left out.

    Raises:
        InvalidInput: it is something else.
    """
    value = word(fields, name)
    if "\0" in value:
        raise InvalidInput(f"{name!r} {value[:40]!r} holds U+0000", "take it out")
    return value


def number(fields: Fields, name: str) -> int:
    """A whole number below 2^53.

    Raises:
        InvalidInput: it is something else, or not there.
    """
    value = fields.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**53:
        raise InvalidInput(f"{name!r} is {described(value)}, not a whole number below 2^53")
    return value


def seconds(fields: Fields, name: str) -> float:
    """A time in seconds; 0 where it is left out.

    Raises:
        InvalidInput: it is something else.
    """
    value = fields.get(name, 0.0)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e12:
        raise InvalidInput(f"{name!r} is {described(value)}, not a time in seconds")
    return float(value)


def mapping(fields: Fields, name: str) -> dict[str, Any]:
    """An object; empty where it is left out.

    Raises:
        InvalidInput: it is something else.
    """
    value = fields.get(name, {})
    if not isinstance(value, dict):
        raise InvalidInput(f"{name!r} is {described(value)}, not an object")
    return value


def objects(fields: Fields, name: str) -> list[dict[str, Any]]:
    """A list of objects; empty where it is left out.

    Raises:
        InvalidInput: it is something else.
    """
    value = fields.get(name, [])
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise InvalidInput(f"{name!r} is no list of objects")
    return value
