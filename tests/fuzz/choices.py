"""Choices out of bytes: the same bytes make the same file again, whoever thought of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

_Item = TypeVar("_Item")


class Choices:
    """Reads choices from bytes; behind their end every choice is the first."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._place = 0

    @property
    def left(self) -> int:
        """How many bytes were not read yet."""
        return len(self._data) - self._place

    def below(self, count: int) -> int:
        """A number from 0 up to `count`, which is not reached; 0 where `count` is."""
        size = 1 if count <= 256 else 2 if count <= 65536 else 4
        return int.from_bytes(self.take(size), "little") % max(count, 1)

    def of(self, items: Sequence[_Item]) -> _Item:
        """One of some things, of which there is one at least."""
        return items[self.below(len(items))]

    def take(self, size: int) -> bytes:
        """The next bytes, or as many as there are."""
        found = self._data[self._place : self._place + size]
        self._place += len(found)
        return found

    def rest(self) -> bytes:
        """All that was not read yet."""
        return self.take(self.left)
