"""A file on the screen, without a workspace: view."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tui_annotate.cli import output
from tui_annotate.cli.convert import Telling
from tui_annotate.cli.options import (
    ColumnsOption,
    DatasetOption,
    DocumentsOption,
    EncodingOption,
    FormatOption,
    GroupOption,
    IdOption,
    LanguageOption,
    SourceOption,
    SummaryOption,
    TopicOption,
    TopicsOption,
    collection,
    examples,
)
from tui_annotate.cli.screen import need_terminal
from tui_annotate.domain.errors import NotFound
from tui_annotate.plugins.columns import with_columns
from tui_annotate.plugins.protocols import ImportOptions

if TYPE_CHECKING:
    from tui_annotate.services.browse import Taken


def register(app: typer.Typer) -> None:
    """Adds this command to the app."""
    app.command(
        epilog=examples(
            "tui-annotate view gold.json",
            "tui-annotate view annotations.jsonl.zst --sample news/17",
            "tui-annotate view --from pairs --source-column article answers.csv",
        )
    )(view)


def view(
    source: Annotated[
        Path, typer.Argument(metavar="FILE", help="A file or folder of any format. Also .gz, .zst.")
    ],
    *,
    source_format: FormatOption = "",
    sample: Annotated[
        str, typer.Option(metavar="ID", help="Begin at this sample: its id, or dataset/id.")
    ] = "",
    dataset: DatasetOption = "",
    columns: ColumnsOption = "",
    source_column: SourceOption = "source",
    summary_column: SummaryOption = "summary",
    id_column: IdOption = "",
    group_column: GroupOption = "",
    topics: TopicsOption = None,
    topic: TopicOption = None,
    documents: DocumentsOption = None,
    language: LanguageOption = "",
    encoding: EncodingOption = "utf-8",
) -> None:
    """Look at a file on the screen, without a workspace.

    Nothing in it is changed. Both texts side by side, everybody's annotations with whose they are,
    all that the file says of each. What can not be read is told before the screen opens, and left
    out.
    """
    if not source.exists():
        raise NotFound(f"there is no file {source}", "check the name")
    need_terminal("view", instead="convert FILE - --to native")
    reading = with_columns(
        columns,
        ImportOptions(
            dataset=dataset,
            source_column=source_column,
            summary_column=summary_column,
            id_column=id_column,
            group_column=group_column,
            language=language,
            encoding=encoding,
            **collection(topics, documents, only=topic),
        ),
    )
    raise typer.Exit(_look(source, source_format, reading, sample=sample))


def _look(source: Path, source_format: str, reading: ImportOptions, *, sample: str) -> int:
    from tui_annotate import settings
    from tui_annotate.services.browse import Gather
    from tui_annotate.workspace.passing import browsing

    chosen, told = settings.load(), Telling()
    with ExitStack() as stack:
        with output.progress("samples") as tell:
            gather = Gather(source_format, reading, told, tell)
            browse, taken = stack.enter_context(browsing(source, gather))
        told.end()
        browse.first(sample)  # what is wrong with it is told before anything is drawn
        from tui_annotate.tui.view_app import run

        return run(browse, sample=sample, words=_words(taken), keys=chosen.keys, theme=chosen.theme)


def _words(taken: Taken) -> str:
    """What the screen begins with where not all is there; the terminal was told it in full."""
    said = []
    if taken.refused:
        said.append(f"{taken.refused:,} of the file's records are left out")
    if taken.doubts:
        said.append(f"{output.many(taken.doubts, 'doubt')} about what was read")
    return f"{', '.join(said)}: the terminal says which once you leave" if said else ""
