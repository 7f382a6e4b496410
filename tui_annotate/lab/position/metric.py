"""Metric of the study "Lost in the Middle": whether an answer contains a right answer.

Every rule of the original is implemented, errors included; `MatchRules` corrects them one by one.
Unlike in the original, the thinking of a model is not a part of its answer.

Source: N. F. Liu et al., "Lost in the Middle" (2023), and its programs; the normal form is that of
SQuAD (P. Rajpurkar et al., 2016).
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Final

from tui_annotate.domain.keyword_names import check_field_names
from tui_annotate.lab.chat.thinking import remove_thinking
from tui_annotate.lab.position.study_rows import (
    ANSWER,
    Row,
    StudyTask,
    expected_answers,
    parse_task,
)
from tui_annotate.methods.intervals import cluster_interval, wilson_interval
from tui_annotate.methods.sentence_boundaries import HAN

_PUNCTUATION: Final = dict.fromkeys(map(ord, string.punctuation))
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_HAN = re.compile(rf"[{HAN}]")


@check_field_names(first_filled="first_line")
@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRules:
    """Optional corrections of the metric of "Lost in the Middle"; none is the default."""

    whole_words: bool = False
    first_line: bool = False
    skip_empty: bool = False
    keep_thinking: bool = False


ORIGINAL: Final = MatchRules()


def normalise_answer(text: str) -> str:
    """Return a text in lower case, without ASCII punctuation, articles and repeated blanks."""
    bare = text.lower().translate(_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", bare).split())


def scored_line(answer: str, *, filled: bool = False) -> str:
    """Return the line of an answer that is scored: the first, or the first that is not blank."""
    if filled:
        answer = answer.lstrip()
    return answer.split("\n")[0].strip()


def best_subspan_em(answer: str, golds: Iterable[str], *, rules: MatchRules = ORIGINAL) -> float:
    """Return 1.0 if the normalised answer contains any normalised right answer, else 0.0.

    The whole answer is compared; the original first selects a line with `scored_line`.
    """
    form = normalise_answer(answer)
    for gold in map(normalise_answer, golds):
        if not gold:
            found = not rules.skip_empty
        else:
            found = _contains_words(gold, form) if rules.whole_words else gold in form
        if found:
            return 1.0
    return 0.0


def _contains_words(gold: str, form: str) -> bool:
    at = form.find(gold)
    while at >= 0:
        end = at + len(gold)
        if not (
            _continues_word(form[at - 1 : at], gold[0])
            or _continues_word(gold[-1], form[end : end + 1])
        ):
            return True
        at = form.find(gold, at + 1)
    return False


def _continues_word(before: str, after: str) -> bool:
    """Return whether two characters belong to one word; False if either is missing."""
    return all(each.isalnum() and not _HAN.match(each) for each in (before, after))


def key_value_accuracy(answer: str, value: str) -> float:
    """Return 1.0 if an answer contains a value, ignoring case; else 0.0."""
    return float(value.lower() in answer.lower())


def count_empty_golds(golds: Iterable[str]) -> int:
    """Count right answers whose normal form is empty, so that they match every answer."""
    return sum(not normalise_answer(gold) for gold in golds)


def score_row(row: Row, *, rules: MatchRules = ORIGINAL) -> float | None:
    """Return the score of a position study's row; None without a model's answer or a gold answer.

    With `skip_empty`, empty gold answers are not compared.

    Raises:
        InvalidInput: a field is invalid.
    """
    answer = row.get(ANSWER)
    if not isinstance(answer, str):
        return None
    if not rules.keep_thinking:
        answer = remove_thinking(answer)
    right = expected_answers(row)
    if parse_task(row) is StudyTask.KV:
        return key_value_accuracy(answer, *right)
    if rules.skip_empty and right and count_empty_golds(right) == len(right):
        return None
    return best_subspan_em(scored_line(answer, filled=rules.first_line), right, rules=rules)


class IntervalMethod(StrEnum):
    """How the interval of a mean score was computed."""

    WILSON = "wilson"
    BY_QUESTION = "wilson-by-question"
    BOOTSTRAP = "bootstrap"


@dataclass(frozen=True)  # no slots: the interval is cached
class PositionScore:
    """Counts of right and wrong answers at one position of the fact in the prompt.

    Attributes:
        questions: numbers of scored and of right answers, by the id of the question; empty if each
            answer belongs to a question of its own.
        mixed: whether the answers are those of several models or kinds of prompt, which have no
            common mean.
    """

    n: int
    hits: int
    unanswered: int = 0
    fails: int = 0
    questions: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    mixed: bool = False

    @property
    def mean(self) -> float | None:
        """Mean score of the answers, in [0, 1]; None without rows, and for mixed answers."""
        return self.hits / self.n if self.n and not self.mixed else None

    @property
    def clustered(self) -> bool:
        """Whether a question has several answers, which are not independent of each other."""
        return 0 < len(self.questions) < self.n

    @cached_property
    def interval(self) -> tuple[float, float] | None:
        """95 % interval of the mean score; None without a mean.

        Wilson's interval if each answer belongs to a question of its own. Otherwise the bootstrap
        resamples whole questions; None for fewer than three questions. If all questions have the
        same share of right answers, resampling has no width, so the interval is Wilson's with each
        question as one case.
        """
        if self.mean is None:
            return None
        if not self.clustered:
            return wilson_interval(self.hits, self.n)
        return cluster_interval(self.questions.values())

    @property
    def method(self) -> IntervalMethod:
        """How `interval` is computed."""
        if not self.clustered:
            return IntervalMethod.WILSON
        shares = {hits / n for n, hits in self.questions.values()}
        return IntervalMethod.BOOTSTRAP if len(shares) > 1 else IntervalMethod.BY_QUESTION


def combine_scores(bars: Sequence[PositionScore], *, mixed: bool = False) -> PositionScore:
    """Add up counts; `mixed`: the result has no mean."""
    questions: dict[str, tuple[int, int]] = {}
    for bar in bars:
        for name, (n, hits) in bar.questions.items():
            before_n, before_hits = questions.get(name, (0, 0))
            questions[name] = (before_n + n, before_hits + hits)
    return PositionScore(
        n=sum(bar.n for bar in bars),
        hits=sum(bar.hits for bar in bars),
        unanswered=sum(bar.unanswered for bar in bars),
        fails=sum(bar.fails for bar in bars),
        questions=questions,
        mixed=mixed or any(bar.mixed for bar in bars),
    )
