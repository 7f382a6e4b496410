"""A judge's own order of the contexts of a question, and how far the retriever's is from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.methods.judging import inserted, most_comparisons, overlap, spearman
from tui_annotate.methods.replies import one_of
from tui_annotate.services.judge.planning import Expected
from tui_annotate.services.judge.rows import Row
from tui_annotate.services.judge.sitting import Sitting

_DIGITS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class SortOptions:
    """How contexts are sorted.

    Attributes:
        k: how many of both orders are compared, at least 1.
        bottom: compares the last k.
        screen: contexts that do not help are left out first.
        swap: each pair is asked both ways; where the judge contradicts itself, the order stays.
    """

    k: int = 10
    bottom: bool = False
    screen: bool = True
    swap: bool = False

    def __post_init__(self) -> None:
        if self.k < 1:
            raise InvalidInput(f"k is {self.k}", "compare at least one context")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sorted:
    """What a judge makes of the contexts of one question; places of contexts count from 0.

    Attributes:
        good, bad: the contexts that help, and that do not, in the retriever's order; None where
            none was screened.
        sorted: the best first.
        spearman: of both orders, in [-1, 1], 3 decimals; None with a reason.
        sim: the share of the first k that both have in common, in [0, 1], 3 decimals; likewise.
        overlap: which those are, in the judge's order.
        reason: why a figure is missing; empty where none is.
        unclear: questions to which no clear reply came.
    """

    row: Row
    good: tuple[int, ...] | None
    bad: tuple[int, ...] | None
    sorted: tuple[int, ...]
    spearman: float | None
    sim: float | None
    overlap: tuple[int, ...]
    reason: str = ""
    unclear: int = 0

    def as_json(self) -> dict[str, Any]:
        """The values of JSON that the project RagSGE writes; a reason where a figure is missing."""
        told: dict[str, Any] = {
            "question": self.row.question,
            "contexts": list(self.row.contexts),
            "good": None if self.good is None else list(self.good),
            "bad": None if self.bad is None else list(self.bad),
            "sorted": list(self.sorted),
            "spearman": self.spearman,
            "sim": self.sim,
            "overlap": list(self.overlap),
        }
        return told | ({"reason": self.reason} if self.reason else {})


def sort_row(row: Row, sitting: Sitting, options: SortOptions) -> Sorted:
    """Sorts the contexts of one question.

    Raises:
        Unavailable, InvalidInput: as `Clearly.all`.
    """
    unclear: list[object] = []
    good, bad = _screened(row, sitting, unclear) if options.screen else (None, None)
    reference = list(range(len(row.contexts))) if good is None else list(good)
    order = inserted(reference, _comparing(row, sitting, options, unclear=unclear))
    rho = spearman(order, reference)
    sim, common = overlap(order, reference, k=options.k, bottom=options.bottom)
    return Sorted(
        row=row,
        good=good,
        bad=bad,
        sorted=tuple(order),
        spearman=_rounded(rho),
        sim=_rounded(sim),
        overlap=tuple(common),
        reason=_reason(len(row.contexts), len(order)),
        unclear=len(unclear),
    )


def _screened(
    row: Row, sitting: Sitting, unclear: list[object]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The contexts that help, and the others; one of which the judge does not say is no help."""
    asked = [
        sitting.put("screen", row.language, question=row.question, context=context)
        for context in row.contexts
    ]
    verdicts = sitting.clearly(row.language).all(asked, lambda reply: one_of(reply, ("0", "1")))
    unclear += [verdict for verdict in verdicts if verdict is None]
    places = range(len(verdicts))
    return (
        tuple(place for place in places if verdicts[place] == "1"),
        tuple(place for place in places if verdicts[place] != "1"),
    )


def _comparing(
    row: Row, sitting: Sitting, options: SortOptions, *, unclear: list[object]
) -> Callable[[int, int], bool]:
    """What says whether one context is better than another; unclear and contradictory is no."""
    clearly = sitting.clearly(row.language)

    def better(item: int, other: int) -> bool:
        pairs = [(item, other), (other, item)] if options.swap else [(item, other)]
        asked = [
            sitting.put(
                "pair",
                row.language,
                question=row.question,
                first=row.contexts[first],
                second=row.contexts[second],
            )
            for first, second in pairs
        ]
        chosen = clearly.all(asked, lambda reply: one_of(reply, ("1", "2")))
        unclear.extend(choice for choice in chosen if choice is None)
        return chosen == ["1", "2"][: len(chosen)]

    return better


def _reason(given: int, compared: int) -> str:
    if not given:
        return "there are no contexts"
    if not compared:
        return "no context helps to answer the question"
    return "a single context has no order" if compared == 1 else ""


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS) + 0.0


def expected(row: Row, sitting: Sitting, options: SortOptions) -> Expected:
    """What sorting a row takes at most, whatever the judge says."""
    count, characters = len(row.contexts), sum(map(len, row.contexts))
    told = Expected()
    if options.screen:
        told += Expected.of(sitting, "screen", row, calls=count, texts=characters)
    pairs = most_comparisons(count) * (1 + options.swap)
    mean = characters / count if count else 0
    return told + Expected.of(sitting, "pair", row, calls=pairs, texts=round(pairs * 2 * mean))
