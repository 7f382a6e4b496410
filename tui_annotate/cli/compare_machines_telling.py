"""Machines against people as a table and a chart within 80 columns, and as CSV."""

from __future__ import annotations

import csv
import io
from typing import Final

from tui_annotate.cli import charts, output
from tui_annotate.cli.charts import Lying
from tui_annotate.cli.output import Column
from tui_annotate.methods.agreement import Undefined
from tui_annotate.methods.detection import Figure
from tui_annotate.services.compare import Comparison, Machine, shapes
from tui_annotate.services.compare.cases import Told

_TITLES: Final = {
    "balanced_accuracy": "bal.acc",
    "f1_macro": "F1",
    "f1_unsupported": "F1 uns.",
    "auc": "AUC",
    "kappa": "kappa",
}
_NAMES: Final = {
    "balanced_accuracy": "balanced accuracy",
    "f1_macro": "F1, mean of both kinds",
    "f1_unsupported": "F1 of unsupported samples",
    "auc": "area under the curve",
    "kappa": "Cohen's kappa",
}
_SCALES: Final[dict[str, tuple[float, float, float | None]]] = {
    "balanced_accuracy": (0.0, 1.0, 0.5),
    "f1_macro": (0.0, 1.0, None),
    "f1_unsupported": (0.0, 1.0, None),
    "auc": (0.0, 1.0, 0.5),
    "kappa": (-1.0, 1.0, 0.0),
}
"""The ends of a measure's scale, and what guessing gives where that is one value."""


def print_csv(found: Comparison) -> None:
    """A row for each machine and measure."""
    written = io.StringIO(newline="")
    csv.writer(written, lineterminator="\n").writerows([shapes.COLUMNS, *shapes.rows(found)])
    output.text(written.getvalue())


def show(found: Comparison, *, charted: str) -> None:
    """Table and chart on standard output, and on standard error what is to be known of them."""
    judged = output.many(found.unsupported + found.supported, "sample")
    output.line(f"{judged} of {found.samples:,}: {found.unsupported:,} unsupported")
    output.line("")
    columns = [Column("machine", flexible=True), Column("n", number=True)]
    columns += [Column(each, number=True) for each in (*_TITLES.values(), "threshold")]
    output.table(columns, [_row(each) for each in found.machines])
    output.line("")
    output.line(f"{_NAMES[charted]}, 95% intervals:")
    least, most, chance = _SCALES[charted]
    lying = [_lying(each, charted) for each in found.machines]
    charts.intervals(lying, least=least, most=most, chance=chance)
    output.line("")
    _legend(found)


def _row(machine: Machine) -> list[str]:
    values = (_digits(machine.detected.figures[name]) for name in _TITLES)
    return [machine.name, f"{machine.n:,}", *values, _cut(machine)]


def _cut(machine: Machine) -> str:
    """Below or above which a value is called unsupported; a star where these samples chose it."""
    if machine.threshold is None:
        return "-"
    star = "*" if machine.cut is Told.FOUND else ""
    return f"{'>' if machine.low else '<'} {machine.threshold:.4g}{star}"


def _lying(machine: Machine, measure: str) -> Lying:
    figure = machine.detected.figures[measure]
    between = figure.interval
    if isinstance(figure.value, Undefined) or between is None:
        value = None if isinstance(figure.value, Undefined) else figure.value
        return Lying(machine.name, _digits(figure), value)
    told = f"{_digits(figure)}  {_short(between.low)} to {_short(between.high)}"
    return Lying(machine.name, told, figure.value, between.low, between.high)


def _legend(found: Comparison) -> None:
    asked, say = found.asked, output.say
    labels = ", ".join(asked.unwanted) or "any label but Benign"
    whom = {"people": f"of all readers, pooled by {asked.pool}", "settled": "that review settled"}
    say(f"unsupported: {labels}, {whom.get(asked.against, f'of {asked.against}')}")
    for what, reason, count in shapes.left_out(found):
        say(f"left out: {output.many(count, what.removesuffix('s'))}: {reason}")
    for machine in found.machines:
        if machine.missing:
            odd = f", {machine.odd:,} of them with something that is no number" * bool(machine.odd)
            say(f"{machine.name}: {output.many(machine.missing, 'sample')} without a value{odd}")
    chosen = [each.name for each in found.machines if each.direction is Told.FOUND]
    if chosen:
        say(f"direction found on these samples: {', '.join(chosen)}; --low or --high says it")
    if any(each.cut is Told.FOUND for each in found.machines):
        say("* threshold chosen on these samples by balanced accuracy: figures flatter it")
    reasons = {
        figure.value.reason
        for each in found.machines
        for figure in each.detected.figures.values()
        if isinstance(figure.value, Undefined)
    }
    for reason in sorted(reasons):
        say(f"no value: {reason}")
    told = shapes.BOOTSTRAP
    say(f"intervals: {told['draws']:,} draws of whole groups of samples, seed {told['seed']}")


def _digits(figure: Figure) -> str:
    """To three digits; a dash where there is none."""
    return "-" if isinstance(figure.value, Undefined) else _short(figure.value)


def _short(value: float) -> str:
    return f"{value:.3f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.2f}"
