"""What `status` tells of people: how far, how fast, until when; charts by week."""

from __future__ import annotations

from itertools import dropwhile
from typing import TYPE_CHECKING

from tui_annotate.cli import charts, output

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tui_annotate.domain.figures import Figures, Projection
    from tui_annotate.storage.item_counts import KindCount

_NONE = "-"


def show(figures: Figures) -> None:
    """Tables of people, what is ahead, hours by week."""
    if figures.work:
        output.line("")
        _show_states(figures)
        output.line("")
        _show_pace(figures)
    if figures.ahead:
        output.line("")
        _show_ahead(figures)
    if any(week.seconds for week in figures.weeks):
        output.line("")
        weeks = dropwhile(lambda week: not week.seconds, figures.weeks)
        charts.bars([(week.week, week.hours) for week in weeks], unit="h")


def show_items(items: Sequence[KindCount]) -> None:
    """A table of reports, documents and citations; nothing where there are none."""
    if items:
        output.line("")
        output.table(
            [
                output.Column("dataset", flexible=True),
                output.Column("kind"),
                output.Column("samples", number=True),
                output.Column("annotator", flexible=True),
                output.Column("annotated", number=True),
            ],
            [
                (each.dataset, each.kind, each.samples, each.name or _NONE, each.annotated)
                for each in items
            ],
        )


def _show_states(figures: Figures) -> None:
    numbers = ("assigned", "done", "skipped", "flagged", "begun", "annotations")
    output.table(
        [*_who(), *(output.Column(name, number=True) for name in numbers)],
        [
            (
                each.name,
                each.dataset,
                _NONE if each.assigned is None else each.assigned,
                each.done,
                each.skipped,
                each.flagged,
                each.open,
                each.annotations,
            )
            for each in figures.work
        ],
    )


def _show_pace(figures: Figures) -> None:
    numbers = ("hours", "samples/h", "annotations/h")
    output.table(
        [
            *_who(),
            *(output.Column(name, number=True) for name in numbers),
            output.Column("ends"),
        ],
        [
            (
                each.name,
                each.dataset,
                f"{each.hours:,.1f}",
                _rate(each.samples_an_hour),
                _rate(each.annotations_an_hour),
                _end(each.end(figures.today)),
            )
            for each in figures.work
        ],
    )


def _show_ahead(figures: Figures) -> None:
    output.table(
        [output.Column("dataset", flexible=True), output.Column("remaining", number=True),
         output.Column("ends")],
        [
            (each.dataset, _NONE if each.remaining is None else each.remaining, _end(each.end))
            for each in figures.ahead
        ],
    )  # fmt: skip


def show_flags(figures: Figures) -> None:
    """Flagged samples, each with its reason."""
    if not figures.flags:
        output.say("nothing is flagged")
        return
    output.table(
        [
            output.Column("dataset"),
            output.Column("sample"),
            output.Column("annotator"),
            output.Column("reason", flexible=True),
            output.Column("at"),
        ],
        [
            (
                each.dataset,
                each.sample,
                figures.names.get(each.person, each.person),
                each.reason or _NONE,
                each.at[:16],
            )
            for each in figures.flags
        ],
    )


def _who() -> list[output.Column]:
    return [output.Column("annotator", flexible=True), output.Column("dataset", flexible=True)]


def _rate(value: float | None) -> str:
    return _NONE if value is None else f"{value:,.1f}"


def _end(end: Projection) -> str:
    return end.day or f"({end.why})"
