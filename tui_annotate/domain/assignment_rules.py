"""Rules by which a dataset's samples are assigned: pool, extra readers, practice, gold checks."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.errors import InvalidInput


class AssignmentCause(StrEnum):
    """The reason why a person is assigned to a sample.

    `found`: the person began the sample before the dataset had assignments. `pool`: the person
    took the sample from the pool. `escalate`: added because annotators disagreed. `gold`: a sample
    with known answers, which checks the person's accuracy.

    Four causes assign nothing. `result`: a person finished all practice samples. `recompute`: an
    admin compared completed checks with the present answers. `pause`: a rule paused a person whose
    accuracy was too low. `resume`: an admin ended such a pause, or gave one more attempt at
    practice.
    """

    GIVE = "give"
    TOP_UP = "topup"
    MOVE = "move"
    REPEAT = "repeat"
    PRACTICE = "practice"
    POOL = "pool"
    ESCALATE = "escalate"
    FOUND = "found"
    GOLD = "gold"
    RECOMPUTE = "recompute"
    PAUSE = "pause"
    RESUME = "resume"
    RESULT = "result"


class DisagreementRule(StrEnum):
    """What counts as disagreement on a sample, after which the sample gets more annotators.

    `differ`: one annotator marks something and another nothing. `label`: also different labels.
    """

    DIFFER = "differ"
    LABEL = "label"


@dataclass(frozen=True, slots=True)
class Pool:
    """A rule: annotators take a dataset's samples from a pool, each sample up to `overlap` times.

    Attributes:
        order: `by-source`, `ingested`, `random:SEED`, or an order by the scores that existed when
            the rule was created.

    Raises:
        InvalidInput: the overlap is invalid.
    """

    overlap: int
    order: str
    handout: int = 0

    def __post_init__(self) -> None:
        if self.overlap < 1:
            raise InvalidInput(
                f"invalid overlap {self.overlap}", "assign each sample to at least one person"
            )


@dataclass(frozen=True, slots=True)
class Escalation:
    """A rule: assign `add` more people to a completed sample if its annotators disagree.

    Raises:
        InvalidInput: `add` is below 1.
    """

    when: DisagreementRule
    add: int = 1
    handout: int = 0

    def __post_init__(self) -> None:
        if self.add < 1:
            raise InvalidInput(
                f"a sample with disagreement cannot be assigned to {self.add} more people",
                "let the rule add at least one person",
            )


@dataclass(frozen=True, slots=True)
class Practice:
    """A rule that a dataset is for practice; one person's or import's annotations are correct.

    Attributes:
        pass_score: percentage of right items that a person needs to pass; 0 for none.
        attempts: number of times that a person may do the samples; 0 until the person passes.
        hold: whether the work of a person who did not pass is paused after the last attempt.

    Raises:
        InvalidInput: a number is invalid, or attempts have no score to pass.
    """

    person: str = ""
    origin: str = ""
    handout: int = 0
    pass_score: int = 0
    attempts: int = 0
    hold: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.pass_score <= 100:
            raise InvalidInput(
                f"the score {self.pass_score} is not a percentage", "write a number from 0 to 100"
            )
        if self.attempts < 0:
            raise InvalidInput(
                f"{self.attempts} attempts are not possible",
                "allow one or more attempts, or 0 for any number",
            )
        if (self.attempts or self.hold) and not self.pass_score:
            raise InvalidInput(
                "attempts and holding people back need a score to pass", "add --pass PERCENT"
            )


@dataclass(frozen=True, slots=True)
class Gold:
    """A rule: some samples of a dataset have known answers, and are mixed into everyone's work.

    Attributes:
        every: each so many samples of an annotator have one gold sample.
        seed: decides which samples a person gets, in which order; anyone who knows it can compute
            which of them are gold samples. A stored rule has one: a secret one if none was given.
        threshold: percentage of right answers below which there is an alert.
        promoted: gold samples whose answer is the adjudication, whatever the other answers are, and
            the batch that added each of them.
        pause: whether a person below the threshold is also paused, until an admin resumes the work.

    Raises:
        InvalidInput: `every` is below 2, or the threshold is not a percentage.
    """

    samples: Sequence[str]
    person: str = ""
    origin: str = ""
    every: int = 10
    seed: str = ""
    threshold: int = 70
    handout: int = 0
    pause: bool = False
    promoted: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.every < 2:
            raise InvalidInput(
                f"gold samples must be at least 2 samples apart, not {self.every}",
                "make at most every second sample a gold sample",
            )
        if not 0 <= self.threshold <= 100:
            raise InvalidInput(
                f"the threshold {self.threshold} is not a percentage",
                "write a number from 0 to 100",
            )


def labels_disagree(
    views: Sequence[Collection[tuple[LabelPath, ...]]], when: DisagreementRule
) -> bool:
    """Return whether annotators who completed a sample disagree, by the given criterion."""
    if len({bool(view) for view in views}) > 1:
        return True
    tops = {frozenset(path[:1] for labels in view for path in labels) for view in views}
    return when == DisagreementRule.LABEL and len(tops) > 1
