"""Prints comparisons of suggestions with the spans that people marked, as JSON, CSV or tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from tui_annotate.cli import output
from tui_annotate.cli.output import Column
from tui_annotate.lab.score.span_comparison import SpanComparison, SpanDifference, SpanResult
from tui_annotate.methods.agreement import UndefinedReason
from tui_annotate.methods.bootstrap import Interval
from tui_annotate.methods.calibration import CalibrationResult
from tui_annotate.methods.span_detection import LEVELS, MEASURES, SpanFigure

_DIGITS: Final = 4
_TITLES: Final = {
    "character": "characters",
    "span": "spans",
    "sentence": "sentences",
    "sample": "samples",
}


def spans_as_json(found: SpanComparison) -> dict[str, Any]:
    """Return the comparison of one maker as JSON; an undefined measure is null, with a reason."""
    return {
        "maker": found.maker,
        **_result_as_json(found.result),
        "clean": found.clean,
        "not_run": found.not_run,
        "deleted": found.deleted,
        "suggested": _result_as_json(found.suggested) if found.suggested else None,
        "independent": _result_as_json(found.independent) if found.independent else None,
        "difference": _difference_as_json(found.difference),
        "calibration": calibration_as_json(found.calibration),
        "sentence_calibration": calibration_as_json(found.sentence_calibration),
    }


def span_rows(found: SpanComparison) -> Iterator[dict[str, Any]]:
    """Yield the cells of a row of CSV for each level and measure."""
    for figure in found.result.figures:
        cells = _figure_as_json(figure)
        yield {
            "machine": found.maker,
            "maker": found.maker,
            **cells,
            "measure": f"{figure.level}: {figure.measure}",
            "n": found.result.n,
            "missing": found.not_run + found.deleted,
            "note": cells["undefined"],
        }


def _result_as_json(found: SpanResult) -> dict[str, Any]:
    return {
        "n": found.n,
        "clusters": found.clusters,
        "levels": [
            {
                "level": level,
                "marked_by_machine": said,
                "right": right,
                "marked_by_people": meant,
                "found": hits,
                "measures": _figures_as_json(
                    figure for figure in found.figures if figure.level == level
                ),
            }
            for level, (said, right, meant, hits) in found.counts.items()
        ],
    }


def _figures_as_json(figures: Iterable[SpanFigure]) -> list[dict[str, Any]]:
    return [_figure_as_json(figure) for figure in figures]


def _figure_as_json(figure: SpanFigure) -> dict[str, Any]:
    undefined = isinstance(figure.value, UndefinedReason)
    return {
        "measure": figure.measure,
        "value": None if isinstance(figure.value, UndefinedReason) else round_value(figure.value),
        **bounds_as_json(None if undefined else figure.interval),
        "undefined": figure.value.reason if isinstance(figure.value, UndefinedReason) else "",
    }


def _difference_as_json(found: SpanDifference | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "baseline": found.baseline,
        "n": found.n,
        "clusters": found.clusters,
        "measures": [
            {
                "level": figure.level,
                **_figure_as_json(figure),
                "excludes_zero": bool(figure.interval and figure.interval.excludes_zero),
            }
            for figure in found.figures
        ],
    }


def calibration_as_json(found: CalibrationResult | None) -> dict[str, Any] | None:
    """Return a calibration as JSON; missing values are null."""
    if found is None:
        return None
    return {
        "n": found.n,
        "expected_calibration_error": round_value(found.error),
        "brier": round_value(found.brier),
        **bounds_as_json(found.brier_interval),
        "bins": [
            {
                "from": each.low,
                "to": each.high,
                "n": each.n,
                "mean": round_value(each.mean),
                "observed": round_value(each.observed),
                **bounds_as_json(each.interval),
            }
            for each in found.bins
        ],
    }


def bounds_as_json(interval: Interval | None) -> dict[str, float | None]:
    low, high = interval or (None, None)
    return {"low": round_value(low), "high": round_value(high)}


def round_value(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)


def print_spans(found: SpanComparison) -> None:
    """Print the tables of one maker: measures by level, parts, difference and calibration."""
    result = found.result
    samples = output.many(result.n, "sample")
    output.print_line(
        f"suggestions of {found.maker}: {samples}, {found.clean:,} of them without a suggestion"
    )
    _print_levels(result)
    parts = {
        "on samples where people answered its suggestions": found.suggested,
        "on all other samples": found.independent,
    }
    for name, part in parts.items():
        if part:
            output.print_line("")
            output.print_line(f"{name}: {output.many(part.n, 'sample')}")
            _print_levels(part)
    output.print_line("")
    if found.difference:
        _print_difference(found.difference)
    calibrations = {
        "score of a suggestion, as probability that people marked a part of it": found.calibration,
        "score of a sentence, as probability that people marked a part of it": (
            found.sentence_calibration
        ),
    }
    for title, calibration in calibrations.items():
        if calibration:
            print_calibration(f"{title}:", calibration)
    _print_notes(found)


def _print_levels(result: SpanResult) -> None:
    columns = [Column("")]
    columns += [Column(each, number=True) for each in ("marked", "people", *MEASURES)]
    figures = {(each.level, each.measure): each for each in result.figures}
    output.print_table(
        columns,
        [
            [
                _TITLES[level],
                f"{result.counts[level][0]:,}",
                f"{result.counts[level][2]:,}",
                *(_format_figure(figures[level, measure]) for measure in MEASURES),
            ]
            for level in LEVELS
        ],
    )


def _print_difference(found: SpanDifference) -> None:
    samples = output.many(found.n, "sample")
    output.print_line(f"difference to {found.baseline}, on {samples} for which both ran:")
    columns = [Column(""), Column("measure"), Column("difference", number=True)]
    columns += [Column("95% interval", number=True), Column("")]
    output.print_table(
        columns,
        [
            [
                _TITLES[figure.level],
                figure.measure,
                "-" if isinstance(figure.value, UndefinedReason) else f"{figure.value:+.3f}",
                format_bounds(figure.interval),
                "excludes zero" if figure.interval and figure.interval.excludes_zero else "",
            ]
            for figure in found.figures
        ],
    )
    output.print_line("")


def print_calibration(title: str, found: CalibrationResult) -> None:
    """Print a table of the bins that have cases, and both errors."""
    output.print_line(title)
    columns = [Column("probability")]
    columns += [Column(each, number=True) for each in ("n", "mean", "observed", "95% interval")]
    output.print_table(
        columns,
        [
            [
                f"{each.low:.1f} to {each.high:.1f}",
                f"{each.n:,}",
                format_value(each.mean),
                format_value(each.observed),
                f"{format_value(each.interval.low)} to {format_value(each.interval.high)}"
                if each.interval
                else "-",
            ]
            for each in found.bins
            if each.n
        ],
    )
    error = format_value(found.error)
    brier = format_value(found.brier)
    output.print_line(f"expected calibration error: {error}; Brier score: {brier}")
    output.print_line("")


def format_bounds(interval: Interval | None) -> str:
    return f"{interval.low:+.3f} to {interval.high:+.3f}" if interval else "-"


def format_value(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.2f}"


def _format_figure(figure: SpanFigure) -> str:
    if isinstance(figure.value, UndefinedReason):
        return "-"
    if figure.interval is None:
        return f"{format_value(figure.value)} -"
    low, high = (f"{each:.2f}".lstrip("0") for each in figure.interval)
    return f"{format_value(figure.value)} {low}-{high}"


def _print_notes(found: SpanComparison) -> None:
    say = output.print_message
    if found.not_run:
        samples = output.many(found.not_run, "sample")
        say(f"{found.maker}: excluded: {samples} for which it is not known to have run")
    if found.deleted:
        samples = output.many(found.deleted, "sample")
        say(f"{found.maker}: excluded: {samples} whose suggestions were deleted")
    if not found.clean and found.result.n:
        output.print_problem(
            f"warning: for {found.maker}, no sample is stated in which it found nothing, so that"
            " recall and the measures of samples are too good",
            'state such samples in the file of suggestions: {"sample": ID, "suggestions": []}',
        )
    for reason in _list_reasons(found.result.figures):
        say(f"{found.maker}: no value: {reason}")


def _list_reasons(figures: Sequence[SpanFigure]) -> list[str]:
    reasons = {
        figure.value.reason for figure in figures if isinstance(figure.value, UndefinedReason)
    }
    return sorted(reasons)
