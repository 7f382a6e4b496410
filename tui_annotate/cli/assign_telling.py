"""How handed-out work is told: who got what, who has what, what was taken back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tui_annotate.cli import output

if TYPE_CHECKING:
    from tui_annotate.services.share import Dealt, Shown, Undone

_NOTHING = "nothing was handed out: there is nothing that these people could get"


def tell_dealt(told: Dealt, *, dry_run: bool, as_json: bool, nothing: str = _NOTHING) -> None:
    """Who got what, or would; `nothing` where there was nothing to hand out at all."""
    if as_json:
        output.as_json({**asdict(told), "dry_run": dry_run})
        return
    numbers = ("samples", "sources", "characters", "had")
    if told.people:
        output.table(
            [
                output.Column("person", flexible=True),
                *(output.Column(name, number=True) for name in numbers),
            ],
            [(each.name, *(getattr(each, name) for name in numbers)) for each in told.people],
        )
    if told.short:
        places = "place" if told.short == 1 else "places"
        output.say(f"{told.short:,} {places} stay empty: there are too few people or samples")
    if not told.samples and not told.short:
        output.say(nothing)
    elif dry_run:
        tell_dry(dry_run=dry_run)
    elif told.handout:
        output.line(f"handout {told.handout}: {output.many(told.samples, 'sample')}")
    else:
        samples = output.many(told.samples, "sample")
        output.say(f"{samples} went back to the pool" if told.samples else _NOTHING)


def tell_dry(*, dry_run: bool) -> None:
    """That nothing was done, where that was asked for."""
    if dry_run:
        output.say("nothing was written: --dry-run")


def tell_show(told: Shown) -> None:
    """Who has what, the rules, the handouts."""
    numbers = ("samples", "finished", "begun", "open", "drawn", "practice")
    output.table(
        [
            output.Column("dataset", flexible=True),
            output.Column("person", flexible=True),
            *(output.Column(name, number=True) for name in numbers),
        ],
        [
            (each.dataset, each.name, *(getattr(each, name) for name in numbers))
            for each in told.stands
        ],
    )
    if told.rules:
        output.line("")
        columns = [output.Column("dataset", flexible=True), output.Column("rule", flexible=True)]
        output.table(
            [*columns, output.Column("waiting", number=True)],
            [(each.dataset, each.rule, each.waiting) for each in told.rules],
        )
    if told.handouts:
        output.line("")
        names = ("handout", "at", "kind", "dataset", "asked")
        output.table(
            [output.Column(name, flexible=name == "asked") for name in names],
            [
                (
                    str(each.id),
                    each.at[:16],
                    f"{each.kind}, undone" if each.undone else each.kind,
                    each.dataset,
                    _words(each.asked),
                )
                for each in told.handouts
            ],
        )


def _words(asked: Mapping[str, Any]) -> str:
    """What was asked for, as names and values."""
    parts = []
    for name, value in asked.items():
        if value == []:
            continue
        shown = " ".join(map(str, value)) if isinstance(value, list) else str(value)
        parts.append(f"{name} {shown}")
    return ", ".join(parts)


def tell_undone(undone: Undone) -> None:
    """What became of a handout."""
    removed = output.many(undone.removed, "sample")
    output.line(f"handout {undone.handout.id} is taken back: {removed}")
    if undone.kept:
        output.line(f"{undone.kept:,} that were begun stay; to take these too: --begun")
    for dataset in undone.free:
        output.line(f"dataset {dataset} is everybody's again")
