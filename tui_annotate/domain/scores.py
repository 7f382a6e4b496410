"""What machines say of samples: runs, and the scores of each; a text that changed has none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from tui_annotate.domain.samples import SampleKey

MOST: Final = 3
"""Scores that a list shows of a sample."""

LABELS: Final = ("right", "wrong", "undecided")
"""How a ranking labels samples."""


class RunKind(StrEnum):
    """What a machine did."""

    SCORE = "score"
    RANK = "rank"
    JUDGE = "judge"
    SUGGEST = "suggest"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRun:
    """One time that a machine gave its opinion on samples of one dataset.

    Attributes:
        maker: who says it: "unigram", "percentile", "judge:MODEL", "import:NAME".
        parameters: values of JSON: options, versions, seed, the host of an endpoint; never keys.
        low: the names of its scores of which a low value is the better supported one.
        at: ISO 8601; the store fills in an empty one.
        by: a person's id; empty for whoever owns the store.
    """

    id: str
    kind: RunKind
    maker: str
    dataset: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    embedder: str = ""
    low: frozenset[str] = frozenset()
    at: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """What one run says of one sample under one name.

    Attributes:
        name: as published: "unigram_overlap_with_answer_score", "faithfulness", "rank".
        value: min-max over the run, in [0, 1]; 0.5 for all where all are equal.
        text: what is said in words: a category, a machine's label, a generated text.
        parts: one for each summary segment, or for each source document, as `of` says.
        of: "segments" or "documents" where there are parts.
        extra: 0 for the sample itself; k for the k-th further generation of its group, which is
            kept with the group's first sample.
    """

    key: SampleKey
    name: str
    raw: float | None = None
    value: float | None = None
    text: str = ""
    parts: tuple[float | None, ...] = ()
    of: str = ""
    extra: int = 0


class Pooling(StrEnum):
    """Unsupported for one of them, for more than half, or for all.

    Source of the first and the last: the table of verdicts of the project FaithBench.
    """

    WORST = "worst"
    MAJORITY = "majority"
    BEST = "best"


def pool_verdicts(words: Sequence[bool], how: Pooling) -> bool | None:
    """Whether it is so, of one word a person; None of no words, and of a majority where half do."""
    yes, no = sum(words), len(words) - sum(words)
    if not words or (how is Pooling.MAJORITY and yes == no):
        return None
    if how is Pooling.MAJORITY:
        return yes > no
    return yes > 0 if how is Pooling.WORST else no == 0


@dataclass(frozen=True, slots=True)
class ScoreSummary:
    """The scores of a row in [0, 1], 1 is well supported, or None; `label` of `LABELS` or empty."""

    values: tuple[float | None, ...]
    label: str = ""


@dataclass(frozen=True, slots=True)
class ScoreSummaries:
    """The scores of a list; `names` are the columns, at most `MOST`."""

    names: tuple[str, ...] = ()
    labelled: bool = False
    of: Mapping[SampleKey, ScoreSummary] = field(default_factory=dict)
