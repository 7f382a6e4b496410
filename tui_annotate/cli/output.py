"""Everything that a command shows: data to stdout, messages to stderr; the one place that prints.

Foreign texts pass `make_line_visible` here, once; none of them is ever read as markup.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from tui_annotate.domain import plural
from tui_annotate.domain.errors import InvalidInput, TuiAnnotateError
from tui_annotate.domain.terminal_text import make_line_visible, make_visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import TaskID

    from tui_annotate.domain.progress import TaskProgress
    from tui_annotate.domain.text_diff import DiffPart

WIDTH_WITHOUT_TERMINAL = 160
GAP = 2  # blanks between two columns
MIN_TEXT_WIDTH = 20  # cells of a column of words, at least, where it has as many
MIN_FLEXIBLE_WIDTH = 8  # cells that a flexible one keeps where the others leave no more
UNITS = {"vectors": "documents"}  # what a phase counts, where it is something else
PROGRESS_INTERVAL = 5.0  # seconds between two lines of progress where no bar can be drawn

many = plural.format_count


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table, by its title.

    Attributes:
        number: aligned to the right, and never cut.
        flexible: the first to be cut where the terminal is narrow.
        whole: never cut: what one copies into the next command.
    """

    title: str
    number: bool = False
    flexible: bool = False
    whole: bool = False


def join_names(names: Sequence[str], *, most: int, separator: str = ", ") -> str:
    """The first names, and how many others there are."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return separator.join(names[:most]) + more


def number_column(title: str) -> Column:
    """A column of numbers, which are never cut."""
    return Column(title, number=True)


def flexible_column(title: str) -> Column:
    """A column of words that is cut first."""
    return Column(title, flexible=True)


def whole_column(title: str) -> Column:
    """A column of words that are copied into the next command, and never cut."""
    return Column(title, whole=True)


def print_line(text: str) -> None:
    """One line of data on stdout."""
    sys.stdout.write(make_line_visible(text) + "\n")


def print_page(text: str) -> None:
    """Several lines on stdout, written by ourselves."""
    sys.stdout.write(text.rstrip("\n") + "\n")


def print_text(value: str) -> None:
    """A text that we did not write, on stdout: exact for programs, harmless on a terminal."""
    if sys.stdout.isatty():
        value = make_visible(value)
    sys.stdout.write(value if value.endswith("\n") else value + "\n")


def print_diff_line(piece: DiffPart) -> None:
    """A line of a difference: with its mark, and on a terminal in a colour too."""
    _print_coloured(f"{piece.mark} {make_line_visible(piece.text)}", piece.mark)
    sys.stdout.write("\n")


def print_word_diff(pieces: Sequence[DiffPart]) -> None:
    """A text by words: what came and what went in a colour on a terminal, else in marks."""
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
    """A JSON value on stdout: exact UTF-8 for programs, escaped to ASCII on a terminal.

    Dataclasses are objects by their fields, paths are strings.
    """

    def convert(part: Any) -> Any:
        return str(part) if isinstance(part, Path) else asdict(part)

    plain = sys.stdout.isatty() or "utf" not in (sys.stdout.encoding or "").lower()
    sys.stdout.write(json.dumps(value, ensure_ascii=plain, indent=2, default=convert) + "\n")


@dataclass(slots=True)
class OutputState:
    """What the options of the running command change in its output.

    Attributes:
        quiet: notes and progress are not printed.
        verbose: causes of errors and log records are printed.
        workspace: the folder given with `-w`, as typed; hints repeat it. Empty for none.
        exit_code: the code of the command if its reader closes standard output from now on.
    """

    quiet: bool = False
    verbose: bool = False
    workspace: str = ""
    exit_code: int = 0


_state = OutputState()


def reset(*, workspace: str = "") -> None:
    """Begin a command: nothing is quiet or verbose.

    Args:
        workspace: the folder given with `-w`, as typed; empty for none.
    """
    _state.quiet, _state.verbose, _state.workspace, _state.exit_code = False, False, workspace, 0


def set_quiet() -> None:
    """Print data, warnings and errors only."""
    _state.quiet = True


def set_verbose() -> None:
    """Print log records from the level INFO on, and the causes of errors, on standard error."""
    import logging

    _state.verbose = True
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")


def set_exit_code(code: int) -> None:
    """Set the exit code that counts even if the reader of standard output closes it early.

    A command that finds something wrong calls this before it prints.
    """
    _state.exit_code = code


def known_exit_code() -> int:
    """The exit code that `set_exit_code` set; else 0."""
    return _state.exit_code


def print_message(text: str) -> None:
    """A warning or a result that matters, as one line on standard error."""
    sys.stderr.write(make_line_visible(text) + "\n")
    sys.stderr.flush()


def print_note(text: str) -> None:
    """A confirmation or a next step, as one line on standard error; not with `--quiet`."""
    if not _state.quiet:
        print_message(add_workspace(text))


def print_error(error: TuiAnnotateError) -> None:
    """An error as its message and, under it, what to do; with `--verbose` also its causes."""
    print_problem(f"error: {error.message}", error.hint)
    cause = error.__cause__ or error.__context__
    while cause and _state.verbose:
        print_message(f"  caused by: {type(cause).__name__}: {cause}")
        cause = cause.__cause__ or cause.__context__


def print_problem(message: str, hint: str) -> None:
    """What is wrong, on stderr, and under it what to do where that is known."""
    print_message(message)
    if hint:
        print_message(f"  hint: {add_workspace(hint)}")


def add_workspace(text: str) -> str:
    """Add the workspace that the user gave with `-w` to the commands of a hint.

    Commands that create a workspace or name one already stay as they are.
    """
    if not _state.workspace or " -w " in text:
        return text
    command = f"tui-annotate -w {shlex.quote(_state.workspace)} "
    return re.sub(r"\btui-annotate (?!init\b|demo\b|restore\b|-)", lambda _: command, text)


def print_table(titled: Sequence[Column | str], rows: Sequence[Sequence[str | float]]) -> None:
    """A table on stdout, cut to what the terminal has: flexible columns first, numbers never."""
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


def print_table_below(
    columns: Sequence[Column | str], rows: Sequence[Sequence[str | float]]
) -> None:
    """A table below others, after an empty line; nothing where it has no rows."""
    if rows:
        print_line("")
        print_table(columns, rows)


def print_table_or_json(
    values: Any,
    columns: Sequence[Column | str],
    rows: Sequence[Sequence[str | float]],
    *,
    as_json: bool,
) -> None:
    """Rows as a table for people; for programs the values that they show, as JSON."""
    if as_json:
        print_json(values)
    else:
        print_table(columns, rows)


def print_lines_or_json(value: Any, *lines: str, as_json: bool) -> None:
    """Lines of data for people; for programs the value that they show, as JSON."""
    if as_json:
        print_json(value)
    else:
        for each in lines:
            print_line(each)


def _fit_widths(columns: Sequence[Column], widths: Sequence[int], width: int) -> dict[int, int]:
    """The widths of the columns of words, by their indices, in a terminal of `width` cells."""
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
    """Divide cells among columns: short ones get all they want, long ones equal parts."""
    given: dict[int, int] = {}
    for index, cells in sorted(wanted.items(), key=lambda each: each[1]):
        given[index] = min(cells, max(available // (len(wanted) - len(given)), minimum))
        available -= given[index]
    return given


def _format_cell(value: str | float) -> str:
    if isinstance(value, str):
        return value
    return f"{value:,}" if isinstance(value, int) else f"{value:.3f}"


def print_facts(values: Mapping[str, str | float]) -> None:
    """Names and their values on stdout, aligned, in the order given."""
    width = max(map(len, values), default=0)
    for name, value in values.items():
        print_line(f"{name:<{width}}  {_format_cell(value)}")


def format_time(at: str) -> str:
    """A time as the store has it, without fractions of a second; empty for none."""
    return at[:19]


def file_time_stamp() -> str:
    """The current time, UTC, for file names: `2026-05-04T120000Z`."""
    return time.strftime("%Y-%m-%dT%H%M%SZ", time.gmtime())


def make_console(stream: TextIO) -> Console:
    """Makes a console: as wide as the terminal; wide and without colours where it is none."""
    from rich.console import Console

    width = None if stream.isatty() or "COLUMNS" in os.environ else WIDTH_WITHOUT_TERMINAL
    return Console(file=stream, width=width, soft_wrap=False)


@contextmanager
def show_progress(unit: str) -> Iterator[Callable[[TaskProgress], None]]:
    """Show the progress of a long action as a bar or lines; `unit` is a plural."""
    if _state.quiet:
        yield lambda _: None
        return
    if not sys.stderr.isatty():
        yield _make_progress_lines(unit)
        return
    from rich import progress as widgets

    columns = (
        widgets.TextColumn("{task.description}", markup=False),
        widgets.BarColumn(),
        widgets.TaskProgressColumn(),
        widgets.TextColumn("{task.fields[records]}", markup=False),
        widgets.TextColumn("{task.fields[rate]:,.0f}/s", markup=False),
        widgets.TimeRemainingColumn(),
    )
    with widgets.Progress(*columns, console=make_console(sys.stderr)) as bar:
        tasks: dict[str, TaskID] = {}

        def show(at: TaskProgress) -> None:
            if at.phase not in tasks:
                phase = make_line_visible(at.phase)
                tasks[at.phase] = bar.add_task(phase, total=None, records="", rate=0.0)
            bar.update(
                tasks[at.phase],
                completed=at.share or 0.0,
                total=None if at.share is None else 1.0,
                records=_count_records(at, unit),
                rate=at.rate,
            )

        yield show


def _count_records(at: TaskProgress, unit: str) -> str:
    more = UNITS.get(at.phase, unit)
    one = f"{more[:-3]}y" if more.endswith("ies") else more.removesuffix("s")
    return many(at.records, one, more)


def _make_progress_lines(unit: str) -> Callable[[TaskProgress], None]:
    """Makes what shows progress where nothing can be drawn over: a line every few seconds."""
    last = time.monotonic()

    def show(at: TaskProgress) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < PROGRESS_INTERVAL:
            return
        last = now
        share = "" if at.share is None else f" ({at.share:.0%})"
        left = "" if at.left is None else f", {at.left:,.0f} s left"
        rate = f"{at.rate:,.0f}" if at.rate >= 1 else f"{at.rate:.1f}"
        print_message(f"{at.phase}: {_count_records(at, unit)}{share}, {rate} a second{left}")

    return show


def ask(question: str, *, yes: bool) -> None:
    """Goes on only with a yes: given beforehand, or typed now.

    Raises:
        InvalidInput: nobody can be asked.
        typer.Abort: the answer was no.
    """
    import typer

    if yes:
        return
    if not sys.stdin.isatty():
        raise InvalidInput(f"nobody can be asked: {question}", "add --yes")
    sys.stderr.write(f"{make_line_visible(question)} [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
        raise typer.Abort
