"""What the assist showed when an annotation was saved, kept with it: whether it helps or biases."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeGuard

from tui_annotate.domain.samples import Signals


class MatchPosition(NamedTuple):
    """The best match that a span of evidence overlaps: rank and score, 0 for none.

    Attributes:
        whole: whether the span is that match's whole segment.
    """

    rank: int
    score: float
    whole: bool


OUTSIDE = MatchPosition(0, 0.0, False)  # noqa: FBT003  a value, not an option
"""Of evidence that no match lies in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistTrace:
    """The matches that were shown, and the evidence that was taken.

    After an edit with new evidence it describes that edit; older evidence keeps its positions.

    Attributes:
        best: the first score, or 0.
        looked: sorted ranks that the user visited.
        places: parallel to the evidence.
    """

    by: Signals = Signals.FUSED
    embedder: str = ""
    version: str = ""
    offered: int = 0
    best: float = 0.0
    looked: tuple[int, ...] = ()
    places: tuple[MatchPosition, ...] = ()

    @property
    def looked_at_best(self) -> bool:
        """Whether the first match was looked at, as `looked` tells."""
        return 1 in self.looked

    @property
    def refused_best(self) -> bool:
        """Whether the first match was looked at and no evidence lies in it."""
        return self.looked_at_best and all(place.rank != 1 for place in self.places)


def assist_trace_to_json(trace: AssistTrace) -> dict[str, Any]:
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


def assist_trace_from_json(value: Any, *, spans: int) -> AssistTrace:
    """Parse the value of `assist_trace_to_json` for so many spans of evidence.

    Raises:
        ValueError: it is invalid.
    """
    if not isinstance(value, Mapping) or not isinstance(value.get("evidence"), list):
        raise ValueError("'assist' is no trace of the assist")
    offered = value.get("offered")
    if not _is_count(offered):
        raise ValueError("'assist' does not tell how many matches were lit")
    places = tuple([_parse_position(place, offered) for place in value["evidence"]])
    if len(places) != spans:
        raise ValueError("'assist' does not tell of each span of evidence once")
    looked = value.get("looked")
    if not isinstance(looked, list) or not all(
        _is_count(at) and 0 < at <= offered for at in looked
    ):
        raise ValueError("'assist' was looked at where nothing was lit")
    words = [value.get(name, "") for name in ("by", "embedder", "version")]
    if not all(isinstance(word, str) for word in words) or not _is_unit_number(value.get("best")):
        raise ValueError("'assist' holds something that is no text or no score")
    return AssistTrace(
        by=Signals(words[0]),
        embedder=words[1],
        version=words[2],
        offered=offered,
        best=float(value["best"]),
        looked=tuple(sorted(set(looked))),
        places=places,
    )


def _parse_position(value: Any, offered: int) -> MatchPosition:
    if not isinstance(value, list) or len(value) != 3:
        raise ValueError("'assist' holds a place that is none")
    rank, score, whole = value
    if not _is_count(rank) or rank > offered:
        raise ValueError("'assist' holds a rank that nothing had")
    if not _is_unit_number(score) or not isinstance(whole, bool):
        raise ValueError("'assist' holds a score that is none")
    return MatchPosition(rank, float(score), whole)


def _is_count(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31


def _is_unit_number(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and math.isfinite(value) and 0 <= value <= 1
