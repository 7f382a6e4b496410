"""Commands of a reviewer: open the screen of review, list what waits for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tui_annotate.cli import completion, output, screen
from tui_annotate.cli.options import (
    JsonOption,
    NameOption,
    OfDatasetOption,
    WorkspaceOption,
    examples,
    opened,
)
from tui_annotate.domain.orders import CONFLICTS, contradicted
from tui_annotate.domain.people import Verb

if TYPE_CHECKING:
    from tui_annotate.services.review import Waiting
    from tui_annotate.workspace import Workspace

_GRAVEST: Final = 2  # kinds of differences in the list; all of them are in its JSON


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    review_app = typer.Typer(
        help="Settle what several people said of the same samples.",
        invoke_without_command=True,
        epilog=examples(
            "tui-annotate review",
            "tui-annotate review --as ana --sample news/17",
            "tui-annotate review list --json",
        ),
    )
    review_app.callback()(review)
    review_app.command(
        "list",
        epilog=examples(
            "tui-annotate review list",
            "tui-annotate review list --dataset news --json",
            "tui-annotate review list --order disagree:rank",
        ),
    )(list_)
    app.add_typer(review_app, name="review")


def review(
    context: typer.Context,
    *,
    name: NameOption = "",
    sample: Annotated[
        str,
        typer.Option(
            metavar="ID",
            help="Begin at this sample: its id, or dataset/id.",
            autocompletion=completion.samples,
        ),
    ] = "",
    workspace: WorkspaceOption = None,
) -> None:
    """Open the screen of review; it begins with the sample that has the most conflicts.

    Samples wait for review once two people are done with them, or all who were given them.
    """
    if context.invoked_subcommand is None:
        code = screen.annotate(workspace, name=name, sample=sample, reviewing=True)
        raise typer.Exit(code)


def list_(
    *,
    dataset: OfDatasetOption = "",
    order: Annotated[
        str,
        typer.Option(
            "--order",
            metavar="ORDER",
            help="conflicts, or disagree:SCORE: first where people contradict a machine most.",
        ),
    ] = CONFLICTS,
    name: NameOption = "",
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """List the samples of review, those that wait first.

    Of these, those with the most conflicts.
    """
    score = contradicted(order)
    with opened(workspace, needs=Verb.REVIEW) as space:
        if score:
            space.team.review.sort_against(space.machines.scores.support(score))
        rows = space.team.review.queue(_reader(space, name), dataset=dataset)
    if as_json:
        asked = [{"against": row.against} if score else {} for row in rows]
        output.as_json([_json(row) | more for row, more in zip(rows, asked, strict=True)])
        return
    waiting = sum(not row.settled for row in rows)
    output.line(f"samples that wait for review: {waiting} of {len(rows)}")
    if rows:
        output.table(
            [
                output.Column("sample", flexible=True),
                output.Column("people"),
                output.Column("agreed", number=True),
                output.Column("nearly", number=True),
                output.Column("conflicts", number=True),
                output.Column("differ in", flexible=True),
                output.Column("review"),
                *([output.Column("against", number=True)] if score else []),
            ],
            [(*_cells(row), *([_against(row)] if score else [])) for row in rows],
        )


def _reader(space: Workspace, name: str) -> str:
    """For whom the list is; nobody where there are accounts, and the owner of the files asks."""
    if space.actor.person:
        return space.actor.person
    if name or not space.team.authenticate.required():
        return space.person(name).id
    return ""


def _cells(row: Waiting) -> tuple[str | float, ...]:
    kinds = ", ".join(f"{kind} {count}" for kind, count in row.kinds[:_GRAVEST])
    people = f"{row.annotators} of {row.annotators + row.pending}"
    state = "settled" if row.settled else row.state.value
    told = f"{state}, yours" if row.own else state
    return (str(row.key), people, row.agreed, row.nearly, row.conflicts, kinds, told)


def _against(row: Waiting) -> str:
    return "" if row.against is None else f"{row.against:.2f}"


def _json(row: Waiting) -> dict[str, Any]:
    return {
        "dataset": row.key.dataset,
        "sample": row.key.id,
        "group": row.group,
        "annotators": row.annotators,
        "annotations": row.annotations,
        "pending": row.pending,
        "state": row.state.value,
        "agreed": row.agreed,
        "nearly": row.nearly,
        "conflicts": row.conflicts,
        "kinds": {kind.value: count for kind, count in row.kinds},
        "own": row.own,
    }
