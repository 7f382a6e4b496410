"""Names of the orders in which an annotator's queue shows samples, and their validation."""

from __future__ import annotations

import shlex
from enum import StrEnum
from math import isfinite
from typing import Final, NamedTuple

from tui_annotate.domain.errors import InvalidInput

BY_SOURCE: Final = "by-source"
INGESTED: Final = "ingested"
RANDOM: Final = "random:"
"""Prefix of a random order of samples; a seed follows, and equal seeds give equal orders."""
CONFLICTS: Final = "conflicts"
"""Default order of samples in review: those with the most conflicts between annotators first."""
DISAGREE: Final = "disagree:"
"""Prefix of the review order by disagreement with a score; the score's name follows.

Available only in review, because the order reveals the work of other annotators.
"""


class ScoreDirection(StrEnum):
    """Which samples come first in an order by a score; samples without a score come last."""

    WORST = "worst"
    BEST = "best"
    UNCERTAIN = "uncertain"


class ByScore(NamedTuple):
    """An order by a score.

    `middle`: raw value of the score that is most uncertain; None for the value that its run names,
    else the median. Only for the order `uncertain`.
    """

    sense: ScoreDirection
    score: str
    middle: float | None = None

    def __str__(self) -> str:
        name = f"{self.sense}:{self.score}"
        return name if self.middle is None else f"{name}={self.middle!r}"


def by_score(order: str) -> ByScore | None:
    """Parse the name of an order of samples by a score, else return None.

    Examples: `worst:faithfulness`, `uncertain:p`, `uncertain:p=0.5` (the distance to 0.5).
    """
    sense, _, score = order.partition(":")
    if not score or sense not in list(ScoreDirection):
        return None
    direction = ScoreDirection(sense)
    name, equals, value = score.rpartition("=")
    if direction is ScoreDirection.UNCERTAIN and name and equals:
        try:
            middle = float(value)
        except ValueError:
            return ByScore(direction, score)
        return ByScore(direction, name, middle) if isfinite(middle) else None
    return ByScore(direction, score)


def score_of_order(order: str) -> str:
    """Return the score in a review order `disagree:SCORE`, empty by default; or InvalidInput."""
    if order in ("", CONFLICTS):
        return ""
    if order.startswith(DISAGREE) and len(order) > len(DISAGREE):
        return order.removeprefix(DISAGREE)
    raise InvalidInput(
        f"unknown review order {order!r}",
        f"use {CONFLICTS}, or {DISAGREE}SCORE with a score's name in place of SCORE",
    )


def check_order(name: str) -> str:
    """Return the full name of an order of samples; `random` becomes `random:1`.

    Names of scores are not checked.

    Raises:
        InvalidInput: the order is unknown.
    """
    if name == "random":
        return f"{RANDOM}1"
    seeded = name.startswith(RANDOM) and len(name) > len(RANDOM)
    if name in (BY_SOURCE, INGESTED) or seeded:
        return name
    if scored := by_score(name):
        return str(scored)
    if name.startswith(DISAGREE):
        raise InvalidInput(
            f"the queue order {name!r} is available only in review",
            "list samples in this order with: tui-annotate review list --order"
            f" {shlex.quote(name)}",
        )
    senses = ", ".join(f"{sense}:SCORE" for sense in ScoreDirection)
    raise InvalidInput(
        f"unknown order {name!r}",
        f"use one of: by-source, ingested, random, random:SEED, {senses}, uncertain:SCORE=VALUE",
        code="order-unknown",
    )
