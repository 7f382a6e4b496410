"""Right or wrong by scores: thresholds over a whole dataset, then a category and order a question.

Scores come in normalised over the dataset, in [0, 1], where a high one is the better one.

Source: the rankers of the project Dreamcatcher, 4.7 and 4.8 of its code. Here what no score
decides is `undecided`, which there is called all-right; and a question may lack any score.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import median
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

OVERLAP: Final = "unigram_overlap_with_answer_score"
SURPRISE: Final = "top_k_avg_probs_score"
TO_ANSWER: Final = "sim2answer_score"
AMONG: Final = "sim2gen_score"
PROBE: Final = "probe_score"
REWARD: Final = "rm_score"
JUDGED: Final = "gpt_judgement_score"
"""The scores by the names under which they were published."""
SUMMED: Final = (OVERLAP, TO_ANSWER, PROBE, AMONG)
"""What the percentile ranker adds up."""

RANK: Final = "rank"
CATEGORY: Final = "category"
AS_RIGHT: Final = "preferred_as_right"
AS_WRONG: Final = "preferred_as_wrong"
"""What a ranker's own scores are called: its label and margin, the question's category, and where
these differ from the margin, the order of right and of wrong answers."""

Scores = Mapping[str, float]
"""What is known of one answer, by name."""


class Label(StrEnum):
    """What is said of one answer."""

    RIGHT = "right"
    WRONG = "wrong"
    UNDECIDED = "undecided"


class Category(StrEnum):
    """What is said of all answers to a question."""

    ALL_RIGHT = "all-right"
    ALL_WRONG = "all-wrong"
    PARTIAL = "partial-right"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a ranker says of one answer.

    Attributes:
        margin: of the sum of its scores over where the ranker would not know; below, negative.
        value: the same in [0, 1], comparable over questions; 0.5 for no margin.
        as_right, as_wrong: the highest is the best of the right answers, and the first to be shown
            of the wrong ones.
    """

    label: Label
    margin: float | None
    value: float | None
    as_right: float = 0.0
    as_wrong: float = 0.0


def normalised(values: Sequence[float | None]) -> list[float | None]:
    """Values brought to [0, 1] by their least and largest one; 0.5 for all where they are equal.

    None stays None; finite numbers alone come in.
    """
    there = [value for value in values if value is not None]
    low, high = (min(there), max(there)) if there else (0.0, 0.0)
    return [None if value is None else share(value, low, high=high) for value in values]


def share(value: float, low: float, *, high: float) -> float:
    """Where a value lies between two others, 0 at the low one; 0.5 where there is no between."""
    return (value - low) / (high - low) if high > low else 0.5


def thresholds(
    answers: Iterable[Scores], names: Sequence[str], *, up: float, down: float
) -> tuple[dict[str, float], dict[str, float]]:
    """Of each score two percentiles, over all answers that have it.

    Args:
        names: of the scores.
        up, down: percentiles, 0 to 100; between two values they lie on the line that joins them.

    Returns:
        The upper and the lower thresholds by name; a score that no answer has is in neither.
    """
    import numpy as np

    columns: dict[str, list[float]] = {name: [] for name in names}
    for scores in answers:
        for name, values in columns.items():
            if name in scores:
                values.append(scores[name])
    there = {name: values for name, values in columns.items() if values}
    upper = {name: float(np.percentile(values, up)) for name, values in there.items()}
    return upper, {name: float(np.percentile(values, down)) for name, values in there.items()}


def by_percentile(
    answers: Sequence[Scores], *, up: Mapping[str, float], down: Mapping[str, float]
) -> list[Verdict]:
    """Labels of the answers to one question: their sums against the sums of the thresholds.

    Only scores that all of these answers have are added up; without any, nothing is decided.

    Args:
        up, down: as `thresholds` gives them.
    """
    used = [name for name in up if all(name in scores for scores in answers)]
    if not used:
        return [Verdict(Label.UNDECIDED, None, None) for _ in answers]
    most, least = sum(up[name] for name in used), sum(down[name] for name in used)
    sums = [sum(scores[name] for name in used) for scores in answers]
    middle = (most + least) / 2
    return [_verdict(_held(total, most, least=least), total - middle, len(used)) for total in sums]


def _held(total: float, most: float, *, least: float) -> Label:
    if total > most:
        return Label.RIGHT
    return Label.WRONG if total < least else Label.UNDECIDED


def medians(answers: Iterable[Scores]) -> dict[str, float]:
    """Of each score that the length ranker uses, the median over all answers that have it.

    A judge's scores are 0 and 1: theirs is 0.5 whatever they are.
    """
    columns: dict[str, list[float]] = {}
    for scores in answers:
        for name in (OVERLAP, SURPRISE, TO_ANSWER):
            if name in scores:
                columns.setdefault(name, []).append(scores[name])
    return {name: median(values) for name, values in columns.items()} | {JUDGED: 0.5}


def by_length(
    answers: Sequence[Scores],
    lengths: Sequence[int],
    *,
    middles: Mapping[str, float],
    short: int,
) -> list[Verdict]:
    """Labels of the answers to one question by a rule for short and one for long answers.

    A short one is right if its overlap is above the median; a long one if the sum of all that is
    known of it is above the sum of those medians. Without any of these, nothing is decided.

    Args:
        lengths: code points of each answer, less those of the right answer.
        middles: as `medians` gives them.
        short: the length from which an answer is long.
    """
    return [
        _by_length(scores, middles, short=length < short)
        for scores, length in zip(answers, lengths, strict=True)
    ]


def _by_length(scores: Scores, middles: Mapping[str, float], *, short: bool) -> Verdict:
    asked = (OVERLAP,) if short else (OVERLAP, SURPRISE, TO_ANSWER, JUDGED)
    used = [name for name in asked if name in scores and name in middles]
    if not used:
        return Verdict(Label.UNDECIDED, None, None)
    total = sum(scores[name] for name in used)
    middle = sum(middles[name] for name in used)
    reward, like = scores.get(REWARD, 0.0), scores.get(TO_ANSWER, 0.0)
    label = Label.RIGHT if total > middle else Label.WRONG
    made = _verdict(label, total - middle, len(used))
    return replace(made, as_right=reward + like, as_wrong=reward - like)


def _verdict(label: Label, margin: float, scores: int) -> Verdict:
    return Verdict(label, margin, 0.5 + margin / (2 * scores), margin, -margin)


def preference(
    labels: Sequence[Label], *, as_right: Sequence[float], as_wrong: Sequence[float]
) -> tuple[int | None, int | None]:
    """The places of the best right answer and of the wrong one to be shown; the first of equals.

    None where no answer is right, or wrong.
    """
    return _first(labels, as_right, Label.RIGHT), _first(labels, as_wrong, Label.WRONG)


def _first(labels: Sequence[Label], keys: Sequence[float], wanted: Label) -> int | None:
    there = [place for place, label in enumerate(labels) if label is wanted]
    return max(there, key=lambda place: keys[place], default=None)


def category(labels: Sequence[Label]) -> Category:
    """What is said of a question by the labels of its answers; undecided ones do not count."""
    right, wrong = Label.RIGHT in labels, Label.WRONG in labels
    if right and wrong:
        return Category.PARTIAL
    if right or wrong:
        return Category.ALL_RIGHT if right else Category.ALL_WRONG
    return Category.UNDECIDED


def unsure(rewards: Sequence[float | None]) -> int | None:
    """Which of the answers that admit not to know is taken: of the highest reward, else the first.

    None where there are none.
    """
    known = [place for place, reward in enumerate(rewards) if reward is not None]
    if known:
        return max(known, key=lambda place: rewards[place] or 0.0)
    return 0 if rewards else None
