"""Sample names that a user types: an id, dataset/id, or the start of an id."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.samples import SampleKey


def split_name(name: str) -> Iterator[tuple[str, str]]:
    """Yield every (dataset, id) that `dataset/id` may mean; both parts may contain a slash."""
    return ((name[:at], name[at + 1 :]) for at, character in enumerate(name) if character == "/")


def only_key(name: str, rows: Sequence[Any]) -> SampleKey:
    """Return the only sample (dataset, id) that was found for a name.

    Raises:
        NotFound: no sample or several samples match; the hint names some.
    """
    if len(rows) != 1:
        several = ", ".join(f"{dataset}/{external}" for dataset, external in rows[:3])
        raise NotFound(
            f"{name!r} matches {'more than one' if rows else 'no'} sample",
            f"choose one sample, for example: {several}"
            if rows
            else "give a sample's id, the start of its id, or dataset/id",
        )
    return SampleKey(*rows[0])
