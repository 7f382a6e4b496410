"""Commands of reviewers: `review` opens the screen, `review list` lists samples to review."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tui_annotate.cli import options, output, screen
from tui_annotate.cli.help_format import ANNOTATE
from tui_annotate.cli.options import add_command, examples, open_workspace, option
from tui_annotate.domain.people import Permission
from tui_annotate.domain.queue_orders import CONFLICTS, score_of_order

if TYPE_CHECKING:
    from tui_annotate.services.review import QueuedSample
    from tui_annotate.workspace import Workspace

_GRAVEST: Final = 2  # number of kinds of differences in the table; `--json` has all kinds


def register(app: typer.Typer) -> None:
    """Add the group `review` to the app."""
    review_app = typer.Typer(
        invoke_without_command=True,
        epilog=examples(
            "tui-annotate review",
            "tui-annotate review --as ana --sample news/17",
            "tui-annotate review list --json",
        ),
    )
    review_app.callback()(review)
    add_command(
        review_app,
        list_samples,
        "review list",
        "review list --dataset news --json",
        "review list --order disagree:rank",
        name="list",
    )
    app.add_typer(review_app, name="review", rich_help_panel=ANNOTATE)


def review(
    context: typer.Context,
    *,
    name: options.NameOption = "",
    sample: options.StartOption = "",
    workspace: options.WorkspaceOption = None,
) -> None:
    """Adjudicate samples on the screen.

    The screen opens with the sample that has the most conflicts. A sample waits for review once two
    annotators, or all its assignees, have completed it.
    """
    if context.invoked_subcommand is None:
        code = screen.annotate(workspace, name=name, sample=sample, reviewing=True)
        raise typer.Exit(code)


def list_samples(
    *,
    dataset: options.OfDatasetOption = "",
    order: Annotated[
        str,
        option(
            "--order",
            "ORDER",
            "Order of the samples: conflicts (most conflicts first), or disagree:SCORE (strongest "
            "contradiction between annotators and this score first).",
        ),
    ] = CONFLICTS,
    name: options.NameOption = "",
    common: options.CommonOptions,
) -> None:
    """List samples to review.

    Waiting samples come first, ordered by their number of conflicts.
    """
    score = score_of_order(order)
    with open_workspace(common.workspace, needs=Permission.REVIEW) as space:
        if score:
            space.team.review.sort_against(space.machines.scores.support(score))
        rows = space.team.review.queue(_find_reviewer(space, name), dataset=dataset)
    if common.as_json:
        against = [{"against": row.against} if score else {} for row in rows]
        output.print_json(
            [_row_as_json(row) | more for row, more in zip(rows, against, strict=True)]
        )
        return
    waiting = sum(not row.settled for row in rows)
    output.print_line(f"samples waiting for review: {waiting:,} of {len(rows):,}")
    if rows:
        output.print_table(
            [
                output.flexible_column("sample"),
                "annotators",
                *map(output.number_column, ("agreed", "nearly", "conflicts")),
                output.flexible_column("differences in"),
                "review",
                *([output.number_column("contradiction")] if score else []),
            ],
            [_table_cells(row, against=bool(score)) for row in rows],
        )


def _find_reviewer(space: Workspace, name: str) -> str:
    if space.actor.person:
        return space.actor.person
    if name or not space.team.authenticate.required():
        return space.person(name).id
    return ""


def _table_cells(row: QueuedSample, *, against: bool) -> tuple[str | float, ...]:
    kinds = ", ".join(f"{kind} {count}" for kind, count in row.kinds[:_GRAVEST])
    people = f"{row.annotators} of {row.annotators + row.pending}"
    state = "adjudicated" if row.settled else row.state.value
    state += ", yours" if row.own else ""
    cells = (str(row.key), people, row.agreed, row.nearly, row.conflicts, kinds, state)
    contradiction = "" if row.against is None else f"{row.against:.2f}"
    return (*cells, contradiction) if against else cells


def _row_as_json(row: QueuedSample) -> dict[str, Any]:
    return {
        "dataset": row.key.dataset,
        "sample": row.key.id,
        **{name: getattr(row, name) for name in ("group", "annotators", "annotations", "pending")},
        "state": row.state.value,
        **{name: getattr(row, name) for name in ("agreed", "nearly", "conflicts")},
        "kinds": {kind.value: count for kind, count in row.kinds},
        "own": row.own,
    }
