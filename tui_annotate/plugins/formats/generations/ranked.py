"""The answers to one question in the order that people and a ranker give them; the best first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.scores import Score
from tui_annotate.methods.ranking import (
    AS_RIGHT,
    AS_WRONG,
    CATEGORY,
    RANK,
    REWARD,
    Label,
    category,
    preference,
    unsure,
)
from tui_annotate.methods.verdicts import supported
from tui_annotate.plugins.generated import extras

Opinions = Mapping[SampleKey, tuple[Score, ...]]


@dataclass(frozen=True, slots=True)
class Ranked:
    """What is written of a question.

    Attributes:
        category: empty where neither people nor a ranker said anything.
        places: places of the answers in the row's list, the best first, one to three.
    """

    category: str
    places: tuple[int, ...]


def ranked(group: Sequence[Record], opinions: Opinions, *, places: Sequence[int]) -> Ranked | None:
    """The best right answer, one that admits not to know, and a wrong one; each where it is there.

    What people found of an answer goes before what the ranker did.

    Args:
        group: the samples of a question, in their order.
        places: in the row's list: of each sample, then of each of the first sample's extras.

    Returns:
        None where nobody said anything of any of them.
    """
    found = [_by_name(opinions.get(record.sample.key, ())) for record in group]
    labels = [_label(record, scores) for record, scores in zip(group, found, strict=True)]
    if not any(labels) and not any(CATEGORY in scores for scores in found):
        return None
    known = [label or Label.UNDECIDED for label in labels]
    best, worst = preference(
        known,
        as_right=[_raw(scores, AS_RIGHT, 1.0) for scores in found],
        as_wrong=[_raw(scores, AS_WRONG, -1.0) for scores in found],
    )
    between = unsure(_rewards(group[0], opinions))
    chosen = (best, None if between is None else len(group) + between, worst)
    return Ranked(category(known).value, tuple(places[at] for at in chosen if at is not None))


def _by_name(scores: Sequence[Score]) -> dict[str, Score]:
    return {score.name: score for score in scores if not score.extra}


def _label(record: Record, scores: Mapping[str, Score]) -> Label | None:
    said = supported(record)
    if said is not None:
        return Label.RIGHT if said else Label.WRONG
    return Label(scores[RANK].text) if RANK in scores else None


def _raw(scores: Mapping[str, Score], name: str, sign: float) -> float:
    """How good an answer is as the one that is shown; the ranker's margin where it says no more."""
    if name in scores:
        return scores[name].raw or 0.0
    return sign * (scores[RANK].raw or 0.0) if RANK in scores else 0.0


def _rewards(first: Record, opinions: Opinions) -> list[float | None]:
    """The reward of each extra: by a run, else as its file has it."""
    by_run = {
        score.extra: score.raw if score.raw is not None else score.value
        for score in opinions.get(first.sample.key, ())
        if score.name == REWARD and score.extra
    }
    told = [_number(each.get(REWARD)) for each in extras(first.sample)]
    return [by_run.get(number, reward) for number, reward in enumerate(told, 1)]


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None
