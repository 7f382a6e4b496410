"""Strict JSON, as RFC 8259 defines it: no NaN or infinity is written, no repeated key is read."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
_MARK: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]]', re.DOTALL)
_COLON: Final = re.compile(r"\s*:")


class RepeatedKey(ValueError):
    """A JSON object has the same key twice, so that one value would be lost."""


def encode_strict(value: Any, **how: Any) -> tuple[str, int]:
    """Return a value as JSON with null for NaN and infinity, and the number of such nulls."""
    options = {"ensure_ascii": False, "allow_nan": False} | how
    try:
        return json.dumps(value, **options) if how else _ENCODER.encode(value), 0
    except ValueError:
        finite, count = replace_non_finite(value, default=how.get("default"))
        if not count:  # another error, such as a value that contains itself
            raise
        return json.dumps(finite, **options), count


def replace_non_finite(
    value: Any, *, default: Callable[[Any], Any] | None = None
) -> tuple[Any, int]:
    """Return a JSON value with null for each NaN and infinity, and the number of such nulls."""
    count = 0

    def convert(part: Any) -> Any:
        nonlocal count
        if isinstance(part, float):
            if math.isfinite(part):
                return part
            count += 1
            return None
        if isinstance(part, dict):
            return {key: convert(each) for key, each in part.items()}
        if isinstance(part, list | tuple):
            return [convert(each) for each in part]
        if default is None or part is None or isinstance(part, str | int):
            return part
        return convert(default(part))

    return convert(value), count


def refuse_repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object's pairs as a dict (`object_pairs_hook`); RepeatedKey for equal keys."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise RepeatedKey(
            f"key {next(each for each in keys if keys.count(each) > 1)!r} is repeated"
        )
    return found


def parse_unique(text: str, **how: Any) -> Any:
    """Parse JSON, with options of `json.loads`; RepeatedKey or JSONDecodeError if invalid."""
    return json.loads(text, object_pairs_hook=refuse_repeated_keys, **how)


class KeyPosition(NamedTuple):
    """A key of a JSON object, and the offset of its opening quote in the text, in code points."""

    key: str
    offset: int


def find_repeated_key(text: str) -> KeyPosition | None:
    """Return the first key of a JSON text that occurs twice in its object; None if none does."""
    objects: list[set[str] | None] = []  # the keys so far of each open object; None: an array
    for mark in _MARK.finditer(text):
        word = mark[0]
        if word in "{[":
            objects.append(set() if word == "{" else None)
        elif word in "}]":
            objects.pop()
        elif objects and (keys := objects[-1]) is not None and _COLON.match(text, mark.end()):
            key = json.loads(word, strict=False)
            if key in keys:
                return KeyPosition(key, mark.start())
            keys.add(key)
    return None
