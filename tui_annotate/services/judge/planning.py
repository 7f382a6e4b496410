"""What judging would take, before anybody is asked: calls, how many are known, characters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from tui_annotate.plugins.clearly import Tally
from tui_annotate.services.judge.rows import Row
from tui_annotate.services.judge.sitting import Known, Sitting, Unasked


@dataclass(frozen=True, slots=True)
class Expected:
    """Calls, and the characters that they send; both at most, as far as it can be known."""

    calls: int = 0
    characters: int = 0

    def __add__(self, other: Expected) -> Expected:
        """Both together."""
        return Expected(self.calls + other.calls, self.characters + other.characters)

    @classmethod
    def of(cls, sitting: Sitting, prompt: str, row: Row, *, calls: int, texts: int = 0) -> Self:
        """So many calls of a prompt.

        Args:
            texts: characters of all that these calls put into it beside the question.
        """
        frame = len(sitting.prompt(prompt, row.language).text) + len(row.question)
        return cls(calls, calls * frame + texts)


@dataclass(frozen=True, slots=True)
class Plan:
    """What judging some questions would take.

    Attributes:
        rows: questions.
        calls: replies that are needed, at most; those that are cached are among them.
        cached: replies that are known.
        characters: that would be sent for the others: about, as some depend on replies.
    """

    rows: int
    calls: int
    cached: int
    characters: int

    def as_json(self) -> dict[str, Any]:
        """As `--dry-run --json` prints it."""
        return {
            "questions": self.rows,
            "calls": self.calls,
            "cached": self.cached,
            "characters": self.characters,
        }


def plan(
    rows: Sequence[Row],
    sitting: Sitting,
    *,
    deed: Callable[[Row, Sitting], object],
    bound: Callable[[Row, Sitting], Expected],
) -> Plan:
    """Goes as far as the known replies lead, and adds what may come at most; asks nobody.

    Args:
        deed: what would be done with a row.
        bound: what it takes at most.
    """
    calls = cached = characters = 0
    for row in rows:
        walking = unasking(sitting)
        most = bound(row, walking)
        try:
            deed(row, walking)
        except Unasked:
            known = walking.tally.cached
            calls += max(most.calls, known + 1)
            share = known / most.calls if most.calls else 0.0
            characters += round(most.characters * (1 - min(share, 1.0)))
        else:
            calls += walking.tally.cached
        cached += walking.tally.cached
    return Plan(len(rows), calls, cached, characters)


def unasking(sitting: Sitting) -> Sitting:
    """The same sitting with a judge that asks nobody, and counts of its own."""
    return replace(sitting, judge=Known(sitting.judge), tally=Tally(), progress=None)
