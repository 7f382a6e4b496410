"""What came of an evaluation as values of JSON."""

from __future__ import annotations

from typing import Any

from tui_annotate.methods.position import Bar
from tui_annotate.services.position.evaluating import Evaluation


def as_json(found: Evaluation) -> dict[str, Any]:
    """As docs/json.md says."""
    people = found.people
    return {
        "by": [each.value for each in found.by],
        "groups": [
            dict(zip((each.value for each in found.by), place, strict=True)) | _bar(bar)
            for place, bar in found.groups
        ],
        "all": _bar(found.all),
        "people": None
        if people is None
        else {
            "judged": people.judged,
            "both": people.both,
            "metric_alone": people.metric_alone,
            "people_alone": people.people_alone,
            "neither": people.neither,
            "open": people.open,
            "kappa": people.kappa,
        },
        "empty_golds": found.empty_golds,
        "unscored": found.unscored,
        "left_out": found.left_out,
    }


def _bar(bar: Bar) -> dict[str, Any]:
    low, high = bar.interval or (None, None)
    return {
        "n": bar.n,
        "correct": bar.hits,
        "mean": bar.mean,
        "low": low,
        "high": high,
        "unanswered": bar.unanswered,
        "fail": bar.fails,
    }
