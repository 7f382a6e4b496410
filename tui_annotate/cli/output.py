"""Everything that a command shows: data to stdout, talk to stderr; the one place that prints.

Texts that we did not write pass `visible_line` here, once; none of them is ever read as markup.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

from tui_annotate.domain import nouns
from tui_annotate.domain.errors import InvalidInput, TuiAnnotateError
from tui_annotate.domain.visible import visible, visible_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from tui_annotate.domain.differences import Piece
    from tui_annotate.domain.progress import Progress

WIDE = 160  # columns of a table that nobody looks at through a terminal
GAP = 2  # blanks between two columns
NARROWEST = 20  # cells of a column of words, at least, where it has as many
LEAST = 8  # cells that a flexible one keeps where the others leave no more
UNITS = {"vectors": "documents"}  # what a phase counts, where it is something else
QUIET = 5.0  # seconds between two lines of progress where no bar can be drawn

many = nouns.many


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


def line(text: str) -> None:
    """One line of data on stdout."""
    sys.stdout.write(visible_line(text) + "\n")


def page(text: str) -> None:
    """Several lines on stdout, written by ourselves."""
    sys.stdout.write(text.rstrip("\n") + "\n")


def text(value: str) -> None:
    """A text that we did not write, on stdout: exact for programs, harmless on a terminal."""
    if sys.stdout.isatty():
        value = visible(value)
    sys.stdout.write(value if value.endswith("\n") else value + "\n")


def marked_line(piece: Piece) -> None:
    """A line of a difference: with its mark, and on a terminal in a colour too."""
    _coloured(f"{piece.mark} {visible_line(piece.text)}", piece.mark)
    sys.stdout.write("\n")


def marked_words(pieces: Sequence[Piece]) -> None:
    """A text by words: what came and what went in a colour on a terminal, else in marks."""
    drawn = drawing(sys.stdout).color_system is not None
    for piece in pieces:
        shown = visible(piece.text)
        if not drawn and piece.mark != " ":
            before, after = ("{+", "+}") if piece.mark == "+" else ("[-", "-]")
            shown = f"{before}{shown}{after}"
        _coloured(shown, piece.mark)
    sys.stdout.write("\n")


def _coloured(shown: str, mark: str) -> None:
    from rich.text import Text

    styles = {"+": "green", "-": "red strike"}
    drawing(sys.stdout).print(Text(shown, style=styles.get(mark, "")), end="", soft_wrap=True)


def as_json(value: Any) -> None:
    """A JSON value on stdout: exact UTF-8 for programs, escaped to ASCII on a terminal."""
    plain = sys.stdout.isatty() or "utf" not in (sys.stdout.encoding or "").lower()
    sys.stdout.write(json.dumps(value, ensure_ascii=plain, indent=2) + "\n")


def say(text: str) -> None:
    """One line of talk on stderr."""
    sys.stderr.write(visible_line(text) + "\n")
    sys.stderr.flush()


def complain(error: TuiAnnotateError) -> None:
    """An error as its message and, under it, what to do."""
    say(f"error: {error.message}")
    if error.hint:
        say(f"  hint: {error.hint}")


def table(columns: Sequence[Column], rows: Sequence[Sequence[str | float]]) -> None:
    """A table on stdout, cut to what the terminal has: flexible columns first, numbers never."""
    from rich.console import ConsoleDimensions
    from rich.table import Table
    from rich.text import Text

    console = drawing(sys.stdout)
    cells = [[Text(visible_line(_cell(value))) for value in row] for row in rows]
    titles = [Text(visible_line(column.title)) for column in columns]
    widths = [max(cell.cell_len for cell in each) for each in zip(titles, *cells, strict=True)]
    for place, room in _rooms(columns, widths, console.width).items():
        for row_cells in cells:
            row_cells[place].truncate(room, overflow="ellipsis")
    needed = sum(
        max(cell.cell_len for cell in each) + GAP for each in zip(titles, *cells, strict=True)
    )
    # Else Rich would cut what is whole all the same.
    console.size = ConsoleDimensions(max(console.width, needed), console.height)
    shown = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold")
    for title, column in zip(titles, columns, strict=True):
        shown.add_column(title, justify="right" if column.number else "left", no_wrap=True)
    for row_cells in cells:
        shown.add_row(*row_cells)
    with console.capture() as drawn:
        console.print(shown, markup=False, highlight=False)
    page("\n".join(each.rstrip() for each in drawn.get().splitlines()))


def _rooms(columns: Sequence[Column], widths: Sequence[int], width: int) -> dict[int, int]:
    """How wide each column of words may be, by its place."""
    words = {
        place: widths[place]
        for place, column in enumerate(columns)
        if not (column.number or column.whole)
    }
    rigid = {place: wish for place, wish in words.items() if not columns[place].flexible}
    flexible = {place: wish for place, wish in words.items() if columns[place].flexible}
    room = width - sum(widths) + sum(words.values()) - GAP * len(columns)
    kept = sum(min(wish, NARROWEST) for wish in flexible.values())
    rooms = _shared(rigid, room - kept, least=NARROWEST)
    return rooms | _shared(flexible, room - sum(rooms.values()), least=LEAST)


def _shared(wishes: Mapping[int, int], room: int, *, least: int) -> dict[int, int]:
    """Cells among columns: short wishes in full, long ones the same each, none below a least."""
    given: dict[int, int] = {}
    for place, wish in sorted(wishes.items(), key=lambda each: each[1]):
        given[place] = min(wish, max(room // (len(wishes) - len(given)), least))
        room -= given[place]
    return given


def _cell(value: str | float) -> str:
    if isinstance(value, str):
        return value
    return f"{value:,}" if isinstance(value, int) else f"{value:.3f}"


def facts(values: Mapping[str, str | float]) -> None:
    """Names and their values on stdout, aligned, in the order given."""
    width = max(map(len, values), default=0)
    for name, value in values.items():
        line(f"{name:<{width}}  {_cell(value)}")


def seconds(moment: str) -> str:
    """A moment as the store has it, for people: without parts of a second; empty for none."""
    return moment[:19]


def stamp() -> str:
    """This second, UTC, as a name of files: `2026-05-04T120000Z`."""
    return time.strftime("%Y-%m-%dT%H%M%SZ", time.gmtime())


def drawing(stream: TextIO) -> Console:
    """What draws on a stream: in its width and colours, wide and plain where it is no terminal."""
    from rich.console import Console

    width = None if stream.isatty() or "COLUMNS" in os.environ else WIDE
    return Console(file=stream, width=width, soft_wrap=False)


@contextmanager
def progress(unit: str) -> Iterator[Callable[[Progress], None]]:
    """A callback that shows how far a long deed is: a bar with rate and time left, or quiet lines.

    Args:
        unit: what is counted, in the plural.
    """
    if not sys.stderr.isatty():
        yield _Lines(unit)
        return
    with _bar() as bar:
        tasks: dict[str, TaskID] = {}

        def show(at: Progress) -> None:
            if at.phase not in tasks:
                phase = visible_line(at.phase)
                tasks[at.phase] = bar.add_task(phase, total=None, records="", rate=0.0)
            total = None if at.share is None else 1.0
            bar.update(
                tasks[at.phase],
                completed=at.share or 0.0,
                total=total,
                records=_counted(at, unit),
                rate=at.rate,
            )

        yield show


def _counted(at: Progress, unit: str) -> str:
    """What is done so far, by the word for one thing where it is one."""
    more = UNITS.get(at.phase, unit)
    one = f"{more[:-3]}y" if more.endswith("ies") else more.removesuffix("s")
    return many(at.records, one, more)


class _Lines:
    """Progress where nothing can be drawn over: a line every few seconds."""

    def __init__(self, unit: str) -> None:
        self._unit = unit
        self._told = time.monotonic()

    def __call__(self, at: Progress) -> None:
        now = time.monotonic()
        if now - self._told < QUIET:
            return
        self._told = now
        share = "" if at.share is None else f" ({at.share:.0%})"
        left = "" if at.left is None else f", {at.left:,.0f} s left"
        counted = _counted(at, self._unit)
        rate = f"{at.rate:,.0f}" if at.rate >= 1 else f"{at.rate:.1f}"
        say(f"{at.phase}: {counted}{share}, {rate} a second{left}")


def _bar() -> Bar:
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Drawn

    return Drawn(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[records]}", markup=False),
        TextColumn("{task.fields[rate]:,.0f}/s", markup=False),
        TimeRemainingColumn(),
        console=drawing(sys.stderr),
    )


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
    sys.stderr.write(f"{visible_line(question)} [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
        raise typer.Abort
