"""The command `report`, which writes an HTML report."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer

from tui_annotate.cli import options, output, pseudonyms
from tui_annotate.cli.export import print_gold, print_practice
from tui_annotate.cli.help_format import DATA
from tui_annotate.cli.options import add_command, argument, flag, open_workspace
from tui_annotate.cli.output import DONE_IN_PART
from tui_annotate.cli.problems import ProblemPrinter
from tui_annotate.cli.report_parts import NotePart
from tui_annotate.cli.written_data import refuse_mixed_output
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.records import RecordFilter
from tui_annotate.plugins.protocols import ImportOptions

if TYPE_CHECKING:
    from tui_annotate.services.export.pseudonyms import Pseudonyms
    from tui_annotate.services.report import ReportContents, ReportResult, ReportSubject
    from tui_annotate.workspace import Workspace

_MEGABYTE = 1_000_000
_AllSamplesOption = Annotated[
    bool,
    flag("--all-samples", "Include samples on which no one has worked (default: excluded)."),
]


class PrintedReport(TypedDict):
    """The pages of a report.

    Attributes:
        bytes: size of all pages.
        not_finite: number of NaN and infinities that are null on the pages.
        pages: files of all pages.
    """

    file: Path | None
    samples: int
    annotations: int
    bytes: int
    not_finite: int
    pages: Sequence[Path | None]


def register(app: typer.Typer) -> None:
    add_command(
        app,
        report,
        "report -o report.html",
        "report --dataset pairs --label Unwanted -o unwanted.html",
        "report gold.json -o gold.html",
        panel=DATA,
    )


def report(
    file: Annotated[
        Path | None,
        argument("FILE", "File of annotations, in any readable format (default: the workspace)."),
    ] = None,
    *,
    output_file: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="HTML file to write (default: report-TIME.html in this folder); - for standard "
            "output.",
        ),
    ] = None,
    work: options.FilterOptions,
    include_practice: options.PracticeOption = False,
    include_gold: options.GoldOption = False,
    all_samples: _AllSamplesOption = False,
    pseudonymize: pseudonyms.PseudonymizeOption = False,
    key: pseudonyms.KeyOption = None,
    source_format: options.FormatOption = "",
    given: options.TableOptions,
    common: options.CommonOptions,
) -> None:
    """Write an HTML report.

    The report is one page with texts, annotations and charts for any browser. The page needs no
    network and runs no code from the texts. A report of more than 25 MB gets further pages, named
    FILE-2.html and so on, that link to one another. Reports of an unchanged
    workspace are identical. Options for columns, offsets, language and encoding, and
    --pseudonym-key, apply only to a FILE.

    Exit code: 0 if the report is written, 3 if it lacks records or spans of the FILE that were
    refused, 2 if nothing is written.
    """
    report_options = _ReportOptions(
        filters=options.include_excluded(work, practice=include_practice, gold=include_gold),
        pseudonymize=pseudonymize,
        all_samples=all_samples,
        as_json=common.as_json,
    )
    files = [] if file is None else [file]
    reading = options.import_options(given, files=files, format_name=source_format)
    target = _choose_target(output_file)
    refuse_mixed_output(target, as_json=common.as_json)
    if file is None:
        if source_format or reading != ImportOptions():
            raise InvalidInput(
                "options that apply to a FILE are given, but no FILE",
                "name the FILE that contains the annotations",
            )
        if key is not None:
            raise InvalidInput(
                "--pseudonym-key applies only to a report on the annotations of a FILE",
                "omit --pseudonym-key: a workspace has its own key",
            )
        _report_workspace(common.workspace, target, report_options)
    elif common.workspace is not None:
        raise InvalidInput("FILE and --workspace are both given", "omit FILE or --workspace")
    else:
        names = pseudonyms.load_pseudonyms_of_file(key, wanted=pseudonymize)
        source = _Source(file, source_format, reading)
        _report_file(source, target, report_options, names=names)


def _choose_target(output_file: Path | None) -> Path | None:
    if output_file is None:
        return Path(f"report-{output.file_time_stamp()}.html")
    return options.parse_target(output_file)


@dataclass(frozen=True, slots=True)
class _ReportOptions:
    filters: RecordFilter
    pseudonymize: bool
    all_samples: bool
    as_json: bool


@dataclass(frozen=True, slots=True)
class _Source:
    """A file of annotations; an empty format is detected from the content."""

    file: Path
    format: str
    options: ImportOptions


def _report_workspace(
    workspace: Path | None, target: Path | None, report_options: _ReportOptions
) -> None:
    from tui_annotate.services.report import ReportSubject

    filters = report_options.filters
    with open_workspace(workspace) as space:
        names = pseudonyms.load_pseudonyms(space, wanted=report_options.pseudonymize)
        subject = ReportSubject(space.path.name)
        _write_report(space, target, report_options, subject=subject, names=names)
        practice_samples = 0 if filters.practice else space.corpus.count_practice_samples()
        gold_checks = 0 if filters.gold else space.corpus.count_gold_checks()
    print_practice(practice_samples)
    print_gold(gold_checks)


def _report_file(
    source: _Source,
    target: Path | None,
    report_options: _ReportOptions,
    *,
    names: Pseudonyms | None,
) -> None:
    from tui_annotate.services.export.conversion import refuse_input_as_target
    from tui_annotate.services.report import ReportSubject
    from tui_annotate.storage.clock import utc_now
    from tui_annotate.workspace.ephemeral import open_ephemeral

    if target is not None:
        refuse_input_as_target(
            source.file, target, source_format=source.format, reading=source.options
        )
    problems = ProblemPrinter()
    start = utc_now()
    with ExitStack() as stack:
        try:
            with output.show_progress("records") as progress:
                opened = open_ephemeral(
                    source.file,
                    format=source.format,
                    options=source.options,
                    progress=progress,
                    problem=problems,
                )
                space, _ = stack.enter_context(opened)
        finally:
            problems.end()
        subject = ReportSubject(source.file.name, (start, utc_now()))
        _write_report(space, target, report_options, subject=subject, names=names)
    if problems.refused or problems.spans_refused:
        raise typer.Exit(DONE_IN_PART)


def _write_report(
    space: Workspace,
    target: Path | None,
    report_options: _ReportOptions,
    *,
    subject: ReportSubject,
    names: Pseudonyms | None,
) -> None:
    """Write the report of a workspace, print what was written, and warn if the report is empty."""
    result = space.team.report.run(
        target,
        report_options.filters,
        subject=subject,
        hiding=names,
        all_samples=report_options.all_samples,
        announce=_announce,
    )
    _print_report(result, names, as_json=report_options.as_json)
    if not (result.samples or report_options.all_samples) and any(space.corpus.totals()):
        output.print_problem(
            "warning: the report is empty: no annotated sample matches the options",
            "to include samples without annotations, add --all-samples",
        )


def _announce(contents: ReportContents) -> None:
    if contents.bytes >= _MEGABYTE:
        samples = output.many(contents.samples, "sample")
        pages = output.many(len(contents.pages), "page")
        output.print_note(f"writing {samples}: {_format_size(contents.bytes)}, {pages}")


def _format_size(size: int) -> str:
    return f"{size / _MEGABYTE:,.1f} MB"


def _print_report(result: ReportResult, names: Pseudonyms | None, *, as_json: bool) -> None:
    first, *further = result.files
    samples = output.many(result.samples, "sample")
    line = f"{output.many(result.annotations, 'annotation')} of {samples}"
    if first:
        line += f" in {first}"
    if further:
        line += f" and {output.many(len(further), 'further page')}"
    if result.bytes >= _MEGABYTE / 10:
        line += f", {_format_size(result.bytes)}"
    value: PrintedReport = {
        "file": first,
        "samples": result.samples,
        "annotations": result.annotations,
        "bytes": result.bytes,
        "not_finite": result.not_finite,
        "pages": result.files,
    }
    output.show(value, [NotePart(line)], as_json=as_json)
    output.print_non_finite(result.not_finite)
    pseudonyms.print_pseudonyms(names)
    if result.is_large:
        output.print_problem(
            "warning: browsers open a page of this size slowly",
            "select fewer samples, for example with --dataset",
        )
