"""Values in batches, so that no transaction is long and no list large."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

_T = TypeVar("_T")


def split_batches(
    values: Iterable[_T], size: int, *, weight: Callable[[_T], int] = lambda _: 1
) -> Iterator[list[_T]]:
    """Splits values, read as they are asked for, into lists that weigh `size` or a little more."""
    batch: list[_T] = []
    total = 0
    for value in values:
        batch.append(value)
        total += weight(value)
        if total >= size:
            yield batch
            batch, total = [], 0
    if batch:
        yield batch
