"""Two exports in the native form beside each other: which samples are the same to the byte."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypedDict

_MOST: Final = 1000
Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Difference:
    """A sample of which the log gives something else than was kept.

    Attributes:
        parts: the names of the native form that differ; empty where the sample is gone.
    """

    dataset: str
    sample: str
    parts: tuple[str, ...]


class Found(TypedDict):
    """What a comparison gives; see `Replayed`."""

    samples: int
    identical: int
    differences: tuple[Difference, ...]
    more: int
    since: int


def compared(kept: Path, again: Path) -> Found:
    """Holds each sample of a kept export against the one of another."""
    places = {key: (start, len(line)) for key, start, line in _lines(again)}
    found: list[Difference] = []
    samples = identical = differing = 0
    with again.open("rb") as file:
        for key, _, line in _lines(kept):
            samples += 1
            start, length = places.pop(key, (0, 0))
            file.seek(start)
            other = file.read(length)
            if other == line:
                identical += 1
                continue
            differing += 1
            if len(found) < _MOST:
                found.append(Difference(*key, _parts(line, other)))
    return {
        "samples": samples,
        "identical": identical,
        "differences": tuple(found),
        "more": differing - len(found),
        "since": len(places),
    }


def _lines(path: Path) -> Iterator[tuple[Key, int, bytes]]:
    start = 0
    with path.open("rb") as file:
        for line in file:
            value = json.loads(line)
            yield (value["dataset"], value["id"]), start, line
            start += len(line)


def _parts(line: bytes, other: bytes) -> tuple[str, ...]:
    if not other:
        return ()
    one: dict[str, Any] = json.loads(line)
    two: dict[str, Any] = json.loads(other)
    return tuple(sorted(name for name in {*one, *two} if one.get(name) != two.get(name)))
