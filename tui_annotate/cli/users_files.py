"""Commands that carry accounts from store to store: as CSV, and out of Mercury's databases."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tui_annotate.cli import output
from tui_annotate.cli.options import (
    JsonOption,
    WorkspaceOption,
    examples,
    opened,
    unless_stdout,
)
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import Verb

if TYPE_CHECKING:
    from tui_annotate.domain.accounts import Account
    from tui_annotate.domain.records import Problem
    from tui_annotate.plugins.accounts.rows import UserRow
    from tui_annotate.services.authenticate.register import Registered

DONE_IN_PART = 3

AdminOption = Annotated[
    str,
    typer.Option(
        "--admin", metavar="ADDRESS", help="Whose new account is an admin's.", show_default=False
    ),
]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Read everything, store nothing.")]


def register(users: typer.Typer) -> None:
    """Adds the commands of files to those of accounts."""
    users.command("export", epilog=examples("tui-annotate users export -o people.csv"))(
        export_users
    )
    users.command(
        "import",
        epilog=examples(
            "tui-annotate users import people.csv",
            "tui-annotate users import people.csv --admin ana@example.org",
        ),
    )(import_users)


def register_migrate(app: typer.Typer) -> None:
    """Adds the command that reads other systems."""
    migrate = typer.Typer(help="Take over from other systems.", no_args_is_help=True)
    migrate.callback()(_group)
    migrate.command(
        "users",
        epilog=examples(
            "tui-annotate migrate users user.sqlite --admin ana@example.org",
            "tui-annotate migrate users batches/ --dry-run",
        ),
    )(migrate_users)
    app.add_typer(migrate, name="migrate")


def _group() -> None:
    """Keeps a group a group, also while it holds one command."""


def export_users(
    *,
    target: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="For your eyes alone (mode 600); else standard output (-).",
            callback=unless_stdout,
        ),
    ] = None,
    workspace: WorkspaceOption = None,
) -> None:
    """Write all accounts as CSV, with hashes of passwords.

    Whoever has the file can guess passwords for as long as they like.
    """
    from tui_annotate.plugins.accounts.rows import write_users
    from tui_annotate.plugins.files import targets

    if target is None and sys.stdout.isatty():
        raise InvalidInput("hashes of passwords are not for a terminal", "name a file: -o FILE")
    with opened(workspace, needs=Verb.MANAGE) as space:
        accounts = space.team.accounts.all()
    with _private(), targets.output(target) as file:
        count = write_users(accounts, file)
    output.say(f"accounts: {count:,}")


@contextmanager
def _private() -> Iterator[None]:
    """Files that are made here are their owner's alone."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


def import_users(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="CSV of users export, or of Mercury's export.")
    ],
    *,
    admin: AdminOption = "",
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Read accounts of a CSV file.

    Exit code: 0 all are in, 3 some rows were refused.
    """
    from tui_annotate.plugins.accounts.rows import read_users

    _take(read_users(file), admin, workspace, dry_run=dry_run, as_json=as_json)


def migrate_users(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="PATH", help="A user database of Mercury, or a folder of them."),
    ],
    *,
    admin: AdminOption = "",
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Take over the users of Mercury.

    They keep their ids and their passwords. The same address in several databases is one person,
    with the id and the password of the first.

    Exit code: 0 all are in, 3 some rows were refused.
    """
    from tui_annotate.plugins.accounts.mercury import databases, read_mercury

    rows = [row for file in databases(paths) for row in read_mercury(file)]
    _take(rows, admin, workspace, dry_run=dry_run, as_json=as_json)


def told(account: Account) -> dict[str, Any]:
    """An account as JSON; of its password, whether there is one."""
    return {
        "id": account.person.id,
        "name": account.person.name,
        "email": account.email,
        "role": account.role.value,
        "active": account.active,
        "password": bool(account.hash),
        "must_change": account.must_change,
        "unix": account.unix,
        "created": account.created,
    }


def _take(
    rows: Iterable[UserRow | Problem],
    admin: str,
    workspace: Path | None,
    *,
    dry_run: bool,
    as_json: bool,
) -> None:
    from tui_annotate.services.authenticate.register import register as registered

    with opened(workspace, needs=Verb.MANAGE) as space:
        if not dry_run:
            space.team.members.furnish()
        found = registered(space.team.accounts, rows, admin=admin, dry_run=dry_run)
    if as_json:
        output.as_json(
            {
                "added": [told(each) for each in found.added],
                "joined": [asdict(each) for each in found.joined],
                "problems": [asdict(each) for each in found.problems],
                "stored": not dry_run,
            }
        )
    else:
        _tell(found, dry_run=dry_run)
    if found.problems:
        raise typer.Exit(DONE_IN_PART)


def _tell(found: Registered, *, dry_run: bool) -> None:
    for problem in found.problems:
        output.say(f"{problem}")
        if problem.hint:
            output.say(f"  hint: {problem.hint}")
    for each in found.joined:
        if each.differs:
            told = f"is {each.kept} already, not {each.id}"
            if each.id == each.kept:
                told = "is here already; the password stays the one that is here"
            output.say(f"{each.where}: {each.email} {told}")
    would = "would be " if dry_run else ""
    alike = sum(not each.differs for each in found.joined)
    output.line(
        f"accounts {would}added: {len(found.added):,}; here already: {len(found.joined):,}"
        f" ({alike:,} alike); rows refused: {len(found.problems):,}"
    )
