"""Prints an agreement report as tables that fit 80 columns, or as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Final

from tui_annotate.cli import output
from tui_annotate.cli.intervals import print_interval_notes
from tui_annotate.cli.suggested_work import print_suggested_work
from tui_annotate.domain.assignments import State
from tui_annotate.domain.people import base_person
from tui_annotate.methods.agreement import Measured, UndefinedReason
from tui_annotate.methods.bootstrap import Interval
from tui_annotate.services.agreement import Agreement, AgreementComparison, ReviewedWork
from tui_annotate.services.agreement import output as report_output
from tui_annotate.services.agreement.compared_readings import format_labels, other_state_reason

_LEVELS: Final = {"segment": "sentence"}
_MEASURES: Final = {
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
    "only_one": "only one person chose evidence",
    "kappa_linear": "kappa, linear",
    "kappa_quadratic": "kappa, quadratic",
}
_PAIR_SPANS: Final = ("trimmed", "character", "overlap")
_MOST_SAMPLES: Final = 3
"""Maximum number of samples to name for each disagreement; `--json` names all samples."""
_MOST_NAMED: Final = 4
"""Maximum number of people named in the title of a table."""


def print_csv(found: Agreement) -> None:
    written = io.StringIO(newline="")
    csv.writer(written, lineterminator="\n").writerows(
        [report_output.COLUMNS, *report_output.output_rows(found)]
    )
    output.print_page(written.getvalue())


def print_tables(found: Agreement, *, pairs: bool, disagreements: bool = False) -> None:
    """Print an agreement report as tables on standard output, and notes on standard error."""
    titles = {"between annotators": found.together, "annotators with themselves": found.oneself}
    for title, compared in titles.items():
        if compared.samples:
            people = sorted(
                found.names[each] for each in compared.people if base_person(each) == each
            )
            names = output.join_names(people, most=_MOST_NAMED)
            output.print_line(f"{title}: {output.many(compared.samples, 'sample')}; {names}")
            output.print_line("")
            _print_measures(compared)
            output.print_line("")
            if pairs:
                _print_pairs(found, compared)
                output.print_line("")
                _print_rated_pairs(found, compared)
            if disagreements:
                _print_disagreements(found, compared)
            _print_notes(compared)
    if not found.together.samples and not found.oneself.samples:
        output.print_message(
            "nothing to compare: no sample was completed by two annotators, or twice by one person"
        )
        if found.left.work[other_state_reason(State.NEW, State.DONE)]:
            output.print_message(
                "  hint: to compare samples in the state 'new', such as imported work,"
                " add --state new"
            )
    _print_legend(found)


def _print_measures(compared: AgreementComparison) -> None:
    numbers = ("value", "95% interval", "n")
    output.print_table(
        ["level", "measure", *map(output.number_column, numbers), output.flexible_column("of")],
        [
            [
                _LEVELS.get(each.level, each.level),
                _MEASURES.get(each.measure, each.measure),
                _format_value(each.value),
                _format_interval(each.interval),
                f"{each.n:,}",
                each.of,
            ]
            for each in compared.figures
        ],
    )


def _print_pairs(found: Agreement, compared: AgreementComparison) -> None:
    rows = []
    for pair in compared.pairs:
        values = (pair.percent, pair.kappa, *(pair.spans[name] for name in _PAIR_SPANS))
        name = ", ".join(report_output.pair_names(found, pair))
        cells = [name, f"{pair.samples:,}", *map(_format_value, values)]
        rows.append([*cells, f"{pair.matched:,}", _format_value(pair.matched_percent)])
    titles = ("n", "same", "kappa", "trimmed", "chars", "overlap", "spans", "label")
    output.print_table([output.flexible_column("people"), *map(output.number_column, titles)], rows)


def _print_rated_pairs(found: Agreement, compared: AgreementComparison) -> None:
    rows = []
    for pair in filter(lambda each: each.rated, compared.pairs):
        values = (pair.rating_percent, pair.rating_linear, pair.rating_quadratic)
        name = ", ".join(report_output.pair_names(found, pair))
        rows.append([name, f"{pair.rated:,}", *map(_format_value, values)])
    if rows:
        titles = ("rated", "same", "kappa, linear", "quadratic")
        output.print_table(
            [output.flexible_column("people"), *map(output.number_column, titles)], rows
        )
        output.print_line("")


def _print_disagreements(found: Agreement, compared: AgreementComparison) -> None:
    rows = [
        (
            ", ".join(report_output.pair_names(found, each)),
            *format_labels(each.labels),
            each.level,
            f"{each.count:,} of {each.of:,}",
            output.join_names([str(key) for key in each.samples], most=_MOST_SAMPLES),
        )
        for each in compared.disagreements
    ]
    if rows:
        titles = ("people", "first", "second")
        output.print_table(
            [
                *map(output.flexible_column, titles),
                "level",
                output.number_column("differ"),
                output.flexible_column("samples"),
            ],
            rows,
        )
    else:
        output.print_line("no disagreements")
    output.print_line("")


def _print_notes(compared: AgreementComparison) -> None:
    notes: dict[str, list[str]] = {}
    for each in compared.figures:
        level = _LEVELS.get(each.level, each.level)
        measure = _MEASURES.get(each.measure)
        for note in filter(None, (report_output.missing_value_reason(each.value), each.note)):
            notes.setdefault(note, []).append(f"{level} {measure or each.measure}")
    for note, measures in notes.items():
        output.print_message(f"{output.join_names(measures, most=1)}: {note}")
    if compared.stacked:
        stacked = f"{compared.stacked:,}"
        output.print_message(
            f"spans that overlap another span with the same label by the same person: {stacked}"
        )


def _print_legend(found: Agreement) -> None:
    for what, reason, count in report_output.list_left_out(found):
        output.print_message(f"excluded: {count:,} {what}: {reason}")
    if found.strangers:
        output.print_message(f"labels that are not in the label set: {', '.join(found.strangers)}")
    if versions := _list_versions(found.label_sets, found.mixed_label_sets):
        output.print_message(f"label sets in use: {versions}; select one with --label-set")
    if versions := _list_versions(found.guidelines, found.mixed_guidelines):
        output.print_message(f"guidelines in use: {versions}; select one with --guidelines")
    print_suggested_work(
        found.suggested, excluded=found.asked.without_suggested_work, names=found.names
    )
    _print_reviewed_work(found.work)
    _print_repeated_readings(found)
    if found.labels:
        output.print_message(f"order of labels: {' > '.join(found.labels)}")
    for name, words in found.scales.items():
        of = f" of {name}" if len(found.scales) > 1 else ""
        output.print_message(f"order of ratings{of}: {' > '.join(words)}")
    compared = {"first readings": found.together, "second readings": found.oneself}
    print_interval_notes({name: each.clusters for name, each in compared.items() if each.samples})


def _list_versions(counts: Mapping[str, int], mixed: int) -> str:
    """Format the readings of each version, and of several; nothing if all have the same one."""
    if len(counts) < 2 and not mixed:
        return ""
    listed = [f"{name[:12]} ({output.many(count, 'reading')})" for name, count in counts.items()]
    several = [f"several versions ({output.many(mixed, 'reading')})"] if mixed else []
    return ", ".join(listed + several)


def _print_reviewed_work(work: ReviewedWork) -> None:
    if not work.adjudicated:
        return
    edited = (
        f"adjudicated samples with edits after their adjudication: {work.edited_samples:,} of"
        f" {work.adjudicated:,}"
    )
    output.print_message(
        f"work after review: {edited}"
        if work.after_review
        else f"work before review; {edited}; compare the edited work with --after-review"
    )


def _print_repeated_readings(found: Agreement) -> None:
    counts = found.repeated
    if counts.reopened_first:
        output.print_message(
            f"first readings that were reopened when the second began: {counts.reopened_first:,}"
            + ("" if found.work.after_review else "; they are not compared with the second")
        )
    if not (counts.edited_first or counts.edited_second):
        return
    edited = (
        f"of {output.many(counts.readings, 'second reading')}, {counts.edited_second:,} were edited"
        f" after their completion, and {counts.edited_first:,} first readings after the second"
        " began"
    )
    output.print_message(
        f"{edited}; these edits count"
        if found.work.after_review
        else f"{edited}; these edits do not count"
    )


def _format_value(value: Measured) -> str:
    return "-" if isinstance(value, UndefinedReason) else _format_digits(value)


def _format_interval(found: Interval | None) -> str:
    return f"{_format_digits(found.low)} to {_format_digits(found.high)}" if found else "-"


def _format_digits(value: float) -> str:
    return f"{value:.3f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.2f}"
