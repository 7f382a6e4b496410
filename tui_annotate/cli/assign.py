"""Handing out work: who annotates what, how many people a sample, in which order."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from tui_annotate.cli import completion, output
from tui_annotate.cli.assign_orders import DescendingOption, OrderOption, ScoreOption, wish
from tui_annotate.cli.assign_rules import register_rules
from tui_annotate.cli.assign_telling import tell_dealt, tell_show, tell_undone
from tui_annotate.cli.options import DryOption, JsonOption, WorkspaceOption, examples, opened
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import Verb
from tui_annotate.domain.sharing import Sorting, Wish

DatasetOption = Annotated[
    str,
    typer.Option(
        "--dataset", metavar="NAME", help="Of this dataset.", autocompletion=completion.datasets
    ),
]
ToOption = Annotated[
    list[str] | None,
    typer.Option(
        "--to",
        metavar="NAME",
        help="Who gets it; several times for several people.",
        autocompletion=completion.people,
    ),
]
ShareOption = Annotated[
    str, typer.Option("--share", metavar="N", help="How many samples: a number, 30%, or all.")
]
OverlapOption = Annotated[
    int,
    typer.Option(
        "--overlap",
        metavar="K",
        min=1,
        help="How many people each sample has in the end, those who have it counted.",
    ),
]
SeedOption = Annotated[
    str, typer.Option("--seed", metavar="TEXT", help="The same seed gives the same draw.")
]
BegunOption = Annotated[
    bool,
    typer.Option("--begun", help="Also samples that were begun; what was done stays stored."),
]


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    assign = typer.Typer(help="Hand out work, and take it back.", no_args_is_help=True)
    name = "tui-annotate assign"
    assign.command(
        "give",
        epilog=examples(
            f"{name} give --dataset news --to ana --to ben --overlap 2 --dry-run",
            f"{name} give --dataset news --to li --share 30% --order random --seed 7",
            f"{name} give --dataset news --to li bridge-1 bridge-2",
        ),
    )(give)
    assign.command("topup", epilog=examples(f"{name} topup --dataset news --open 20"))(topup)
    assign.command(
        "move",
        epilog=examples(f"{name} move --from ana --to ben --to li", f"{name} move --from ana"),
    )(move)
    assign.command("repeat", epilog=examples(f"{name} repeat --dataset news --to ana --share 20%"))(
        repeat
    )
    register_rules(assign)
    assign.command("show", epilog=examples(f"{name} show", f"{name} show --json"))(show)
    assign.command("undo", epilog=examples(f"{name} undo", f"{name} undo 3 --begun"))(undo)
    app.add_typer(assign, name="assign")


def give(
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ID",
            help="Samples; else all of the dataset are shared.",
            autocompletion=completion.samples,
        ),
    ] = None,
    *,
    dataset: DatasetOption,
    to: ToOption = None,
    share: ShareOption = "all",
    overlap: OverlapOption = 1,
    order: OrderOption = "by-source",
    score: ScoreOption = "",
    descending: DescendingOption = False,
    seed: SeedOption = "1",
    file: Annotated[
        Path | None,
        typer.Option("--file", metavar="FILE", help="Samples, an id a line; - for standard input."),
    ] = None,
    dry_run: DryOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Hand out a share of a dataset, or the samples that are named.

    Nobody gets a sample twice; numbers are as even as that allows. From then on people see of this
    dataset what they have, and nothing else of it.
    """
    named = [*(ids or ()), *_listed(file)]
    asked, by = wish(
        share=share, overlap=overlap, order=order, score=score, down=descending, seed=seed
    )
    with opened(workspace, needs=Verb.MANAGE) as space:
        told = space.team.share.give(dataset, to or (), asked, ids=named, score=by, dry_run=dry_run)
    tell_dealt(told, dry_run=dry_run, as_json=as_json)


def topup(
    *,
    dataset: DatasetOption,
    number: Annotated[
        int, typer.Option("--open", metavar="N", min=1, help="How many open samples each.")
    ],
    to: ToOption = None,
    overlap: OverlapOption = 1,
    order: OrderOption = "by-source",
    score: ScoreOption = "",
    descending: DescendingOption = False,
    seed: SeedOption = "1",
    dry_run: DryOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Bring people up to a number of open samples each.

    Without --to, all who have something of the dataset.
    """
    asked, by = wish(
        share="all", overlap=overlap, order=order, score=score, down=descending, seed=seed
    )
    with opened(workspace, needs=Verb.MANAGE) as space:
        told = space.team.share.top_up(
            dataset, to or (), asked, number=number, score=by, dry_run=dry_run
        )
    tell_dealt(told, dry_run=dry_run, as_json=as_json)


def move(
    *,
    person: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="NAME",
            help="Whose open samples are moved.",
            autocompletion=completion.people,
        ),
    ],
    to: ToOption = None,
    begun: BegunOption = False,
    dry_run: DryOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Move somebody's open samples to others, evenly.

    Without --to they go back to the pool that they were drawn from.
    """
    with opened(workspace, needs=Verb.MANAGE) as space:
        told = space.team.share.move(person, to or (), begun=begun, dry_run=dry_run)
    more = "" if begun else "; --begun moves also what was begun"
    tell_dealt(
        told, dry_run=dry_run, as_json=as_json, nothing=f"{person} has no open samples{more}"
    )


def repeat(
    *,
    dataset: DatasetOption,
    to: ToOption = None,
    share: ShareOption = "20%",
    seed: SeedOption = "1",
    dry_run: DryOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Let people read a share of their samples a second time.

    It is offered once their first work is done, in another order and without what they did. The two
    readings are compared by the agreement of a person with themselves.
    """
    asked = Wish(share=share, sorting=Sorting.RANDOM, seed=seed)
    with opened(workspace, needs=Verb.MANAGE) as space:
        told = space.team.share.repeat(dataset, to or (), asked, dry_run=dry_run)
    tell_dealt(told, dry_run=dry_run, as_json=as_json)


def show(
    *,
    dataset: Annotated[
        str,
        typer.Option(
            "--dataset", metavar="NAME", help="This alone.", autocompletion=completion.datasets
        ),
    ] = "",
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Show who has what, how far they are, rules and handouts."""
    with opened(workspace, needs=Verb.MANAGE) as space:
        told = space.team.share.show(dataset)
    if as_json:
        output.as_json(asdict(told))
    else:
        tell_show(told)


def undo(
    number: Annotated[
        int, typer.Argument(metavar="ID", help="A handout; else the last one.", show_default=False)
    ] = 0,
    *,
    begun: BegunOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Take a handout back, with the rule that it made.

    What was begun stays with its people, unless --begun.
    """
    with opened(workspace, needs=Verb.MANAGE) as space:
        undone = space.team.share.undo(number, begun=begun)
    if as_json:
        output.as_json(asdict(undone))
    else:
        tell_undone(undone)


def _listed(file: Path | None) -> list[str]:
    """The ids of a file, one a line; empty lines do not count.

    Raises:
        OSError: it can not be read.
        InvalidInput: it holds no text.
    """
    if file is None:
        return []
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{file} is not UTF-8", "one id a line, as UTF-8") from error
    named = [line.strip() for line in text.splitlines() if line.strip()]
    if not named:
        raise InvalidInput(f"{file} names no sample", "one id a line")
    return named
