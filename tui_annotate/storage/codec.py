"""Lossless conversion between values of the domain and values of table columns."""

from __future__ import annotations

import json
import sys
from array import array
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from tui_annotate.domain.errors import Damaged, InvalidInput
from tui_annotate.domain.samples import Request, Segment


def to_json(value: Any) -> str:
    """Return a value as ASCII JSON; lone surrogates and NUL are written as escapes.

    A column could not store these characters as they are.
    """
    return json.dumps(value, separators=(",", ":"))


def from_json(text: str) -> Any:
    """Parse JSON that `to_json` wrote."""
    return json.loads(text)


def request_to_json(request: Request) -> str:
    """Return a sample's request (title, problem, background and question) as JSON.

    The result is an empty string for an empty request.
    """
    if request == Request():
        return ""
    return to_json([request.title, request.problem, request.background, request.question])


@lru_cache(maxsize=128)
def request_from_json(text: str) -> Request:
    """Parse a sample's request from JSON that `request_to_json` wrote.

    Results are cached, because many samples have the same request.
    """
    return Request(*json.loads(text)) if text else Request()


def mapping_to_json(value: Mapping[str, Any] | None) -> str:
    """Return a mapping as JSON, or an empty string for None and for an empty mapping."""
    return to_json(dict(value)) if value else ""


def pack(segments: Sequence[Segment]) -> bytes:
    """Return the end offsets of segments as little-endian 32-bit integers.

    Each segment starts where the previous one ends, so that the end offsets are enough.

    Raises:
        InvalidInput: a segment is empty or does not start where the previous one ends.
    """
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


def unpack(boundaries: bytes, length: int) -> tuple[Segment, ...]:
    """Return the segments of a text of `length` code points from their packed end offsets.

    Raises:
        Damaged: the last segment does not end at the end of the text: the store is damaged.
    """
    packed = array("I")
    packed.frombytes(boundaries)
    ends = _to_little_endian(packed).tolist()
    if (ends[-1] if ends else 0) != length:
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
    """Replace the lone surrogates in a text, which a column cannot store, with "?"."""
    return value.encode("utf-8", "replace").decode()


def check_storable(value: str, what: str) -> str:
    """Return a text unchanged if a table column can store it; otherwise raise an error.

    `what` is a noun for the text in the error message, such as "note".

    Raises:
        InvalidInput: the text contains a lone surrogate or NUL; the message gives the offset.
    """
    for place, character in enumerate(value):
        if character == "\0" or "\ud800" <= character <= "\udfff":
            raise InvalidInput(
                f"{what} {value!r} contains U+{ord(character):04X} at offset {place}",
                "remove this character",
                code="control-character",
            )
    return value
