"""Lossless conversion between values of the program and values of table columns."""

from __future__ import annotations

import json
import sys
from array import array
from collections.abc import Mapping, Sequence
from functools import lru_cache
from operator import ge
from typing import Any

from tui_annotate.domain.errors import Damaged, InvalidInput
from tui_annotate.domain.samples import Request, Segment


def to_json(value: Any) -> str:
    """Write a value as JSON without spaces; its bytes are hashed, so they must never change."""
    return json.dumps(value, separators=(",", ":"))


def from_json(text: str) -> Any:
    """Read a value that `to_json` wrote."""
    return json.loads(text)


def request_to_json(request: Request) -> str:
    """Return a sample's request (title, problem, background, question) as JSON; "" for none."""
    if request == Request():
        return ""
    return to_json([request.title, request.problem, request.background, request.question])


@lru_cache(maxsize=128)
def request_from_json(text: str) -> Request:
    """Read a stored request; an empty text gives an empty request."""
    return Request(*json.loads(text)) if text else Request()


def mapping_to_json(value: Mapping[str, Any] | None) -> str:
    """Write a mapping as JSON; an empty text for an empty mapping or None."""
    return to_json(dict(value)) if value else ""


def pack(segments: Sequence[Segment]) -> bytes:
    """Return the end offsets of a text's segments as bytes; InvalidInput for empty segments."""
    start = 0
    for segment in segments:
        if segment.start != start or segment.end <= start:
            raise InvalidInput(
                f"segment {segment.start}:{segment.end} is empty or does not start at {start}",
                "pass the segments in order, without gaps or overlaps",
                code="segments-gap",
            )
        start = segment.end
    return _to_little_endian(array("I", [segment.end for segment in segments])).tobytes()


def unpack(boundaries: Any, length: int) -> tuple[Segment, ...]:
    """Return a text's segments from their packed end offsets; Damaged if they do not fit."""
    packed = array("I")
    is_whole = isinstance(boundaries, bytes) and len(boundaries) % packed.itemsize == 0
    if is_whole:
        packed.frombytes(boundaries)
    ends = _to_little_endian(packed).tolist()
    grows = not any(map(ge, [0, *ends], ends))
    if not is_whole or not grows or (ends[-1] if ends else 0) != length:
        raise Damaged(
            f"stored segments do not fit their text of {length} code points",
            "run tui-annotate doctor: it prints a command that saves what can be read",
        )
    return tuple(map(Segment, [0, *ends[:-1]], ends))


def _to_little_endian(values: array[int]) -> array[int]:
    if sys.byteorder == "big":  # pragma: no cover  no big-endian machine to test on
        values.byteswap()
    return values


def replace_unstorable(value: str) -> str:
    """Replace unpaired surrogates, which no database stores, by `?`."""
    return value.encode("utf-8", "replace").decode()


def check_storable(value: str, what: str) -> str:
    """Return a text if a column can store it; InvalidInput for lone surrogates and NUL."""
    for place, character in enumerate(value):
        if character == "\0" or "\ud800" <= character <= "\udfff":
            raise InvalidInput(
                f"{what} {value!r} contains U+{ord(character):04X} at offset {place}",
                "remove this character",
                code="control-character",
            )
    return value
