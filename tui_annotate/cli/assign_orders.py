"""The orders in which samples are handed out or drawn, as words of the command line."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.orders import RANDOM, Sense, by_score
from tui_annotate.domain.sharing import Sorting, Wish

_BY_SCORE: Final = tuple(f"{sense}:SCORE" for sense in Sense)

OrderOption = Annotated[
    str,
    typer.Option(
        "--order",
        metavar="ORDER",
        help="Which samples first: by-source, ingested, random (another order for each person),"
        " score (with --score), or by what a machine says: worst:SCORE, best:SCORE,"
        " uncertain:SCORE.",
    ),
]
ScoreOption = Annotated[
    str,
    typer.Option("--score", metavar="FIELD", help="A number in the samples' meta to sort by."),
]
DescendingOption = Annotated[
    bool, typer.Option("--descending", help="With --score: the largest first.")
]
DrawnOption = Annotated[
    str,
    typer.Option(
        "--order",
        metavar="ORDER",
        help="Which samples are drawn first: by-source, ingested, random, or by what a machine"
        " says: worst:SCORE, best:SCORE, uncertain:SCORE.",
    ),
]


def wish(
    *, share: str, overlap: int, order: str, score: str, down: bool, seed: str
) -> tuple[Wish, str]:
    """What is asked for, and the score that sorts: a field of `meta`, an order, or none.

    Raises:
        InvalidInput: there is no such order; the options contradict each other, or make no sense.
    """
    if order == Sorting.SCORE and not score:
        raise InvalidInput("the order `score` needs a score", "name a field: --score FIELD")
    if score and order not in (Sorting.SCORE, Sorting.BY_SOURCE):
        raise InvalidInput(f"both --score and --order {order}", "give one of them")
    if down and not score:
        raise InvalidInput("--descending without --score", "name a field: --score FIELD")
    if score or by_score(order):
        return Wish(share, overlap, Sorting.SCORE, down, seed), score or order
    if order not in list(Sorting):
        raise _unknown(order, [each.value for each in Sorting])
    return Wish(share, overlap, Sorting(order), down, seed), ""


def drawn(order: str, seed: str) -> str:
    """The order of a pool.

    Raises:
        InvalidInput: there is no such order.
    """
    known = [Sorting.BY_SOURCE.value, Sorting.INGESTED.value, Sorting.RANDOM.value]
    if order not in known and not by_score(order):
        raise _unknown(order, known)
    return f"{RANDOM}{seed}" if order == Sorting.RANDOM else order


def _unknown(order: str, known: list[str]) -> InvalidInput:
    return InvalidInput(f"no order {order!r}", f"orders: {', '.join([*known, *_BY_SCORE])}")
