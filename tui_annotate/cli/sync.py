"""Commands that share work: with a table of PostgREST, or with a plain folder."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tui_annotate.cli import options, output
from tui_annotate.cli.bundle import SHOWN, merge_as_json, print_merge, refusals_as_json
from tui_annotate.cli.convert import DONE_IN_PART
from tui_annotate.cli.options import add_command, add_group, flag, open_workspace, option
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import Permission

if TYPE_CHECKING:
    from tui_annotate.domain.people import Person
    from tui_annotate.domain.records import Problem
    from tui_annotate.plugins.sync.table import SharedTable
    from tui_annotate.services.sync import TableSync
    from tui_annotate.services.sync.shared_folder import SharedFolder
    from tui_annotate.workspace import Workspace


PULL = "tui-annotate sync pull"
DirOption = Annotated[
    Path | None,
    option(
        "--dir", "DIR", "A folder that people share; else $TUI_ANNOTATE_SYNC_DIR, else the table."
    ),
]


_OUTPUT: Final = {
    "--dir": "-o writes the rows of the table",
    "--all": "-o writes the rows of everybody",
    "--as": "-o writes the rows of everybody",
    "--json": "what -o writes is JSON lines",
}
"""What `pull -o` does without each of these options, which count for nothing there."""


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    group = add_group(app, "sync", "Share work by a table (PostgREST) or a folder.")
    add_command(group, init_sql, "sync init-sql > table.sql")
    add_command(group, push, "sync push", "sync push --dir /mnt/share/news")
    add_command(
        group,
        pull,
        "sync pull",
        "sync pull --dir /mnt/share/news --all",
        "sync pull --dataset news -o rows.jsonl",
    )
    add_command(group, status, "sync status", "sync status --json")
    add_command(group, delete_mine, "sync delete-mine --dataset news", "sync delete-mine --yes")


def init_sql(
    *,
    strict: Annotated[
        bool,
        flag("--strict", "Each person reads and writes their own rows, by a token of their own."),
    ] = False,
) -> None:
    """Print the SQL that makes the table; nothing is contacted.

    Without --strict whoever has the key may change and delete the rows of all.
    """
    from tui_annotate.plugins.sync.table import init_sql as statements

    output.print_page(statements(everybody=not strict))


def push(
    *, folder: DirOption = None, name: options.NameOption = "", common: options.CommonOptions
) -> None:
    """Send your own work, as far as it is new.

    What you only looked at stays here.
    """
    with open_workspace(common.workspace) as space:
        person = space.person(name)
        from tui_annotate.storage.log.stream_merge import MergedStream

        refused: list[MergedStream] = []
        if (directory := _find_folder(folder)) is not None:
            sent = _open_folder(space, directory, person=person).push(person)
            where, count, waiting = str(directory), sent.streams, sent.waiting
            refused += [MergedStream(person.id, key, refused=why) for key, why in sent.refused]
        else:
            sync = _open_table_sync(space, person)
            pushed = sync.push(whole=True)
            where, count, waiting = str(sync.table), pushed.rows, tuple(pushed.waiting)
            refused += pushed.refused
    if common.as_json:
        summary = {"person": person.name, "target": where, "samples": count}
        lists = {"waiting": list(map(str, waiting)), "refused": refusals_as_json(refused)}
        output.print_json(summary | lists)
    else:
        output.print_line(f"{person.name}: work on {output.many(count, 'sample')} sent to {where}")
        for key in waiting[:SHOWN]:
            output.print_message(f"not sent, as it was changed elsewhere: {key}; first: {PULL}")
        for each in refused[:SHOWN]:
            output.print_message(f"not sent: {each.key}: {each.refused}")
    if waiting or refused:
        raise typer.Exit(DONE_IN_PART)


def pull(
    *,
    folder: DirOption = None,
    everybody: Annotated[
        bool, flag("--all", "Of a folder, the work of everybody; for admins.")
    ] = False,
    target: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Write the table's rows to a file, JSON lines; needs no workspace. - for stdout.",
        ),
    ] = None,
    dataset: Annotated[str, options.dataset_option("With -o: this alone.")] = "",
    name: options.NameOption = "",
    common: options.CommonOptions,
) -> None:
    """Take in your own work from elsewhere.

    Where it was changed on both sides the newest stands, the other is in the log, and each conflict
    is listed with both.
    """
    if target is not None:
        given = {"--dir": folder, "--all": everybody, "--as": name, "--json": common.as_json}
        _write_rows(target, dataset, [each for each, value in given.items() if value])
        return
    if dataset:
        raise InvalidInput("--dataset without -o", "a pull takes what is yours, of all datasets")
    directory = _find_folder(folder)
    if everybody and directory is None:
        raise InvalidInput("--all is for folders", "of the table: sync pull -o FILE")
    left_out: list[Problem] = []

    def print_and_keep(problem: Problem) -> None:
        _print_problem(problem)
        left_out.append(problem)

    with open_workspace(common.workspace, needs=Permission.MANAGE if everybody else None) as space:
        person = None if everybody else space.person(name)
        if directory is not None:
            shared = replace(_open_folder(space, directory, person=person), problem=print_and_keep)
            merged = [shared.pull(person)] if person else shared.pull_all()
        else:
            merged = [_open_table_sync(space, space.person(name)).pull()]
    if common.as_json:
        output.print_json([merge_as_json(each) for each in merged])
    else:
        for each in merged:
            print_merge(each)
    if left_out or any(each.refused for each in merged):
        raise typer.Exit(DONE_IN_PART)


def status(
    *, folder: DirOption = None, name: options.NameOption = "", common: options.CommonOptions
) -> None:
    """Say how far both sides are apart; nothing is changed."""
    with open_workspace(common.workspace) as space:
        person = space.person(name)
        values: dict[str, Any] = {"person": person.name}
        if (directory := _find_folder(folder)) is not None:
            ours, theirs = _open_folder(space, directory, person=person).waiting(person)
            values |= {"target": str(directory), "events_to_push": ours, "events_to_pull": theirs}
        else:
            sync = _open_table_sync(space, person)
            standing = sync.compare()
            values |= {"target": str(sync.table), "rows": standing.there}
            values |= {"samples_to_push": standing.to_push, "samples_to_pull": standing.to_pull}
    if common.as_json:
        output.print_json(values)
    else:
        output.print_facts({key.replace("_", " "): value for key, value in values.items()})


def delete_mine(
    *,
    dataset: Annotated[str, options.dataset_option("Of this dataset alone.")] = "",
    folder: DirOption = None,
    name: options.NameOption = "",
    yes: options.YesOption = False,
    common: options.CommonOptions,
) -> None:
    """Remove your own work from table or folder.

    What is in the workspace stays.
    """
    with open_workspace(common.workspace) as space:
        person = space.person(name)
        directory = _find_folder(folder)
        if directory is not None and dataset:
            raise InvalidInput("--dataset is for the table", "a folder has a file a person")
        where = str(directory or _open_table()) + (f", dataset {dataset}" if dataset else "")
        output.ask(f"remove all work of {person.name} from {where}?", yes=yes)
        if directory is not None:
            count = _open_folder(space, directory).remove(person)
        else:
            sync = _open_table_sync(space, person)
            count = sum(map(sync.delete_mine, [dataset] if dataset else sync.datasets()))
    output.print_lines_or_json(
        {"person": person.name, "target": where, "removed": count},
        f"{person.name}: work on {output.many(count, 'sample')} removed from {where}",
        as_json=common.as_json,
    )


def _write_rows(target: Path, dataset: str, unused: list[str]) -> None:
    from tui_annotate.plugins.files.targets import open_output as written

    if unused:
        first = unused[0]
        raise InvalidInput(f"{first} with -o", f"{_OUTPUT[first]}; leave {first} out")
    rows = list(_open_table().rows(dataset=dataset))
    if not rows:
        output.print_message("no annotations found; nothing was written")
        return
    with written(options.parse_target(target)) as file:
        file.writelines(f"{json.dumps(row.exported(), ensure_ascii=False)}\n" for row in rows)
    output.print_message(f"{output.many(len(rows), 'row')} written")


def _open_table() -> SharedTable:
    from tui_annotate.plugins.sync import sync_key
    from tui_annotate.plugins.sync.table import SharedTable

    if not sync_key.read_address():
        hint = f"set {sync_key.URL} and {sync_key.KEY}, or name a folder with --dir"
        raise InvalidInput("nobody says where the table is", hint)
    return SharedTable(sync_key.read_address())


def _open_table_sync(space: Workspace, person: Person) -> TableSync:
    from tui_annotate.workspace import bundles

    return bundles.open_table_sync(space, _open_table(), person)


def _find_folder(folder: Path | None) -> Path | None:
    from tui_annotate.plugins.sync.sync_key import read_folder as named

    return folder or (Path(named()) if named() else None)


def _open_folder(space: Workspace, where: Path, *, person: Person | None = None) -> SharedFolder:
    from tui_annotate.services.sync.shared_folder import SharedFolder
    from tui_annotate.workspace import bundles

    found = SharedFolder(bundles.open_merge_store(space), where, _print_problem)
    for each in found.find_same_names(person) if person else ():
        _print_problem(each)
    return found


def _print_problem(problem: Problem) -> None:
    output.print_message(f"{'left out' if problem.refused else 'note'}: {problem} ({problem.hint})")
