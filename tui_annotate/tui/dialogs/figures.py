"""Figures of work over the screen: who is how far, how fast, until when; hours by week; flags."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from tui_annotate.domain.figures import bar
from tui_annotate.tui.dialogs.message import Reader
from tui_annotate.tui.lines import fit, shown, wrapped
from tui_annotate.tui.words import Words

if TYPE_CHECKING:
    from tui_annotate.domain.figures import Ahead, Figures, Projection, Work

_NAME, _BAR, _WEEK_BAR = 14, 10, 40
Line = list[Words]


class FiguresDialog(Reader):
    """One page of figures; r looks anew."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "again", "look again", show=False),
        Binding("enter", "close", "close", show=False),
    ]

    def __init__(self, count: Callable[[], None]) -> None:
        """`count` has the figures counted, and calls `tell` with them."""
        super().__init__("Figures")
        self._figures: Figures | None = None
        self._count = count

    def on_mount(self) -> None:
        """Has them counted."""
        self.action_again()

    def tell(self, figures: Figures) -> None:
        """Shows figures; nothing happens once it is closed."""
        if not self.is_attached:
            return
        self.heading = "Figures of all" if figures.ahead else "My figures"
        self.tell_title("counted anew" if self._figures else "")
        self._figures = figures
        self.refill()

    def action_again(self) -> None:
        """The key r."""
        self.tell_title("counting ...")
        self._count()

    def keys(self) -> Sequence[tuple[str, str]]:
        """How to look anew and scroll."""
        return [("r", "count anew"), ("↑↓", "scroll"), ("q", "close")]

    def lines(self, cells: int) -> list[Line]:
        """Datasets with their people, weeks, flags."""
        figures = self._figures
        if figures is None:
            return []
        if not figures.work:
            return [[("Nobody did anything yet.", "quiet")]]
        return [*_people(figures), *_weeks(figures), *_flags(figures, cells)]


def _people(figures: Figures) -> Iterator[Line]:
    ahead = {each.dataset: each for each in figures.ahead}
    before = ""
    for work in figures.work:
        if work.dataset != before:
            if before:
                yield []
            before = work.dataset
            yield _heading(work.dataset, ahead.get(work.dataset))
        yield _person(work, figures)


def _heading(dataset: str, ahead: Ahead | None) -> Line:
    words: Line = [(fit(shown(dataset), _NAME + _BAR + 1), "title_focused")]
    if ahead is None:
        return words
    left = "" if ahead.remaining is None else f"{ahead.remaining:,} remaining, "
    return [*words, (f" {left}{'ends ' if ahead.end.day else ''}{_end(ahead.end)}", "text")]


def _person(work: Work, figures: Figures) -> Line:
    whole = work.finished + (work.remaining or 0)
    share = fit(bar(work.finished, whole, _BAR), _BAR)
    flags = f"⚑{work.flagged}" if work.flagged else ""
    rate = work.samples_an_hour
    pace = "" if rate is None else f"{rate:,.1f}/h"
    return [
        (f"{fit(shown(work.name), _NAME)} ", "text"),
        (share, "accent"),
        (f" {f'{work.finished:,}/{whole:,}':>10} ", "text"),
        (f"{flags:>4} ", "warning"),
        (f"{work.hours:>7,.1f} h {pace:>8}  ", "text"),
        (_end(work.end(figures.today)), "quiet"),
    ]


def _end(end: Projection) -> str:
    return end.day or end.why


def _weeks(figures: Figures) -> Iterator[Line]:
    most = max((week.hours for week in figures.weeks), default=0.0)
    if most <= 0:
        return
    yield []
    yield [("Hours by week", "title")]
    for week in figures.weeks:
        drawn = bar(week.hours, most, _WEEK_BAR)
        yield [(f"{week.week} {week.hours:>8,.1f} h  ", "text"), (drawn, "accent")]


def _flags(figures: Figures, cells: int) -> Iterator[Line]:
    if not figures.flags:
        return
    yield []
    yield [("Flagged", "title")]
    for flag in figures.flags:
        who = shown(figures.names.get(flag.person, flag.person))
        where = f"{shown(flag.dataset)}/{shown(flag.sample)}"
        reason = shown(flag.reason) or "no reason"
        for place, part in enumerate(wrapped(f"{where}, {who}: {reason}", cells - 4)):
            yield [(part if not place else f"  {part}", "text")]
