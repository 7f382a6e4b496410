"""The command `view`, which shows a file on the screen without a workspace."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tui_annotate.cli import options, output
from tui_annotate.cli.help_format import DATA
from tui_annotate.cli.option_groups import OptionGroup
from tui_annotate.cli.options import add_command, argument, option
from tui_annotate.cli.problems import ProblemPrinter
from tui_annotate.cli.screen import need_terminal
from tui_annotate.domain.errors import NotFound
from tui_annotate.plugins.files.inputs import has_input
from tui_annotate.plugins.files.streams import hint_for_missing

if TYPE_CHECKING:
    from tui_annotate.plugins.protocols import ImportOptions
    from tui_annotate.services.file_browser import FileLoadResult


_ReadOptions = Annotated[
    options.ReadOptions,
    OptionGroup(
        dataset=options.DatasetOption,
        **options.COLUMN_OPTIONS,
        **options.COLLECTION_OPTIONS,
        **options.TEXT_OPTIONS,
        offsets=options.OffsetsOption,
    ),
]


def register(app: typer.Typer) -> None:
    add_command(
        app,
        view,
        "view gold.json",
        "view annotations.jsonl.zst --sample news/17",
        "view --from pairs --source-column article answers.csv",
        panel=DATA,
    )


def view(
    source: Annotated[Path, argument("FILE", "File or folder to view, in any readable format.")],
    *,
    source_format: options.FormatOption = "",
    sample: Annotated[
        str, option("--sample", "ID", "Sample to open first: ID or DATASET/ID.")
    ] = "",
    given: _ReadOptions,
) -> None:
    """View a file on the screen, read-only.

    No workspace is needed. The screen shows both texts side by side and the annotations of all
    people. Records that cannot be read are listed before the screen opens, and skipped.
    """
    if not has_input(source):
        raise NotFound(f"file not found: {source}", hint_for_missing(source))
    need_terminal("view", instead="tui-annotate convert FILE - --to native")
    reading = options.import_options(given, files=[source], format_name=source_format)
    raise typer.Exit(_open_screen(source, source_format, reading, sample=sample))


def _open_screen(source: Path, source_format: str, reading: ImportOptions, *, sample: str) -> int:
    from tui_annotate import settings, workspace
    from tui_annotate.domain.label_files import parse_labels
    from tui_annotate.services.file_browser import FileLoader

    chosen = settings.load()
    problems = ProblemPrinter()
    with ExitStack() as stack:
        with output.show_progress("samples") as progress:
            loader = FileLoader(source_format, reading, problems, progress)
            known = parse_labels(workspace.default_labels())
            browser, result = stack.enter_context(loader.browse(source, known))
        problems.end()
        browser.first(sample)  # an unknown sample is refused before the screen opens
        from tui_annotate.tui.view_app import run

        words = _describe_left_out(result)
        return run(browser, sample=sample, words=words, keys=chosen.keys, theme=chosen.theme)


def _describe_left_out(result: FileLoadResult) -> str:
    """Return a message that counts skipped records and warnings of a file, or ""."""
    parts = []
    if result.refused:
        parts.append(f"{output.many(result.refused, 'record')} skipped")
    if result.doubts:
        parts.append(output.many(result.doubts, "warning"))
    return f"{', '.join(parts)}: to read the details, quit to the terminal" if parts else ""
