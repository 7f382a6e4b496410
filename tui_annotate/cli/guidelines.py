"""Commands about what people are told to do: guidelines list, show, diff, apply."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tui_annotate.cli import options, output
from tui_annotate.cli.options import add_command, add_group, argument, flag, open_workspace, option
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.text_diff import count_changed_lines, diff_lines, diff_words
from tui_annotate.plugins.files.small_text import read_text

SHORT = 12
"""Characters of a version's hash that are shown."""

OfDataset = Annotated[str, options.dataset_option("Of this dataset; else of the workspace.")]


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    guidelines = add_group(
        app, "guidelines", "Guidelines for annotators, and what changed in them."
    )
    add_command(guidelines, list_versions, "guidelines list --dataset news", name="list")
    add_command(guidelines, show, "guidelines show", "guidelines show 3f0a --dataset news")
    add_command(guidelines, diff, "guidelines diff", "guidelines diff 3f0a 9c41 --words")
    add_command(
        guidelines,
        apply,
        "guidelines apply guidelines.md",
        "guidelines apply news.md --dataset news",
    )


def list_versions(
    *,
    dataset: Annotated[
        str | None,
        option("--dataset", "NAME", "Of this dataset alone; empty for the workspace's own."),
    ] = None,
    common: options.CommonOptions,
) -> None:
    """List the versions that were in force: where, since when, by whom."""
    with open_workspace(common.workspace) as space:
        versions = space.team.guidelines.versions(dataset)
    output.print_table_or_json(
        versions,
        [
            output.flexible_column("dataset"),
            "version",
            "in force since",
            "by",
            output.number_column("lines"),
            "",
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
        as_json=common.as_json,
    )


def show(
    version: Annotated[
        str, argument("VERSION", "The start of its hash; else the one in force.")
    ] = "",
    *,
    dataset: OfDataset = "",
    workspace: options.WorkspaceOption = None,
) -> None:
    """Print a version of the guidelines as it was given."""
    with open_workspace(workspace) as space:
        text = space.team.guidelines.text(version, dataset=dataset)
    output.print_text(text)


def diff(
    old: Annotated[
        str, argument("OLD", "The start of a version's hash; else the one before the last.")
    ] = "",
    new: Annotated[str, argument("NEW", "Likewise; else the one in force.")] = "",
    *,
    words: Annotated[
        bool, flag("--words", "By words, the whole text, instead of by lines.")
    ] = False,
    dataset: OfDataset = "",
    workspace: options.WorkspaceOption = None,
) -> None:
    """Print what changed between two versions: by lines, or by words.

    On a terminal what came is green and what went red; elsewhere lines begin with + or -, and words
    stand in {+ +} and [- -].
    """
    with open_workspace(workspace) as space:
        guide = space.team.guidelines
        before = guide.text(old) if old else guide.before(dataset)
        after = guide.text(new, dataset=dataset)
    if words:
        output.print_word_diff(diff_words(before, after))
        return
    for index, group in enumerate(diff_lines(before, after)):
        if index:
            output.print_line("...")
        for piece in group:
            output.print_diff_line(piece)


def apply(
    file: Annotated[Path, argument("FILE", "A text in UTF-8, as Markdown.")],
    *,
    dataset: OfDataset = "",
    workspace: options.WorkspaceOption = None,
) -> None:
    """Put guidelines in force.

    Who annotates from now on is told what changed. Those of the workspace are written to its
    guidelines.md too.
    """
    text = read_text(file)
    if not text.strip():
        raise InvalidInput(f"{file} is empty", "there are no guidelines without a word")
    with open_workspace(workspace) as space:
        guide = space.team.guidelines
        before = guide.versions(dataset)[-1:]
        old = guide.text(before[0].version) if before else ""
        version = space.team.apply_guidelines(text, dataset=dataset)
    if before and before[0].version == version:
        output.print_line(f"version {version[:SHORT]} is in force already")
        return
    added, removed = count_changed_lines(old, text)
    where = f"for {dataset}" if dataset else "for all datasets without their own"
    output.print_line(f"version {version[:SHORT]} is in force {where}")
    output.print_message(
        f"lines that came: {added}, that went: {removed}; see: tui-annotate guidelines diff"
    )
