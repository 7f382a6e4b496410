"""Whether an answer holds a gold answer, as "Lost in the Middle" counts it, and how by position.

Every rule of the original stands as it is, also where it errs; `Rules` mends them one by one.

Source: N. F. Liu et al., "Lost in the Middle" (2023), and its programs; the normal form is that of
SQuAD (P. Rajpurkar et al., 2016).
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from tui_annotate.domain.positions import ANSWER, Row, Task, golds, task
from tui_annotate.methods.boundaries import HAN
from tui_annotate.methods.intervals import wilson

_PUNCTUATION: Final = dict.fromkeys(map(ord, string.punctuation))
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_ALONE = re.compile(rf"[{HAN}]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Where the metric departs from the original; as it stands, nowhere.

    Attributes:
        whole_words: a gold answer counts where no word goes on at its edges: "cat" is not in
            "category". A Han character is a word.
        first_filled: the first line with something in it is read; else the first line, also where
            it is empty.
        skip_empty: gold answers of which nothing is left in the normal form are passed over;
            else they are in every answer.
    """

    whole_words: bool = False
    first_filled: bool = False
    skip_empty: bool = False


ORIGINAL: Final = Rules()


def normalised(text: str) -> str:
    """Lower case, without the 32 signs of ASCII and the three articles, blanks between words."""
    bare = text.lower().translate(_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", bare).split())


def line_read(answer: str, *, filled: bool = False) -> str:
    """The line of an answer that is scored: the first, or the first that is not blank."""
    if filled:
        answer = answer.lstrip()
    return answer.split("\n")[0].strip()


def best_subspan_em(answer: str, golds: Iterable[str], *, rules: Rules = ORIGINAL) -> float:
    """1.0 where the normal form of any gold answer is in that of the answer, else 0.0.

    Args:
        answer: all of it is looked at; the original cuts it by `line_read` first.
        golds: with none of them the score is 0.0.
    """
    form = normalised(answer)
    return float(any(_held(normalised(gold), form, rules) for gold in golds))


def _held(gold: str, form: str, rules: Rules) -> bool:
    if not gold:
        return not rules.skip_empty
    return _at_borders(gold, form) if rules.whole_words else gold in form


def _at_borders(gold: str, form: str) -> bool:
    at = form.find(gold)
    while at >= 0:
        end = at + len(gold)
        if not (_goes_on(form[at - 1 : at], gold[0]) or _goes_on(gold[-1], form[end : end + 1])):
            return True
        at = form.find(gold, at + 1)
    return False


def _goes_on(before: str, after: str) -> bool:
    """Whether a word goes on from one character to the next; not where either is missing."""
    return all(each.isalnum() and not _ALONE.match(each) for each in (before, after))


def key_value_accuracy(answer: str, value: str) -> float:
    """1.0 where the value is in the answer, case aside, else 0.0; all of the answer is read."""
    return float(value.lower() in answer.lower())


def empty_golds(golds: Iterable[str]) -> int:
    """How many gold answers are nothing in the normal form, and so in every answer."""
    return sum(not normalised(gold) for gold in golds)


def scored(row: Row, *, rules: Rules = ORIGINAL) -> float | None:
    """The score of a row with a model's answer; None where it has none.

    With `skip_empty` also None for a question all of whose gold answers are nothing.

    Raises:
        InvalidInput: a field is not what it must be.
    """
    said = row.get(ANSWER)
    if not isinstance(said, str):
        return None
    right = golds(row)
    if task(row) is Task.KV:
        return key_value_accuracy(said, *right)
    if rules.skip_empty and right and empty_golds(right) == len(right):
        return None
    return best_subspan_em(line_read(said, filled=rules.first_filled), right, rules=rules)


@dataclass(frozen=True, slots=True)
class Bar:
    """What was scored at one position.

    Attributes:
        n: rows.
        hits: those with the score 1.0.
        unanswered: rows besides, without an answer.
        fails: rows with an answer that is not right, or none: people's word goes before the score.
    """

    n: int
    hits: int
    unanswered: int = 0
    fails: int = 0

    @property
    def mean(self) -> float | None:
        """In [0, 1]; None for no rows."""
        return self.hits / self.n if self.n else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's 95 % interval of the mean; None for no rows."""
        return wilson(self.hits, self.n) if self.n else None


def together(bars: Sequence[Bar]) -> Bar:
    """All rows as if of one position."""
    return Bar(
        sum(bar.n for bar in bars),
        sum(bar.hits for bar in bars),
        sum(bar.unanswered for bar in bars),
        sum(bar.fails for bar in bars),
    )
