"""Prints a comparison of scores with human labels as JSON, CSV, or a table with a chart."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final, NamedTuple, TypedDict, cast

from tui_annotate.cli import charts, output
from tui_annotate.cli.charts import ValueInterval
from tui_annotate.cli.intervals import describe_intervals
from tui_annotate.cli.report_parts import (
    Cell,
    Grid,
    MessagePart,
    Part,
    flexible_column,
    number_column,
)
from tui_annotate.cli.suggested_work import describe_suggested_work
from tui_annotate.domain.suggested_work import PrintedSuggestedReadings, suggested_as_json
from tui_annotate.lab.score.comparison import (
    BaselineDifference,
    Comparison,
    MachineComparison,
)
from tui_annotate.lab.score.detection_metrics import ChoiceOrigin, DetectionFigure
from tui_annotate.lab.score.span_output import (
    DetectionDifference,
    DetectionMeasure,
    MakerComparison,
    PrintedCalibration,
    calibration_as_json,
    calibration_rows,
    describe_calibration,
    describe_gap,
    describe_spans,
    format_bounds,
    format_difference,
    list_gaps,
    note_zero,
    span_rows,
    spans_as_json,
    value_as_json,
)
from tui_annotate.methods.agreement import UndefinedReason
from tui_annotate.methods.bootstrap import PARAMETERS, are_few
from tui_annotate.methods.calibration import CalibrationResult
from tui_annotate.services.agreement.output import BootstrapParameters, PrintedExclusion

COLUMNS: Final = (
    "machine",
    "maker",
    "measure",
    "value",
    "low",
    "high",
    "n",
    "missing",
    "better",
    "direction",
    "threshold",
    "threshold_from",
    "note",
)

_BENIGN: Final = "Benign"
_DIGITS: Final = 4


class ReadingsPerSample(TypedDict):
    """Number of samples whose human verdict rests on a number of readings."""

    readings: int
    samples: int


class CalibrationOfScore(PrintedCalibration):
    """Calibration of a score as a probability; `of` is `supported` or `unsupported`."""

    of: str


class ScoreResult(TypedDict):
    """Results of a score on some samples."""

    n: int
    clusters: int
    measures: list[DetectionMeasure]
    calibration: CalibrationOfScore | None


class ScoreDifference(TypedDict):
    """Measures minus those of the baseline, on the `n` samples that have both.

    Attributes:
        only_one: number of samples that have only one of both, which are excluded.
    """

    baseline: str
    n: int
    clusters: int
    only_one: int
    measures: list[DetectionDifference]


class PrintedMachine(ScoreResult):
    """A score compared with human verdicts.

    Attributes:
        maker, run: maker and run of the score; empty for a column.
        missing: number of samples without a number, including `not_numbers`.
        better: the end of the scale that means supported: `high` or `low`.
        direction: `given`, or `found` on these samples.
        threshold_from: `given`, `found`, or `only` if the score has just two values.
        suggested, independent: results on samples whose human label rests on answers to the
            machine's own suggestions, and on all others; null without such samples.
    """

    name: str
    maker: str
    run: str
    missing: int
    not_numbers: int
    better: str
    direction: str
    threshold: float | None
    threshold_from: str
    hits: int
    misses: int
    false_alarms: int
    passes: int
    suggested: ScoreResult | None
    independent: ScoreResult | None
    difference: ScoreDifference | None


class PrintedScoreComparison(TypedDict):
    """Scores and suggestions of machines compared with human verdicts.

    Attributes:
        unwanted: the requested labels; empty for all labels except Benign.
        benign: labels of the label set that mean supported by default.
        judged: number of samples with a human verdict.
        unsupported, supported: numbers of samples with this human verdict.
        suggested_work: readings with answers to suggestions, also if they are excluded.
        without_values: names of scores that are not compared, because no sample with a human
            verdict has a value.
    """

    dataset: str
    against: str
    unwanted: list[str]
    benign: list[str]
    pool: str
    unmarked_clean: bool
    samples: int
    judged: int
    unsupported: int
    supported: int
    readings: list[ReadingsPerSample]
    clusters: int
    few_clusters: bool
    baseline: str
    without_suggested_work: bool
    suggested_work: list[PrintedSuggestedReadings]
    bootstrap: BootstrapParameters
    machines: list[PrintedMachine]
    suggestions: list[MakerComparison]
    without_values: list[str]
    left_out: list[PrintedExclusion]


def as_json(found: Comparison) -> PrintedScoreComparison:
    """Return a comparison as JSON; an undefined measure is null, its reason is in `undefined`."""
    options = found.options
    return {
        "dataset": options.dataset,
        "against": options.against,
        "unwanted": list(options.unsupported_labels),
        "benign": list(found.benign),
        "pool": options.aggregate.value,
        "unmarked_clean": options.unmarked_clean,
        "samples": found.samples,
        "judged": found.unsupported + found.supported,
        "unsupported": found.unsupported,
        "supported": found.supported,
        "readings": [
            {"readings": readings, "samples": samples}
            for readings, samples in found.readings.items()
        ],
        "clusters": found.clusters,
        "few_clusters": are_few(found.clusters),
        "baseline": options.baseline,
        "without_suggested_work": options.without_suggested_work,
        "suggested_work": suggested_as_json(found.suggested),
        "bootstrap": cast("BootstrapParameters", PARAMETERS),
        "machines": [_machine_as_json(each) for each in found.machines],
        "suggestions": [spans_as_json(each) for each in found.spans],
        "without_values": list(found.without_values),
        "left_out": [
            {"what": what, "reason": reason, "count": count}
            for what, reason, count in left_out(found)
        ],
    }


def left_out(found: Comparison) -> Iterator[tuple[str, str, int]]:
    """Yield (kind, reason, count) of excluded samples, and of excluded work of annotators."""
    for what, counts in {"samples": found.unjudged, "readings": found.ignored_readings}.items():
        for reason, count in counts.items():
            yield what, reason, count


def csv_rows(found: Comparison) -> Iterator[tuple[str | float, ...]]:
    """Yield a CSV row for each score and measure; cells without a value are empty."""
    for machine in found.machines:
        yield from map(_fill_row, _machine_rows_of_csv(machine))
    for compared in found.spans:
        yield from map(_fill_row, span_rows(compared))
    for name in found.without_values:
        note = "none of these samples has a value"
        yield _fill_row({"machine": name, "measure": "left out: score", "value": 1, "note": note})
    for what, reason, count in left_out(found):
        yield _fill_row({"measure": f"left out: {what}", "value": count, "note": reason})


def _fill_row(cells: Mapping[str, Any]) -> tuple[str | float, ...]:
    return tuple("" if cells.get(name) is None else cells[name] for name in COLUMNS)


def _machine_rows_of_csv(machine: MachineComparison) -> Iterator[dict[str, Any]]:
    values = _machine_as_json(machine)
    common = {"machine": machine.name, **values}
    parts = {"": values, "suggested: ": values["suggested"], "independent: ": values["independent"]}
    for prefix, part in parts.items():
        if part is None:
            continue
        for each in part["measures"]:
            yield {
                **common,
                **each,
                "measure": f"{prefix}{each['measure']}",
                "n": part["n"],
                "note": describe_gap(each),
            }
        for cells in calibration_rows(part["calibration"], "calibration"):
            yield {**common, **cells, "measure": f"{prefix}{cells['measure']}"}
    if difference := values["difference"]:
        for each in difference["measures"]:
            note = f"minus {difference['baseline']}"
            yield {
                **common,
                **each,
                "measure": f"difference: {each['measure']}",
                "n": difference["n"],
                "missing": difference["only_one"],
                "note": "; ".join(filter(None, (note, describe_gap(each)))),
            }
    if machine.not_numbers:
        note = "the value is not a number"
        yield {
            "machine": machine.name,
            "measure": "left out: values",
            "value": machine.not_numbers,
            "note": note,
        }


def _machine_as_json(machine: MachineComparison) -> PrintedMachine:
    how = machine.detected
    return {
        "name": machine.name,
        "maker": machine.maker,
        "run": machine.run,
        "n": machine.n,
        "missing": machine.missing,
        "not_numbers": machine.not_numbers,
        "better": "low" if machine.low else "high",
        "direction": machine.direction.value,
        "threshold": machine.threshold,
        "threshold_from": machine.threshold_origin.value,
        "hits": how.hits,
        "misses": how.misses,
        "false_alarms": how.alarms,
        "passes": how.passes,
        "clusters": how.clusters,
        "measures": _figures_as_json(how.figures, how.clusters),
        "suggested": _part_as_json(machine, own=True),
        "independent": _part_as_json(machine, own=False),
        "difference": _difference_as_json(machine.difference),
        "calibration": _calibration_as_json(machine, machine.calibration),
    }


def _figures_as_json(
    figures: Mapping[str, DetectionFigure], clusters: int
) -> list[DetectionMeasure]:
    return [
        {"measure": name, **value_as_json(figure.value, figure.interval, clusters)}
        for name, figure in figures.items()
    ]


def _part_as_json(machine: MachineComparison, *, own: bool) -> ScoreResult | None:
    """Return the results on samples with the machine's own suggestions, or on all others."""
    split = machine.split
    if split is None:
        return None
    part = split.suggested if own else split.independent
    calibration = split.suggested_calibration if own else split.independent_calibration
    return {
        "n": part.hits + part.misses + part.alarms + part.passes,
        "clusters": part.clusters,
        "measures": _figures_as_json(part.figures, part.clusters),
        "calibration": _calibration_as_json(machine, calibration),
    }


def _difference_as_json(found: BaselineDifference | None) -> ScoreDifference | None:
    if found is None:
        return None
    measures: list[DetectionDifference] = [
        {**each, "excludes_zero": bool(figure.interval and figure.interval.excludes_zero)}
        for each, figure in zip(
            _figures_as_json(found.figures, found.clusters), found.figures.values(), strict=True
        )
    ]
    return {
        "baseline": found.baseline,
        "n": found.n,
        "clusters": found.clusters,
        "only_one": found.only_one,
        "measures": measures,
    }


def _calibration_as_json(
    machine: MachineComparison, found: CalibrationResult | None
) -> CalibrationOfScore | None:
    shape = calibration_as_json(found)
    if shape is None:
        return None
    return {"of": "unsupported" if machine.low else "supported", **shape}


class _MeasureStyle(NamedTuple):
    """Display of a measure: titles, range, and its value for random guesses (None if it varies)."""

    title: str
    name: str
    least: float = 0.0
    most: float = 1.0
    chance: float | None = None


_STYLES: Final = {
    "balanced_accuracy": _MeasureStyle("bal.acc", "balanced accuracy", chance=0.5),
    "f1_macro": _MeasureStyle("F1", "mean F1 of supported and unsupported"),
    "f1_unsupported": _MeasureStyle("F1 uns.", "F1 of unsupported samples"),
    "auc": _MeasureStyle("AUC", "area under the ROC curve", chance=0.5),
    "kappa": _MeasureStyle("kappa", "Cohen's kappa", least=-1.0, chance=0.0),
}


def format_csv(found: Comparison) -> str:
    """Return all measures as CSV with a header, one row for each measure."""
    written = io.StringIO(newline="")
    csv.writer(written, lineterminator="\n").writerows([COLUMNS, *csv_rows(found)])
    return written.getvalue()


def describe_comparison(found: Comparison, *, charted: str) -> Iterator[Part]:
    """Describe a comparison as tables, a chart and notes.

    Args:
        charted: name of the measure whose values and intervals are drawn.
    """
    judged = output.many(found.unsupported + found.supported, "sample")
    yield f"judged: {judged} of {found.samples:,}; unsupported: {found.unsupported:,}"
    yield ""
    if found.machines:
        yield from _describe_machines(found, charted=charted)
    for compared in found.spans:
        yield from describe_spans(compared)
    yield from _describe_scope(found)


def _describe_machines(found: Comparison, *, charted: str) -> Iterator[Part]:
    titles = ("n", *(style.title for style in _STYLES.values()), "threshold")
    rows = [row for each in found.machines for row in _machine_rows(each)]
    yield Grid([flexible_column("machine"), *map(number_column, titles)], rows)
    yield ""
    style = _STYLES[charted]
    yield f"{style.name}, 95% intervals:"
    yield partial(
        charts.print_intervals,
        [_chart_interval(each, charted) for each in found.machines],
        least=style.least,
        most=style.most,
        chance=style.chance,
    )
    yield ""
    yield from _describe_differences(found)
    for each in found.machines:
        what = "unsupported" if each.low else "supported"
        calibrations = {"": each.calibration}
        if each.split:
            calibrations |= {
                " on samples with its suggestions": each.split.suggested_calibration,
                " without": each.split.independent_calibration,
            }
        for part, calibration in calibrations.items():
            if calibration:
                title = f"calibration of {each.name}{part}, as probability that a sample is {what}:"
                yield from describe_calibration(title, calibration)


def _machine_rows(machine: MachineComparison) -> Iterator[list[Cell]]:
    """Yield the row of a score, and below it the rows of its parts, if it made suggestions."""
    parts = {machine.name: machine.detected}
    if machine.split:
        parts |= {
            "  with its suggestions": machine.split.suggested,
            "  without": machine.split.independent,
        }
    for name, part in parts.items():
        yield [
            name,
            part.hits + part.misses + part.alarms + part.passes,
            *(_format_figure(part.figures[measure]) for measure in _STYLES),
            _format_threshold(machine),
        ]


def _describe_differences(found: Comparison) -> Iterator[Part]:
    compared = [(each, each.difference) for each in found.machines if each.difference]
    if not compared:
        return
    yield (
        f"difference to {found.options.baseline}, on samples that have both; excluded are samples"
        " that have only one:"
    )
    rows: list[list[Cell]] = [
        [
            each.name,
            difference.n,
            difference.only_one,
            _STYLES[measure].title,
            format_difference(figure.value),
            format_bounds(figure.interval),
            note_zero(figure.interval),
        ]
        for each, difference in compared
        if difference.n
        for measure, figure in difference.figures.items()
    ]
    yield Grid(
        [
            flexible_column("machine"),
            number_column("n"),
            number_column("excluded"),
            "measure",
            number_column("difference"),
            number_column("95% interval"),
            "",
        ],
        rows,
    )
    for each, difference in compared:
        if not difference.n:
            yield f"{each.name}: no sample has both"
    yield ""


def _format_threshold(machine: MachineComparison) -> str:
    """Format a threshold as `< 0.5`; a star marks one that was chosen on the compared samples."""
    if machine.threshold is None:
        return "-"
    star = "*" if machine.threshold_origin is ChoiceOrigin.FOUND else ""
    return f"{'>' if machine.low else '<'} {machine.threshold:.4g}{star}"


def _chart_interval(machine: MachineComparison, measure: str) -> ValueInterval:
    figure = machine.detected.figures[measure]
    between = figure.interval
    if isinstance(figure.value, UndefinedReason) or between is None:
        value = None if isinstance(figure.value, UndefinedReason) else figure.value
        return ValueInterval(machine.name, _format_figure(figure), value)
    text = (
        f"{_format_figure(figure)}  {_format_value(between.low)} to {_format_value(between.high)}"
    )
    return ValueInterval(machine.name, text, figure.value, between.low, between.high)


def _describe_scope(found: Comparison) -> Iterator[Part]:
    """Describe what counts as unsupported, what is excluded, and what limits the results."""
    options = found.options
    labels = ", ".join(options.unsupported_labels) or _name_default_labels(found)
    whom = {
        "people": f"the labels of all annotators, combined by the rule {options.aggregate}",
        "adjudicated": "adjudication",
    }
    yield MessagePart(
        f"unsupported: {labels}, according to {whom.get(options.against, options.against)}"
    )
    if not options.unsupported_labels and not found.benign:
        yield MessagePart(
            "the label set has no label Benign: all of its labels count as unsupported; choose with"
            " --unsupported-label"
        )
    if len(found.readings) > 1:
        counts = (f"{count:,} with {readings:,}" for readings, count in found.readings.items())
        yield MessagePart(f"judged samples by number of readings: {', '.join(counts)}")
    for what, reason, count in left_out(found):
        yield MessagePart(f"excluded: {output.many(count, what.removesuffix('s'))}: {reason}")
    for name in found.without_values:
        yield MessagePart(f"not compared: {name}: none of these samples has a value")
    for machine in found.machines:
        if machine.missing:
            missing = f"{output.many(machine.missing, 'sample')} without a value"
            if machine.not_numbers:
                not_numbers = output.many(machine.not_numbers, "sample")
                missing += f" (including {not_numbers} whose value is not a number)"
            yield MessagePart(f"{machine.name}: {missing}")
    chosen = [each.name for each in found.machines if each.direction is ChoiceOrigin.FOUND]
    if chosen:
        yield MessagePart(
            "these samples determined whether low or high values are better for: "
            f"{', '.join(chosen)}; set this with --lower-is-better or --higher-is-better"
        )
    if any(each.threshold_origin is ChoiceOrigin.FOUND for each in found.machines):
        yield MessagePart(
            "* this threshold is the best one for these samples: the measures are optimistic"
        )
    for gap in list_gaps(_list_figures(found)):
        yield MessagePart(gap)
    yield from describe_suggested_work(found.suggested, excluded=options.without_suggested_work)
    yield from describe_intervals(_count_clusters(found))


def _list_figures(found: Comparison) -> Iterator[Mapping[str, Any]]:
    """Yield the printed measures of all machines, as JSON."""
    for each in found.machines:
        values = _machine_as_json(each)
        for part in (values, values["suggested"], values["independent"], values["difference"]):
            if part is not None:
                yield from part["measures"]


def _count_clusters(found: Comparison) -> dict[str, int]:
    """Return the number of clusters of each printed result, by its name."""
    clusters: dict[str, int] = {}
    for machine in found.machines:
        parts = {machine.name: machine.detected}
        if machine.split:
            parts[f"{machine.name} with its suggestions"] = machine.split.suggested
            parts[f"{machine.name} without"] = machine.split.independent
        clusters |= {name: part.clusters for name, part in parts.items() if part.clusters}
    for compared in found.spans:
        results = {
            compared.maker: compared.result,
            f"{compared.maker} with its suggestions": compared.suggested,
            f"{compared.maker} without": compared.independent,
        }
        for name, result in results.items():
            if result is None:
                continue
            if result.clusters:
                clusters[name] = result.clusters
            if result.sentence_scores:
                clusters[f"{name}, sentence scores"] = result.sentence_scores.clusters
    return clusters


def _name_default_labels(found: Comparison) -> str:
    if not found.benign:
        return "samples with any label"
    former = "" if _BENIGN in found.benign else f" (formerly {_BENIGN})"
    return f"samples with any label but {', '.join(found.benign)}{former}"


def _format_figure(figure: DetectionFigure) -> str:
    return "-" if isinstance(figure.value, UndefinedReason) else _format_value(figure.value)


def _format_value(value: float) -> str:
    return f"{value:.3f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.2f}"
