"""Commands that make reports to read and share: report html."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tui_annotate.cli import output, pseudonyms
from tui_annotate.cli.convert import DONE_IN_PART, Telling
from tui_annotate.cli.export import OriginOption
from tui_annotate.cli.options import (
    ColumnsOption,
    EncodingOption,
    FormatOption,
    GroupOption,
    IdOption,
    LanguageOption,
    OfDatasetOption,
    OfLabelOption,
    OfPersonOption,
    SinceOption,
    SourceOption,
    SummaryOption,
    WorkspaceOption,
    examples,
    opened,
    unless_stdout,
)
from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.records import RecordFilter
from tui_annotate.plugins.columns import with_columns
from tui_annotate.plugins.protocols import ImportOptions

if TYPE_CHECKING:
    from tui_annotate.services.export.pseudonyms import Pseudonyms
    from tui_annotate.services.report import Made

_MEGABYTE = 1_000_000

FileArgument = Annotated[
    Path | None,
    typer.Argument(
        metavar="FILE",
        help="Of any format that is read, without a workspace; else the workspace.",
        show_default=False,
    ),
]
PageOption = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="OUT",
        help="Appears whole or not at all; else standard output (-).",
        callback=unless_stdout,
        show_default=False,
    ),
]
StateOption = Annotated[
    State | None, typer.Option(help="Work on samples in this state alone.", show_default=False)
]
PracticeOption = Annotated[
    bool, typer.Option("--with-practice", help="Also work that was done for practice.")
]


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    report = typer.Typer(help="Reports to read and share.", no_args_is_help=True)
    report.callback()(_group)
    report.command(
        epilog=examples(
            "tui-annotate report html -o report.html",
            "tui-annotate report html --dataset pairs --label Unwanted -o unwanted.html",
            "tui-annotate report html gold.json -o gold.html",
        )
    )(html)
    app.add_typer(report, name="report")


def _group() -> None:
    """Keeps a group a group, also while it holds one command."""


def html(
    file: FileArgument = None,
    *,
    target: PageOption = None,
    dataset: OfDatasetOption = "",
    person: OfPersonOption = "",
    origin: OriginOption = "",
    state: StateOption = None,
    label: OfLabelOption = "",
    since: SinceOption = "",
    with_practice: PracticeOption = False,
    pseudonymise: pseudonyms.PseudonymiseOption = False,
    key: pseudonyms.KeyOption = None,
    source_format: FormatOption = "",
    columns: ColumnsOption = "",
    source_column: SourceOption = "source",
    summary_column: SummaryOption = "summary",
    id_column: IdOption = "",
    group_column: GroupOption = "",
    language: LanguageOption = "",
    encoding: EncodingOption = "utf-8",
    workspace: WorkspaceOption = None,
) -> None:
    """Write one page with texts, annotations and figures, for any browser.

    It needs no network and runs nothing of what others wrote. The same store gives the same bytes.
    Of a FILE, columns, language and encoding are named as in convert, and --key as there.
    """
    practice = "with" if with_practice else ""
    words = (person, origin, state.value if state else "", label, since, practice)
    filters = RecordFilter(dataset, "", *words)
    options = ImportOptions(
        source_column=source_column,
        summary_column=summary_column,
        id_column=id_column,
        group_column=group_column,
        language=language,
        encoding=encoding,
    )
    reading = _Reading(source_format, with_columns(columns, options))
    if file is None:
        reading.refuse(key)
        _of_workspace(workspace, target, filters, pseudonymise=pseudonymise)
    elif workspace is not None:
        raise InvalidInput(f"{file} is a file, and --workspace names another place", "leave one")
    else:
        names = pseudonyms.of_file(key, wanted=pseudonymise)
        _of_file(file, target, filters, reading=reading, names=names)


@dataclass(frozen=True, slots=True)
class _Reading:
    """How a file is read."""

    format: str
    options: ImportOptions

    def refuse(self, key: Path | None) -> None:
        """Where there is no file to read.

        Raises:
            InvalidInput: something is said of one.
        """
        if self.format or self.options != ImportOptions():
            raise InvalidInput("it is said how to read a file, and none is named", "name FILE")
        if key is not None:
            raise InvalidInput("--key is for a FILE", "a workspace keeps a key of its own")


def _of_workspace(
    workspace: Path | None, target: Path | None, filters: RecordFilter, *, pseudonymise: bool
) -> None:
    from tui_annotate.services.report import Subject

    with opened(workspace) as space:
        names = pseudonyms.of_workspace(space, wanted=pseudonymise)
        about = Subject(space.path.name)
        made = space.team.report.run(target, filters, subject=about, hiding=names)
        practised = 0 if filters.practice else space.corpus.practised()
    _tell(made, target, names)
    if practised:
        samples = output.many(practised, "sample")
        output.say(f"  left out: practice on {samples}; --with-practice has it")


def _of_file(
    file: Path,
    target: Path | None,
    filters: RecordFilter,
    *,
    reading: _Reading,
    names: Pseudonyms | None,
) -> None:
    from tui_annotate.services.report import Subject
    from tui_annotate.storage.clock import utc_now
    from tui_annotate.workspace.passing import passing

    if target is not None and target.exists() and target.samefile(file):
        raise InvalidInput(f"{target} is read and written", "name another file to write")
    told, before = Telling(), utc_now()
    with ExitStack() as stack:
        with output.progress("records") as tell:
            watch = {"problem": told, "progress": tell}
            reads = passing(file, format=reading.format, options=reading.options, **watch)
            space, _ = stack.enter_context(reads)
        about = Subject(file.name, (before, utc_now()))
        made = space.team.report.run(target, filters, subject=about, hiding=names)
    told.end()
    _tell(made, target, names)
    if told.refused:
        raise typer.Exit(DONE_IN_PART)


def _tell(made: Made, target: Path | None, names: Pseudonyms | None) -> None:
    size = f", {made.bytes / _MEGABYTE:,.1f} MB" if made.bytes >= _MEGABYTE / 10 else ""
    where = f" in {target}" if target else ""
    samples = output.many(made.samples, "sample")
    output.say(f"{output.many(made.annotations, 'annotation')} of {samples}{where}{size}")
    pseudonyms.tell(names)
    if made.heavy:
        output.say("  browsers open a page of this size slowly; --dataset and the like narrow it")
