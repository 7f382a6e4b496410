"""Opens data files for annotation: imports their rows into a workspace next to the first file."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, nullcontext, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tui_annotate.cli import output, screen
from tui_annotate.domain.endpoint_trust import parse_origin
from tui_annotate.domain.errors import (
    Conflict,
    InvalidInput,
    NotAllowed,
    NotFound,
    TuiAnnotateError,
)
from tui_annotate.domain.records import Problem, Record
from tui_annotate.plugins.files.inputs import base_folder
from tui_annotate.plugins.format_detection import detect
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.plugins.reader_guard import (
    make_file_problem,
    read_guarded,
    refuses_one_file,
)
from tui_annotate.plugins.record_validation import (
    choose_dataset_name,
    first_named,
    parse_identifier,
)
from tui_annotate.plugins.registry import PAIRS
from tui_annotate.settings import PREFIX, WORKSPACE_FILE, require_own_workspace

if TYPE_CHECKING:
    from tui_annotate.workspace import Workspace

ENDING = ".annotations"
"""Suffix in the name of the workspace folder that belongs to a data file."""
ANNOTATED_FILE: Final = "annotated_file"
"""Name of the workspace's setting that holds the name of the data file it belongs to."""


@dataclass(frozen=True, slots=True)
class AnnotateOptions:
    """Options of the annotate screen, as strings of the command line."""

    name: str = ""
    sample: str = ""
    order: str = ""


@dataclass(frozen=True, slots=True)
class FileWorkspace:
    """The workspace of a data file.

    Attributes:
        file: name of the data file that the folder belongs to; empty if the user chose the folder.
        former: folder that earlier versions used for the file; None if it is the same one.
    """

    folder: Path
    file: str = ""
    former: Path | None = None


def choose_folder(workspace: Path | None, file: Path) -> FileWorkspace:
    """Return the workspace of a data file: the chosen folder, else `NAME.annotations`.

    NAME is the whole name of the file, with its ending, so that no two files share a folder. The
    folder of a pattern is that of the pattern's folder. The current folder contains its own.

    Raises:
        NotAllowed: a folder that was not chosen belongs to another user.
    """
    if chosen := workspace or os.environ.get(PREFIX + "WORKSPACE"):
        return FileWorkspace(Path(chosen))
    base = base_folder(file)
    base = base.resolve() if base.is_dir() else base.absolute()
    parent = base if base == Path.cwd() else base.parent
    folder = parent / f"{base.name}{ENDING}"
    require_own_workspace(folder)
    former = parent / f"{choose_dataset_name(base, '', former=True)}{ENDING}"
    return FileWorkspace(folder, base.name, former if former != folder else None)


def annotate_files(
    files: Sequence[Path],
    workspace: FileWorkspace,
    *,
    format_name: str = "",
    reading: ImportOptions,
    screen_options: AnnotateOptions,
) -> int:
    """Import data files into a workspace folder, open the annotate screen, return the exit code.

    The folder is created if it is missing and a file has a valid record, and removed again if
    nothing could be stored. Vectors are computed while the screen is open. Without a terminal, the
    files are only imported, with their vectors.

    Raises:
        NotFound, InvalidInput, Unavailable: a file cannot be read, or no file has a valid record.
        Conflict: the workspace belongs to another data file.
        NotAllowed: there is no terminal, and vectors need an endpoint that is not trusted.
    """
    from tui_annotate import workspace as workspaces
    from tui_annotate.cli import ingest
    from tui_annotate.cli.endpoint_trust import ask_trust
    from tui_annotate.cli.options import choose_columns, earlier_imports, open_workspace
    from tui_annotate.cli.vectors import computing_vectors
    from tui_annotate.domain.people import Permission

    ingest.require_inputs(files)
    first = first_named(files)
    folder = _find_folder(workspace, first, format_name=format_name, reading=reading)
    is_new = not (folder / WORKSPACE_FILE).exists()
    if is_new:  # an existing workspace knows columns of earlier imports, which decide
        choose_columns(files, format_name, reading)
        _require_record(files, format_name=format_name, reading=reading)
        reading = _use_id_column(files, format_name=format_name, reading=reading)
    output.use_workspace(folder)
    with ExitStack() as cleanup:
        if is_new and not folder.exists():
            cleanup.callback(shutil.rmtree, folder, ignore_errors=True)
        if is_new:
            workspaces.create(folder).close()
        with open_workspace(folder, needs=Permission.MANAGE) as space:
            if workspace.file:
                reading = _remember_file(
                    space, workspace.file, files, format_name=format_name, reading=reading
                )
            if not is_new:
                earlier = earlier_imports(space)
                earlier["used_columns"] = reading.used_columns | earlier["used_columns"]
                reading = replace(reading, **earlier)
                choose_columns(files, format_name, reading)
            vectors = space.vector_options()
            url = space.ingest_service.sets.unnamed_url(vectors)
            # Asked before the screen starts: the process that computes the vectors asks nothing.
            sends = ask_trust(vectors.trust, url)
            language = reading.language or space.settings.language
            try:
                with output.show_progress("records") as progress:
                    report = space.ingest(
                        *files,
                        format=format_name,
                        options=replace(reading, language=language),
                        progress=progress,
                        embedder=vectors,
                        embed=not _has_terminal(),
                    )
            finally:
                has_samples = any(space.corpus.totals())
                if has_samples:  # an interrupted import may have stored some, too
                    cleanup.pop_all()
            code = ingest.print_report(report)
    if not has_samples:
        return code
    output.print_result(f"Your work on {first} is kept in the workspace {folder}")
    if not _has_terminal():
        output.print_note("to annotate, run in a terminal: tui-annotate annotate")
        return code
    if report.is_partial:
        output.read_answer("Some input was refused (see above). Press Enter to annotate.")
    if not sends:
        output.print_note(
            f"no vectors are computed, because no texts are sent to {parse_origin(url)}; to compute"
            " them on this machine: tui-annotate lab vectors rebuild --embedder static"
        )
    with computing_vectors(folder, vectors.trust) if sends else nullcontext():
        return screen.annotate(folder, **asdict(screen_options))


def _find_folder(
    workspace: FileWorkspace, file: Path, *, format_name: str, reading: ImportOptions
) -> Path:
    """Return the folder of a file's workspace; one of an earlier version if it holds the file.

    Such a folder of another user is not opened, and a warning names it.
    """
    from tui_annotate.cli.options import open_workspace

    former = workspace.former
    if former is None or (workspace.folder / WORKSPACE_FILE).exists():
        return workspace.folder
    try:
        require_own_workspace(former)
    except NotAllowed as error:
        output.print_problem(f"warning: not used: {error.message}", error.hint)
        return workspace.folder
    if not (former / WORKSPACE_FILE).exists():
        return workspace.folder
    with open_workspace(former) as space:
        known = space.corpus.setting(ANNOTATED_FILE)
        holds = (
            known == workspace.file
            if known
            else _holds(space, file, format_name=format_name, reading=reading)
        )
    return former if holds else workspace.folder


def _remember_file(
    space: Workspace,
    name: str,
    files: Sequence[Path],
    *,
    format_name: str,
    reading: ImportOptions,
) -> ImportOptions:
    """Store the name of a workspace's data file; return the options to import it with.

    Only the name is stored, so that the folder can be moved together with the file. A workspace of
    an earlier version has no name; it belongs to the file whose first samples it contains. A file
    that was renamed together with its workspace keeps the dataset of its first name.

    Raises:
        Conflict: the workspace belongs to another file.
    """
    known = space.corpus.setting(ANNOTATED_FILE)
    if known == name:
        return reading
    file = first_named(files)
    if not any(space.corpus.totals()) or _holds(
        space, file, format_name=format_name, reading=reading
    ):
        space.corpus.set_setting(ANNOTATED_FILE, name)
        return reading
    if known and len(files) == 1 and not reading.dataset:
        # The first name stays stored: it gives the dataset again at the next start.
        for renamed in _list_renamed(known, reading):
            if _holds(space, file, format_name=format_name, reading=renamed):
                return renamed
    if known:
        message = f"the workspace {space.path} belongs to {known!r}, not to {name!r}"
    else:
        message = f"the workspace {space.path} does not contain the samples of {name!r}"
    raise Conflict(
        message,
        f"choose another folder: tui-annotate annotate -w DIR {shlex.quote(str(file))}",
        code="other-file",
    )


def _list_renamed(file_name: str, reading: ImportOptions) -> Iterator[ImportOptions]:
    """Yield options that import a file into the datasets that its former name gave.

    Earlier versions gave other names to datasets. A workbook with several sheets has a dataset for
    each sheet.
    """
    for former in (False, True):
        with suppress(InvalidInput):
            dataset = choose_dataset_name(Path(file_name), "", former=former)
            yield replace(reading, dataset=dataset)
            yield replace(reading, sheets_name=dataset)


def _holds(space: Workspace, file: Path, *, format_name: str, reading: ImportOptions) -> bool:
    """Return whether a workspace contains most of a file's first samples, with the same texts."""
    from tui_annotate.cli.options import earlier_imports
    from tui_annotate.services.ingest.former_names import is_file_stored

    options = replace(reading, **earlier_imports(space))
    name = format_name or detect(file, options)
    return any(
        is_file_stored(file, name, replace(options, former_names=former))
        for former in (False, True)
    )


def _has_terminal() -> bool:
    try:
        screen.need_terminal("annotate")
    except InvalidInput:
        return False
    return True


def _require_record(files: Sequence[Path], *, format_name: str, reading: ImportOptions) -> None:
    """Check that a file has a valid record, before a workspace is created.

    Files without one are read once more, to print their problems; problems of all other files are
    printed by their import.

    Raises:
        InvalidInput: no file has a valid record.
    """
    from tui_annotate.cli.problems import ProblemPrinter

    def read() -> Iterator[Record | Problem]:
        for file in files:
            try:
                yield from read_guarded(format_name or detect(file, reading), reading, file)
            except InvalidInput as error:
                # The import names such a file, and reads the others.
                if not refuses_one_file(error, files):
                    raise
                yield make_file_problem(file, error)

    if any(isinstance(item, Record) for item in read()):
        return
    problems = ProblemPrinter()
    for item in read():
        if isinstance(item, Problem):
            problems(item)
    problems.end()
    names = ", ".join(map(str, files))
    raise InvalidInput(f"no valid record in {names}", "fix the file; nothing was stored")


def _use_id_column(
    files: Sequence[Path], *, format_name: str, reading: ImportOptions
) -> ImportOptions:
    """Return options that take sample ids from the column `id` of tables, if each row has its own.

    Later imports into the workspace take them from the same column.
    """
    if reading.id_column or any(file.is_fifo() for file in files):
        return reading
    column = ""
    found: set[tuple[str, str]] = set()
    for file in files:
        try:
            name = format_name or detect(file, reading)
            for item in read_guarded(name, reading, file):
                if not isinstance(item, Record):
                    continue
                meta = item.sample.meta
                named = next((each for each in meta if each.casefold() == "id"), "")
                column = column or named
                dataset, value = item.sample.key.dataset, _read_id(meta.get(named))
                is_new = value and (dataset, value) not in found
                if name not in PAIRS or named != column or not is_new:
                    return reading
                found.add((dataset, value))
        except InvalidInput:  # the import reports such a file, and reads the others
            return reading
    if not column:
        return reading
    output.print_note(f"sample ids: column {column!r}, because its values differ")
    return replace(reading, id_column=column)


def _read_id(value: object) -> str:
    """Return a cell as a sample id; empty if it cannot be one."""
    try:
        return parse_identifier(value, what="id")
    except InvalidInput:
        return ""


def offer_file(missing: NotFound, screen_options: AnnotateOptions) -> int:
    """Offer to annotate the only readable data file of the current folder; return the exit code.

    Raises:
        NotFound: `missing`, with another hint, if the user declines or cannot be asked, or if the
            folder does not have exactly one readable file.
    """
    from tui_annotate.cli.options import ReadOptions, import_options

    found = [file for file in sorted(Path().iterdir()) if _has_record(file)]
    file = shlex.quote(str(found[0])) if len(found) == 1 else "FILE"
    hint = f"to annotate a data file: tui-annotate annotate {file}; {missing.hint}"
    refused = NotFound(missing.message, hint)
    if len(found) != 1 or not _has_terminal():
        raise refused
    workspace = choose_folder(None, found[0])
    question = (
        "This folder is not in a workspace."
        f" Annotate {file} in the workspace {workspace.folder.name}?"
    )
    if output.read_answer(f"{question} [Y/n]").lower() not in {"", "y", "yes"}:
        raise refused
    reading = import_options(ReadOptions())
    return annotate_files(found, workspace, reading=reading, screen_options=screen_options)


def _has_record(file: Path) -> bool:
    """Return whether a file can be read as samples; it is read up to its first valid record."""
    if file.name.startswith("."):
        return False
    with suppress(TuiAnnotateError, OSError):
        if file.is_file():
            reading = ImportOptions(choose_columns=lambda choice: choice.columns)
            items = read_guarded(detect(file), reading, file)
            return any(isinstance(item, Record) for item in items)
    return False
