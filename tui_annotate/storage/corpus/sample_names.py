"""Sample names that a user types: an id, dataset/id, or the start of an id."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tui_annotate.domain.did_you_mean import suggest_word
from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.samples import SampleKey


def split_name(name: str) -> Iterator[tuple[str, str]]:
    """Yield every (dataset, id) that `dataset/id` may mean, as both may contain a slash."""
    return ((name[:at], name[at + 1 :]) for at, character in enumerate(name) if character == "/")


MAX_SIMILAR_IDS = 2000  # ids that are compared with a misspelled one: 30 ms
MAX_COMMON_START = 60  # characters
LAST_CHARACTER = "\U0010ffff"  # sorts after every id with the same start


def only_key(
    name: str, rows: Sequence[Any], load_ids: Callable[[str, int], Sequence[str]]
) -> SampleKey:
    """Return the only sample found for a name, or NotFound; `load_ids`: (start, most) to ids."""
    if len(rows) == 1:
        return SampleKey(*rows[0])
    if rows:
        several = ", ".join(f"{dataset}/{external}" for dataset, external in rows[:3])
        raise NotFound(
            f"{name!r} matches several samples", f"choose one sample, for example: {several}"
        )
    hint = f"{_suggest_id(name, load_ids)}give a sample's id, the start of its id, or dataset/id"
    raise NotFound(f"{name!r} matches no sample", hint)


def _suggest_id(name: str, load_ids: Callable[[str, int], Sequence[str]]) -> str:
    """Suggest the sample id most similar to a name, among those with the longest common start."""
    wanted = name.rpartition("/")[2]
    for length in range(min(len(wanted), MAX_COMMON_START), -1, -1):
        if ids := load_ids(wanted[:length], MAX_SIMILAR_IDS):
            return suggest_word(wanted, ids)
    return ""
