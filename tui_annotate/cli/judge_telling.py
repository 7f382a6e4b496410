"""What judges said, as tables for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tui_annotate.cli import output
from tui_annotate.cli.output import Column

if TYPE_CHECKING:
    from tui_annotate.services.judge import Evaluated, Generated, Sorted

_SHOWN = 20
"""Questions of a table; files hold them all."""


def show_sorted(found: Sequence[Sorted]) -> None:
    """A line for each question, and the means."""
    columns = [
        Column("question", flexible=True),
        *(Column(name, number=True) for name in ("contexts", "useful", "spearman", "overlap")),
        Column("judge's order", flexible=True),
    ]
    rows = [
        [
            each.row.question,
            len(each.row.contexts),
            "" if each.good is None else len(each.good),
            _figure(each.spearman),
            _figure(each.sim),
            each.reason or " ".join(map(str, each.sorted)),
        ]
        for each in found[:_SHOWN]
    ]
    output.table(columns, rows)
    _more(len(found))
    for name, values in (
        ("spearman", [each.spearman for each in found]),
        ("overlap", [each.sim for each in found]),
    ):
        there = [value for value in values if value is not None]
        mean = f"{sum(there) / len(there):.3f}" if there else "-"
        output.line(f"mean {name}: {mean} of {len(there):,}; without: {len(values) - len(there):,}")


def show_generated(found: Sequence[Generated], *, as_json: bool) -> None:
    """A line for each question with its answer, or why there is none."""
    if missing := sum(each.ground_truth is None for each in found):
        output.say(f"without an answer: {output.many(missing, 'question')}")
    if as_json:
        output.as_json([each.as_json() for each in found])
        return
    columns = [Column("question", flexible=True), Column("ground truth", flexible=True)]
    rows = [
        [each.row.question, each.ground_truth or f"- ({each.reason})"] for each in found[:_SHOWN]
    ]
    output.table(columns, rows)
    _more(len(found))


def show_evaluated(found: Sequence[Evaluated], metrics: Sequence[str], *, as_json: bool) -> None:
    """A line for each question, the means, and what was generated first."""
    from tui_annotate.services.judge.evaluate import means

    told = means(found, metrics)
    for what in ("answer", "ground_truth"):
        if made := sum(what in each.generated for each in found):
            output.say(f"generated first: {output.many(made, what.replace('_', ' '))}")
    if as_json:
        averages: dict[str, Any] = {
            name: {"mean": each.mean, "count": each.count, "missing": each.missing}
            for name, each in told.items()
        }
        output.as_json({"means": averages, "rows": [each.as_json() for each in found]})
        return
    columns = [Column("question", flexible=True), *(Column(name, number=True) for name in metrics)]
    rows = [
        [each.row.question, *(_figure(each.scores[name]) for name in metrics)]
        for each in found[:_SHOWN]
    ]
    output.table(columns, rows)
    _more(len(found))
    for name, each in told.items():
        output.line(
            f"mean {name}: {_figure(each.mean)} of {each.count:,}; without: {each.missing:,}"
        )


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _more(count: int) -> None:
    if count > _SHOWN:
        output.say(f"and {output.many(count - _SHOWN, 'question')} more; -o and --json have them")
