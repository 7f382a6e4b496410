"""Commands of an annotator: open the screen, take back one's own work, show the keys."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tui_annotate.cli import bundled, completion, output, screen
from tui_annotate.cli.options import (
    JsonOption,
    NameOption,
    WorkspaceOption,
    YesOption,
    examples,
    opened,
)
from tui_annotate.domain.errors import InvalidInput


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    app.command(
        epilog=examples(
            "tui-annotate annotate",
            "tui-annotate annotate --as ana --order random",
            "tui-annotate annotate --sample news/17",
            "tui-annotate annotate ana.bundle",
        )
    )(annotate)
    app.command(epilog=examples("tui-annotate keys", "tui-annotate keys --json"))(keys)
    annotations = typer.Typer(help="Annotations of this workspace.", no_args_is_help=True)
    annotations.command(
        epilog=examples(
            "tui-annotate annotations clear --mine --sample news/17",
            "tui-annotate annotations clear --mine --dataset news --yes",
        )
    )(clear)
    app.add_typer(annotations, name="annotations")


def annotate(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE", help="A bundle, in place of a workspace.", show_default=False
        ),
    ] = None,
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
    order: Annotated[
        str,
        typer.Option(
            metavar="ORDER",
            help="by-source (all summaries of one source together), ingested, random,"
            " random:SEED, or by a score: worst:SCORE, best:SCORE, uncertain:SCORE.",
            autocompletion=completion.one_of("by-source", "ingested", "random"),
        ),
    ] = "",
    workspace: WorkspaceOption = None,
) -> None:
    """Open the screen; it goes on where you left off.

    A bundle is annotated in a folder beside it, named like it with .work behind; when the screen is
    left, the work is written to the bundle. However it ends, the folder has all that was saved.
    """
    if file is not None:
        if workspace or name:
            raise InvalidInput("a bundle is its person's own workspace", "leave out -w and --as")
        raise typer.Exit(bundled.annotate(file, sample=sample, order=order))
    raise typer.Exit(screen.annotate(workspace, name=name, sample=sample, order=order))


def clear(
    *,
    mine: Annotated[
        bool, typer.Option("--mine", help="Needed: it clears your own annotations alone.")
    ] = False,
    dataset: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Of this dataset alone.", autocompletion=completion.datasets
        ),
    ] = "",
    sample: Annotated[
        str,
        typer.Option(
            metavar="ID",
            help="Of this sample alone: its id, or dataset/id.",
            autocompletion=completion.samples,
        ),
    ] = "",
    ratings: Annotated[
        bool, typer.Option("--ratings", help="Your ratings and comments on samples go as well.")
    ] = False,
    name: NameOption = "",
    yes: YesOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Remove your own annotations; one undo brings them back.

    Ratings and comments on samples stay, unless --ratings takes them along.
    """
    if not mine:
        raise InvalidInput("only your own annotations can be cleared", "say so: --mine")
    with opened(workspace) as space:
        person = space.person(name)
        if sample:
            dataset, sample = space.corpus.find(sample)
        where = "/".join(filter(None, (dataset, sample))) or str(space.path)
        what = "annotations, ratings and comments" if ratings else "annotations"
        output.ask(f"clear all {what} of {person.name} in {where}?", yes=yes)
        cleared = space.annotate.clear(person.id, dataset=dataset, sample=sample, words=ratings)
    words = {"ratings": cleared.ratings, "comments": cleared.comments} if ratings else {}
    if as_json:
        output.as_json({"person": person.name, "cleared": cleared.annotations, **words})
    elif any(cleared):
        counts = {"annotations": cleared.annotations, **words}
        told = ", ".join(output.many(count, name[:-1]) for name, count in counts.items())
        output.line(f"{told} cleared; undo in the screen brings them back")
    else:
        output.line(f"nothing to clear: no {what} of {person.name} in {where}")


def keys(*, as_json: JsonOption = False) -> None:
    """Print every key of the screen, with your own changes."""
    from tui_annotate.settings import load
    from tui_annotate.tui.keys.map import key_map

    table = key_map(load().keys)
    if as_json:
        output.as_json(
            [
                {
                    "id": action.id,
                    "keys": list(action.keys),
                    "help": action.help,
                    "group": action.group,
                }
                for action in table.actions
            ]
        )
        return
    rows = [
        (action.group, " ".join(action.keys), action.help, action.id) for action in table.actions
    ]
    output.table(
        [output.Column("group"), output.Column("keys"), output.Column("does"), output.Column("id")],
        rows,
    )
