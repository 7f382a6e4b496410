"""Scores of one scoring run, collected in a temporary file, then normalised to [0, 1]."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from tempfile import TemporaryFile
from typing import IO, Final, NamedTuple

from tui_annotate.domain.plural import format_count
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.scores import Score
from tui_annotate.lab.score.ranking import are_equal, relative_position

SEGMENTS: Final = "segments"

_BATCH: Final = 500


class RawScore(NamedTuple):
    """Score of a sample before normalisation; see `domain.scores.Score`."""

    id: str
    name: str
    raw: float | None
    text: str = ""
    parts: Sequence[float | None] = ()
    extra: int = 0


def describe_reason(reasons: Counter[str] | None) -> str:
    """Return the end of a message with the most frequent reason; empty without a reason."""
    if not reasons:
        return ""
    return f"; most frequent reason: {reasons.most_common(1)[0][0]}"


class ScoreValues:
    """The scores of one run in a temporary file, with counts of samples and of values.

    Attributes:
        samples: number of samples with a score, whose value may be missing.
        valued: number of samples with a value of at least one score.
    """

    def __init__(self) -> None:
        self._file: IO[str] = TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115  see `close`
        self._low: dict[str, float] = {}
        self._high: dict[str, float] = {}
        self._unknown: dict[str, int] = {}
        self._reasons: dict[str, Counter[str]] = {}
        self._count: dict[str, int] = {}
        self._parts: dict[str, int] = {}
        self._unknown_parts: dict[str, int] = {}
        self.samples = 0
        self.valued = 0
        self._last = ""
        self._last_valued = ""

    def add(self, scores: Iterable[RawScore]) -> None:
        """Add scores of samples; all scores of one sample must follow each other."""
        checked = map(self._track, scores)
        while some := list(islice(checked, _BATCH)):
            self._file.write(json.dumps(some, ensure_ascii=False) + "\n")

    def _track(self, score: RawScore) -> RawScore:
        """Count a score and extend its range; return it with None for an infinite or NaN value."""
        name = score.name
        raw = score.raw
        self._count[name] = self._count.get(name, 0) + 1
        self._parts[name] = self._parts.get(name, 0) + len(score.parts)
        self._unknown_parts[name] = self._unknown_parts.get(name, 0) + score.parts.count(None)
        if score.id != self._last:
            if score.extra == 0:
                self.samples += 1
            self._last = score.id
        if raw is None or not math.isfinite(raw):
            self._unknown[name] = self._unknown.get(name, 0) + 1
            if score.text:
                self._reasons.setdefault(name, Counter())[score.text] += 1
            return score._replace(raw=None) if raw is not None else score
        if score.extra == 0 and score.id != self._last_valued:
            self.valued += 1
            self._last_valued = score.id
        self._low[name] = min(raw, self._low.get(name, raw))
        self._high[name] = max(raw, self._high.get(name, raw))
        return score

    @property
    def values(self) -> int:
        """Number of scores with a value, over all names."""
        return sum(self._count.values()) - sum(self._unknown.values())

    def missing(self) -> dict[str, int]:
        """Return how many texts have no value, by the name of each score."""
        return {name: self._unknown.get(name, 0) for name in self._count}

    def reasons(self) -> Counter[str]:
        """Return how many missing values have each reason, over all scores."""
        return sum(self._reasons.values(), Counter[str]())

    def scores(self, dataset: str, *, before: Collection[str] = ()) -> Iterator[Score]:
        """Yield all scores with values that are normalised to [0, 1]."""
        self._file.seek(0)
        for line in self._file:
            for values in json.loads(line):
                yield self._normalise(dataset, RawScore(*values), before)

    def _normalise(self, dataset: str, score: RawScore, before: Collection[str]) -> Score:
        name = score.name
        raw = score.raw
        value = None
        if raw is not None:
            value = relative_position(raw, self._low[name], high=self._high[name])
        return Score(
            key=SampleKey(dataset, score.id),
            name=name,
            raw=None if name in before else raw,
            value=value,
            text=score.text,
            parts=tuple(score.parts),
            of=SEGMENTS if score.parts else "",
            extra=score.extra,
        )

    def notes(self) -> Iterator[str]:
        """Yield notes on scores with missing values, and on scores with a constant value."""
        for name, count in self._count.items():
            unknown = self._unknown.get(name, 0)
            if unknown:
                note = f"{name}: no score value for {unknown:,} of {format_count(count, 'text')}"
                yield f"{note}{describe_reason(self._reasons.get(name))}"
            if unknown_parts := self._unknown_parts[name]:
                parts = format_count(self._parts[name], "sentence")
                yield (
                    f"{name}: no value for {unknown_parts:,} of {parts}; a text's score is that of"
                    " the worst of its other sentences"
                )
            if count - unknown > 1 and are_equal(self._low[name], self._high[name]):
                yield f"{name}: all values are {self._low[name]:g}, so each normalised value is 0.5"

    def close(self) -> None:
        """Close and remove the temporary file."""
        self._file.close()
