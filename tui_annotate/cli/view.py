"""A file on the screen, without a workspace: view."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tui_annotate.cli import options, output
from tui_annotate.cli.convert import ProblemPrinter
from tui_annotate.cli.options import add_command, argument, option
from tui_annotate.cli.screen import need_terminal
from tui_annotate.domain.errors import NotFound

if TYPE_CHECKING:
    from tui_annotate.plugins.protocols import ImportOptions
    from tui_annotate.services.file_browser import FileLoadResult


def register(app: typer.Typer) -> None:
    """Adds this command to the app."""
    add_command(
        app,
        view,
        "view gold.json",
        "view annotations.jsonl.zst --sample news/17",
        "view --from pairs --source-column article answers.csv",
    )


def view(
    source: Annotated[Path, argument("FILE", "A file or folder of any format. Also .gz, .zst.")],
    *,
    source_format: options.FormatOption = "",
    sample: Annotated[
        str, option("--sample", "ID", "Begin at this sample: its id, or dataset/id.")
    ] = "",
    dataset: options.DatasetOption = "",
    columns: options.ColumnOptions,
    collection: options.CollectionOptions,
    texts: options.TextOptions,
) -> None:
    """Look at a file on the screen, without a workspace.

    Nothing in it is changed. Both texts side by side, everybody's annotations with whose they are,
    all that the file says of each. What can not be read is told before the screen opens, and left
    out.
    """
    if not source.exists():
        raise NotFound(f"there is no file {source}", "check the name")
    need_terminal("view", instead="convert FILE - --to native")
    reading = options.import_options(columns, texts, collection, dataset=dataset)
    raise typer.Exit(_open_screen(source, source_format, reading, sample=sample))


def _open_screen(source: Path, source_format: str, reading: ImportOptions, *, sample: str) -> int:
    from tui_annotate import settings, workspace
    from tui_annotate.domain.label_files import parse_labels
    from tui_annotate.services.file_browser import FileLoader

    chosen, problems = settings.load(), ProblemPrinter()
    with ExitStack() as stack:
        with output.show_progress("samples") as progress:
            loader = FileLoader(source_format, reading, problems, progress)
            known = parse_labels(workspace.default_labels())
            browser, result = stack.enter_context(loader.browse(source, known))
        problems.end()
        browser.first(sample)  # raises before anything is drawn
        from tui_annotate.tui.view_app import run

        words = _describe_left_out(result)
        return run(browser, sample=sample, words=words, keys=chosen.keys, theme=chosen.theme)


def _describe_left_out(result: FileLoadResult) -> str:
    """What the screen begins with where records were left out; the terminal shows the details."""
    parts = []
    if result.refused:
        parts.append(f"{result.refused:,} of the file's records are left out")
    if result.doubts:
        parts.append(f"{output.many(result.doubts, 'doubt')} about what was read")
    return f"{', '.join(parts)}: the terminal says which once you leave" if parts else ""
