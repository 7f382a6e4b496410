"""Readings that began with suggestions of machines, counted by maker.

Such a reading has an annotator's answer to a suggestion. Acceptances and rejections count alike,
and so do acceptances that were undone: the annotator may have marked the same words by hand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypedDict

from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.suggestions import UNDONE, AnswerKind

SUGGESTED_READING: Final = "the annotator answered a machine's suggestion on the sample"
"""Reason for which a reading is excluded."""

Answers = Mapping[tuple[SampleKey, str], Sequence[tuple[str, str]]]
"""Maker and kind of each answer to a suggestion, by sample and person."""


@dataclass(slots=True)
class SuggestedReadings:
    """Readings with answered suggestions of a maker.

    Attributes:
        readings: number of these readings.
        answers: number of answers, by kind.
        people: number of these readings by the id of the person who answered.
    """

    readings: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    people: Counter[str] = field(default_factory=Counter)


def count_suggested_reading(
    found: dict[str, SuggestedReadings],
    answers: Answers,
    key: SampleKey,
    *,
    work: Mapping[str, Sequence[Annotation]],
) -> set[str]:
    """Add a reading to the counts by maker; return the makers of its answered suggestions.

    Args:
        found: counts by maker, which are changed.
        work: annotations of the reading's annotator, by the person's id; for an adjudicated result,
            those of all annotators, because it rests on their work.
    """
    given = [(person, *answer) for person in work for answer in answers.get((key, person), ())]
    if all(kind == UNDONE for _, _, kind in given):
        # Work that was imported keeps the suggestion, but not the answer.
        for person, own in work.items():
            for one in own:
                if one.suggested is not None:
                    answer = AnswerKind.CHANGED if one.suggested.changed else AnswerKind.ACCEPTED
                    given.append((person, one.suggested.maker, answer.value))
    makers = {maker for _, maker, _ in given}
    for maker in makers:
        counts = found.setdefault(maker, SuggestedReadings())
        counts.readings += 1
        counts.people.update({person for person, of_maker, _ in given if of_maker == maker})
    for _, maker, kind in given:
        found[maker].answers[kind] += 1
    return makers


class PrintedSuggestedReadings(TypedDict):
    """Readings in which annotators answered suggestions of a maker, and these answers.

    Attributes:
        undone: acceptances that were undone without a later answer.
    """

    maker: str
    readings: int
    accepted: int
    changed: int
    refused: int
    undone: int


def suggested_as_json(
    found: Mapping[str, SuggestedReadings],
) -> list[PrintedSuggestedReadings]:
    """Return the counts by maker as JSON, sorted by maker."""
    return [
        {
            "maker": maker,
            "readings": work.readings,
            "accepted": work.answers[AnswerKind.ACCEPTED],
            "changed": work.answers[AnswerKind.CHANGED],
            "refused": work.answers[AnswerKind.REFUSED],
            "undone": work.answers[UNDONE],
        }
        for maker, work in sorted(found.items())
    ]
