"""Commands that share work: with a table of PostgREST, or with a plain folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tui_annotate.cli import completion, output
from tui_annotate.cli.bundle import REFUSED, SHOWN, as_values, reasons, tell
from tui_annotate.cli.options import (
    JsonOption,
    NameOption,
    WorkspaceOption,
    YesOption,
    examples,
    opened,
)
from tui_annotate.cli.sync_rows import alone, files, place, table, tell_problem, write_rows
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import Verb

if TYPE_CHECKING:
    from tui_annotate.domain.people import Person
    from tui_annotate.domain.records import Problem
    from tui_annotate.storage.work.merging import Merged
    from tui_annotate.workspace import Workspace

PULL = "tui-annotate sync pull"
DirOption = Annotated[
    Path | None,
    typer.Option(
        "--dir",
        metavar="DIR",
        help="A folder that people share; else $TUI_ANNOTATE_SYNC_DIR, else the table.",
        show_default=False,
    ),
]


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    group = typer.Typer(
        help="Share work by a table (PostgREST) or a folder.",
        no_args_is_help=True,
    )
    name = "tui-annotate sync"
    group.command("init-sql", epilog=examples(f"{name} init-sql > table.sql"))(init_sql)
    group.command(epilog=examples(f"{name} push", f"{name} push --dir /mnt/share/news"))(push)
    group.command(
        epilog=examples(
            f"{name} pull",
            f"{name} pull --dir /mnt/share/news --all",
            f"{name} pull --dataset news -o rows.jsonl",
        )
    )(pull)
    group.command(epilog=examples(f"{name} status", f"{name} status --json"))(status)
    group.command(
        "delete-mine",
        epilog=examples(f"{name} delete-mine --dataset news", f"{name} delete-mine --yes"),
    )(delete_mine)
    app.add_typer(group, name="sync")


def init_sql(
    *,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict", help="Each person reads and writes their own rows, by a token of their own."
        ),
    ] = False,
) -> None:
    """Print the SQL that makes the table; nothing is contacted.

    Without --strict whoever has the key may change and delete the rows of all.
    """
    from tui_annotate.plugins.exchange.init_sql import init_sql as statements

    output.page(statements(everybody=not strict))


def push(
    *,
    folder: DirOption = None,
    name: NameOption = "",
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Send your own work, as far as it is new.

    What you only looked at stays here.
    """
    with opened(workspace) as space:
        person = space.person(name)
        from tui_annotate.storage.work.merging import Taken

        refused: list[Taken] = []
        if (directory := place(folder)) is not None:
            sent = files(space, directory, person=person).push(person)
            where, count, left = str(directory), sent.streams, sent.waiting
            refused += [Taken(person.id, key, refused=why) for key, why in sent.refused]
        else:
            from tui_annotate.workspace import carrying

            shared = table()
            pushed = carrying.table_sync(space, shared, person).push(whole=True)
            where, count, left = str(shared), pushed.rows, tuple(pushed.waiting)
            refused += pushed.refused
    if as_json:
        told = {"person": person.name, "target": where, "samples": count}
        output.as_json({**told, "waiting": list(map(str, left)), "refused": reasons(refused)})
    else:
        output.line(f"{person.name}: work on {output.many(count, 'sample')} sent to {where}")
        for key in left[:SHOWN]:
            output.say(f"not sent, as it was changed elsewhere: {key}; first: {PULL}")
        for each in refused[:SHOWN]:
            output.say(f"not sent: {each.key}: {each.refused}")
    if left or refused:
        raise typer.Exit(REFUSED)


def pull(
    *,
    folder: DirOption = None,
    everybody: Annotated[
        bool, typer.Option("--all", help="Of a folder, the work of everybody; for admins.")
    ] = False,
    target: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Write the table's rows to a file, JSON lines; needs no workspace. - for stdout.",
            show_default=False,
        ),
    ] = None,
    dataset: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="With -o: this alone.", autocompletion=completion.datasets
        ),
    ] = "",
    name: NameOption = "",
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Take in your own work from elsewhere.

    Where it was changed on both sides the newest stands, the other is in the log, and each conflict
    is listed with both.
    """
    if target is not None:
        given = {"--dir": folder is not None, "--all": everybody, "--as": bool(name)}
        alone({**given, "--json": as_json})
        write_rows(target, dataset)
        return
    if dataset:
        raise InvalidInput("--dataset without -o", "a pull takes what is yours, of all datasets")
    directory = place(folder)
    if everybody and directory is None:
        raise InvalidInput("--all is for folders", "of the table: sync pull -o FILE")
    left_out: list[Problem] = []
    with opened(workspace, needs=Verb.MANAGE if everybody else None) as space:
        if directory is None:
            merged = [_from_table(space, space.person(name))]
        else:
            person = None if everybody else space.person(name)
            merged = _from_folder(space, directory, person=person, left_out=left_out)
    if as_json:
        output.as_json([as_values(each) for each in merged])
    else:
        for each in merged:
            tell(each)
    if left_out or any(each.refused for each in merged):
        raise typer.Exit(REFUSED)


def _from_table(space: Workspace, person: Person) -> Merged:
    from tui_annotate.workspace import carrying

    return carrying.table_sync(space, table(), person).pull()


def _from_folder(
    space: Workspace, directory: Path, *, person: Person | None, left_out: list[Problem]
) -> list[Merged]:
    """The work of somebody, of everybody where nobody is named.

    `left_out` gets what is wrong with files of the folder; each is told at once.
    """

    def tell_and_keep(problem: Problem) -> None:
        tell_problem(problem)
        left_out.append(problem)

    shared = replace(files(space, directory, person=person), problem=tell_and_keep)
    return [shared.pull(person)] if person else shared.pull_all()


def status(
    *,
    folder: DirOption = None,
    name: NameOption = "",
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Say how far both sides are apart; nothing is changed."""
    with opened(workspace) as space:
        person = space.person(name)
        values: dict[str, Any] = {"person": person.name}
        if (directory := place(folder)) is not None:
            ours, theirs = files(space, directory, person=person).waiting(person)
            values |= {"target": str(directory), "events_to_push": ours, "events_to_pull": theirs}
        else:
            from tui_annotate.workspace import carrying

            shared = table()
            standing = carrying.table_sync(space, shared, person).standing()
            values |= {
                "target": str(shared),
                "rows": standing.there,
                "samples_to_push": standing.to_push,
                "samples_to_pull": standing.to_pull,
            }
    if as_json:
        output.as_json(values)
    else:
        output.facts({key.replace("_", " "): value for key, value in values.items()})


def delete_mine(
    *,
    dataset: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Of this dataset alone.", autocompletion=completion.datasets
        ),
    ] = "",
    folder: DirOption = None,
    name: NameOption = "",
    yes: YesOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Remove your own work from table or folder.

    What is in the workspace stays.
    """
    with opened(workspace) as space:
        person = space.person(name)
        directory = place(folder)
        if directory is not None and dataset:
            raise InvalidInput("--dataset is for the table", "a folder has a file a person")
        where = str(directory or table()) + (f", dataset {dataset}" if dataset else "")
        output.ask(f"remove all work of {person.name} from {where}?", yes=yes)
        if directory is not None:
            count = files(space, directory).folder.remove(person)
        else:
            count = _deleted(space, person, dataset)
    if as_json:
        output.as_json({"person": person.name, "target": where, "removed": count})
    else:
        output.line(f"{person.name}: work on {output.many(count, 'sample')} removed from {where}")


def _deleted(space: Workspace, person: Person, dataset: str) -> int:
    from tui_annotate.workspace import carrying

    sync = carrying.table_sync(space, table(), person)
    return sum(sync.delete_mine(each) for each in ([dataset] if dataset else sync.datasets()))
