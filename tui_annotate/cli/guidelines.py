"""Commands about what people are told to do: guidelines list, show, diff, apply."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tui_annotate.cli import completion, output
from tui_annotate.cli.options import JsonOption, WorkspaceOption, examples, opened
from tui_annotate.domain.differences import counted, line_pieces, word_pieces
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.plugins.files.whole import read_text

if TYPE_CHECKING:
    from tui_annotate.services.guide import Guide

SHORT = 12
"""Characters of a version's hash that are shown."""

OfDataset = Annotated[
    str,
    typer.Option(
        "--dataset",
        metavar="NAME",
        help="Of this dataset; else of the workspace.",
        autocompletion=completion.datasets,
    ),
]


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    guidelines = typer.Typer(
        help="Guidelines for annotators, and what changed in them.", no_args_is_help=True
    )
    guidelines.command("list", epilog=examples("tui-annotate guidelines list --dataset news"))(
        list_versions
    )
    guidelines.command(
        epilog=examples(
            "tui-annotate guidelines show", "tui-annotate guidelines show 3f0a --dataset news"
        )
    )(show)
    guidelines.command(
        epilog=examples(
            "tui-annotate guidelines diff", "tui-annotate guidelines diff 3f0a 9c41 --words"
        )
    )(diff)
    guidelines.command(
        epilog=examples(
            "tui-annotate guidelines apply guidelines.md",
            "tui-annotate guidelines apply news.md --dataset news",
        )
    )(apply)
    app.add_typer(guidelines, name="guidelines")


def list_versions(
    *,
    dataset: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Of this dataset alone; empty for the workspace's own.",
            show_default=False,
        ),
    ] = None,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """List the versions that were in force: where, since when, by whom."""
    with opened(workspace) as space:
        versions = space.team.guide.versions(dataset)
    if as_json:
        output.as_json([asdict(each) for each in versions])
        return
    titles = ("dataset", "version", "in force since", "by")
    output.table(
        [
            *(output.Column(title, flexible=title == "dataset") for title in titles),
            output.Column("lines", number=True),
            output.Column(""),
        ],
        [
            (
                each.dataset or "(all)",
                each.version[:SHORT],
                each.at[:19],
                each.by or "the owner",
                each.lines,
                "now" if each.in_force else "",
            )
            for each in versions
        ],
    )


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
    dataset: OfDataset = "",
    workspace: WorkspaceOption = None,
) -> None:
    """Print a version of the guidelines as it was given."""
    with opened(workspace) as space:
        text = space.team.guide.text(version, dataset=dataset)
    output.text(text)


def diff(
    old: Annotated[
        str,
        typer.Argument(
            metavar="OLD",
            help="The start of a version's hash; else the one before the last.",
            show_default=False,
        ),
    ] = "",
    new: Annotated[
        str,
        typer.Argument(metavar="NEW", help="Likewise; else the one in force.", show_default=False),
    ] = "",
    *,
    words: Annotated[
        bool, typer.Option("--words", help="By words, the whole text, instead of by lines.")
    ] = False,
    dataset: OfDataset = "",
    workspace: WorkspaceOption = None,
) -> None:
    """Print what changed between two versions: by lines, or by words.

    On a terminal what came is green and what went red; elsewhere lines begin with + or -, and words
    stand in {+ +} and [- -].
    """
    with opened(workspace) as space:
        before, after = _two(space.team.guide, old, new, dataset=dataset)
    if words:
        output.marked_words(word_pieces(before, after))
        return
    for place, group in enumerate(line_pieces(before, after)):
        if place:
            output.line("...")
        for piece in group:
            output.marked_line(piece)


def _two(guide: Guide, old: str, new: str, *, dataset: str) -> tuple[str, str]:
    before = guide.text(old) if old else guide.before(dataset)
    return before, guide.text(new, dataset=dataset)


def apply(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A text in UTF-8, as Markdown.")],
    *,
    dataset: OfDataset = "",
    workspace: WorkspaceOption = None,
) -> None:
    """Put guidelines in force.

    Who annotates from now on is told what changed. Those of the workspace are written to its
    guidelines.md too.
    """
    text = read_text(file)
    if not text.strip():
        raise InvalidInput(f"{file} is empty", "there are no guidelines without a word")
    with opened(workspace) as space:
        guide = space.team.guide
        before = guide.versions(dataset)[-1:]
        old = guide.text(before[0].version) if before else ""
        version = space.team.put_in_force(text, dataset=dataset)
    if before and before[0].version == version:
        output.line(f"version {version[:SHORT]} is in force already")
        return
    came, went = counted(old, text)
    where = f"for {dataset}" if dataset else "for all datasets without their own"
    output.line(f"version {version[:SHORT]} is in force {where}")
    output.say(f"lines that came: {came}, that went: {went}; see: tui-annotate guidelines diff")
