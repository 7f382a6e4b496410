"""Commands that bring texts in: init, ingest, index rebuild."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tui_annotate.cli import output
from tui_annotate.cli.options import (
    DatasetOption,
    EmbedderOption,
    EncodingOption,
    FilesArgument,
    FormatOption,
    GroupOption,
    IdOption,
    JsonOption,
    LanguageOption,
    SourceOption,
    SummaryOption,
    WorkspaceOption,
    examples,
    opened,
)
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.plugins.protocols import ImportOptions

if TYPE_CHECKING:
    from tui_annotate.services.ingest import IngestReport

SHOWN_PROBLEMS = 20


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    app.command(epilog=examples("tui-annotate init", "tui-annotate init news"))(init)
    app.command(
        epilog=examples(
            "tui-annotate ingest pairs.csv",
            "tui-annotate ingest --source-column article --summary-column answer data.jsonl.gz",
            "tui-annotate ingest --dry-run --strict pairs.csv",
        )
    )(ingest)
    index = typer.Typer(help="The vectors of the assist.", no_args_is_help=True)
    index.callback()(_group)
    index.command("rebuild", epilog=examples("tui-annotate index rebuild"))(rebuild_index)
    app.add_typer(index, name="index")


def _group() -> None:
    """Keeps a group a group, also while it holds one command."""


def init(
    folder: Annotated[
        Path, typer.Argument(metavar="[DIR]", help="Made where it is missing.", show_default=False)
    ] = Path(),
    *,
    as_json: JsonOption = False,
) -> None:
    """Make a workspace.

    A folder with settings, labels, a SQLite store, and vectors in LanceDB.
    """
    from tui_annotate import workspace as workspaces

    space = workspaces.create(folder)
    space.close()
    if as_json:
        output.as_json({"workspace": str(space.path)})
        return
    output.line(f"workspace: {space.path}")
    output.say("its labels are in labels.yaml; next: tui-annotate ingest FILE...")


def ingest(
    files: FilesArgument,
    *,
    format_name: FormatOption = "",
    dataset: DatasetOption = "",
    source_column: SourceOption = "source",
    summary_column: SummaryOption = "summary",
    id_column: IdOption = "",
    group_column: GroupOption = "",
    language: LanguageOption = "",
    encoding: EncodingOption = "utf-8",
    embedder: EmbedderOption = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Look at all, store nothing.")] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Check all first; store all or nothing.")
    ] = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Read pairs of texts into the workspace.

    The same file again adds nothing; stopped at any moment, it goes on the next time.

    Exit code: 0 all is in, 3 some records were refused, 2 nothing is in.
    """
    with opened(workspace, embedder=embedder) as space, output.progress("records") as tell:
        _refuse_absent(files)
        options = ImportOptions(
            dataset=dataset,
            source_column=source_column,
            summary_column=summary_column,
            id_column=id_column,
            group_column=group_column,
            language=language or space.settings.language,
            encoding=encoding,
        )
        report = space.ingest(
            *files,
            format=format_name,
            options=options,
            strict=strict,
            dry_run=dry_run,
            progress=tell,
        )
    tell_report(report, as_json=as_json)


def _refuse_absent(files: Iterable[Path]) -> None:
    """Before anything is stored, so that what is told holds: nothing is in."""
    absent = [str(file) for file in files if not file.exists()]
    if absent:
        raise InvalidInput(f"there is no file {', '.join(absent)}", "nothing is in; check the name")


def tell_report(report: IngestReport, *, as_json: bool) -> None:
    """Prints what an ingest did, and leaves with its exit code."""
    if as_json:
        output.as_json({**asdict(report), "outcome": report.outcome.value})
    else:
        for problem in report.problems[:SHOWN_PROBLEMS]:
            output.say(str(problem) if problem.refused else f"{problem} (taken all the same)")
            if problem.hint:
                output.say(f"  hint: {problem.hint}")
        more = report.refused + report.doubts - min(len(report.problems), SHOWN_PROBLEMS)
        if more:
            output.say(f"and {more:,} more of this kind; --json lists them")
        for note in report.notes:
            output.say(note)
        output.line(summary(report))
    code = {"all": 0, "some": 3, "none": 2}[report.outcome.value]
    if code:
        raise typer.Exit(code)


def summary(report: IngestReport) -> str:
    """What an ingest did, in one line."""
    if report.strict:
        return f"nothing stored: --strict, and {report.refused:,} records were refused"
    counts = {
        "added": report.added,
        "known already": report.known,
        "replaced": report.replaced,
        "removed": report.removed,
        "refused": report.refused,
    }
    told = [f"{count:,} {what}" for what, count in counts.items() if count]
    line = "samples: " + (", ".join(told) or "none")
    if report.annotations or report.annotations_known:
        line += f"; annotations: {report.annotations:,} added, {report.annotations_known:,} known"
    line += f"; {report.seconds:.1f} s"
    return f"{line}; nothing was stored, as asked" if report.dry else line


def rebuild_index(
    *,
    embedder: EmbedderOption = "",
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Make all vectors anew, with this embedder or another."""
    with opened(workspace) as space, output.progress("documents") as tell:
        report = space.ingesting.rebuild(embedder=embedder or "auto", progress=tell)
    if as_json:
        output.as_json({"embedder": report.embedder, "embedded": report.embedded})
        return
    for note in report.notes:
        output.say(note)
    output.line(f"{report.embedded:,} documents have vectors of {report.embedder!r}")
