"""How suggestions fared with people: what was offered, seen, taken and refused, with intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from tui_annotate.domain.labels import JOINER
from tui_annotate.domain.suggestions import Answer
from tui_annotate.methods.intervals import wilson
from tui_annotate.storage.suggestion_lists import Listed

NO_LABEL: Final = "(none)"
_REMOVED: Final = "removed"
_KINDS: Final = (*(each.value for each in Answer), _REMOVED)


@dataclass(slots=True)
class _Tally:
    """Counts of one maker, or of one label; all but `offered` count each person for themselves."""

    offered: int = 0
    seen: int = 0
    passed: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    def take(self, listed: Listed) -> None:
        """Counts a suggestion with all answers to it."""
        self.offered += 1
        self.seen += listed.seen
        self.passed += listed.passed
        for each in listed.answers:
            # What was taken and removed afterwards is not taken.
            self.answers[_REMOVED if each.open else str(each.answer)] += 1
            if each.answer is Answer.REFUSED:
                self.reasons[each.reason] += 1

    def as_json(self) -> dict[str, Any]:
        """As values of JSON, in fixed order; reasons by how often they were given."""
        answered = self.answers.total()
        taken = self.answers[Answer.ACCEPTED] + self.answers[Answer.CHANGED]
        low, high = wilson(taken, answered)
        return {
            "offered": self.offered,
            "seen": self.seen,
            "open": self.seen - answered - self.passed,
            "passed": self.passed,
            **{kind: self.answers[kind] for kind in _KINDS},
            "reasons": dict(sorted(self.reasons.items(), key=lambda each: (-each[1], each[0]))),
            "rate": {"share": taken / answered if answered else None, "low": low, "high": high},
        }


def report(listed: Iterable[Listed]) -> dict[str, Any]:
    """The counts of all, by maker and by label, as JSON values; a label of several counts for each.

    `rate` is the share of answers by which a suggestion was taken, with or without changes, and
    stands; with its 95 % interval, which holds answers for independent of each other.
    """
    whole, makers, labels = _Tally(), dict[str, _Tally](), dict[str, _Tally]()
    for each in listed:
        names = [JOINER.join(path) for path in each.suggestion.labels] or [NO_LABEL]
        whole.take(each)
        makers.setdefault(each.suggestion.maker, _Tally()).take(each)
        for name in names:
            labels.setdefault(name, _Tally()).take(each)
    return {
        **whole.as_json(),
        "by_maker": [{"name": name, **one.as_json()} for name, one in sorted(makers.items())],
        "by_label": [{"name": name, **one.as_json()} for name, one in sorted(labels.items())],
    }
