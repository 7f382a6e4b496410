"""Commands about label sets: labels check, list, show, apply, rename, merge, split and so on."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from tui_annotate.cli import completion, labels_telling, output
from tui_annotate.cli.labels_check import check
from tui_annotate.cli.labels_normalise import normalise
from tui_annotate.cli.options import DryOption, JsonOption, WorkspaceOption, examples, opened
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.plugins.files.whole import read_text

SetOption = Annotated[
    str,
    typer.Option(
        "--dataset",
        metavar="NAME",
        help="The set of this dataset; else the workspace's.",
        autocompletion=completion.datasets,
    ),
]
LabelArgument = Annotated[
    str,
    typer.Argument(
        metavar="LABEL",
        help="With its parents, as Unwanted.Intrinsic.",
        autocompletion=completion.labels,
    ),
]

SHORT = 12
"""Characters of a version's hash that are shown."""


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    labels = typer.Typer(help="The label set, and work under one that changes.")
    labels.command(
        epilog=examples("tui-annotate labels check", "tui-annotate labels check my-labels.yaml")
    )(check)
    labels.command("list", epilog=examples("tui-annotate labels list"))(list_versions)
    labels.command(epilog=examples("tui-annotate labels show --dataset news > news.yaml"))(show)
    labels.command(
        epilog=examples(
            "tui-annotate labels apply labels.yaml --dry-run",
            "tui-annotate labels apply news.yaml --dataset news",
        )
    )(apply)
    labels.command(
        epilog=examples("tui-annotate labels rename Unwanted.Intrinsic Contradicted --dry-run")
    )(rename)
    labels.command(
        epilog=examples("tui-annotate labels merge Benign Questionable Harmless --dry-run")
    )(merge)
    labels.command(
        epilog=examples("tui-annotate labels split Questionable Doubtful Unclear --dry-run")
    )(split)
    labels.command(epilog=examples("tui-annotate labels retire Questionable --dry-run"))(retire)
    labels.command(
        epilog=examples(
            "tui-annotate labels normalise --dry-run",
            "tui-annotate labels normalise --rule Unwanted.Instrinsic=Unwanted.Intrinsic --yes",
        )
    )(normalise)
    labels.command(epilog=examples("tui-annotate labels undo --dry-run"))(undo)
    app.add_typer(labels, name="labels", no_args_is_help=True)


def list_versions(
    *,
    dataset: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Of this dataset's own set alone; empty for the workspace's.",
            autocompletion=completion.datasets,
            show_default=False,
        ),
    ] = None,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """List what was done to the label sets, and what is in force.

    Below it stands what waits for a choice, anywhere; `status --json` has it too.
    """
    with opened(workspace) as space:
        versions, waiting = space.team.relabel.versions(dataset), space.status().waiting
    if as_json:
        output.as_json([asdict(each) for each in versions])
        return
    titles = ("dataset", "version", "since", "by", "what")
    output.table(
        [
            *(output.Column(title, flexible=title in ("dataset", "what")) for title in titles),
            output.Column("labels", number=True),
            output.Column(""),
        ],
        [
            (
                each.dataset or "(all)",
                each.version[:SHORT],
                each.at[:19],
                each.by or "the owner",
                each.told or "first version",
                each.labels,
                "now" if each.in_force else "undone" if each.undone else "",
            )
            for each in versions
        ],
    )
    labels_telling.show_waiting(waiting)


def show(
    version: Annotated[
        str,
        typer.Argument(
            metavar="VERSION",
            help="The start of its hash; else the one in force.",
            show_default=False,
        ),
    ] = "",
    *,
    dataset: SetOption = "",
    workspace: WorkspaceOption = None,
) -> None:
    """Print a version of a label set as it was given."""
    with opened(workspace) as space:
        text = space.team.relabel.text(version, dataset=dataset)
    output.text(text)


def apply(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A label set.")],
    *,
    dataset: SetOption = "",
    dry_run: DryOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Put a label set in force.

    For all datasets without their own, or for one. Refused where annotations would be left with
    labels that it lacks; --dry-run says whose.
    """
    from tui_annotate.services.relabel import Refused

    text = read_text(file)
    with opened(workspace) as space:
        try:
            found = space.team.relabel.apply(text, name=str(file), dataset=dataset, dry=dry_run)
        except Refused as refused:
            if dry_run and as_json:
                output.as_json(refused.report.as_json())
            elif dry_run:
                labels_telling.show(refused.report)
            raise
    labels_telling.tell(found, as_json=as_json)


def rename(
    old: LabelArgument,
    new: Annotated[str, typer.Argument(metavar="NEW", help="Its new name.")],
    *,
    dataset: SetOption = "",
    dry_run: DryOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Give a label another name, on all annotations that have it.

    Labels below it go along.
    """
    with opened(workspace) as space:
        found = space.team.relabel.rename(old, new, dataset=dataset, dry=dry_run)
    labels_telling.tell(found, as_json=as_json)


def merge(
    labels: Annotated[
        list[str],
        typer.Argument(metavar="FROM... INTO", help="Labels, and the one that they become."),
    ],
    *,
    dataset: SetOption = "",
    dry_run: DryOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Make one label of several, on all annotations.

    Those that become alike are listed.
    """
    *old, into = labels
    if not old:
        raise InvalidInput(
            f"{into!r} alone can not be merged", "name the labels, then the one that they become"
        )
    with opened(workspace) as space:
        found = space.team.relabel.merge(old, into, dataset=dataset, dry=dry_run)
    labels_telling.tell(found, as_json=as_json)


def split(
    old: LabelArgument,
    new: Annotated[
        list[str], typer.Argument(metavar="NEW NEW...", help="What comes in its place.")
    ],
    *,
    dataset: SetOption = "",
    dry_run: DryOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Put two labels or more in the place of one.

    Annotations that have it wait for a choice. Samples that were finished or imported are opened
    again for those who have such annotations.
    """
    with opened(workspace) as space:
        found = space.team.relabel.split(old, new, dataset=dataset, dry=dry_run)
    labels_telling.tell(found, as_json=as_json)


def retire(
    label: LabelArgument,
    *,
    dataset: SetOption = "",
    dry_run: DryOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Keep a label for work that has it, and give it no more.

    So with all labels below it.
    """
    with opened(workspace) as space:
        found = space.team.relabel.retire(label, dataset=dataset, dry=dry_run)
    labels_telling.tell(found, as_json=as_json)


def undo(
    *,
    dataset: SetOption = "",
    dry_run: DryOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Take back the last change of a label set.

    Annotations that were changed since stay as they are.
    """
    with opened(workspace) as space:
        found = space.team.relabel.undo(dataset=dataset, dry=dry_run)
    labels_telling.tell(found, as_json=as_json)
