"""The command `report html`, which writes an HTML report."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tui_annotate.cli import options, output, pseudonyms
from tui_annotate.cli.convert import DONE_IN_PART, ProblemPrinter, refuse_mixed_output
from tui_annotate.cli.export import print_gold, print_practice
from tui_annotate.cli.help_format import DATA
from tui_annotate.cli.options import add_command, add_group, argument, open_workspace
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.records import RecordFilter
from tui_annotate.plugins.protocols import ImportOptions

if TYPE_CHECKING:
    from tui_annotate.services.export.pseudonyms import Pseudonyms
    from tui_annotate.services.report import PageReport

_MEGABYTE = 1_000_000


def register(app: typer.Typer) -> None:
    """Add the group `report` to the app."""
    report = add_group(app, "report", "Write HTML reports of annotations.", panel=DATA)
    add_command(
        report,
        html,
        "report html -o report.html",
        "report html --dataset pairs --label Unwanted -o unwanted.html",
        "report html gold.json -o gold.html",
    )


def html(
    file: Annotated[
        Path | None,
        argument("FILE", "File to report on, in any readable format (default: the workspace)."),
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
    pseudonymise: pseudonyms.PseudonymiseOption = False,
    key: pseudonyms.KeyOption = None,
    source_format: options.FormatOption = "",
    columns: options.ColumnOptions,
    texts: options.TextOptions,
    common: options.CommonOptions,
) -> None:
    """Write an HTML report.

    The report is one page with texts, annotations and charts for any browser. The page needs no
    network and runs no code from the texts. Reports of an unchanged
    workspace are identical. Options for columns, language and encoding, and --pseudonym-key, apply
    only to a FILE.
    """
    filters = RecordFilter(
        **work.filters(include_practice=include_practice, include_gold=include_gold)
    )
    reading = options.import_options(columns, texts)
    target = _choose_target(output_file)
    refuse_mixed_output(target, as_json=common.as_json)
    if file is None:
        if source_format or reading != ImportOptions():
            raise InvalidInput(
                "options for a FILE are given, but no FILE", "add the FILE to report on"
            )
        if key is not None:
            raise InvalidInput(
                "--pseudonym-key applies only to a report on a FILE",
                "omit --pseudonym-key: a workspace has its own key",
            )
        _write_of_workspace(
            common.workspace, target, filters, pseudonymise=pseudonymise, as_json=common.as_json
        )
    elif common.workspace is not None:
        raise InvalidInput("FILE and --workspace are both given", "omit FILE or --workspace")
    else:
        names = pseudonyms.load_pseudonyms_of_file(key, wanted=pseudonymise)
        _write_of_file(
            file, source_format, reading, target, filters, names=names, as_json=common.as_json
        )


def _choose_target(output_file: Path | None) -> Path | None:
    """Return the HTML file to write, or None for standard output."""
    if output_file is None:
        return Path(f"report-{output.file_time_stamp()}.html")
    return options.parse_target(output_file)


def _write_of_workspace(
    workspace: Path | None,
    target: Path | None,
    filters: RecordFilter,
    *,
    pseudonymise: bool,
    as_json: bool,
) -> None:
    from tui_annotate.services.report import ReportSubject

    with open_workspace(workspace) as space:
        names = pseudonyms.load_pseudonyms(space, wanted=pseudonymise)
        about = ReportSubject(space.path.name)
        page = space.team.report.run(target, filters, subject=about, hiding=names)
        practice_samples = 0 if filters.practice else space.corpus.count_practice_samples()
        gold_checks = 0 if filters.gold else space.corpus.count_gold_checks()
    _print_report(page, target, names, as_json=as_json)
    print_practice(practice_samples)
    print_gold(gold_checks)


def _write_of_file(  # noqa: PLR0917  input and output
    file: Path,
    source_format: str,
    reading: ImportOptions,
    target: Path | None,
    filters: RecordFilter,
    *,
    names: Pseudonyms | None,
    as_json: bool,
) -> None:
    from tui_annotate.services.report import ReportSubject
    from tui_annotate.storage.clock import utc_now
    from tui_annotate.workspace.ephemeral import open_ephemeral

    if target is not None and target.exists() and target.samefile(file):
        raise InvalidInput(
            f"{target} is given as input and as output", "write to another file with --output"
        )
    problems, start = ProblemPrinter(), utc_now()
    with ExitStack() as stack:
        with output.show_progress("records") as progress:
            watch = {"problem": problems, "progress": progress}
            opened = open_ephemeral(file, format=source_format, options=reading, **watch)
            space, _ = stack.enter_context(opened)
        about = ReportSubject(file.name, (start, utc_now()))
        page = space.team.report.run(target, filters, subject=about, hiding=names)
    problems.end()
    _print_report(page, target, names, as_json=as_json)
    if problems.refused:
        raise typer.Exit(DONE_IN_PART)


def _print_report(
    page: PageReport, target: Path | None, names: Pseudonyms | None, *, as_json: bool
) -> None:
    size = f", {page.bytes / _MEGABYTE:,.1f} MB" if page.bytes >= _MEGABYTE / 10 else ""
    where = f" in {target}" if target else ""
    samples = output.many(page.samples, "sample")
    if as_json:
        output.print_json({"file": target, **asdict(page)})
    else:
        annotations = output.many(page.annotations, "annotation")
        output.print_note(f"{annotations} of {samples}{where}{size}")
    output.print_non_finite(page.not_finite)
    pseudonyms.print_pseudonyms(names)
    if page.is_large:
        output.print_problem(
            "warning: browsers open a page of this size slowly",
            "select fewer samples, for example with --dataset",
        )
