"""How values of the domain become columns and come back; exact both ways, and nothing else."""

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
    """JSON in ASCII: lone surrogates and NUL, which a column would not take, survive as escapes."""
    return json.dumps(value, separators=(",", ":"))


def from_json(text: str) -> Any:
    """The inverse of `to_json`."""
    return json.loads(text)


def request_to_json(request: Request) -> str:
    """A request; the empty string for an empty one."""
    if request == Request():
        return ""
    return to_json([request.title, request.problem, request.background, request.question])


@lru_cache(maxsize=128)
def request_from_json(text: str) -> Request:
    """The inverse of `request_to_json`; rival answers, which come together, have one in common."""
    return Request(*json.loads(text)) if text else Request()


def mapping_to_json(value: Mapping[str, Any] | None) -> str:
    """A mapping of JSON values; the empty string for none or an empty one."""
    return to_json(dict(value)) if value else ""


def pack(segments: Sequence[Segment]) -> bytes:
    """The segments' ends as little-endian 32-bit integers: each starts where the last one ended.

    Raises:
        InvalidInput: they do not join.
    """
    start = 0
    for segment in segments:
        if segment.start != start or segment.end <= start:
            raise InvalidInput(
                f"segment {segment.start}:{segment.end} does not follow offset {start}",
                "segments in order must join to their text",
                code="segments-gap",
            )
        start = segment.end
    return _to_little_endian(array("I", [segment.end for segment in segments])).tobytes()


def unpack(boundaries: bytes, length: int) -> tuple[Segment, ...]:
    """The segments of a text of `length` code points.

    Raises:
        Damaged: they do not end where the text does: the store is damaged.
    """
    packed = array("I")
    packed.frombytes(boundaries)
    ends = _to_little_endian(packed).tolist()
    if (ends[-1] if ends else 0) != length:
        raise Damaged(
            f"stored segments do not fit their text of {length} code points",
            "tui-annotate doctor prints the line that saves what can be read",
        )
    return tuple(map(Segment, [0, *ends[:-1]], ends))


def _to_little_endian(values: array[int]) -> array[int]:
    if sys.byteorder == "big":  # pragma: no cover  no such machine at hand
        values.byteswap()
    return values


def replace_unstorable(value: str) -> str:
    """A text that a column can hold: lone surrogates, which a file may bring, become "?"."""
    return value.encode("utf-8", "replace").decode()


def check_storable(value: str, what: str) -> str:
    """A name as it is, where a column can hold it.

    Raises:
        InvalidInput: it holds a lone surrogate or NUL; the message gives the place.
    """
    for place, character in enumerate(value):
        if character == "\0" or "\ud800" <= character <= "\udfff":
            raise InvalidInput(
                f"{what} {value!r} holds U+{ord(character):04X} at offset {place}",
                "a name must be text that can be written down",
                code="control-character",
            )
    return value
