"""Commands that make reports to read and share: report html."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tui_annotate.cli import options, output, pseudonyms
from tui_annotate.cli.convert import DONE_IN_PART, ProblemPrinter
from tui_annotate.cli.export import print_practice
from tui_annotate.cli.options import add_command, add_group, argument, open_workspace
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.records import RecordFilter
from tui_annotate.plugins.protocols import ImportOptions

if TYPE_CHECKING:
    from tui_annotate.services.export.pseudonyms import Pseudonyms
    from tui_annotate.services.report import PageReport

_MEGABYTE = 1_000_000


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    report = add_group(app, "report", "Reports to read and share.")
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
        argument("FILE", "Of any format that is read, without a workspace; else the workspace."),
    ] = None,
    *,
    output_file: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The page (default: report-TIME.html in this folder); - for standard output.",
        ),
    ] = None,
    work: options.FilterOptions,
    include_practice: options.PracticeOption = False,
    pseudonymise: pseudonyms.PseudonymiseOption = False,
    key: pseudonyms.KeyOption = None,
    source_format: options.FormatOption = "",
    columns: options.ColumnOptions,
    texts: options.TextOptions,
    workspace: options.WorkspaceOption = None,
) -> None:
    """Write one page with texts, annotations and figures, for any browser.

    It needs no network and runs nothing of what others wrote. The same store gives the same bytes.
    Of a FILE, columns, language and encoding are named as in convert, and --key as there.
    """
    filters = RecordFilter(**work.filters(include_practice=include_practice))
    reading = options.import_options(columns, texts)
    target = _choose_target(output_file)
    if file is None:
        if source_format or reading != ImportOptions():
            raise InvalidInput("it is said how to read a file, and none is named", "name FILE")
        if key is not None:
            raise InvalidInput("--key is for a FILE", "a workspace keeps a key of its own")
        _write_of_workspace(workspace, target, filters, pseudonymise=pseudonymise)
    elif workspace is not None:
        raise InvalidInput(f"{file} is a file, and --workspace names another place", "leave one")
    else:
        names = pseudonyms.load_pseudonyms_of_file(key, wanted=pseudonymise)
        _write_of_file(file, source_format, reading, target, filters, names=names)


def _choose_target(output_file: Path | None) -> Path | None:
    """Return the file to write; None for standard output."""
    if output_file is None:
        return Path(f"report-{output.file_time_stamp()}.html")
    return options.parse_target(output_file)


def _write_of_workspace(
    workspace: Path | None, target: Path | None, filters: RecordFilter, *, pseudonymise: bool
) -> None:
    from tui_annotate.services.report import ReportSubject

    with open_workspace(workspace) as space:
        names = pseudonyms.load_pseudonyms(space, wanted=pseudonymise)
        about = ReportSubject(space.path.name)
        page = space.team.report.run(target, filters, subject=about, hiding=names)
        practice_samples = 0 if filters.practice else space.corpus.count_practice_samples()
    _print_report(page, target, names)
    print_practice(practice_samples)


def _write_of_file(  # noqa: PLR0917  what is read, what is written
    file: Path,
    source_format: str,
    reading: ImportOptions,
    target: Path | None,
    filters: RecordFilter,
    *,
    names: Pseudonyms | None,
) -> None:
    from tui_annotate.services.report import ReportSubject
    from tui_annotate.storage.clock import utc_now
    from tui_annotate.workspace.ephemeral import open_ephemeral

    if target is not None and target.exists() and target.samefile(file):
        raise InvalidInput(f"{target} is read and written", "name another file to write")
    problems, start = ProblemPrinter(), utc_now()
    with ExitStack() as stack:
        with output.show_progress("records") as progress:
            watch = {"problem": problems, "progress": progress}
            opened = open_ephemeral(file, format=source_format, options=reading, **watch)
            space, _ = stack.enter_context(opened)
        about = ReportSubject(file.name, (start, utc_now()))
        page = space.team.report.run(target, filters, subject=about, hiding=names)
    problems.end()
    _print_report(page, target, names)
    if problems.refused:
        raise typer.Exit(DONE_IN_PART)


def _print_report(page: PageReport, target: Path | None, names: Pseudonyms | None) -> None:
    size = f", {page.bytes / _MEGABYTE:,.1f} MB" if page.bytes >= _MEGABYTE / 10 else ""
    where = f" in {target}" if target else ""
    samples = output.many(page.samples, "sample")
    output.print_message(f"{output.many(page.annotations, 'annotation')} of {samples}{where}{size}")
    pseudonyms.print_pseudonyms(names)
    if page.is_large:
        output.print_message(
            "  browsers open a page of this size slowly; --dataset and the like narrow it"
        )
