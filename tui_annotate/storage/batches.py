"""Splits values into batches, so that no transaction is long and no list is large."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

_T = TypeVar("_T")


def split_batches(
    values: Iterable[_T], size: int, *, weight: Callable[[_T], int] = lambda _: 1
) -> Iterator[list[_T]]:
    """Split values into lists that each weigh `size` or slightly more; the last may weigh less."""
    batch: list[_T] = []
    total = 0
    for value in values:
        batch.append(value)
        total += weight(value)
        if total >= size:
            yield batch
            batch = []
            total = 0
    if batch:
        yield batch
