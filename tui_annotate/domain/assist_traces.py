"""Records of the matches (related sentences) displayed when an annotation was saved.

Traces make it possible to measure how displayed matches influence annotators.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeGuard

from tui_annotate.domain.samples import Signals


class MatchPosition(NamedTuple):
    """The rank and score of the best match that an evidence span overlaps; 0 if there is none.

    `whole`: whether the evidence is exactly the match.
    """

    rank: int
    score: float
    whole: bool


OUTSIDE = MatchPosition(0, 0.0, False)  # noqa: FBT003  a value, not an option
"""The position stored for evidence that overlaps none of the displayed matches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistTrace:
    """The matches displayed when an annotation was saved, and which of them became evidence.

    After an edit with new evidence, the trace describes that edit; older evidence keeps its
    positions.

    Attributes:
        weights: version of the stored weights that ranked; empty for the built-in weights.
        best: score of the first match, or 0.
        looked: sorted ranks of the matches that the user visited.
        `places`: match position of each evidence span, in the order of the evidence.
    """

    by: Signals = Signals.FUSED
    embedder: str = ""
    version: str = ""
    weights: str = ""
    offered: int = 0
    best: float = 0.0
    looked: tuple[int, ...] = ()
    places: tuple[MatchPosition, ...] = ()

    @property
    def looked_at_best(self) -> bool:
        return 1 in self.looked

    @property
    def refused_best(self) -> bool:
        """Whether the user visited the best match but took no evidence from it."""
        return self.looked_at_best and all(place.rank != 1 for place in self.places)


def assist_trace_to_json(trace: AssistTrace) -> dict[str, Any]:
    """Convert the record of the matches displayed for an annotation to JSON."""
    return {
        "by": trace.by.value,
        "embedder": trace.embedder,
        "version": trace.version,
        **({"weights": trace.weights} if trace.weights else {}),
        "offered": trace.offered,
        "best": trace.best,
        "looked": list(trace.looked),
        "evidence": [list(place) for place in trace.places],
    }


def assist_trace_from_json(value: Any, *, spans: int) -> AssistTrace:
    """Parse the matches displayed for `spans` evidence spans from JSON; or ValueError."""
    if not isinstance(value, Mapping) or not isinstance(value.get("evidence"), list):
        raise ValueError("the field 'assist' is not a JSON object with a list 'evidence'")
    offered = value.get("offered")
    if not _is_count(offered):
        raise ValueError("in the field 'assist', 'offered' must be the number of displayed matches")
    places = tuple([_parse_position(place, offered) for place in value["evidence"]])
    if len(places) != spans:
        raise ValueError(
            "in the field 'assist', 'evidence' must have one entry for each evidence span"
        )
    looked = value.get("looked")
    if not isinstance(looked, list) or not all(
        _is_count(at) and 0 < at <= offered for at in looked
    ):
        raise ValueError("in the field 'assist', 'looked' must list ranks of displayed matches")
    words = [value.get(name, "") for name in ("by", "embedder", "version", "weights")]
    if not all(isinstance(word, str) for word in words) or not _is_unit_number(value.get("best")):
        raise ValueError(
            "the field 'assist' needs the texts 'by', 'embedder', 'version' and a score 'best',"
            " and may have the text 'weights'"
        )
    return AssistTrace(
        by=Signals(words[0]),
        embedder=words[1],
        version=words[2],
        weights=words[3],
        offered=offered,
        best=float(value["best"]),
        looked=tuple(sorted(set(looked))),
        places=places,
    )


def _parse_position(value: Any, offered: int) -> MatchPosition:
    if not isinstance(value, list) or len(value) != 3:
        raise ValueError(
            "in the field 'assist', each entry of 'evidence' must list a rank, a score and a"
            " Boolean value"
        )
    rank, score, whole = value
    if not _is_count(rank) or rank > offered:
        raise ValueError(
            "in the field 'assist', a rank in 'evidence' must be a whole number up to 'offered'"
        )
    if not _is_unit_number(score) or not isinstance(whole, bool):
        raise ValueError(
            "in the field 'assist', an entry of 'evidence' has an invalid score or Boolean value"
        )
    return MatchPosition(rank, float(score), whole)


def _is_count(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31


def _is_unit_number(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and math.isfinite(value) and 0 <= value <= 1
