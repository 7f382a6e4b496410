"""The rules of handed-out work as commands, and how handed-out work is told."""

from __future__ import annotations

from typing import Annotated

import typer

from tui_annotate.cli import completion, output
from tui_annotate.cli.assign_orders import DrawnOption, drawn
from tui_annotate.cli.assign_telling import tell_dealt, tell_dry
from tui_annotate.cli.options import DryOption, JsonOption, WorkspaceOption, examples, opened
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.handouts import Escalation, Pool, When
from tui_annotate.domain.people import Verb

_DatasetOption = Annotated[
    str,
    typer.Option(
        "--dataset",
        metavar="NAME",
        help="The dataset that this is about.",
        autocompletion=completion.datasets,
    ),
]


def register_rules(assign: typer.Typer) -> None:
    """Adds the rules to the group."""
    name = "tui-annotate assign"
    assign.command(
        "pool",
        epilog=examples(
            f"{name} pool --dataset news --overlap 2",
            f"{name} pool --dataset news --order random --seed 7",
        ),
    )(pool)
    assign.command(
        "escalate",
        epilog=examples(
            f"{name} escalate --dataset news --when differ",
            f"{name} escalate --dataset news --now",
        ),
    )(escalate)
    assign.command(
        "practice",
        epilog=examples(
            f"{name} practice --dataset training --gold imported",
            f"{name} practice --dataset training --gold ana --to ben",
        ),
    )(practice)


def pool(
    *,
    dataset: _DatasetOption,
    overlap: Annotated[
        int, typer.Option("--overlap", metavar="K", min=1, help="How many people each sample gets.")
    ] = 1,
    order: DrawnOption = "by-source",
    seed: Annotated[str, typer.Option("--seed", metavar="TEXT", help="Of the order random.")] = "1",
    dry_run: DryOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Let people draw the samples of a dataset.

    Whoever has no share of it draws the next sample as they finish one, until each sample has so
    many people.
    """
    name = drawn(order, seed)
    with opened(workspace, needs=Verb.MANAGE) as space:
        told = space.team.share.pool(dataset, Pool(overlap, name), dry_run=dry_run)
    if as_json:
        rule = {"dataset": dataset, "overlap": overlap, "order": name}
        output.as_json({"handout": told.handout, **rule, "waiting": told.waiting})
        return
    head = f"handout {told.handout}: " if told.handout else ""
    waiting = output.many(told.waiting, "sample waits", "samples wait")
    output.line(f"{head}people draw from {dataset}, {overlap} a sample; {waiting}")
    tell_dry(dry_run=dry_run)


def escalate(
    *,
    dataset: _DatasetOption,
    when: Annotated[
        When | None,
        typer.Option(
            help="differ: one marks something, another nothing; label: or their top labels differ.",
            show_default=False,
        ),
    ] = None,
    add: Annotated[int, typer.Option("--add", metavar="N", min=1, help="How many people.")] = 1,
    now: Annotated[bool, typer.Option("--now", help="Also for what is finished already.")] = False,
    dry_run: DryOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Give a sample to somebody more where people disagree.

    Once those who have it have finished. It goes to whoever has least open work of those who work
    in the dataset.
    """
    if when is None and not now:
        raise InvalidInput("no rule", "give --when differ or --when label, or --now")
    rule = Escalation(when, add) if when is not None else None
    with opened(workspace, needs=Verb.MANAGE) as space:
        told = space.team.share.escalate(dataset, rule, now=now, dry_run=dry_run)
    if as_json:
        handout = {"handout": told.handout} if rule else {}
        counts = {"added": told.added, "waiting": told.waiting} if now else {}
        output.as_json({"dataset": dataset, **handout, **counts})
        return
    if rule:
        head = f"handout {told.handout}: " if told.handout else ""
        output.line(f"{head}{add} more where people {rule.when}, in {dataset}")
    if now:
        given = output.many(told.added, "sample")
        waiting = output.many(told.waiting, "waits", "wait")
        output.line(f"{given} went to others, {waiting} for somebody")
    tell_dry(dry_run=dry_run)


def practice(
    *,
    dataset: _DatasetOption,
    to: Annotated[
        list[str] | None,
        typer.Option(
            "--to",
            metavar="NAME",
            help="Who practises; else everybody there is.",
            autocompletion=completion.people,
        ),
    ] = None,
    gold: Annotated[
        str,
        typer.Option(
            "--gold",
            metavar="NAME",
            help="Whose answers are right: a person, or imported; else what review settled.",
        ),
    ] = "",
    dry_run: DryOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Put a dataset with known answers before people's real work.

    After each sample they see theirs beside the right ones. This work is in no export.
    """
    with opened(workspace, needs=Verb.MANAGE) as space:
        told = space.team.share.practice(dataset, to or (), gold=gold, dry_run=dry_run)
    tell_dealt(told, dry_run=dry_run, as_json=as_json)
    if not told.people and not as_json:
        output.say("nobody is there to practise yet: give the command again once people are")
