"""Commands of an annotator: open the screen, take back one's own work, show the keys."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tui_annotate.cli import bundles, completion, options, output, screen
from tui_annotate.cli.options import add_command, add_group, argument, flag, open_workspace, option
from tui_annotate.domain.errors import InvalidInput


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    add_command(
        app,
        annotate,
        "annotate",
        "annotate --as ana --order random",
        "annotate --sample news/17",
        "annotate ana.bundle",
    )
    add_command(app, keys, "keys", "keys --json")
    annotations = add_group(app, "annotations", "Annotations of this workspace.")
    add_command(
        annotations,
        clear,
        "annotations clear --mine --sample news/17",
        "annotations clear --mine --dataset news --yes",
    )


def annotate(
    file: Annotated[Path | None, argument("FILE", "A bundle, in place of a workspace.")] = None,
    *,
    name: options.NameOption = "",
    sample: options.StartOption = "",
    order: Annotated[
        str,
        option(
            "--order",
            "ORDER",
            "by-source (all summaries of one source together), ingested, random,"
            " random:SEED, or by a score: worst:SCORE, best:SCORE, uncertain:SCORE.",
            complete=completion.complete_words("by-source", "ingested", "random"),
        ),
    ] = "",
    workspace: options.WorkspaceOption = None,
) -> None:
    """Open the screen; it goes on where you left off.

    A bundle is annotated in a folder beside it, named like it with .work behind; when the screen is
    left, the work is written to the bundle. However it ends, the folder has all that was saved.
    """
    if file is not None:
        if workspace or name:
            raise InvalidInput("a bundle is its person's own workspace", "leave out -w and --as")
        raise typer.Exit(bundles.annotate_bundle(file, sample=sample, order=order))
    raise typer.Exit(screen.annotate(workspace, name=name, sample=sample, order=order))


def clear(
    *,
    mine: Annotated[bool, flag("--mine", "Needed: it clears your own annotations alone.")] = False,
    dataset: Annotated[str, options.dataset_option("Of this dataset alone.")] = "",
    sample: Annotated[
        str, options.sample_option("Of this sample alone: its id, or dataset/id.")
    ] = "",
    ratings: Annotated[
        bool, flag("--ratings", "Your ratings and comments on samples go as well.")
    ] = False,
    name: options.NameOption = "",
    yes: options.YesOption = False,
    common: options.CommonOptions,
) -> None:
    """Remove your own annotations; one undo brings them back.

    Ratings and comments on samples stay, unless --ratings takes them along.
    """
    if not mine:
        raise InvalidInput("only your own annotations can be cleared", "say so: --mine")
    with open_workspace(common.workspace) as space:
        person = space.person(name)
        if sample:
            dataset, sample = space.corpus.find(sample)
        where = "/".join(filter(None, (dataset, sample))) or str(space.path)
        what = "annotations, ratings and comments" if ratings else "annotations"
        output.ask(f"clear all {what} of {person.name} in {where}?", yes=yes)
        cleared = space.annotate.clear(person.id, dataset=dataset, sample=sample, words=ratings)
    words = {"ratings": cleared.ratings, "comments": cleared.comments} if ratings else {}
    if common.as_json:
        output.print_json({"person": person.name, "cleared": cleared.annotations, **words})
    elif any(cleared):
        counts = {"annotations": cleared.annotations, **words}
        summary = ", ".join(output.many(count, name[:-1]) for name, count in counts.items())
        output.print_line(f"{summary} cleared; undo in the screen brings them back")
    else:
        output.print_line(f"nothing to clear: no {what} of {person.name} in {where}")


def keys(*, as_json: options.JsonOption = False) -> None:
    """Print every key of the screen, with your own changes."""
    from tui_annotate.settings import load
    from tui_annotate.tui.keys.key_map import key_map

    actions = key_map(load().keys).actions
    names = ("id", "keys", "help", "group")
    output.print_table_or_json(
        [{name: getattr(each, name) for name in names} for each in actions],
        ["group", "keys", "does", "id"],
        [(each.group, " ".join(each.keys), each.help, each.id) for each in actions],
        as_json=as_json,
    )
