"""What may be wanted again soon, kept until it is too much: memory stays constant."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final, Generic, TypeVar

MOST: Final = 4_000_000
"""Code points of all texts that are kept."""

_Key = TypeVar("_Key", bound=Hashable)
_Value = TypeVar("_Value")


class Near(Generic[_Key, _Value]):
    """Values by key; all are forgotten at once where their texts are too long together."""

    def __init__(self) -> None:
        self._values: dict[_Key, _Value] = {}
        self._size = 0

    def get(self, key: _Key) -> _Value | None:
        """The value; None where there is none any more."""
        return self._values.get(key)

    def keep(self, key: _Key, value: _Value, *, size: int) -> _Value:
        """Keeps a value, and gives it back.

        Args:
            size: code points of its texts.
        """
        self._size += size
        if self._size > MOST:
            self._values.clear()
            self._size = size
        self._values[key] = value
        return value
