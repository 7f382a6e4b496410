"""Machine scores of samples, and the computations (runs) that made them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from tui_annotate.domain.samples import SampleKey

MOST: Final = 3
"""Maximum number of machine scores that a list shows for each sample."""

LABELS: Final = ("right", "wrong", "undecided")
"""Labels that the command `lab scores rank` gives to samples."""


GROUND_TRUTH: Final = "ground_truth"
"""Name under which a reference answer is stored with a sample, or as the text of its score."""

GENERATED_TEXTS: Final = frozenset({GROUND_TRUTH})
"""Names of stored texts that a machine wrote; their number is 1 for a text and 0 for none."""


class RunKind(StrEnum):
    """What a machine computed for samples: scores, a ranking, verdicts, or suggestions."""

    SCORE = "score"
    RANK = "rank"
    JUDGE = "judge"
    SUGGEST = "suggest"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRun:
    """One computation of scores or suggestions by a machine for the samples of a dataset.

    Attributes:
        maker: the machine: "unigram", "percentile", "judge:MODEL", "import:NAME".
        parameters: JSON values: options, versions, seed, the endpoint's host; never API keys.
        low: names of scores whose low values mean better supported samples.
        by: a person's id; empty for the operator.
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
    """The value of one metric for one sample, computed by a machine.

    Attributes:
        name: published name: "unigram_overlap_with_answer_score", "faithfulness", "rank".
        value: min-max normalized over the run, in [0, 1]; 0.5 if all values are equal.
        parts: one value for each summary segment or each source document, according to `of`.
        of: "segments" or "documents"; empty without `parts`.
        extra: 0 for the sample itself; k for the k-th further generation of its group, which is
            stored with the group's first sample.
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
    """The rule that combines people's verdicts: one, more than half, or all are "unsupported".

    Source of `worst` and `best`: the table of verdicts of the project FaithBench.
    """

    WORST = "worst"
    MAJORITY = "majority"
    BEST = "best"


def pool_verdicts(words: Sequence[bool], how: Pooling) -> bool | None:
    """Combine people's yes/no verdicts; None if the majority is tied or there are no verdicts."""
    yes = sum(words)
    no = len(words) - sum(words)
    if not words or (how is Pooling.MAJORITY and yes == no):
        return None
    if how is Pooling.MAJORITY:
        return yes > no
    return yes > 0 if how is Pooling.WORST else no == 0


@dataclass(frozen=True, slots=True)
class ScoreSummary:
    """The displayed scores of one sample, in [0, 1]; 1 means well supported, None no score."""

    values: tuple[float | None, ...]
    label: str = ""


@dataclass(frozen=True, slots=True)
class ScoreSummaries:
    """The displayed machine scores of a list of samples, with at most three score names."""

    names: tuple[str, ...] = ()
    labelled: bool = False
    of: Mapping[SampleKey, ScoreSummary] = field(default_factory=dict)
