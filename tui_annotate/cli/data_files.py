"""Opens data files for annotation: imports their rows into a workspace next to the first file."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from tui_annotate.cli import output, screen
from tui_annotate.domain.endpoint_trust import parse_origin
from tui_annotate.domain.errors import InvalidInput, NotFound, TuiAnnotateError
from tui_annotate.domain.records import Problem, Record
from tui_annotate.plugins.files.inputs import base_folder
from tui_annotate.plugins.format_detection import detect
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.plugins.reader_guard import read_guarded
from tui_annotate.settings import PREFIX, WORKSPACE_FILE, require_own_workspace

ENDING = ".annotations"
"""Suffix in the name of the workspace folder that belongs to a data file."""


@dataclass(frozen=True, slots=True)
class AnnotateOptions:
    """Options of the annotate screen, as strings of the command line."""

    name: str = ""
    sample: str = ""
    order: str = ""


def choose_folder(workspace: Path | None, file: Path) -> Path:
    """Return the workspace folder of a data file: the chosen one, else `NAME.annotations`.

    The folder of a pattern is that of the pattern's folder. The current folder contains its own.

    Raises:
        NotAllowed: a folder that was not chosen belongs to another user.
    """
    from tui_annotate.plugins.record_validation import choose_dataset_name

    if named := workspace or os.environ.get(PREFIX + "WORKSPACE"):
        return Path(named)
    base = base_folder(file)
    base = base.resolve() if base.is_dir() else base.absolute()
    parent = base if base == Path.cwd() else base.parent
    folder = parent / f"{choose_dataset_name(base, '')}{ENDING}"
    require_own_workspace(folder)
    return folder


def annotate_files(
    files: Sequence[Path],
    folder: Path,
    *,
    format_name: str = "",
    reading: ImportOptions,
    shown: AnnotateOptions,
) -> int:
    """Import data files into a workspace folder, open the annotate screen, return the exit code.

    The folder is created if it is missing and a file has a valid record. Vectors are computed while
    the screen is open. Without a terminal, the files are only imported, with their vectors.

    Raises:
        NotFound, InvalidInput, Unavailable: a file cannot be read, or no file has a valid record.
        NotAllowed: there is no terminal, and vectors need an endpoint that is not trusted.
    """
    from tui_annotate import workspace as workspaces
    from tui_annotate.cli import ingest
    from tui_annotate.cli.endpoint_trust import ask_trust
    from tui_annotate.cli.options import choose_columns, open_workspace
    from tui_annotate.cli.vectors import computing_vectors
    from tui_annotate.domain.people import Permission

    ingest.require_inputs(files)
    for file in files:
        format_name or detect(file, reading)  # a file of unknown format is refused first
    output.print_result(f"Your work on {files[0]} is kept in the workspace {folder}")
    if is_new := not (folder / WORKSPACE_FILE).exists():
        choose_columns(files, format_name, reading)
        _require_record(files, format_name, reading)
        workspaces.create(folder).close()
    output.use_workspace(folder)
    with open_workspace(folder, needs=Permission.MANAGE) as space:
        if not is_new:
            reading.used_columns.update(space.corpus.used_columns())
            reading = replace(reading, stored=space.corpus.sample_or_none)
            choose_columns(files, format_name, reading)
        vectors = space.vector_options()
        url = space.ingest_service.sets.unnamed_url(vectors)
        # Asked before the screen starts: the process that computes the vectors asks nothing.
        sends = ask_trust(vectors.trust, url)
        language = reading.language or space.settings.language
        with output.show_progress("records") as progress:
            report = space.ingest(
                *files,
                format=format_name,
                options=replace(reading, language=language),
                progress=progress,
                embedder=vectors,
                embed=not _has_terminal(),
            )
        code = ingest.print_report(report)
        is_empty = not any(space.corpus.totals())
    if is_empty:
        return code
    if not _has_terminal():
        output.print_note("to annotate, run in a terminal: tui-annotate annotate")
        return code
    if report.refused or report.spans_refused:
        output.read_answer("Some input was refused (see above). Press Enter to annotate.")
    if not sends:
        output.print_note(
            f"no vectors are computed, because no texts are sent to {parse_origin(url)}; to compute"
            " them on this machine: tui-annotate vectors rebuild --embedder static"
        )
    with computing_vectors(folder) if sends else nullcontext():
        return screen.annotate(folder, name=shown.name, sample=shown.sample, order=shown.order)


def _has_terminal() -> bool:
    with suppress(InvalidInput):
        screen.need_terminal("annotate")
        return True
    return False


def _require_record(files: Sequence[Path], format_name: str, reading: ImportOptions) -> None:
    from tui_annotate.cli.convert import ProblemPrinter

    def read() -> Iterator[Record | Problem]:
        for file in files:
            yield from read_guarded(format_name or detect(file, reading), reading, file)

    if any(isinstance(item, Record) for item in read()):
        return
    problems = ProblemPrinter()
    for item in read():
        if isinstance(item, Problem):
            problems(item)
    problems.end()
    names = ", ".join(map(str, files))
    raise InvalidInput(f"no valid record in {names}", "fix the file; nothing was stored")


def offer_file(missing: NotFound, shown: AnnotateOptions) -> int:
    """Offer to annotate the only readable data file of the current folder; return the exit code.

    Raises:
        NotFound: `missing`, with another hint, if the user declines or cannot be asked, or if the
            folder does not have exactly one readable file.
    """
    from tui_annotate.cli.options import ColumnOptions, TextOptions, import_options

    found = [file for file in sorted(Path().iterdir()) if _is_readable(file)]
    named = shlex.quote(str(found[0])) if len(found) == 1 else "FILE"
    hint = f"to annotate a data file: tui-annotate annotate {named}; {missing.hint}"
    refused = NotFound(missing.message, hint)
    if len(found) != 1:
        raise refused
    if not _has_terminal():
        raise refused
    folder = choose_folder(None, found[0])
    question = (
        f"This folder is not in a workspace. Annotate {named} in the workspace {folder.name}?"
    )
    if output.read_answer(f"{question} [Y/n]").lower() not in {"", "y", "yes"}:
        raise refused from None
    reading = import_options(ColumnOptions(), TextOptions())
    return annotate_files(found, folder, reading=reading, shown=shown)


def _is_readable(file: Path) -> bool:
    with suppress(TuiAnnotateError, OSError):
        if file.is_file() and not file.name.startswith("."):
            items = read_guarded(
                detect(file), ImportOptions(choose_columns=lambda choice: choice.columns), file
            )
            return any(isinstance(item, Record) for item in items)
    return False
