"""The rules of handed-out work as commands, and how handed-out work is told."""

from __future__ import annotations

from typing import Annotated

import typer

from tui_annotate.cli import output
from tui_annotate.cli.assign_telling import tell_dealt
from tui_annotate.cli.options import JsonOption, WorkspaceOption, examples, opened
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.handouts import Escalation, Pool, When
from tui_annotate.domain.people import Verb
from tui_annotate.domain.sharing import Sorting

_DatasetOption = Annotated[
    str, typer.Option("--dataset", metavar="NAME", help="The dataset that it holds for.")
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
        int, typer.Option("--overlap", metavar="K", min=1, help="People a sample.")
    ] = 1,
    order: Annotated[Sorting, typer.Option("--order", help="Which samples are drawn first.")] = (
        Sorting.BY_SOURCE
    ),
    seed: Annotated[str, typer.Option("--seed", metavar="TEXT", help="Of the order random.")] = "1",
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Let people draw the samples of a dataset, until each sample has so many people.

    Whoever has no share of the dataset draws the next sample as they finish one.
    """
    if order is Sorting.SCORE:
        raise InvalidInput("a pool has no order by score", "orders: by-source, ingested, random")
    name = f"random:{seed}" if order is Sorting.RANDOM else order.value
    with opened(workspace, needs=Verb.MANAGE) as space:
        number = space.team.share.pool(dataset, Pool(overlap, name))
    if as_json:
        output.as_json({"handout": number, "dataset": dataset, "overlap": overlap, "order": name})
    else:
        output.line(f"handout {number}: people draw from {dataset}, {overlap} a sample")


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
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Give a sample to somebody more once those who have it finished and disagree.

    It goes to whoever has least open work of those who work in the dataset.
    """
    if when is None and not now:
        raise InvalidInput("no rule", "give --when differ or --when label, or --now")
    told: dict[str, object] = {"dataset": dataset}
    with opened(workspace, needs=Verb.MANAGE) as space:
        if when is not None:
            told["handout"] = space.team.share.escalate(dataset, Escalation(when, add))
        if now:
            told["added"], told["waiting"] = space.team.share.escalate_now(dataset)
    if as_json:
        output.as_json(told)
        return
    if when is not None:
        output.line(f"handout {told['handout']}: {add} more where people {when}, in {dataset}")
    if now:
        output.line(f"{told['added']} samples went to others, {told['waiting']} wait for somebody")


def practice(
    *,
    dataset: _DatasetOption,
    to: Annotated[
        list[str] | None,
        typer.Option("--to", metavar="NAME", help="Who practises; else everybody there is."),
    ] = None,
    gold: Annotated[
        str,
        typer.Option(
            "--gold",
            metavar="NAME",
            help="Whose answers are right: a person, or imported; else what review settled.",
        ),
    ] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Tell it, and write nothing.")] = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Put a dataset with known answers before people's real work.

    After each sample they see theirs beside the right ones. This work is in no export.
    """
    with opened(workspace, needs=Verb.MANAGE) as space:
        told = space.team.share.practice(dataset, to or (), gold=gold, dry_run=dry_run)
    tell_dealt(told, dry_run=dry_run, as_json=as_json)
