"""The orders of the queue by their names; refuses others."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

from tui_annotate.domain.errors import InvalidInput

BY_SOURCE: Final = "by-source"
"""All summaries of one source together."""
INGESTED: Final = "ingested"
"""As they came."""
RANDOM: Final = "random:"
"""What a seed follows: any text; the same seed gives the same order."""
CONFLICTS: Final = "conflicts"
"""The usual order of review: what waits first, of that the most conflicts."""
DISAGREE: Final = "disagree:"
"""Before the name of a score: where people contradict it; review's alone, as it tells of work."""


class ScoreDirection(StrEnum):
    """Which samples an order by a score begins with; what has no such score comes last."""

    WORST = "worst"
    BEST = "best"
    UNCERTAIN = "uncertain"


class ByScore(NamedTuple):
    """An order by what a machine says: its sense, and the name of the score."""

    sense: ScoreDirection
    score: str

    def __str__(self) -> str:
        return f"{self.sense}:{self.score}"


def by_score(order: str) -> ByScore | None:
    """What an order by a score is of; None where it is no such order."""
    sense, _, score = order.partition(":")
    known = score and sense in list(ScoreDirection)
    return ByScore(ScoreDirection(sense), score) if known else None


def score_of_order(order: str) -> str:
    """The score that people contradict in an order of review; empty where it is review's usual one.

    Raises:
        InvalidInput: it is neither.
    """
    if order in ("", CONFLICTS):
        return ""
    if order.startswith(DISAGREE) and len(order) > len(DISAGREE):
        return order.removeprefix(DISAGREE)
    raise InvalidInput(f"no order {order!r} in review", f"orders: {CONFLICTS}, {DISAGREE}SCORE")


def check_order(name: str) -> str:
    """Return the full name of an order; `random` has seed 1. Names of scores are not checked.

    Raises:
        InvalidInput: there is no such order.
    """
    if name == "random":
        return f"{RANDOM}1"
    seeded = name.startswith(RANDOM) and len(name) > len(RANDOM)
    if name in (BY_SOURCE, INGESTED) or seeded or by_score(name):
        return name
    if name.startswith(DISAGREE):
        raise InvalidInput(
            f"the order {name!r} tells what others found",
            f"it is one of review alone: tui-annotate review list --order {name}",
        )
    senses = ", ".join(f"{sense}:SCORE" for sense in ScoreDirection)
    raise InvalidInput(
        f"no order {name!r}",
        f"orders: by-source, ingested, random, random:SEED, {senses}",
        code="order-unknown",
    )
