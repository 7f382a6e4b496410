"""Describes an agreement report as tables that fit 80 columns, or as CSV."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tui_annotate.cli import output
from tui_annotate.cli.intervals import describe_intervals
from tui_annotate.cli.report_parts import (
    Column,
    Columns,
    MessagePart,
    NotePart,
    Part,
    Table,
    flexible_column,
    number_column,
)
from tui_annotate.cli.suggested_work import describe_suggested_work
from tui_annotate.domain.assignments import State
from tui_annotate.domain.people import base_person
from tui_annotate.domain.samples import SampleKey
from tui_annotate.methods.agreement import Measured, UndefinedReason
from tui_annotate.methods.bootstrap import FEWEST, Interval, explain_no_interval
from tui_annotate.services.agreement import Agreement, AgreementComparison, ReviewedWork
from tui_annotate.services.agreement import output as report_output
from tui_annotate.services.agreement.compared_readings import other_state_reason
from tui_annotate.services.agreement.disagreements import Disagreement
from tui_annotate.services.agreement.figures import AgreementFigure, PairFigures, find_quoted_figure
from tui_annotate.services.agreement.label_order import format_labels

_QUOTED: Final = "*"
"""Mark of the value to quote."""
_PAIR_SIZE: Final = 2
_SENTENCE_LEVEL: Final = "segment"
_EVIDENCE_LEVEL: Final = "evidence"
_LEVELS: Final = {_SENTENCE_LEVEL: "sentence"}
_UNITS: Final = {
    "pairs of readings with a span": "pairs with a span",
    "pairs of spans, both with evidence": "both with evidence",
    "pairs of spans, one or both with evidence": "pairs with evidence",
}
"""Short names of units, so that the table fits 80 columns."""
_LEVEL_OBJECTS: Final = {
    "sample": "samples",
    _SENTENCE_LEVEL: "sentences",
    "span": "spans",
    "cited": "spans in cited documents",
    "label": "labels of overlapping spans",
}
_MEASURES: Final = {
    "percent": "share equal",
    "cohen_kappa": "Cohen's kappa",
    "fleiss_kappa": "Fleiss' kappa",
    "alpha_nominal": "alpha, nominal",
    "alpha_ordinal": "alpha, ordinal",
    "f1_exact": "F1, exact",
    "f1_trimmed": "F1, trimmed",
    "f1_character": "F1, characters",
    "f1_overlap": "F1, any overlap",
    "same_passage": "same passage",
    "overlap": "any overlap",
    "only_one": "only on one span",
    "kappa_linear": "kappa, linear",
    "kappa_quadratic": "kappa, quadratic",
}
_PAIRS_LEGEND: Final = (
    "n: samples that both people read; same: share of these with the same most",
    "severe label; kappa: Cohen's kappa of these labels; trimmed, chars, overlap:",
    "F1 of the marked spans; spans: pairs of overlapping spans; label: share of",
    "these pairs with the same label.",
)
_RATED_PAIRS_LEGEND: Final = (
    "rated: samples that both people rated; same: share of these with the same",
    "rating; kappa, linear and quadratic: weighted kappa of these ratings.",
)
_DISAGREEMENTS_LEGEND: Final = (
    "first, second: labels or ratings of the first and of the second person for the",
    "same words or sample; nothing: no overlapping span; differ: how often, of all",
    "spans of both people, or of all samples that both rated.",
)
_MOST_SAMPLES: Final = 3
"""Maximum number of samples to name for each disagreement; `--json` names all samples."""
_MOST_NAMED: Final = 4
"""Maximum number of people named in the title of a table."""


def format_csv(found: Agreement) -> str:
    """Return an agreement report as CSV: a header, then one row for each statistic."""
    written = io.StringIO(newline="")
    csv.writer(written, lineterminator="\n").writerows(
        [report_output.COLUMNS, *report_output.output_rows(found)]
    )
    return written.getvalue()


def describe_agreement(
    found: Agreement, *, pairs: bool, disagreements: bool = False
) -> Iterator[Part]:
    """Describe an agreement report as tables and notes.

    Args:
        pairs: whether to include a table with the agreement of each pair of people.
        disagreements: whether to include a table of what each pair did differently.
    """
    for compared in (found.together, found.oneself):
        if not compared.samples:
            continue
        yield _describe_comparison(found, compared)
        yield ""
        quoted = find_quoted_figure(compared.figures)
        yield Table(compared.figures, _measure_columns(quoted))
        yield ""
        if quoted:
            yield from _describe_quoted(quoted)
        if pairs:
            yield _pairs_table(found, compared)
            yield from _PAIRS_LEGEND
            yield ""
            yield from _describe_rated_pairs(found, compared)
        if disagreements:
            yield from _describe_disagreements(found, compared)
        yield from _describe_gaps(compared)
    if not found.together.samples and not found.oneself.samples:
        yield MessagePart(
            "nothing to compare: no sample has two readings that are"
            f" {State(found.asked.state).display_name}"
        )
        if found.left.work[other_state_reason(State.NEW, State.DONE)]:
            yield MessagePart(
                "  hint: to compare samples in the state 'new', such as imported work,"
                " add --state new"
            )
    yield from _describe_scope(found)
    if found.together.samples or found.oneself.samples:
        yield NotePart("docs/agreement.md explains the levels, the measures and the intervals")


def _describe_comparison(found: Agreement, compared: AgreementComparison) -> str:
    people = sorted(found.names[each] for each in compared.people if base_person(each) == each)
    names = output.join_names(people, most=_MOST_NAMED)
    samples = output.many(compared.samples, "sample")
    if compared is found.oneself:
        return f"agreement of annotators with themselves on {samples} that they read twice: {names}"
    readers = "both annotators" if len(people) == _PAIR_SIZE else "two or more annotators"
    return f"agreement on {samples} that {readers} read: {names}"


def _describe_quoted(figure: AgreementFigure) -> Iterator[str]:
    interval = " with its interval" if figure.interval else ""
    alike = "the same label to the same sentence"
    if figure.level != _SENTENCE_LEVEL:
        alike = "similar ratings to the same sample"
    yield f"{_QUOTED} Quote this value{interval}: it answers the most common question,"
    yield f"  whether annotators give {alike} more"
    yield "  often than by chance."
    yield ""


def _name_level(figure: AgreementFigure) -> str:
    return _LEVELS.get(figure.level, figure.level)


def _name_measure(figure: AgreementFigure) -> str:
    return _MEASURES.get(figure.measure, figure.measure)


def _measure_columns(quoted: AgreementFigure | None) -> Columns[AgreementFigure]:
    def measure(figure: AgreementFigure) -> str:
        return f"{_name_measure(figure)} {_QUOTED}" if figure is quoted else _name_measure(figure)

    return (
        Column("level", _name_level),
        Column("measure", measure),
        number_column("value", lambda each: _format_value(each.value)),
        number_column("95% interval", lambda each: _format_interval(each.interval)),
        number_column("n"),
        flexible_column("units", lambda each: _UNITS.get(each.of, each.of)),
    )


def _pairs_table(found: Agreement, compared: AgreementComparison) -> Table[PairFigures]:
    return Table(
        compared.pairs,
        (
            flexible_column("people", lambda pair: _name_pair(found, pair)),
            number_column("n", "samples"),
            number_column("same", lambda pair: _format_value(pair.percent)),
            number_column("kappa", lambda pair: _format_value(pair.kappa)),
            number_column("trimmed", lambda pair: _format_value(pair.spans["trimmed"])),
            number_column("chars", lambda pair: _format_value(pair.spans["character"])),
            number_column("overlap", lambda pair: _format_value(pair.spans["overlap"])),
            number_column("spans", "matched"),
            number_column("label", lambda pair: _format_value(pair.matched_percent)),
        ),
    )


def _describe_rated_pairs(found: Agreement, compared: AgreementComparison) -> Iterator[Part]:
    rated = [pair for pair in compared.pairs if pair.rated]
    if not rated:
        return
    columns: Columns[PairFigures] = (
        flexible_column("people", lambda pair: _name_pair(found, pair)),
        number_column("rated"),
        number_column("same", lambda pair: _format_value(pair.rating_percent)),
        number_column("kappa, linear", lambda pair: _format_value(pair.rating_linear)),
        number_column("quadratic", lambda pair: _format_value(pair.rating_quadratic)),
    )
    yield Table(rated, columns)
    yield from _RATED_PAIRS_LEGEND
    yield ""


def _describe_disagreements(found: Agreement, compared: AgreementComparison) -> Iterator[Part]:
    columns: Columns[Disagreement] = (
        flexible_column("people", lambda each: _name_pair(found, each)),
        Column("first", lambda each: format_labels(each.labels)[0]),
        Column("second", lambda each: format_labels(each.labels)[1]),
        Column("level"),
        number_column("differ", lambda each: f"{each.count:,} of {each.of:,}"),
        flexible_column("samples", lambda each: _name_samples(each.samples)),
    )
    if compared.disagreements:
        yield Table(compared.disagreements, columns)
        yield from _DISAGREEMENTS_LEGEND
    else:
        yield "no disagreements"
    yield ""


def _name_pair(found: Agreement, pair: PairFigures | Disagreement) -> str:
    return ", ".join(report_output.pair_names(found, pair))


def _name_samples(samples: Sequence[SampleKey]) -> str:
    return output.join_names([str(key) for key in samples], most=_MOST_SAMPLES)


def _describe_gaps(compared: AgreementComparison) -> Iterator[Part]:
    """Describe why measures have no value or are limited, each reason once."""
    notes: dict[tuple[str, str], list[str]] = {}
    for each in compared.figures:
        of = _LEVEL_OBJECTS.get(each.level, each.level)
        if reason := report_output.missing_value_reason(each.value):
            notes.setdefault((of, f"no value, as {reason}"), []).append(_name_measure(each))
        if each.note:
            notes.setdefault((of, each.note), []).append(_name_measure(each))
    sizes = Counter(_LEVEL_OBJECTS.get(each.level, each.level) for each in compared.figures)
    for (of, note), measures in notes.items():
        every = sizes[of] == len(measures)
        which = "all measures" if every else " and ".join(measures)
        if of == _EVIDENCE_LEVEL and not every:
            yield MessagePart(f"evidence {which}: {note}")
        else:
            yield MessagePart(f"{which} of {of}: {note}")
    if compared.clusters >= FEWEST and any(
        each.interval is None and not isinstance(each.value, UndefinedReason)
        for each in compared.figures
    ):
        yield MessagePart(f'interval "-": {explain_no_interval(compared.clusters)}')
    if compared.stacked:
        yield MessagePart(
            "spans that overlap another span with the same label by the same person:"
            f" {compared.stacked:,}"
        )


def _describe_scope(found: Agreement) -> Iterator[Part]:
    """Describe which work was compared and which was excluded, and the order of values."""
    for what, reason, count in report_output.list_left_out(found):
        yield MessagePart(f"excluded: {output.many(count, what.removesuffix('s'))}: {reason}")
    if found.strangers:
        yield MessagePart(f"labels that are not in the label set: {', '.join(found.strangers)}")
    if versions := _list_versions(found.label_sets, found.mixed_label_sets):
        yield MessagePart(f"label sets in use: {versions}; select one with --label-set")
    if versions := _list_versions(found.guidelines, found.mixed_guidelines):
        yield MessagePart(f"guidelines in use: {versions}; select one with --guidelines")
    yield from describe_suggested_work(
        found.suggested, excluded=found.asked.without_suggested_work, names=found.names
    )
    yield from _describe_reviewed_work(found.work)
    yield from _describe_repeated_readings(found)
    if found.labels:
        yield MessagePart(f"order of labels, most severe first: {' > '.join(found.labels)}")
    for name, words in found.scales.items():
        of = f" of {name}" if len(found.scales) > 1 else ""
        yield MessagePart(f"order of ratings{of}, best first: {' > '.join(words)}")
    compared = {"first readings": found.together, "second readings": found.oneself}
    clusters = {name: each.clusters for name, each in compared.items() if each.samples}
    yield from describe_intervals(clusters)


def _list_versions(counts: Mapping[str, int], mixed: int) -> str:
    """Format the readings of each version, and of several; nothing if all have the same one."""
    if len(counts) < 2 and not mixed:
        return ""
    listed = [f"{name[:12]} ({output.many(count, 'reading')})" for name, count in counts.items()]
    several = [f"several versions ({output.many(mixed, 'reading')})"] if mixed else []
    return ", ".join(listed + several)


def _describe_reviewed_work(work: ReviewedWork) -> Iterator[Part]:
    if not work.adjudicated:
        return
    time = "after" if work.after_review else "before"
    are = "is" if work.adjudicated == 1 else "are"
    line = (
        f"compared: the work {time} review; {output.many(work.adjudicated, 'sample')} {are}"
        f" adjudicated, of which annotators edited {work.edited_samples:,} afterwards"
    )
    if work.edited_samples and not work.after_review:
        line += "; to compare the edited work, add --after-review"
    yield MessagePart(line)


def _describe_repeated_readings(found: Agreement) -> Iterator[Part]:
    counts = found.repeated
    if counts.reopened_first:
        reopened = (
            f"first readings that were reopened when the second began: {counts.reopened_first:,}"
        )
        if not found.work.after_review:
            reopened += "; they are not compared with the second"
        yield MessagePart(reopened)
    if counts.edited_first or counts.edited_second:
        counted = "count" if found.work.after_review else "do not count"
        yield MessagePart(
            f"of {output.many(counts.readings, 'second reading')}, {counts.edited_second:,} were"
            f" edited after their completion, and {counts.edited_first:,} first readings after the"
            f" second began; these edits {counted}"
        )


def _format_value(value: Measured) -> str:
    return "-" if isinstance(value, UndefinedReason) else _format_digits(value)


def _format_interval(found: Interval | None) -> str:
    return f"{_format_digits(found.low)} to {_format_digits(found.high)}" if found else "-"


def _format_digits(value: float) -> str:
    return f"{value:.3f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.2f}"
