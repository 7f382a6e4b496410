"""How a change of labels is told: what it did or would do, and what waits since."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tui_annotate.cli import output

if TYPE_CHECKING:
    from tui_annotate.services.examine import Waiting
    from tui_annotate.services.relabel import Place, Report

_SHOWN = 10
"""Places of one kind that are listed; --json has all."""

_PLACES = {
    "breaks": "against a rule of the label",
    "alike": "the same label on the same claim",
    "left": "changed since, left as they are",
    "lost": "with a label that the set lacks",
}
_RULES = {"evidence": "takes no evidence", "note": "takes no note", "alone": "must stand alone"}


def tell(report: Report, *, as_json: bool) -> None:
    """Prints what a change did, or would do."""
    if as_json:
        output.as_json(report.as_json())
        return
    show(report)
    output.say(_summary(report))
    if report.file == "left":
        output.say(
            "labels.yaml says something else and was left: tui-annotate labels apply labels.yaml"
        )


def show(report: Report) -> None:
    """Prints whose annotations a change is about, and what to look at."""
    if report.counts:
        output.table(
            [
                *(output.Column(name, flexible=True) for name in ("person", "dataset")),
                output.Column("label", flexible=True),
                output.Column("becomes", flexible=True),
                output.Column("annotations", number=True),
            ],
            [
                (
                    each.person,
                    each.dataset,
                    each.label,
                    "stays" if each.becomes == each.label else each.becomes or "-",
                    each.annotations,
                )
                for each in report.counts
            ],
        )
    for what, title in _PLACES.items():
        _list_places(title, report.of(what))


def _list_places(title: str, places: Sequence[Place]) -> None:
    if not places:
        return
    output.line("")
    output.line(f"{title}: {len(places):,}")
    for place in places[:_SHOWN]:
        numbers = ", ".join(map(str, place.numbers))
        rule = f", which {_RULES[place.says]}" if place.says else ""
        label = f" {place.label}{rule}" if place.label else ""
        output.line(f"  {place.dataset}/{place.sample}  {place.person}  no. {numbers} {label}")
    if len(places) > _SHOWN:
        output.line(f"  and {len(places) - _SHOWN:,} more; --json has all")


def _summary(report: Report) -> str:
    if report.kind == "apply" and report.before == report.after:
        return f"version {report.after[:12]} is in force already"
    if report.kind == "normalise" and not report.annotations:
        return "no label is to be mended"
    told = [
        f"annotations: {report.annotations:,}",
        f"samples: {report.samples:,}, for each person who has them",
        *([f"opened again: {report.reopened:,}"] if report.reopened else []),
        *([f"finished again: {report.closed:,}"] if report.closed else []),
    ]
    verb = "done" if report.done else "nothing was changed; it would be"
    return f"{verb}: {report.told}; {'; '.join(told)}"


def show_waiting(waiting: Sequence[Waiting]) -> None:
    """A table of what waits for a choice since a label was split; nothing where nothing does."""
    if not waiting:
        return
    output.line("")
    output.table(
        [
            output.Column("waits for a choice", flexible=True),
            output.Column("of", flexible=True),
            output.Column("person", flexible=True),
            output.Column("annotations", number=True),
        ],
        [(each.label, ", ".join(each.choices), each.name, each.annotations) for each in waiting],
    )
