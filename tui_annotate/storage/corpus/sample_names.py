"""What a user writes for a sample: an id, dataset/id, or the start of an id."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.samples import SampleKey


def split_name(name: str) -> Iterator[tuple[str, str]]:
    """Every (dataset, id) that `dataset/id` may mean: both may contain a slash."""
    return ((name[:at], name[at + 1 :]) for at, character in enumerate(name) if character == "/")


def only_key(name: str, rows: Sequence[Any]) -> SampleKey:
    """The only one of the samples (dataset, id) that were found for a name.

    Raises:
        NotFound: none, or several; the hint names some.
    """
    if len(rows) != 1:
        several = ", ".join(f"{dataset}/{external}" for dataset, external in rows[:3])
        raise NotFound(
            f"{name!r} names {'more than one' if rows else 'no'} sample",
            f"for example {several}" if rows else "give an id, its start, or dataset/id",
        )
    return SampleKey(*rows[0])
