"""The commands `guidelines`: list, show, compare and apply versions of the guidelines."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tui_annotate.cli import options, output
from tui_annotate.cli.help_format import TEAM
from tui_annotate.cli.options import add_command, add_group, argument, flag, open_workspace
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.text_diff import count_changed_lines, diff_lines, diff_words
from tui_annotate.plugins.files.small_text import read_text

SHORT = 12

OfDataset = Annotated[
    str,
    options.dataset_option(
        "Dataset with its own guidelines (default: the workspace's guidelines)."
    ),
]


def register(app: typer.Typer) -> None:
    guidelines = add_group(app, "guidelines", "Manage versions of the guidelines.", panel=TEAM)
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
        options.dataset_option(
            "List only versions for this dataset; '' lists the workspace's versions."
        ),
    ] = None,
    common: options.CommonOptions,
) -> None:
    """List versions of the guidelines with time and author."""
    with open_workspace(common.workspace) as space:
        versions = space.team.guidelines.versions(dataset)
    output.print_table_or_json(
        versions,
        [
            output.flexible_column("dataset"),
            "version",
            "in use since",
            "by",
            output.number_column("lines"),
            "",
        ],
        [
            (
                each.dataset or "(all)",
                each.version[:SHORT],
                each.at[:19],
                each.by or "owner",
                each.lines,
                "now" if each.in_force else "",
            )
            for each in versions
        ],
        as_json=common.as_json,
    )


def show(
    version: Annotated[
        str,
        argument("VERSION", "Beginning of the hash of a guidelines version (default: current)."),
    ] = "",
    *,
    dataset: OfDataset = "",
    common: options.CommonOptions,
) -> None:
    """Print a version of the guidelines."""
    with open_workspace(common.workspace) as space:
        text = space.team.guidelines.text(version, dataset=dataset)
    if common.as_json:
        output.print_json({"dataset": dataset, "text": text})
    else:
        output.print_text(text)


def diff(
    old: Annotated[
        str,
        argument(
            "OLD",
            "First characters of the older version's hash"
            " (default: the version before the current one).",
        ),
    ] = "",
    new: Annotated[
        str,
        argument(
            "NEW", "First characters of the newer version's hash (default: the current version)."
        ),
    ] = "",
    *,
    words: Annotated[
        bool,
        flag("--words", "Compare words and print the whole text (default: print changed lines)."),
    ] = False,
    dataset: OfDataset = "",
    common: options.CommonOptions,
) -> None:
    """Compare two versions of the guidelines.

    On a terminal, added text is green and removed text is red. Changed lines begin with + or -.
    With --words and without colours, changed words are written {+added+} and [-removed-].
    """
    with open_workspace(common.workspace) as space:
        guide = space.team.guidelines
        before = guide.text(old) if old else guide.before(dataset)
        after = guide.text(new, dataset=dataset)
    if common.as_json:
        parts = [diff_words(before, after)] if words else diff_lines(before, after)
        output.print_json(
            [[{"mark": one.mark, "text": one.text} for one in part] for part in parts]
        )
        return
    if words:
        output.print_word_diff(diff_words(before, after))
        return
    for index, group in enumerate(diff_lines(before, after)):
        if index:
            output.print_line("...")
        for piece in group:
            output.print_diff_line(piece)


def apply(
    file: Annotated[Path, argument("FILE", "File of the guidelines, Markdown in UTF-8.")],
    *,
    dataset: OfDataset = "",
    common: options.CommonOptions,
) -> None:
    """Make a file the current guidelines.

    Annotators see the changes at their next session. The workspace's guidelines are also written to
    its file guidelines.md.
    """
    text = read_text(file)
    if not text.strip():
        raise InvalidInput(f"{file} is empty", "write the text of the guidelines into the file")
    with open_workspace(common.workspace) as space:
        guide = space.team.guidelines
        before = guide.versions(dataset)[-1:]
        old = guide.text(before[0].version) if before else ""
        version = space.team.apply_guidelines(text, dataset=dataset)
    changed = not (before and before[0].version == version)
    if common.as_json:
        output.print_json({"version": version, "dataset": dataset, "changed": changed})
        return
    if not changed:
        output.print_result(f"guidelines version {version[:SHORT]} is already in use")
        return
    added, removed = count_changed_lines(old, text)
    where = dataset or "all datasets without their own guidelines"
    output.print_result(f"guidelines version {version[:SHORT]} is in use for {where}")
    lines = f"{output.many(added, 'line')} added, {removed:,} removed"
    output.print_note(f"{lines}; to compare the two versions: tui-annotate guidelines diff")
