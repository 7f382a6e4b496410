"""What the assist showed when an annotation was saved, kept with it: whether it helps or biases."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeGuard

from tui_annotate.domain.samples import Signals


class Place(NamedTuple):
    """Where a span of evidence stood among the matches when it was taken.

    Attributes:
        rank: of the best match that it shares code points with; 0 for none.
        score: of that match, in [0, 1]; 0 for none.
        whole: whether it is that match's segment, not other words of it.
    """

    rank: int
    score: float
    whole: bool


OUTSIDE = Place(0, 0.0, False)  # noqa: FBT003  a value, not an option
"""Of evidence that no match lies in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """What there was to take, and what was taken.

    After an edit that brought evidence it tells of that edit; the places of evidence that stayed
    are those of when it was taken.

    Attributes:
        by: what ranked.
        embedder: the model's label; empty where words alone ranked.
        version: of the embedder.
        offered: how many matches were lit.
        best: the score of the first; 0 where there was none.
        looked: the ranks that somebody walked to, walked on from, or took; sorted.
        places: of the evidence, in its order.
    """

    by: Signals = Signals.FUSED
    embedder: str = ""
    version: str = ""
    offered: int = 0
    best: float = 0.0
    looked: tuple[int, ...] = ()
    places: tuple[Place, ...] = ()

    @property
    def looked_at_best(self) -> bool:
        """Whether the first match was looked at, as `looked` tells."""
        return 1 in self.looked

    @property
    def refused_best(self) -> bool:
        """Whether the first match was looked at and no evidence lies in it."""
        return self.looked_at_best and all(place.rank != 1 for place in self.places)


def trace_to_json(trace: Trace) -> dict[str, Any]:
    """As JSON values, in fixed order; a place as [rank, score, whole]."""
    return {
        "by": trace.by.value,
        "embedder": trace.embedder,
        "version": trace.version,
        "offered": trace.offered,
        "best": trace.best,
        "looked": list(trace.looked),
        "evidence": [list(place) for place in trace.places],
    }


def trace_from_json(value: Any, *, spans: int) -> Trace:
    """The inverse of `trace_to_json`.

    Args:
        spans: of evidence that there are; each has its place.

    Raises:
        ValueError: it is none.
    """
    if not isinstance(value, Mapping) or not isinstance(value.get("evidence"), list):
        raise ValueError("'assist' is no trace of the assist")
    offered = value.get("offered")
    if not _is_count(offered):
        raise ValueError("'assist' does not tell how many matches were lit")
    places = tuple([_place(place, offered) for place in value["evidence"]])
    if len(places) != spans:
        raise ValueError("'assist' does not tell of each span of evidence once")
    looked = value.get("looked")
    if not isinstance(looked, list) or not all(
        _is_count(at) and 0 < at <= offered for at in looked
    ):
        raise ValueError("'assist' was looked at where nothing was lit")
    words = [value.get(name, "") for name in ("by", "embedder", "version")]
    if not all(isinstance(word, str) for word in words) or not _is_share(value.get("best")):
        raise ValueError("'assist' holds something that is no text or no score")
    return Trace(
        by=Signals(words[0]),
        embedder=words[1],
        version=words[2],
        offered=offered,
        best=float(value["best"]),
        looked=tuple(sorted(set(looked))),
        places=places,
    )


def _place(value: Any, offered: int) -> Place:
    if not isinstance(value, list) or len(value) != 3:
        raise ValueError("'assist' holds a place that is none")
    rank, score, whole = value
    if not _is_count(rank) or rank > offered:
        raise ValueError("'assist' holds a rank that nothing had")
    if not _is_share(score) or not isinstance(whole, bool):
        raise ValueError("'assist' holds a score that is none")
    return Place(rank, float(score), whole)


def _is_count(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31


def _is_share(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and math.isfinite(value) and 0 <= value <= 1
