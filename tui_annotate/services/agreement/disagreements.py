"""Disagreements of each pair of annotators, by the labels that they gave to the same words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.samples import SampleKey
from tui_annotate.services.agreement.tallies import AgreementTally, Differences

SPANS: Final = "span"
RATINGS: Final = "rating"


@dataclass(frozen=True, slots=True)
class Disagreement:
    """How often two annotators gave one particular pair of differing labels or ratings.

    Attributes:
        labels: label, or rating, of each of the two; `NOTHING` for a person who marked no span.
        count: number of spans, or of samples for ratings.
        of: number of all spans of the two annotators, or of samples that both rated.
    """

    people: tuple[str, str]
    level: str
    labels: tuple[LabelPath, LabelPath]
    count: int
    of: int
    samples: tuple[SampleKey, ...]


def list_disagreements(tally: AgreementTally) -> Iterator[Disagreement]:
    """Yield the disagreements of each pair of annotators, the most frequent of a pair first."""
    for people, pair in sorted(tally.pairs.items()):
        rated = sum(counts.total() for counts in pair.rated.values())
        yield from _by_frequency(people, SPANS, pair.differing, of=pair.units)
        yield from _by_frequency(people, RATINGS, pair.differing_ratings, of=rated)


def _by_frequency(
    people: tuple[str, str], level: str, found: Differences, *, of: int
) -> Iterator[Disagreement]:
    for labels, keys in sorted(found.items(), key=lambda item: (-len(item[1]), item[0])):
        yield Disagreement(
            people=people,
            level=level,
            labels=labels,
            count=len(keys),
            of=of,
            samples=tuple(dict.fromkeys(keys)),
        )
