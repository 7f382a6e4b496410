"""Rules that label answers as right, wrong or undecided, by thresholds on their scores.

A question gets a category from the labels of its answers. The thresholds are computed over a whole
dataset. Scores are normalised over the dataset, in [0, 1]; high scores are better.

Source: the rankers of the project Dreamcatcher, 4.7 and 4.8 of its code. An answer that no score
decides is `undecided` here, while Dreamcatcher calls it all-right. A question may lack any score.
"""

from __future__ import annotations

import math
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
TO_OTHERS: Final = "sim2gen_score"
PROBE: Final = "probe_score"
REWARD: Final = "rm_score"
JUDGED: Final = "gpt_judgement_score"
"""Names of the scores of answers, as the project Dreamcatcher published them."""
SUMMED: Final = (OVERLAP, TO_ANSWER, PROBE, TO_OTHERS)

RANK: Final = "rank"
CATEGORY: Final = "category"
AS_RIGHT: Final = "preferred_as_right"
AS_WRONG: Final = "preferred_as_wrong"
"""Names of the scores that store an answer's rank, category and preference as right or wrong."""

Scores = Mapping[str, float]


class AnswerLabel(StrEnum):
    """Label that a ranking gives to an answer."""

    RIGHT = "right"
    WRONG = "wrong"
    UNDECIDED = "undecided"


class AnswerCategory(StrEnum):
    """Category of a question, from the labels of all its answers."""

    ALL_RIGHT = "all-right"
    ALL_WRONG = "all-wrong"
    PARTIAL = "partial-right"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class AnswerVerdict:
    """The label that a rule gave to one answer by its scores.

    Attributes:
        margin: sum of the scores minus the middle between both thresholds; None without scores.
        value: margin scaled to [0, 1]; None without scores.
        as_right, as_wrong: sort keys, highest first, among right and wrong answers.
        unused: number of scores that the rule needs and that are missing.
    """

    label: AnswerLabel
    margin: float | None
    value: float | None
    as_right: float = 0.0
    as_wrong: float = 0.0
    unused: int = 0


def normalise_values(values: Sequence[float | None]) -> list[float | None]:
    """Scale finite values to [0, 1] by minimum and maximum; None stays, equal ones give 0.5."""
    there = [value for value in values if value is not None]
    low, high = (min(there), max(there)) if there else (0.0, 0.0)
    return [None if value is None else relative_position(value, low, high=high) for value in values]


def relative_position(value: float, low: float, *, high: float) -> float:
    """Return the position of a value between two bounds, in [0, 1]; 0.5 for equal bounds.

    Bounds that differ only by rounding count as equal; see `are_equal`.
    """
    return 0.5 if are_equal(low, high) else (value - low) / (high - low)


def are_equal(low: float, high: float) -> bool:
    """Return whether two values are the same but for the rounding of numbers in single precision.

    The tolerance is relative, so that scores of any unit keep their differences.
    """
    return math.isclose(low, high, rel_tol=1e-6, abs_tol=1e-12)


def compute_thresholds(
    answers: Iterable[Scores], names: Sequence[str], *, up: float, down: float
) -> tuple[dict[str, float], dict[str, float]]:
    """Compute two percentiles of each score over all answers that have the score.

    Percentiles are 0 to 100 and interpolated. Return the upper and lower thresholds by name of the
    score, without scores that no answer has.
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


def label_by_percentile(
    answers: Sequence[Scores], *, up: Mapping[str, float], down: Mapping[str, float]
) -> list[AnswerVerdict]:
    """Label answers by the sums of the scores that all of them have; undecided without any."""
    used = [name for name in up if all(name in scores for scores in answers)]
    unused = len(up) - len(used)
    if not used:
        return [AnswerVerdict(AnswerLabel.UNDECIDED, None, None, unused=unused) for _ in answers]
    most = sum(up[name] for name in used)
    least = sum(down[name] for name in used)
    sums = [sum(scores[name] for name in used) for scores in answers]
    middle = (most + least) / 2
    verdicts = [
        _make_verdict(_label_of(total, most, least=least), total - middle, len(used))
        for total in sums
    ]
    return [replace(each, unused=unused) for each in verdicts]


def _label_of(total: float, most: float, *, least: float) -> AnswerLabel:
    if total > most:
        return AnswerLabel.RIGHT
    return AnswerLabel.WRONG if total < least else AnswerLabel.UNDECIDED


def compute_medians(answers: Iterable[Scores]) -> dict[str, float]:
    """Compute the median of each score over all answers; 0.5 for a judge's scores."""
    columns: dict[str, list[float]] = {}
    for scores in answers:
        for name in (OVERLAP, SURPRISE, TO_ANSWER):
            if name in scores:
                columns.setdefault(name, []).append(scores[name])
    return {name: median(values) for name, values in columns.items()} | {JUDGED: 0.5}


def label_by_length(
    answers: Sequence[Scores],
    lengths: Sequence[int],
    *,
    medians: Mapping[str, float],
    short: int,
) -> list[AnswerVerdict]:
    """Label the answers to one question, by different rules for short and for long answers.

    A short answer is right if its overlap is above the median. A long answer is right if the sum of
    its known scores is above the sum of their medians. An answer without scores is undecided.

    Reward and similarity order the right and the wrong answers; one that any answer lacks is
    ignored for all answers to the question.

    `lengths`: code points of each answer minus those of the right answer. `short`: the smallest
    length of a long answer.
    """
    # A missing value must not count as 0, which would be above a negative reward.
    common = {name for name in (REWARD, TO_ANSWER) if all(name in scores for scores in answers)}
    verdicts = []
    for scores, length in zip(answers, lengths, strict=True):
        made = _label_one_by_length(scores, medians, short=length < short)
        if made.margin is not None:
            reward = scores[REWARD] if REWARD in common else 0.0
            like = scores[TO_ANSWER] if TO_ANSWER in common else 0.0
            made = replace(made, as_right=reward + like, as_wrong=reward - like)
        verdicts.append(made)
    return verdicts


def _label_one_by_length(
    scores: Scores, medians: Mapping[str, float], *, short: bool
) -> AnswerVerdict:
    asked = (OVERLAP,) if short else (OVERLAP, SURPRISE, TO_ANSWER, JUDGED)
    used = [name for name in asked if name in scores and name in medians]
    # Every dataset has a threshold of the judge's scores; without any such score none is missing.
    unused = sum(name in medians and name != JUDGED and name not in scores for name in asked)
    if not used:
        return AnswerVerdict(AnswerLabel.UNDECIDED, None, None, unused=unused)
    total = sum(scores[name] for name in used)
    middle = sum(medians[name] for name in used)
    label = AnswerLabel.RIGHT if total > middle else AnswerLabel.WRONG
    return replace(_make_verdict(label, total - middle, len(used)), unused=unused)


def _make_verdict(label: AnswerLabel, margin: float, scores: int) -> AnswerVerdict:
    return AnswerVerdict(label, margin, 0.5 + margin / (2 * scores), margin, -margin)


def choose_preference(
    labels: Sequence[AnswerLabel], *, as_right: Sequence[float], as_wrong: Sequence[float]
) -> tuple[int | None, int | None]:
    """Return the indices of the best right and the best wrong answer; None without one."""
    right = _best_of(labels, as_right, AnswerLabel.RIGHT)
    wrong = _best_of(labels, as_wrong, AnswerLabel.WRONG)
    return right, wrong


def _best_of(
    labels: Sequence[AnswerLabel], keys: Sequence[float], wanted: AnswerLabel
) -> int | None:
    there = [place for place, label in enumerate(labels) if label is wanted]
    return max(there, key=lambda place: keys[place], default=None)


def categorise(labels: Sequence[AnswerLabel]) -> AnswerCategory:
    """Return a question's category, such as all-right, by its answers that are not undecided."""
    right = AnswerLabel.RIGHT in labels
    wrong = AnswerLabel.WRONG in labels
    if right and wrong:
        return AnswerCategory.PARTIAL
    if right or wrong:
        return AnswerCategory.ALL_RIGHT if right else AnswerCategory.ALL_WRONG
    return AnswerCategory.UNDECIDED


def choose_unsure_answer(rewards: Sequence[float | None]) -> int | None:
    """Return the index of the highest reward, 0 if all are None; None without answers."""
    known = [place for place, reward in enumerate(rewards) if reward is not None]
    if known:
        return max(known, key=lambda place: rewards[place] or 0.0)
    return 0 if rewards else None
