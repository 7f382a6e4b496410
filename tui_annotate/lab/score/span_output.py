"""Prints comparisons of suggestions with the spans that people marked, as JSON, CSV or tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any, Final, TypedDict

from tui_annotate.cli import output
from tui_annotate.cli.report_parts import (
    Column,
    Columns,
    Grid,
    MessagePart,
    Part,
    Table,
    number_column,
)
from tui_annotate.lab.score.detection_metrics import ChoiceOrigin
from tui_annotate.lab.score.span_comparison import (
    Counts,
    LeftOut,
    SentenceResult,
    SpanComparison,
    SpanDifference,
    SpanResult,
)
from tui_annotate.methods.agreement import Measured, UndefinedReason
from tui_annotate.methods.bootstrap import TOO_FEW_CLUSTERS, Interval, explain_no_interval
from tui_annotate.methods.calibration import CalibrationBin, CalibrationResult
from tui_annotate.methods.span_detection import MEASURES, WHOLE_SAMPLES, SpanFigure

_DIGITS: Final = 4
_TITLES: Final = {
    "character": "characters",
    "span": "spans",
    "sentence": "sentences",
    "sample": "samples",
}
Cells = dict[str, Any]
"""Cells of a row of CSV, by the name of the column."""


class Bounds(TypedDict):
    """Ends of an interval; null without one."""

    low: float | None
    high: float | None


class PrintedValue(Bounds):
    """A value with its interval.

    Attributes:
        value: null if it is undefined; `undefined` then gives the reason.
        no_interval: why the value has no interval.
    """

    value: float | None
    undefined: str
    no_interval: str


class DetectionMeasure(PrintedValue):
    """A measure with its interval."""

    measure: str


class DetectionDifference(DetectionMeasure):
    """A measure minus that of the baseline.

    Attributes:
        excludes_zero: whether the interval excludes zero.
    """

    excludes_zero: bool


class LevelDifference(DetectionDifference):
    """A measure of a level minus that of the baseline."""

    level: str


class LevelResult(TypedDict):
    """Results for characters, spans, sentences or whole samples.

    Attributes:
        level: `character`, `span`, `sentence` or `sample`.
        n: number of compared samples.
        marked_by_machine: what the machine marked; `right` is the part that people marked, too.
        marked_by_people: what people marked; `found` is the part that the machine marked, too.
    """

    level: str
    n: int
    marked_by_machine: int
    right: int
    marked_by_people: int
    found: int
    measures: list[DetectionMeasure]


class SentenceScores(TypedDict):
    """Scores of sentences as decisions; `n` samples with a score."""

    threshold: float
    threshold_from: str
    n: int
    sentences: int
    clusters: int
    levels: list[LevelResult]


_CalibrationBounds = TypedDict("_CalibrationBounds", {"from": float, "to": float})


class PrintedBin(_CalibrationBounds, Bounds):
    """Probabilities in a range; `observed` is the share of cases that are true."""

    n: int
    mean: float | None
    observed: float | None
    no_interval: str


class PrintedCalibration(Bounds):
    """How well probabilities agree with people; `low` and `high` belong to `brier`."""

    n: int
    clusters: int
    expected_calibration_error: float | None
    brier: float | None
    no_interval: str
    bins: list[PrintedBin]


class SuggestionResult(TypedDict):
    """Results of a maker's suggestions on some samples."""

    n: int
    clusters: int
    levels: list[LevelResult]
    calibration: PrintedCalibration | None
    sentence_calibration: PrintedCalibration | None
    sentence_scores: SentenceScores | None


class SuggestionDifference(TypedDict):
    """Measures minus those of the baseline, on the samples that have both.

    Attributes:
        sentences: number of compared sentences; 0 for suggestions.
        only_one: number of samples that have only one of both, which are excluded.
    """

    baseline: str
    n: int
    sentences: int
    clusters: int
    only_one: int
    measures: list[LevelDifference]


class MakerComparison(SuggestionResult):
    """Suggestions of a maker compared with the spans that people marked.

    Attributes:
        clean: number of the samples in which the maker found nothing.
        without_summary, not_run, deleted: numbers of excluded samples: without a summary, for which
            the maker is not known to have run, and whose suggestions were deleted.
        suggested, independent: results on samples whose human label rests on answers to the maker's
            suggestions, and on all others; null without such samples.
    """

    maker: str
    clean: int
    without_summary: int
    not_run: int
    deleted: int
    left_out: list[Annotated[dict[str, Any], LeftOut]]
    suggested: SuggestionResult | None
    independent: SuggestionResult | None
    difference: SuggestionDifference | None
    sentence_difference: SuggestionDifference | None


def spans_as_json(found: SpanComparison) -> MakerComparison:
    """Return the comparison of one maker as JSON; an undefined measure is null, with a reason."""
    origin = found.threshold_origin
    return {
        "maker": found.maker,
        **_result_as_json(found.result, origin),
        "clean": found.clean,
        "without_summary": found.without_summary,
        "not_run": found.not_run,
        "deleted": found.deleted,
        "left_out": [asdict(each) for each in found.left_out],
        "suggested": _result_as_json(found.suggested, origin) if found.suggested else None,
        "independent": _result_as_json(found.independent, origin) if found.independent else None,
        "difference": _difference_as_json(found.difference),
        "sentence_difference": _difference_as_json(found.sentence_difference),
    }


def span_rows(found: SpanComparison) -> Iterator[Cells]:
    """Yield the cells of each row of CSV: every value that the tables print."""
    maker = {"machine": found.maker, "maker": found.maker}
    whole = {"missing": found.without_summary + found.not_run + found.deleted}
    for prefix, result in _list_parts(found).items():
        for cells in _result_rows(result, found.threshold_origin):
            more = whole if not prefix and "missing" not in cells else {}
            yield {**maker, **more, **cells, "measure": f"{prefix}{cells['measure']}"}
    differences = {
        "difference: ": found.difference,
        "difference: sentence scores: ": found.sentence_difference,
    }
    for prefix, difference in differences.items():
        if difference:
            for cells in _figure_rows(difference):
                note = f"minus {difference.baseline}"
                yield {
                    **maker,
                    **cells,
                    "measure": f"{prefix}{cells['measure']}",
                    "missing": difference.only_one,
                    "note": "; ".join(filter(None, (note, cells["note"]))),
                }
    for each in found.left_out:
        measure = f"left out: {each.what}"
        yield {**maker, "measure": measure, "value": each.count, "note": each.reason}


def _list_parts(found: SpanComparison) -> dict[str, SpanResult]:
    """Return a maker's results on all samples and on parts, by the prefix of their measures."""
    parts = {"": found.result, "suggested: ": found.suggested, "independent: ": found.independent}
    return {prefix: result for prefix, result in parts.items() if result is not None}


def _result_rows(found: SpanResult, origin: ChoiceOrigin) -> Iterator[Cells]:
    yield from _figure_rows(found)
    if scores := found.sentence_scores:
        common = {"better": "low", "threshold": scores.threshold, "threshold_from": origin.value}
        for cells in _figure_rows(scores):
            measure = f"sentence scores: {cells['measure']}"
            yield {**cells, **common, "measure": measure, "missing": None}
    yield from calibration_rows(calibration_as_json(found.calibration), "calibration")
    sentences = calibration_as_json(found.sentence_calibration)
    yield from calibration_rows(sentences, "sentence calibration")


def _figure_rows(found: SpanResult | SentenceResult | SpanDifference) -> Iterator[Cells]:
    for figure in found.figures:
        cells = _figure_as_json(figure, found.clusters)
        yield {
            **cells,
            "measure": f"{figure.level}: {figure.measure}",
            "n": _count_compared(found, figure.level),
            "note": describe_gap(cells),
        }


def _count_compared(found: SpanResult | SentenceResult | SpanDifference, level: str) -> int:
    """Return the number of samples that are compared at a level."""
    return found.n if level == WHOLE_SAMPLES else found.n - found.unplaced


def describe_gap(cells: Mapping[str, Any]) -> str:
    """Return why a measure, as JSON, has no value or no interval; empty if it has both."""
    if cells["undefined"]:
        return str(cells["undefined"])
    return f"no interval: {cells['no_interval']}" if cells["no_interval"] else ""


def calibration_rows(shape: Mapping[str, Any] | None, name: str) -> Iterator[Cells]:
    """Yield rows of CSV of a calibration, as JSON: both errors, and the outcomes of each bin."""
    if shape is None:
        return
    error = shape["expected_calibration_error"]
    common = {"n": shape["n"], "missing": None}
    yield {**common, "measure": f"{name}: expected_calibration_error", "value": error}
    yield {
        **common,
        "measure": f"{name}: brier",
        "value": shape["brier"],
        "low": shape["low"],
        "high": shape["high"],
        "note": f"no interval: {shape['no_interval']}" if shape["no_interval"] else "",
    }
    for each in shape["bins"]:
        if each["n"]:
            yield {
                "measure": f"{name}: observed from {each['from']:.1f} to {each['to']:.1f}",
                "value": each["observed"],
                "low": each["low"],
                "high": each["high"],
                "n": each["n"],
                "missing": None,
                "note": f"mean probability {each['mean']}"
                + (f"; no interval: {each['no_interval']}" if each["no_interval"] else ""),
            }


def _result_as_json(found: SpanResult, origin: ChoiceOrigin) -> SuggestionResult:
    return {
        "n": found.n,
        "clusters": found.clusters,
        "levels": _levels_as_json(found),
        "calibration": calibration_as_json(found.calibration),
        "sentence_calibration": calibration_as_json(found.sentence_calibration),
        "sentence_scores": _sentences_as_json(found.sentence_scores, origin),
    }


def _sentences_as_json(found: SentenceResult | None, origin: ChoiceOrigin) -> SentenceScores | None:
    if found is None:
        return None
    return {
        "threshold": found.threshold,
        "threshold_from": origin.value,
        "n": found.n,
        "sentences": found.sentences,
        "clusters": found.clusters,
        "levels": _levels_as_json(found),
    }


def _levels_as_json(found: SpanResult | SentenceResult) -> list[LevelResult]:
    return [
        {
            "level": level,
            "n": _count_compared(found, level),
            "marked_by_machine": said,
            "right": right,
            "marked_by_people": meant,
            "found": hits,
            "measures": [
                _figure_as_json(figure, found.clusters)
                for figure in found.figures
                if figure.level == level
            ],
        }
        for level, (said, right, meant, hits) in found.counts.items()
    ]


def _figure_as_json(figure: SpanFigure, clusters: int) -> DetectionMeasure:
    return {"measure": figure.measure, **value_as_json(figure.value, figure.interval, clusters)}


def value_as_json(value: Measured, interval: Interval | None, clusters: int) -> PrintedValue:
    """Return a measure as JSON; a missing value or interval is null, with the reason."""
    if isinstance(value, UndefinedReason):
        return {
            "value": None,
            **bounds_as_json(None),
            "undefined": value.reason,
            "no_interval": "",
        }
    return {
        "value": round_value(value),
        **bounds_as_json(interval),
        "undefined": "",
        "no_interval": "" if interval else explain_no_interval(clusters),
    }


def _difference_as_json(found: SpanDifference | None) -> SuggestionDifference | None:
    if found is None:
        return None
    return {
        "baseline": found.baseline,
        "n": found.n,
        "sentences": found.sentences,
        "clusters": found.clusters,
        "only_one": found.only_one,
        "measures": [
            {
                "level": figure.level,
                **_figure_as_json(figure, found.clusters),
                "excludes_zero": bool(figure.interval and figure.interval.excludes_zero),
            }
            for figure in found.figures
        ],
    }


def calibration_as_json(found: CalibrationResult | None) -> PrintedCalibration | None:
    """Return a calibration as JSON; missing values are null."""
    if found is None:
        return None
    return {
        "n": found.n,
        "clusters": found.clusters,
        "expected_calibration_error": round_value(found.error),
        "brier": round_value(found.brier),
        **bounds_as_json(found.brier_interval),
        "no_interval": _explain_no_interval(found.brier, found.brier_interval),
        "bins": [
            {
                "from": each.low,
                "to": each.high,
                "n": each.n,
                "mean": round_value(each.mean),
                "observed": round_value(each.observed),
                **bounds_as_json(each.interval),
                "no_interval": _explain_no_interval(each.observed, each.interval),
            }
            for each in found.bins
        ],
    }


def _explain_no_interval(value: float | None, interval: Interval | None) -> str:
    """Return why a value of a calibration has no interval, if it has a value."""
    return "" if value is None or interval else TOO_FEW_CLUSTERS


def bounds_as_json(interval: Interval | None) -> Bounds:
    """Return an interval's rounded ends as `low` and `high`; both None without an interval."""
    low, high = interval or (None, None)
    return {"low": round_value(low), "high": round_value(high)}


def round_value(value: float | None) -> float | None:
    """Round a measure as JSON has it; None stays None."""
    return None if value is None else round(value, _DIGITS)


def describe_spans(found: SpanComparison) -> Iterator[Part]:
    """Describe the results of one maker: measures by level, parts, difference and calibration."""
    samples = output.many(found.result.n, "sample")
    clean = f", {found.clean:,} of them without a suggestion" if found.result.n else ""
    yield f"suggestions of {found.maker}: {samples}{clean}"
    yield from _describe_result(found.result, found.maker)
    parts = {
        "on samples where people answered its suggestions": found.suggested,
        "on all other samples": found.independent,
    }
    for name, part in parts.items():
        if part:
            yield f"{name}: {output.many(part.n, 'sample')}"
            yield from _describe_result(part, f"{found.maker}, {name}")
    if found.difference:
        yield from _describe_difference(found.difference, "difference")
    if found.sentence_difference:
        sentences = output.many(found.sentence_difference.sentences, "sentence")
        what = f"difference of the scores of {sentences}"
        yield from _describe_difference(found.sentence_difference, what)
    yield from _describe_limits(found)


def _describe_result(found: SpanResult, name: str) -> Iterator[Part]:
    if found.n:
        yield _levels_grid(found.counts, found.figures)
    yield ""
    if scores := found.sentence_scores:
        sentences = output.many(scores.sentences, "sentence")
        yield (
            f"sentence scores of {name}, above {scores.threshold:g}: {sentences} of"
            f" {output.many(scores.n, 'sample')}"
        )
        yield _levels_grid(scores.counts, scores.figures)
        yield ""
    calibrations = {
        "score of a suggestion, as probability that people marked a part of it": found.calibration,
        "score of a sentence, as probability that people marked a part of it": (
            found.sentence_calibration
        ),
    }
    for title, calibration in calibrations.items():
        if calibration:
            yield from describe_calibration(f"{title}:", calibration)


def _levels_grid(counts: Counts, figures: Sequence[SpanFigure]) -> Grid:
    cells = {(each.level, each.measure): _format_figure(each) for each in figures}
    return Grid(
        ["", *map(number_column, ("marked", "people", *MEASURES))],
        [
            [
                _TITLES[level],
                counts[level][0],
                counts[level][2],
                *(cells[level, measure] for measure in MEASURES),
            ]
            for level in counts
        ],
    )


_DIFFERENCES: Final[Columns[SpanFigure]] = (
    Column("", lambda each: _TITLES[each.level]),
    Column("measure"),
    number_column("difference", lambda each: format_difference(each.value)),
    number_column("95% interval", lambda each: format_bounds(each.interval)),
    Column("", lambda each: note_zero(each.interval)),
)


def _describe_difference(found: SpanDifference, what: str) -> Iterator[Part]:
    samples = output.many(found.n, "sample")
    only_one = output.many(found.only_one, "sample")
    line = (
        f"{what} to {found.baseline}, on {samples} for which both ran"
        f" (excluded: {only_one} of only one)"
    )
    if found.n:
        yield f"{line}:"
        yield Table(found.figures, _DIFFERENCES)
    else:
        yield line
    yield ""


_BINS: Final[Columns[CalibrationBin]] = (
    Column("probability", lambda each: f"{each.low:.1f} to {each.high:.1f}"),
    number_column("n"),
    number_column("mean", lambda each: format_value(each.mean)),
    number_column("observed", lambda each: format_value(each.observed)),
    number_column("95% interval", lambda each: _format_interval(each.interval)),
)


def describe_calibration(title: str, found: CalibrationResult) -> Iterator[Part]:
    """Describe the bins that have cases, and both errors."""
    yield title
    yield Table([each for each in found.bins if each.n], _BINS)
    error = format_value(found.error)
    brier = format_value(found.brier)
    if found.brier_interval:
        brier += f" ({_format_interval(found.brier_interval)})"
    yield (
        f"expected calibration error: {error}; Brier score: {brier};"
        f" {output.many(found.n, 'case')} in {output.many(found.clusters, 'cluster')}"
    )
    yield ""


def _format_interval(interval: Interval | None) -> str | None:
    if interval is None:
        return None
    return f"{format_value(interval.low)} to {format_value(interval.high)}"


def format_difference(value: Measured) -> str | None:
    """Format a difference with + or -; None if it is undefined."""
    return None if isinstance(value, UndefinedReason) else f"{value:+.3f}"


def note_zero(interval: Interval | None) -> str:
    """Return a note on a difference whose interval excludes zero, or an empty text."""
    return "excludes zero" if interval and interval.excludes_zero else ""


def format_bounds(interval: Interval | None) -> str:
    """Return the ends of an interval with + or -; "-" without an interval."""
    return f"{interval.low:+.3f} to {interval.high:+.3f}" if interval else "-"


def format_value(value: float | None) -> str:
    """Return a value with three decimals and no leading zero, such as ".123"; "-" for None."""
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


def _describe_limits(found: SpanComparison) -> Iterator[Part]:
    """Describe what is excluded, and why measures have no value or are too good."""
    for each in found.left_out:
        count = output.many(each.count, each.what.removesuffix("s"))
        yield MessagePart(f"{found.maker}: excluded: {count}: {each.reason}")
    if not found.clean and found.result.n:
        yield MessagePart(
            f"warning: for {found.maker}, no sample is stated in which it found nothing, so that"
            " recall and the measures of samples are too good",
            hint='state such samples in the file of suggestions: {"sample": ID, "suggestions": []}',
        )
    for gap in _list_gaps(found):
        yield MessagePart(f"{found.maker}: {gap}")


def _list_gaps(found: SpanComparison) -> list[str]:
    """Return why measures have no value or no interval, each reason once."""
    rows = [
        (figure, each.clusters)
        for part in _list_parts(found).values()
        for each in (part if part.n else None, part.sentence_scores)
        if each
        for figure in each.figures
    ]
    rows += [
        (figure, each.clusters)
        for each in (found.difference, found.sentence_difference)
        if each and each.n
        for figure in each.figures
    ]
    return list_gaps(_figure_as_json(figure, clusters) for figure, clusters in rows)


def list_gaps(figures: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return why measures, as JSON, have no value or no interval, each reason once."""
    gaps = set()
    for each in figures:
        if each["undefined"]:
            gaps.add(f"no value: {each['undefined']}")
        elif each["no_interval"]:
            gaps.add(f"no interval: {each['no_interval']}")
    return sorted(gaps)
