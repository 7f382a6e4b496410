"""Commands of annotators: `annotate`, also with `--list-keys`, and `datasets clear`."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NotRequired, TypedDict

import typer

from tui_annotate.cli import bundles, completion, options, output, screen
from tui_annotate.cli.data_files import AnnotateOptions, annotate_files, choose_folder, offer_file
from tui_annotate.cli.help_format import CORE
from tui_annotate.cli.options import add_command, argument, flag, open_workspace, option
from tui_annotate.cli.report_parts import Column, Columns, ResultPart, Table
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.plugins.files.inputs import copy_standard_input
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.plugins.record_validation import first_named
from tui_annotate.settings import NO_WORKSPACE, WORKSPACE_FILE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tui_annotate.editor.action import Action


class ClearedWork(TypedDict):
    """Numbers of a person's deleted annotations, and with `--ratings` of ratings and comments.

    Attributes:
        deleted: number of deleted annotations.
    """

    person: str
    deleted: int
    ratings: NotRequired[int]
    comments: NotRequired[int]


class PrintedAction(TypedDict):
    """An action of the screens with its keys."""

    id: str
    keys: Sequence[str]
    help: str
    group: str


def register(app: typer.Typer) -> None:
    add_command(
        app,
        annotate,
        "annotate pairs.csv",
        "annotate",
        "annotate --as ana --order random",
        "annotate --sample news/17",
        "annotate ana.bundle",
        "annotate --list-keys",
        panel=CORE,
    )


def register_clear(datasets: typer.Typer) -> None:
    """Add the command `clear` to the group `datasets`."""
    add_command(
        datasets,
        clear,
        "datasets clear --mine --sample news/17",
        "datasets clear --mine --dataset news --yes",
    )


def annotate(
    files: Annotated[
        list[Path] | None,
        argument(
            "FILE",
            "File or folder of samples to annotate, or one bundle. A pattern in quotes "
            "('rows/*.csv') makes one dataset of all matching files (default: the workspace).",
        ),
    ] = None,
    *,
    name: options.NameOption = "",
    sample: options.StartOption = "",
    order: Annotated[
        str,
        option(
            "--order",
            "ORDER",
            "Order of the samples: by-source (all summaries of one source together), ingested, "
            "random, random:SEED, worst:SCORE, best:SCORE, uncertain:SCORE or "
            "uncertain:SCORE=VALUE, with a score's name in place of SCORE (default: the "
            "workspace's order).",
            complete=completion.complete_words("by-source", "ingested", "random"),
        ),
    ] = "",
    format_name: options.FormatOption = "",
    given: options.TableOptions,
    list_keys: Annotated[
        bool,
        flag("--list-keys", "List the keys of the screens, also those in your settings, and exit."),
    ] = False,
    as_json: Annotated[bool, flag("--json", "Print JSON, with --list-keys.")] = False,
    workspace: options.WorkspaceOption = None,
) -> None:
    """Annotate samples on the screen.

    The screen opens at the sample where you stopped. To annotate data files, the program imports
    them into a workspace: the folder given with -w, else a folder next to the first file, with the
    file's whole name and the ending .annotations. The same command later continues your work, and
    imports rows that were added to the files.

    To annotate a bundle, the program unpacks it into a folder next to the bundle, with the bundle's
    name and the ending .work. When you quit, your work is written to the bundle. After a crash, the
    folder still contains all saved work.
    """
    from tui_annotate.plugins.sync.bundle_file import is_bundle

    if list_keys:
        _print_keys(as_json=as_json)
        return
    if as_json:
        raise InvalidInput("annotate opens a screen and prints no JSON", "omit --json")
    screen_options = AnnotateOptions(name, sample, order)
    reading = options.import_options(given)
    if files and (files[0] / WORKSPACE_FILE).is_file():
        workspace = files[0]
        files = files[1:]
    if not files:
        if format_name or reading != ImportOptions():
            raise InvalidInput(
                "options for a FILE are given, but no FILE", "name the data file: annotate FILE"
            )
        raise typer.Exit(_annotate_workspace(workspace, screen_options))
    if len(files) == 1 and is_bundle(files[0]):
        raise typer.Exit(_annotate_bundle(files[0], workspace, screen_options))
    first = first_named(files)
    chosen = choose_folder(workspace, Path("stdin") if first == Path("-") else first)
    with copy_standard_input(files, sys.stdin.buffer) as paths:
        code = annotate_files(
            paths, chosen, format_name=format_name, reading=reading, screen_options=screen_options
        )
    raise typer.Exit(code)


def _annotate_bundle(file: Path, workspace: Path | None, screen_options: AnnotateOptions) -> int:
    if workspace or screen_options.name:
        raise InvalidInput(
            "-w and --as do not apply to a bundle: a bundle has its own workspace and person",
            "omit -w and --as",
        )
    return bundles.annotate_bundle(file, sample=screen_options.sample, order=screen_options.order)


def _annotate_workspace(workspace: Path | None, screen_options: AnnotateOptions) -> int:
    try:
        return screen.annotate(workspace, **asdict(screen_options))
    except NotFound as error:
        if error.code == NO_WORKSPACE:
            return offer_file(error, screen_options)
        raise


def clear(
    *,
    mine: Annotated[
        bool, flag("--mine", "Required: confirm that you delete your own annotations.")
    ] = False,
    dataset: options.OfDatasetOption = "",
    sample: Annotated[
        str, options.sample_option("Only this sample: ID or DATASET/ID (default: all samples).")
    ] = "",
    ratings: Annotated[
        bool, flag("--ratings", "Also delete your ratings and sample comments.")
    ] = False,
    name: options.NameOption = "",
    yes: options.YesOption = False,
    common: options.CommonOptions,
) -> None:
    """Delete your own annotations.

    Undo on the screen restores all deleted annotations at once. Ratings and sample comments are
    kept, unless --ratings is given.
    """
    if not mine:
        raise InvalidInput(
            "only your own annotations can be deleted", "add --mine to delete your own annotations"
        )
    with open_workspace(common.workspace) as space:
        person = options.reading_person(space, name)
        if sample:
            dataset, sample = space.corpus.find(sample)
        elif dataset:
            space.guidance.require_dataset(dataset)
        where = "/".join(filter(None, (dataset, sample))) or str(space.path)
        what = "annotations, ratings and sample comments" if ratings else "annotations"
        output.ask(f"delete all {what} of {person.name} in {where}?", yes=yes)
        cleared = space.annotate.clear(person.id, dataset=dataset, sample=sample, ratings=ratings)
    counts = {"annotations": cleared.annotations}
    if ratings:
        counts["ratings"] = cleared.ratings
        counts["comments"] = cleared.comments
    if any(cleared):
        summary = ", ".join(output.many(count, name[:-1]) for name, count in counts.items())
        line = f"deleted {summary}; to restore the work, press u on the annotation screen"
    else:
        line = f"nothing to delete: no {what} of {person.name} in {where}"
    values: ClearedWork = {"person": person.name, "deleted": cleared.annotations}
    if ratings:
        values["ratings"] = cleared.ratings
        values["comments"] = cleared.comments
    output.show(values, [ResultPart(line)], as_json=common.as_json)


def _print_keys(*, as_json: bool) -> None:
    """Print all actions of the screens with their keys, also those that the user changed."""
    from tui_annotate.editor.key_map import key_map
    from tui_annotate.settings import load

    actions = key_map(load().keys).actions
    values: list[PrintedAction] = [
        {"id": each.id, "keys": each.keys, "help": each.help, "group": each.group}
        for each in actions
    ]
    output.show(values, [Table(actions, _ACTIONS)], as_json=as_json)


_ACTIONS: Final[Columns[Action]] = (
    Column("group"),
    Column("keys", lambda each: " ".join(each.keys)),
    Column("action", "help"),
    Column("id"),
)
