"""Output of all commands: data on standard output, messages on standard error.

No other module of the command line prints. Texts from files and users pass `make_line_visible` or
`make_visible` here, and are never read as markup.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any, TextIO

from tui_annotate.cli.hints import RunningCommand
from tui_annotate.cli.report_parts import (
    Cell,
    Column,
    Facts,
    Grid,
    MessagePart,
    NotePart,
    Part,
    ResultPart,
    Table,
    Text,
)
from tui_annotate.domain import plural
from tui_annotate.domain.errors import InvalidInput, TuiAnnotateError, error_message
from tui_annotate.domain.strict_json import encode_strict
from tui_annotate.domain.terminal_text import make_line_visible, make_visible
from tui_annotate.plugins.files.standard_output import require_standard_output

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import TaskID

    from tui_annotate.domain.progress import TaskProgress
    from tui_annotate.domain.text_diff import DiffPart

DONE_IN_PART = 3  # exit code of a command that did only a part
WIDTH_WITHOUT_TERMINAL = 160
GAP = 2  # spaces between two columns
MIN_TEXT_WIDTH = 20  # terminal cells that a wide text column keeps
MIN_FLEXIBLE_WIDTH = 8  # terminal cells that a flexible column keeps in a narrow terminal
UNITS = {"vectors": "texts"}  # units of phases that count something else
PROGRESS_INTERVAL = 5.0  # seconds between two progress lines if no bar can be drawn
HEARTBEAT = 1.0  # seconds between two checks whether a line about a waiting task is due

DECLINED = 130
"""Exit code of a command whose question the user answered with no, as for an interruption."""

many = plural.format_count


def show(value: Any, text: Iterable[Part], *, as_json: bool) -> None:
    """Print the report of a command: `value` as JSON, or the parts of its text.

    Args:
        value: dataclass or other value, as for `print_json`.
        text: parts in the order of their output; not iterated for JSON.
    """
    if as_json:
        print_json(value)
    else:
        print_parts(text)


def print_parts(text: Iterable[Part]) -> None:
    """Print the parts of a report's text in their order."""
    for part in text:
        match part:
            case None:
                pass
            case str():
                print_line(part)
            case Table():
                _print_grid(part.grid())
            case Grid():
                _print_grid(part)
            case Facts():
                print_facts(part.values)
            case Text():
                print_text(part.text)
            case ResultPart() if part.always:
                print_line(part.text)
            case ResultPart():
                print_result(part.text)
            case NotePart():
                print_note(part.text, is_complete=part.is_complete)
            case MessagePart():
                print_problem(part.text, part.hint)
            case _:
                part()


def _print_grid(grid: Grid) -> None:
    if grid.below:
        if not grid.cells:
            return
        print_line("")
    print_table(grid.columns, grid.cells)


def join_names(names: Sequence[str], *, most: int, separator: str = ", ") -> str:
    """Join at most `most` names, followed by "and N more" if there are more."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return separator.join(names[:most]) + more


def print_line(text: str) -> None:
    """Print one line of data on standard output, without control characters."""
    sys.stdout.write(make_line_visible(text) + "\n")


def print_page(text: str) -> None:
    """Write a text to standard output, with one line end after it."""
    sys.stdout.write(text.rstrip("\n") + "\n")


def print_text(value: str) -> None:
    """Print on standard output a text that a user wrote, or data such as CSV.

    Raises:
        Unavailable: standard output is closed.
    """
    require_standard_output()
    if sys.stdout.isatty():
        value = make_visible(value)
    sys.stdout.write(value if value.endswith("\n") else value + "\n")


def print_diff_line(piece: DiffPart) -> None:
    """Print a line of a comparison after its mark, in the colour of the mark."""
    _print_coloured(f"{piece.mark} {make_line_visible(piece.text)}", piece.mark)
    sys.stdout.write("\n")


def print_word_diff(pieces: Sequence[DiffPart]) -> None:
    """Print a text with its changed words coloured, or as `{+added+}` and `[-deleted-]`."""
    coloured = make_console(sys.stdout).color_system is not None
    for piece in pieces:
        shown = make_visible(piece.text)
        if not coloured and piece.mark != " ":
            before, after = ("{+", "+}") if piece.mark == "+" else ("[-", "-]")
            shown = f"{before}{shown}{after}"
        _print_coloured(shown, piece.mark)
    sys.stdout.write("\n")


def _print_coloured(shown: str, mark: str) -> None:
    from rich.text import Text

    styles = {"+": "green", "-": "red strike"}
    make_console(sys.stdout).print(Text(shown, style=styles.get(mark, "")), end="", soft_wrap=True)


def print_json(value: Any) -> None:
    """Print a JSON value on standard output: in UTF-8 for programs, in ASCII on a terminal.

    A dataclass becomes an object with its fields, a path becomes a string. NaN and infinities
    become null; their number is printed on standard error.

    Raises:
        Unavailable: standard output is closed.
    """
    require_standard_output()

    def convert(part: Any) -> Any:
        return str(part) if isinstance(part, Path) else asdict(part)

    plain = sys.stdout.isatty() or "utf" not in (sys.stdout.encoding or "").lower()
    text, count = encode_strict(value, ensure_ascii=plain, indent=2, default=convert)
    sys.stdout.write(text + "\n")
    print_non_finite(count)


def print_non_finite(count: int) -> None:
    """Print how many NaN and infinities became null in printed JSON; nothing for none."""
    if count:
        print_message(f"numbers that are NaN or infinite, written as null: {count:,}")


@dataclass(slots=True)
class OutputState:
    """How the running command prints, as its global options ask; one object per process.

    Attributes:
        workspace: value of the option --workspace, for commands in hints; empty if not given.
        exit_code: exit code of a command that ends without an error.
    """

    quiet: bool = False
    verbose: bool = False
    workspace: str = ""
    command: RunningCommand = field(default_factory=RunningCommand)
    exit_code: int = 0
    continues: bool = True
    declined: bool = False
    deferred: list[TuiAnnotateError] = field(default_factory=list)


_state = OutputState()


def reset(*, workspace: str = "", arguments: Sequence[str] = ()) -> None:
    """Forget the state of an earlier command in this process, before a new one starts."""
    _state.command = RunningCommand(arguments)
    _state.quiet = False
    _state.verbose = False
    _state.workspace = workspace
    _state.exit_code = 0
    _state.continues = True
    _state.declined = False
    _state.deferred = []


def set_options(
    *, arguments: Sequence[str], options: Collection[str], import_options: Collection[str]
) -> None:
    """Set the running command's line with present names, and what options exist, for hints.

    Args:
        options: names of the command's options.
        import_options: names of the options of `ingest`.
    """
    _state.command = RunningCommand(arguments, options, import_options)


def use_workspace(folder: Path) -> None:
    """Add `-w FOLDER` to the commands in hints, as if the user had given it."""
    _state.workspace = str(folder)


def workspace_folder() -> str:
    """Return the workspace that the user named; empty if the command finds one."""
    return _state.workspace


def set_quiet() -> None:
    """Print no confirmations, next steps and progress from now on; warnings and errors stay."""
    _state.quiet = True


def set_verbose() -> None:
    """Print log records from the level INFO on, and the causes of errors, on standard error."""
    import logging

    _state.verbose = True
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")


def set_exit_code(code: int) -> None:
    """Set the exit code that applies even if a reader closes standard output early."""
    _state.exit_code = code


def defer_error(error: TuiAnnotateError) -> None:
    """Print an error after the command's report, and end with the error's exit code."""
    _state.deferred.append(error)


def print_deferred_errors(code: int) -> int:
    """Print the deferred errors; return the exit code of the first one, or `code` for none."""
    for error in _state.deferred:
        print_error(error)
    return _state.deferred[0].exit_code if _state.deferred else code


def known_exit_code() -> int:
    """Return the exit code that the running command has set; 0 for none."""
    return _state.exit_code


def set_no_continuation() -> None:
    """Note that the running command caches no replies with which a repeated command continues."""
    _state.continues = False


def is_declined() -> bool:
    """Return whether the user answered a question of the running command with no."""
    return _state.declined


def print_interruption() -> None:
    """Print that the command was interrupted, and what running it again does."""
    again = (
        "to continue, run the same command again"
        if _state.continues
        else "replies are not cached, so the same command asks again"
    )
    print_message(f"interrupted; saved work is kept; {again}")


def print_message(text: str) -> None:
    """Print a warning or important result, even with `--quiet`, as a line on standard error."""
    try:
        sys.stderr.write(make_line_visible(text) + "\n")
        sys.stderr.flush()
    except OSError:  # the message cannot be read, but the command still does its work
        _discard(sys.stderr)


def drop_unwritten() -> None:
    """Discard output that a full disk or a closed pipe does not take.

    Python would try to write it once more when it exits, and end with exit code 120.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            _discard(stream)


def _discard(stream: TextIO) -> None:
    """Send all further output of a stream to the null device."""
    with open(os.devnull, "wb") as nothing:  # noqa: PTH123
        os.dup2(nothing.fileno(), stream.fileno())


def print_note(text: str, *, is_complete: bool = False) -> None:
    """Print a confirmation or next step as a line on standard error, except with `--quiet`.

    `is_complete`: commands in the text get no `-w`.
    """
    if not _state.quiet:
        print_message(text if is_complete else add_workspace(text))


def print_error(error: TuiAnnotateError) -> None:
    """Print an error with its hint, and with `--verbose` also its causes."""
    hint = _state.command.complete_hint(adapt_hint(error.hint))
    print_problem(f"error: {error.message}", hint)
    cause = error.__cause__ or error.__context__
    while cause and _state.verbose:
        print_message(f"  caused by: {type(cause).__name__}: {error_message(cause)}")
        cause = cause.__cause__ or cause.__context__


def print_problem(message: str, hint: str) -> None:
    """Print an error's message, and its hint if there is one."""
    print_message(message)
    if hint:
        print_message(f"  hint: {add_workspace(adapt_hint(hint))}")


def adapt_hint(hint: str) -> str:
    """Return a hint that names only options of the running command, where it is an importer's."""
    return _state.command.adapt_hint(hint)


def add_workspace(text: str) -> str:
    """Add the option `-w FOLDER`, if the user gave it, to the commands in a hint.

    Commands that create or need no workspace, or already contain `-w`, stay unchanged.
    """
    if not _state.workspace or re.search(r" (-w|--workspace\b)", text):
        return text
    command = f"tui-annotate -w {shlex.quote(_state.workspace)} "
    return re.sub(
        r"\btui-annotate (?!init\b|backup restore\b|lab trust-endpoint\b|-)",
        lambda _: command,
        text,
    )


def repeat_command(options: Sequence[str]) -> str:
    """Return the running command line with further options and values, quoted for a shell."""
    return _state.command.repeat(options)


def print_table(titled: Sequence[Column[Any] | str], rows: Sequence[Sequence[Cell]]) -> None:
    """Print a table on standard output, cut to the terminal's width, but never in numbers."""
    from rich.console import ConsoleDimensions
    from rich.table import Table
    from rich.text import Text

    console = make_console(sys.stdout)
    columns = [Column(each) if isinstance(each, str) else each for each in titled]
    cells = [[Text(make_line_visible(_format_cell(value))) for value in row] for row in rows]
    titles = [Text(make_line_visible(column.title)) for column in columns]
    widths = [max(cell.cell_len for cell in each) for each in zip(titles, *cells, strict=True)]
    for index, width in _fit_widths(columns, widths, console.width).items():
        for row_cells in cells:
            row_cells[index].truncate(width, overflow="ellipsis")
    needed = sum(
        max(cell.cell_len for cell in each) + GAP for each in zip(titles, *cells, strict=True)
    )
    # Otherwise Rich cuts columns that must stay whole.
    console.size = ConsoleDimensions(max(console.width, needed), console.height)
    shown = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold")
    for title, column in zip(titles, columns, strict=True):
        shown.add_column(title, justify="right" if column.number else "left", no_wrap=True)
    for row_cells in cells:
        shown.add_row(*row_cells)
    with console.capture() as captured:
        console.print(shown, markup=False, highlight=False)
    print_page("\n".join(each.rstrip() for each in captured.get().splitlines()))


def print_result(text: str) -> None:
    """Print a confirmation as a line on standard output, except with `--quiet`."""
    if not _state.quiet:
        print_line(text)


def _fit_widths(
    columns: Sequence[Column[Any]], widths: Sequence[int], width: int
) -> dict[int, int]:
    rigid: dict[int, int] = {}
    flexible: dict[int, int] = {}
    for index, column in enumerate(columns):
        if not (column.number or column.whole):
            (flexible if column.flexible else rigid)[index] = widths[index]
    words = sum(rigid.values()) + sum(flexible.values())
    available = width - sum(widths) + words - GAP * len(columns)
    reserved = sum(min(wanted, MIN_TEXT_WIDTH) for wanted in flexible.values())
    fitted = _divide_width(rigid, available - reserved, minimum=MIN_TEXT_WIDTH)
    available -= sum(fitted.values())
    return fitted | _divide_width(flexible, available, minimum=MIN_FLEXIBLE_WIDTH)


def _divide_width(wanted: Mapping[int, int], available: int, *, minimum: int) -> dict[int, int]:
    """Divide a width among columns: narrow ones keep theirs, wide ones share the rest."""
    given: dict[int, int] = {}
    for index, cells in sorted(wanted.items(), key=lambda each: each[1]):
        given[index] = min(cells, max(available // (len(wanted) - len(given)), minimum))
        available -= given[index]
    return given


def _format_cell(value: Cell) -> str:
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    return f"{value:,}" if isinstance(value, int) else f"{value:.3f}"


def print_facts(values: Mapping[str, Cell]) -> None:
    """Print lines of a name and its value, aligned, on standard output."""
    width = max(map(len, values), default=0)
    for name, value in values.items():
        print_line(f"{name:<{width}}  {_format_cell(value)}")


def format_time(at: str) -> str:
    """Format an ISO 8601 time to the second, without its time zone."""
    return at[:19]


def file_time_stamp() -> str:
    """Return the current time in UTC as a part of a file's name."""
    return time.strftime("%Y-%m-%dT%H%M%SZ", time.gmtime())


def make_console(stream: TextIO) -> Console:
    """Return a Rich console as wide as the terminal; for a file, wide and without colours."""
    from rich.console import Console

    width = None if stream.isatty() or "COLUMNS" in os.environ else WIDTH_WITHOUT_TERMINAL
    return Console(file=stream, width=width, soft_wrap=False)


@contextmanager
def show_progress(unit: str) -> Iterator[Callable[[TaskProgress], None]]:
    """Show the progress of a long action as a bar or as lines, except with `--quiet`."""
    if _state.quiet:
        yield lambda _: None
        return
    if not sys.stderr.isatty():
        with closing(_ProgressLines(unit)) as lines:
            yield lines.show
        return
    from rich import progress as widgets

    columns = (
        widgets.TextColumn("{task.description}", markup=False),
        widgets.BarColumn(),
        widgets.TaskProgressColumn(),
        widgets.TextColumn("{task.fields[records]}", markup=False),
        widgets.TextColumn("{task.fields[rate]:,.0f}/s", markup=False),
        widgets.TimeRemainingColumn(),
        widgets.TextColumn("{task.fields[waiting]}", markup=False),
    )
    with widgets.Progress(*columns, console=make_console(sys.stderr)) as bar:
        tasks: dict[str, TaskID] = {}

        def show(at: TaskProgress) -> None:
            if at.note:
                print_note(at.note)
            if at.phase not in tasks:
                phase = make_line_visible(at.phase)
                tasks[at.phase] = bar.add_task(phase, total=None, records="", rate=0.0, waiting="")
            bar.update(
                tasks[at.phase],
                completed=at.share or 0.0,
                total=None if at.share is None else 1.0,
                records=_count_records(at, unit),
                rate=at.rate,
                waiting=make_line_visible(f"waiting for {at.waiting}" if at.waiting else ""),
            )

        yield show


def _count_records(at: TaskProgress, unit: str) -> str:
    more = UNITS.get(at.phase, unit)
    one = f"{more[:-3]}y" if more.endswith("ies") else more.removesuffix("s")
    return many(at.records, one, more)


class _ProgressLines:
    """Prints progress every few seconds in a thread, because a waiting task reports no progress."""

    def __init__(self, unit: str) -> None:
        self._unit = unit
        self._lock = Lock()
        self._ended = Event()
        self._thread: Thread | None = None
        self._at: TaskProgress | None = None
        self._printed = self._reported = time.monotonic()

    def show(self, at: TaskProgress) -> None:
        if at.note:
            print_note(at.note)
        with self._lock:
            self._at = at
            self._reported = time.monotonic()
            self._print_if_due()
            if at.waiting and self._thread is None:
                self._thread = Thread(target=self._repeat, daemon=True)
                self._thread.start()

    def close(self) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join()

    def _repeat(self) -> None:
        while not self._ended.wait(HEARTBEAT):
            with self._lock:
                if self._at is not None and self._at.waiting:
                    self._print_if_due()

    def _print_if_due(self) -> None:
        now = time.monotonic()
        if self._at is None or now - self._printed < PROGRESS_INTERVAL:
            return
        self._printed = now
        waited = now - self._reported
        at = replace(self._at, seconds=self._at.seconds + waited)
        share = "" if at.share is None else f" ({at.share:.0%})"
        left = "" if at.left is None else f", {at.left:,.0f} s left"
        rate = f"{at.rate:,.0f}" if at.rate >= 1 else f"{at.rate:.1f}"
        since = f" for {waited:,.0f} s" if waited >= 1 else ""
        waiting = f"; waiting for {at.waiting}{since}" if at.waiting else ""
        count = _count_records(at, self._unit)
        print_message(f"{at.phase}: {count}{share}, {rate}/s{left}{waiting}")


def ask(question: str, *, yes: bool) -> None:
    """Ask the user to confirm an action; return only if the answer is yes.

    Args:
        yes: whether the user confirmed the action with `--yes`, so that nothing is asked.

    Raises:
        InvalidInput: standard input is not a terminal, so the question cannot be asked.
        typer.Exit: the answer was no, which ends the command with the exit code 130.
    """
    import typer

    if yes:
        return
    if not sys.stdin.isatty():
        raise InvalidInput(f"confirmation required: {question}", "confirm with --yes")
    with suppress(EOFError):
        if read_answer(f"{question} [y/N]").lower() in {"y", "yes"}:
            return
    print_message("nothing was changed")
    _state.declined = True
    raise typer.Exit(DECLINED)


def read_answer(question: str) -> str:
    """Return the line that the user enters, without spaces; raise EOFError if the input ended.

    After ctrl+c, which ends no line, the next message begins on a line of its own.
    """
    sys.stderr.write(f"{make_line_visible(question)} ")
    sys.stderr.flush()
    try:
        line = sys.stdin.readline()
    except KeyboardInterrupt:
        print_message("")
        raise
    if not line:
        print_message("")
        raise EOFError
    return line.strip()


def choose(question: str, answers: Sequence[str]) -> int:
    """Ask the user on the terminal to choose one of the numbered answers; return its index."""
    print_message(question)
    for number, answer in enumerate(answers, 1):
        print_message(f"  {number}  {answer}")
    while True:
        given = read_answer(f"Number of your choice (1 to {len(answers)}, Enter for 1):") or "1"
        if given.isascii() and given.isdigit() and 1 <= int(given) <= len(answers):
            return int(given) - 1
