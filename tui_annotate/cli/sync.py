"""The commands `sync`: exchange work through a shared folder, or a database table (PostgREST)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypedDict

import typer

from tui_annotate.cli import options, output
from tui_annotate.cli.bundles import SHOWN, describe_merge, merge_as_json, refusals_as_json
from tui_annotate.cli.help_format import TEAM
from tui_annotate.cli.options import add_command, add_group, argument, flag, open_workspace
from tui_annotate.cli.output import DONE_IN_PART
from tui_annotate.cli.report_parts import Facts, MessagePart, NotePart, Part, ResultPart, Text
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import Permission

if TYPE_CHECKING:
    from tui_annotate.cli.bundles import RefusedSample
    from tui_annotate.domain.people import Person
    from tui_annotate.domain.records import Problem
    from tui_annotate.plugins.sync.table import SharedTable
    from tui_annotate.services.sync import TableSync
    from tui_annotate.services.sync.shared_folder import SharedFolder
    from tui_annotate.workspace import Workspace


PULL = "tui-annotate sync pull"
FolderArgument = Annotated[
    Path | None,
    argument("DIR", "Shared folder (default: $TUI_ANNOTATE_SYNC_DIR, or else the shared table)."),
]


_OUTPUT: Final = {
    "DIR": "-o writes the rows of the shared table, not of a folder",
    "--all": "-o always writes all people's rows of the shared table",
    "--as": "-o always writes all people's rows of the shared table",
}
"""Parameters of `sync pull` that have no effect with `-o`, with the reason."""


class PrintedSql(TypedDict):
    """The SQL that creates the shared table."""

    sql: str


class PushedWork(TypedDict):
    """Work that was sent.

    Attributes:
        samples: number of samples that were sent.
        waiting: samples that were changed elsewhere, as `dataset/id`.
        refused: samples that a row cannot represent, or whose texts differ in the shared folder.
    """

    person: str
    target: str
    samples: int
    waiting: list[str]
    refused: list[RefusedSample]


class TableStatus(TypedDict):
    """Work that waits to be exchanged with a shared table."""

    person: str
    target: str
    rows: int
    samples_to_push: int
    samples_to_pull: int


class FolderStatus(TypedDict):
    """Work that waits to be exchanged with a shared folder."""

    person: str
    target: str
    events_to_push: int
    events_to_pull: int


class DeletedWork(TypedDict):
    """Number of deleted samples of a shared table or folder."""

    person: str
    target: str
    deleted: int


class WrittenRows(TypedDict):
    """Rows of a shared table in a file."""

    file: Path
    rows: int


def register(app: typer.Typer) -> typer.Typer:
    """Add the group `sync`, and return it for the group of another module."""
    group = add_group(app, "sync", "Exchange work through a folder, table or file.", panel=TEAM)
    add_command(group, push, "sync push", "sync push /mnt/share/news")
    add_command(
        group,
        pull,
        "sync pull",
        "sync pull /mnt/share/news --all",
        "sync pull --dataset news -o rows.jsonl",
    )
    add_command(group, status, "sync status", "sync status --json")
    add_command(
        group,
        delete,
        "sync delete --mine --dataset news",
        "sync delete --mine /mnt/share/news",
    )
    add_command(group, table_sql, "sync table-sql > table.sql", name="table-sql")
    return group


def table_sql(
    *,
    per_person: Annotated[
        bool,
        flag(
            "--per-person",
            "Let each person read and write only their own rows, with a personal access token.",
        ),
    ] = False,
    as_json: options.JsonOption = False,
) -> None:
    """Print the SQL that creates the shared table.

    The command does not connect to the database. Without --per-person, all people who have the API
    key can change and delete all rows.
    """
    from tui_annotate.plugins.sync.table import init_sql as statements

    sql = statements(everybody=not per_person)
    output.show(PrintedSql(sql=sql), [Text(sql)], as_json=as_json)


def push(
    folder: FolderArgument = None,
    *,
    name: options.NameOption = "",
    common: options.CommonOptions,
) -> None:
    """Send your new work to the shared folder or table.

    Samples that you only opened, without annotations, are not sent.
    """
    with open_workspace(common.workspace) as space:
        person = options.working_person(space, name)
        from tui_annotate.storage.log.stream_merge import MergedStream

        refused: list[MergedStream] = []
        if (directory := _find_folder(folder)) is not None:
            sent = _open_folder(space, directory, person=person).push(person)
            where = str(directory)
            count = sent.streams
            waiting = sent.waiting
            refused += [MergedStream(person.id, key, refused=why) for key, why in sent.refused]
        else:
            sync = _open_table_sync(space, person)
            pushed = sync.push(whole=True)
            where = str(sync.table)
            count = pushed.rows
            waiting = tuple(pushed.waiting)
            refused += pushed.refused
    samples = output.many(count, "sample")
    text: list[Part] = [ResultPart(f"sent the work of {person.name} on {samples} to {where}")]
    text += [
        MessagePart(f"not sent: sample {key} was changed on another machine; first run: {PULL}")
        for key in waiting[:SHOWN]
    ]
    text += [MessagePart(f"not sent: {each.key}: {each.refused}") for each in refused[:SHOWN]]
    value: PushedWork = {
        "person": person.name,
        "target": where,
        "samples": count,
        "waiting": list(map(str, waiting)),
        "refused": refusals_as_json(refused),
    }
    output.show(value, text, as_json=common.as_json)
    if waiting or refused:
        raise typer.Exit(DONE_IN_PART)


def pull(
    folder: FolderArgument = None,
    *,
    all_people: Annotated[
        bool, flag("--all", "Merge the work of all people from a shared folder; for admins.")
    ] = False,
    target: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Write the shared table's rows to a file as JSON lines instead of merging; - for"
            " standard output. No workspace is needed.",
        ),
    ] = None,
    dataset: Annotated[
        str, options.dataset_option("With -o: write only rows of this dataset.")
    ] = "",
    name: options.NameOption = "",
    common: options.CommonOptions,
) -> None:
    """Merge your work from the shared folder or table.

    If a sample was changed on both sides, the newest version is kept, the other version stays in
    the event log, and the command lists both.
    """
    if target is not None:
        given = {"DIR": folder, "--all": all_people, "--as": name}
        unused = [each for each, value in given.items() if value]
        _write_rows(target, dataset, unused, as_json=common.as_json)
        return
    if dataset:
        raise InvalidInput("--dataset needs -o", "omit --dataset to merge all datasets")
    directory = _find_folder(folder)
    if all_people and directory is None:
        raise InvalidInput(
            "--all needs a shared folder",
            "to write the shared table's rows to a file: tui-annotate sync pull -o FILE",
        )
    refused: list[Problem] = []

    def print_and_keep(problem: Problem) -> None:
        _print_problem(problem)
        refused.append(problem)

    with open_workspace(common.workspace, needs=Permission.MANAGE if all_people else None) as space:
        person = None if all_people else options.working_person(space, name)
        if directory is not None:
            shared = replace(_open_folder(space, directory, person=person), problem=print_and_keep)
            merged = [shared.pull(person)] if person else shared.pull_all()
        else:
            merged = [_open_table_sync(space, options.working_person(space, name)).pull()]
    values = [merge_as_json(each) for each in merged]
    text = (part for each in merged for part in describe_merge(each))
    output.show(values, text, as_json=common.as_json)
    if refused or any(each.refused for each in merged):
        raise typer.Exit(DONE_IN_PART)


def status(
    folder: FolderArgument = None,
    *,
    name: options.NameOption = "",
    common: options.CommonOptions,
) -> None:
    """Show how much work waits to be pushed and pulled."""
    with open_workspace(common.workspace) as space:
        person = options.reading_person(space, name)
        values: TableStatus | FolderStatus
        if (directory := _find_folder(folder)) is not None:
            pending = _open_folder(space, directory, person=person).count_pending(person)
            values = {
                "person": person.name,
                "target": str(directory),
                "events_to_push": pending.to_push,
                "events_to_pull": pending.to_pull,
            }
        else:
            sync = _open_table_sync(space, person)
            standing = sync.compare()
            values = {
                "person": person.name,
                "target": str(sync.table),
                "rows": standing.there,
                "samples_to_push": standing.to_push,
                "samples_to_pull": standing.to_pull,
            }
    facts: dict[str, Any] = {key.replace("_", " "): value for key, value in values.items()}
    output.show(values, [Facts(facts)], as_json=common.as_json)


def delete(
    folder: FolderArgument = None,
    *,
    mine: Annotated[
        bool, flag("--mine", "Required: confirm that you delete your own work.")
    ] = False,
    dataset: Annotated[
        str,
        options.dataset_option("Only this dataset of a shared table (default: all datasets)."),
    ] = "",
    name: options.NameOption = "",
    yes: options.YesOption = False,
    common: options.CommonOptions,
) -> None:
    """Delete your work from the shared folder or table.

    Your work in the workspace stays.
    """
    if not mine:
        raise InvalidInput(
            "only your own work can be deleted", "pass --mine: tui-annotate sync delete --mine"
        )
    with open_workspace(common.workspace) as space:
        person = options.working_person(space, name)
        directory = _find_folder(folder)
        if directory is not None and dataset:
            raise InvalidInput(
                "--dataset does not apply to a shared folder",
                "omit --dataset: a shared folder has one file per person, with all datasets",
            )
        where = str(directory or _open_table())
        if dataset:
            where += f", dataset {dataset}"
        output.ask(f"delete all work of {person.name} from {where}?", yes=yes)
        if directory is not None:
            count = _open_folder(space, directory).remove(person)
        else:
            sync = _open_table_sync(space, person)
            count = sum(map(sync.delete_mine, [dataset] if dataset else sync.datasets()))
    samples = output.many(count, "sample")
    output.show(
        DeletedWork(person=person.name, target=where, deleted=count),
        [ResultPart(f"deleted the work of {person.name} on {samples} from {where}")],
        as_json=common.as_json,
    )


def _write_rows(target: Path, dataset: str, unused: list[str], *, as_json: bool) -> None:
    from tui_annotate.plugins.files.targets import open_output as written
    from tui_annotate.plugins.json_records import write_json_line

    if unused:
        first = unused[0]
        raise InvalidInput(f"{first} does not apply with -o", f"omit {first}: {_OUTPUT[first]}")
    if as_json and options.parse_target(target) is None:
        raise InvalidInput(
            "the rows of -o and the output of --json cannot both go to standard output",
            "write to a file: -o FILE",
        )
    rows = list(_open_table().rows(dataset=dataset))
    if not rows and not as_json:
        output.print_message("no annotations found; nothing was written")
        return
    with written(options.parse_target(target)) as file:
        count = sum(write_json_line(file, row.exported()) for row in rows)
    output.print_non_finite(count)
    output.show(
        WrittenRows(file=target, rows=len(rows)),
        [NotePart(f"wrote {output.many(len(rows), 'row')}")],
        as_json=as_json,
    )


def _open_table() -> SharedTable:
    from tui_annotate.plugins.sync import sync_key
    from tui_annotate.plugins.sync.table import SharedTable

    if not sync_key.read_address():
        hint = f"set {sync_key.URL} and {sync_key.KEY} for a table, or pass a shared folder"
        raise InvalidInput("no shared folder or table is configured", hint)
    return SharedTable(sync_key.read_address())


def _open_table_sync(space: Workspace, person: Person) -> TableSync:
    from tui_annotate.workspace import bundles

    return bundles.open_table_sync(space, _open_table(), person)


def _find_folder(folder: Path | None) -> Path | None:
    from tui_annotate.plugins.sync.sync_key import read_folder as named

    return folder or (Path(named()) if named() else None)


def _open_folder(space: Workspace, where: Path, *, person: Person | None = None) -> SharedFolder:
    from tui_annotate.workspace import bundles

    found = bundles.open_folder_sync(space, where, problem=_print_problem)
    for each in found.find_same_names(person) if person else ():
        _print_problem(each)
    return found


def _print_problem(problem: Problem) -> None:
    output.print_message(f"{'refused' if problem.refused else 'note'}: {problem} ({problem.hint})")
