"""What the commands about suggestions show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tui_annotate.cli import output
from tui_annotate.domain.labels import JOINER
from tui_annotate.domain.suggestions import suggestion_to_json

if TYPE_CHECKING:
    from tui_annotate.services.suggest import Counts
    from tui_annotate.storage.suggestion_lists import Listed

_SHORT = 8
"""Characters of a run's id that are shown."""
_COUNTS = ("offered", "open", "passed", "accepted", "changed", "refused")
_RARE = "removed"
"""A count with a column where there is anything to count; names need the room."""
_REASONS = 5


def counted(counts: Counts, *, as_json: bool) -> None:
    """How many suggestions came in."""
    if as_json:
        output.as_json({"added": counts.added, "known": counts.known})
        return
    known = f", {counts.known} were there already" if counts.known else ""
    output.line(f"added {output.many(counts.added, 'suggestion')}{known}")


def _answers(listed: Listed) -> Counter[str]:
    return Counter("removed" if each.open else str(each.answer) for each in listed.answers)


def as_json(listed: Listed, words: str) -> dict[str, Any]:
    """A suggestion with what people made of it, as docs/json.md says."""
    return {
        "dataset": listed.key.dataset,
        "sample": listed.key.id,
        **suggestion_to_json(listed.suggestion),
        "quote": words,
        "seen": listed.seen,
        "answers": dict(sorted(_answers(listed).items())),
        "reasons": [each.reason for each in listed.answers if each.reason],
    }


def table(found: Sequence[tuple[Listed, str]]) -> None:
    """Suggestions, a row each."""
    columns = [
        output.Column("sample", flexible=True),
        output.Column("maker", flexible=True),
        output.Column("run", whole=True),
        output.Column("score"),
        output.Column("label", flexible=True),
        output.Column("words", flexible=True),
        output.Column("answers"),
    ]
    output.table(columns, [_row(listed, words) for listed, words in found])


def _row(listed: Listed, words: str) -> list[str | float]:
    each = listed.suggestion
    answers = ", ".join(f"{count} {kind}" for kind, count in sorted(_answers(listed).items()))
    return [
        str(listed.key),
        each.maker,
        listed.run[:_SHORT],
        "" if each.score is None else f"{each.score:.2f}",
        ", ".join(JOINER.join(path) for path in each.labels),
        words,
        answers,
    ]


def report(found: Mapping[str, Any]) -> None:
    """How suggestions fared: all, by maker, by label, and why they were refused."""
    counts = (*_COUNTS, _RARE) if found[_RARE] else _COUNTS
    _rates("", counts, [{"name": "all", **found}])
    for grouping, title in (("by_maker", "maker"), ("by_label", "label")):
        output.line("")
        _rates(title, counts, found[grouping])
    reasons = list(found["reasons"].items())
    if reasons:
        output.line("")
        columns = [output.Column("refused because", flexible=True), output.Column("", number=True)]
        output.table(columns, [(why or "(no reason)", count) for why, count in reasons[:_REASONS]])
        if len(reasons) > _REASONS:
            output.say(f"and {output.many(len(reasons) - _REASONS, 'other reason')}: see --json")
    output.say("taken: share of answers, with its 95% interval; all but offered count each person")
    output.say("passed: not answered by who finished the sample; open: by who is still at it")


def _rates(title: str, counts: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    columns = [output.Column(title, flexible=True)]
    columns += [output.Column(name, number=True) for name in (*counts, "taken")]
    output.table(
        columns, [[row["name"], *(row[name] for name in counts), _rate(row)] for row in rows]
    )


def _rate(row: Mapping[str, Any]) -> str:
    rate = row["rate"]
    if rate["share"] is None:
        return "-"
    low, high = (f"{100 * rate[bound]:.0f}" for bound in ("low", "high"))
    return f"{100 * rate['share']:.0f}% {low}-{high}"
