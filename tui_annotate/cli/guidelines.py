"""The commands `guidelines`: list, show, compare and apply versions of the guidelines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypedDict

import typer

from tui_annotate.cli import options, output
from tui_annotate.cli.help_format import CORE
from tui_annotate.cli.options import add_command, add_group, argument, flag, open_workspace
from tui_annotate.cli.report_parts import (
    Column,
    Columns,
    NotePart,
    Part,
    ResultPart,
    Table,
    Text,
    flexible_column,
    number_column,
)
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.text_diff import count_changed_lines, diff_lines, diff_words
from tui_annotate.plugins.files.small_text import read_text

if TYPE_CHECKING:
    from tui_annotate.domain.text_diff import DiffPart
    from tui_annotate.services.guidelines import GuidelinesVersion

SHORT = 12

OfDataset = Annotated[
    str,
    options.dataset_option(
        "Dataset with its own guidelines (default: the workspace's guidelines)."
    ),
]


class VersionText(TypedDict):
    """The text of a version of guidelines or of a label set; `dataset` is empty for all."""

    dataset: str
    text: str


class DiffLine(TypedDict):
    """A line or a word of a comparison; `mark` is `+`, `-` or a blank."""

    mark: str
    text: str


class AppliedGuidelines(TypedDict):
    """The version of the guidelines in use, and whether it is a new one."""

    version: str
    dataset: str
    changed: bool


def register(app: typer.Typer) -> None:
    guidelines = add_group(app, "guidelines", "Manage versions of the guidelines.", panel=CORE)
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
    output.show(versions, [Table(versions, _VERSIONS)], as_json=common.as_json)


_VERSIONS: Final[Columns[GuidelinesVersion]] = (
    flexible_column("dataset", lambda each: each.dataset or "(all)"),
    Column("version", lambda each: each.version[:SHORT]),
    Column("in use since", lambda each: output.format_time(each.at)),
    Column("by", lambda each: each.by or "owner"),
    number_column("lines"),
    Column("", lambda each: "now" if each.in_force else ""),
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
    output.show(VersionText(dataset=dataset, text=text), [Text(text)], as_json=common.as_json)


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
    groups = [diff_words(before, after)] if words else list(diff_lines(before, after))
    output.show(
        [[DiffLine(mark=one.mark, text=one.text) for one in group] for group in groups],
        _describe_diff(groups, words=words),
        as_json=common.as_json,
    )


def _describe_diff(groups: Sequence[Sequence[DiffPart]], *, words: bool) -> Iterator[Part]:
    for index, group in enumerate(groups):
        if words:
            yield partial(output.print_word_diff, group)
            continue
        if index:
            yield "..."
        for piece in group:
            yield partial(output.print_diff_line, piece)


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
    guidelines = read_text(file)
    if not guidelines.strip():
        raise InvalidInput(f"{file} is empty", "write the text of the guidelines into the file")
    with open_workspace(common.workspace) as space:
        guide = space.team.guidelines
        before = guide.versions(dataset)[-1:]
        old = guide.text(before[0].version) if before else ""
        version = space.team.apply_guidelines(guidelines, dataset=dataset)
    changed = not (before and before[0].version == version)
    text: list[Part] = [ResultPart(f"guidelines version {version[:SHORT]} is already in use")]
    if changed:
        added, removed = count_changed_lines(old, guidelines)
        where = dataset or "all datasets without their own guidelines"
        lines = f"{output.many(added, 'line')} added, {removed:,} removed"
        text = [
            ResultPart(f"guidelines version {version[:SHORT]} is in use for {where}"),
            NotePart(f"{lines}; to compare the two versions: tui-annotate guidelines diff"),
        ]
    values: AppliedGuidelines = {"version": version, "dataset": dataset, "changed": changed}
    output.show(values, text, as_json=common.as_json)
