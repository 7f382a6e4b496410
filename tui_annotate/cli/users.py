"""Commands about accounts: who may sign in, as what; a password is never an argument."""

from __future__ import annotations

import os
import shlex
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tui_annotate.cli import completion, options, output
from tui_annotate.cli.convert import DONE_IN_PART
from tui_annotate.cli.options import add_command, add_group, argument, flag, open_workspace, option
from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.domain.people import Permission, Role
from tui_annotate.settings import find_workspace

if TYPE_CHECKING:
    from tui_annotate.domain.accounts import Account
    from tui_annotate.domain.records import Problem
    from tui_annotate.plugins.account_files import UserRow
    from tui_annotate.services.authentication.account_management import AccountImportReport
    from tui_annotate.workspace import Workspace


WhoArgument = Annotated[str, argument("WHO", "Address, name or id.", complete=completion.people)]
AdminOption = Annotated[str, option("--admin", "ADDRESS", "Whose new account is an admin's.")]
DryRunOption = Annotated[bool, flag("--dry-run", "Read everything, store nothing.")]

_MAX_LINE_BYTES = 8192
INVITED = "good once, for 7 days: tui-annotate users redeem, or the sign-in screen"


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    users = add_group(app, "users", "Accounts: who may sign in, and as what.")
    add_command(
        users,
        add,
        "users add --name ana --email ana@example.org --claim ana",
        "users add --name ben --email ben@example.org --invite",
        "pass show li | tui-annotate users add --name li --email li@example.org",
    )
    add_command(users, list_users, "users list", "users list --json", name="list")
    add_command(users, show, "users show ana@example.org")
    add_command(
        users,
        update,
        "users update ben@example.org --role reviewer",
        "users update ben@example.org --unix ben",
    )
    add_command(users, disable, "users disable ben@example.org")
    add_command(users, enable, "users enable ben@example.org")
    add_command(users, invite, "users invite li@example.org")
    add_command(users, redeem, "users redeem")
    add_command(users, reset_password, "users reset-password ben@example.org")
    add_command(
        users,
        delete,
        "users delete ben@example.org",
        "users delete ben@example.org --pseudonymise --yes",
    )
    add_command(users, export_users, "users export -o people.csv", name="export")
    add_command(
        users,
        import_users,
        "users import people.csv",
        "users import people.csv --admin ana@example.org",
        name="import",
    )


def add(
    *,
    name: Annotated[str, option("--name", "NAME", "What people see.")],
    email: Annotated[str, option("--email", "ADDRESS", "What they sign in with.")],
    role: Annotated[
        Role | None, typer.Option(help="Else annotator; the first account is an admin's.")
    ] = None,
    claim: Annotated[
        str,
        option(
            "--claim",
            "PERSON",
            "Name or id of somebody who worked without an account; their work comes along.",
        ),
    ] = "",
    unix: Annotated[str, option("--unix", "USER", "Their own user of this machine, if any.")] = "",
    invite: Annotated[
        bool, flag("--invite", "Print a code with which they choose a password.")
    ] = False,
    common: options.CommonOptions,
) -> None:
    """Make an account; the first one is an admin's.

    From then on everybody signs in. The password is asked for twice, or is a line of standard
    input. One that you typed for somebody else has to be changed at the first sign-in.
    """
    from tui_annotate.services.authentication.account_management import NewAccount

    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        space.team.members.create_people_store()
        accounts = space.team.accounts
        first = not accounts.all()
        password = "" if invite else _ask_new_password(name)
        account = accounts.add(NewAccount(name, email, role, unix, claim, password))
        code = accounts.invite(account.person.id)[1] if invite else ""
    output.print_lines_or_json(
        _account_as_json(account) | ({"code": code} if code else {}),
        *filter(None, (_describe_account(account), code)),
        as_json=common.as_json,
    )
    if code and not common.as_json:
        output.print_message(f"the code is {INVITED}")
    _warn_without_user(unix)
    if first:
        output.print_message("there are accounts now: from here on everybody signs in")


def list_users(*, common: options.CommonOptions) -> None:
    """List all accounts; ids are in `users show` and in --json."""
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        found = space.team.accounts.all()
    titles = ("role", "state", "user") if any(each.unix for each in found) else ("role", "state")
    columns = [output.flexible_column("name"), output.flexible_column("address"), *titles]
    rows = [
        (each.person.name, each.email, each.role.value, _describe_state(each), each.unix)
        for each in found
    ]
    shown = [row[: len(columns)] for row in rows]
    output.print_table_or_json(
        [_account_as_json(each) for each in found], columns, shown, as_json=common.as_json
    )


def show(who: WhoArgument, *, common: options.CommonOptions) -> None:
    """Show an account, what its owner did, and their sessions."""
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        found = space.team.accounts.find(who)
        work = [each for each in space.corpus.progress() if each.person == found.person.id]
        signed_in = [each.person for each in space.team.accounts.signed_in()]
    shown = _account_as_json(found) | {
        "annotations": sum(each.annotations for each in work),
        "done": sum(each.done for each in work),
        "sessions": signed_in.count(found.person.id),
    }
    if common.as_json:
        output.print_json(shown)
        return
    shown["created"] = output.format_time(found.created)
    yes_no = {True: "yes", False: "no"}
    output.print_facts(
        {name: yes_no[value] if isinstance(value, bool) else value for name, value in shown.items()}
    )


def update(
    who: WhoArgument,
    *,
    name: Annotated[str | None, option("--name", "NAME", "What people see.")] = None,
    email: Annotated[str | None, option("--email", "ADDRESS", "What they sign in with.")] = None,
    role: Annotated[Role | None, typer.Option(help="Another one signs them out.")] = None,
    unix: Annotated[
        str | None, option("--unix", "USER", "Their user of this machine; '' for none.")
    ] = None,
    common: options.CommonOptions,
) -> None:
    """Change an account."""
    if (name, email, role, unix) == (None,) * 4:
        raise InvalidInput("nothing to change", "say what: --name, --email, --role or --unix")
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        changed = space.team.accounts.update(who, name=name, email=email, role=role, unix=unix)
    _print_account(changed, as_json=common.as_json)
    _warn_without_user(unix)


def invite(who: WhoArgument, *, common: options.CommonOptions) -> None:
    """Print a code with which somebody chooses a password.

    A code from before is void.
    """
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        account, code = space.team.accounts.invite(who)
    output.print_lines_or_json(
        _account_as_json(account) | {"code": code}, code, as_json=common.as_json
    )
    if not common.as_json:
        output.print_message(f"the code of {account.email} is {INVITED}")


def redeem(*, workspace: options.WorkspaceOption = None) -> None:
    """Choose your first password with the code of an invitation.

    Code and password are asked for, or are two lines of standard input.
    """
    from tui_annotate import workspace as workspaces

    with workspaces.open(find_workspace(workspace)) as space:
        authenticate = space.team.authenticate
        if sys.stdin.isatty():
            sys.stderr.write("code of the invitation: ")
            sys.stderr.flush()
        code, password = _read_line("code"), _ask_new_password("yours")
        signed = authenticate.redeem(code, password, client="terminal")
        authenticate.sign_out(signed.session)
    output.print_line(f"{signed.person.name}, your password is set: tui-annotate annotate")


def reset_password(who: WhoArgument, *, common: options.CommonOptions) -> None:
    """Set a password that its owner changes at the next sign-in.

    Signs them out. Better is users invite: then nobody knows the password but its owner.
    """
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        accounts = space.team.accounts
        found = accounts.find(who)
        changed = accounts.reset_password(found.person.id, _ask_new_password(found.person.name))
    _print_account(changed, as_json=common.as_json)


def _warn_without_user(user: str | None) -> None:
    import pwd

    try:
        pwd.getpwnam(user or "root")
    except KeyError:
        output.print_message(
            f"this machine has no user {user!r} yet; whoever gets that name is let in"
        )


def _describe_state(account: Account) -> str:
    if not account.active:
        return "disabled"
    if not account.hash:
        return "no password yet"
    return "new password due" if account.must_change else "active"


def disable(who: WhoArgument, *, common: options.CommonOptions) -> None:
    """Sign somebody out and keep them out.

    Their work stays.
    """
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        changed = space.team.accounts.disable(who)
        _print_unfinished_work(space, changed, common.workspace)
    _print_account(changed, as_json=common.as_json)


def enable(who: WhoArgument, *, common: options.CommonOptions) -> None:
    """Let somebody in again."""
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        changed = space.team.accounts.enable(who)
    _print_account(changed, as_json=common.as_json)


def delete(
    who: WhoArgument,
    *,
    pseudonymise: Annotated[
        bool,
        flag(
            "--pseudonymise",
            "Put a word that says nothing for name and address, for good. Where several "
            "workspaces share one store of people, in this workspace alone: give it in each.",
        ),
    ] = False,
    yes: options.YesOption = False,
    common: options.CommonOptions,
) -> None:
    """Close an account. Annotations are never deleted with it."""
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        accounts = space.team.accounts
        found = accounts.find(who)
        if pseudonymise:
            output.ask(f"forget the name and address of {found.email} for good?", yes=yes)
        changed = accounts.delete(found.person.id, pseudonymise=pseudonymise)
        _print_unfinished_work(space, changed, common.workspace)
        shared = space.settings.people_store
    if pseudonymise and shared:
        output.print_message(
            f"the name is gone from {shared} and from this workspace; in each other workspace of "
            f"that store: tui-annotate users delete {changed.person.id} --pseudonymise"
        )
    _print_account(changed, as_json=common.as_json)


def _print_unfinished_work(space: Workspace, account: Account, workspace: Path | None) -> None:
    unfinished = [
        each for each in space.team.assignments.show().stands if each.person == account.person.id
    ]
    count = sum(each.open + each.begun for each in unfinished)
    if count:
        where = f" -w {shlex.quote(str(workspace))}" if workspace else ""
        begun = " --begun" if any(each.begun for each in unfinished) else ""
        who = shlex.quote(account.person.name)
        output.print_message(
            f"samples they have not finished: {count:,}; "
            f"to hand them on: tui-annotate assign move --from {who} --to NAME{begun}{where}"
        )


def _print_account(account: Account, *, as_json: bool) -> None:
    output.print_lines_or_json(
        _account_as_json(account), _describe_account(account), as_json=as_json
    )


def _describe_account(account: Account) -> str:
    article = "a" if account.role is Role.REVIEWER else "an"
    state = "" if account.active else ", disabled"
    return f"{account.person.name} <{account.email}> is {article} {account.role}{state}"


def register_migrate(app: typer.Typer) -> None:
    """Adds the command that reads other systems."""
    migrate = add_group(app, "migrate", "Take over from other systems.")
    add_command(
        migrate,
        migrate_users,
        "migrate users user.sqlite --admin ana@example.org",
        "migrate users batches/ --dry-run",
        name="users",
    )


def export_users(
    *,
    target: Annotated[
        Path | None,
        options.output_option("For your eyes alone (mode 600); else standard output (-)."),
    ] = None,
    workspace: options.WorkspaceOption = None,
) -> None:
    """Write all accounts as CSV, with hashes of passwords.

    Whoever has the file can guess passwords for as long as they like.
    """
    from tui_annotate.plugins.account_files import write_users
    from tui_annotate.plugins.files import targets

    if target is None and sys.stdout.isatty():
        raise InvalidInput("hashes of passwords are not for a terminal", "name a file: -o FILE")
    with open_workspace(workspace, needs=Permission.MANAGE) as space:
        accounts = space.team.accounts.all()
    mask = os.umask(0o077)
    try:
        with targets.open_output(target) as file:
            count = write_users(accounts, file)
    finally:
        os.umask(mask)
    output.print_message(f"accounts: {count:,}")


def import_users(
    file: Annotated[Path, argument("FILE", "CSV of users export, or of Mercury's export.")],
    *,
    admin: AdminOption = "",
    dry_run: DryRunOption = False,
    common: options.CommonOptions,
) -> None:
    """Read accounts of a CSV file.

    Exit code: 0 all are in, 3 some rows were refused.
    """
    from tui_annotate.plugins.account_files import read_users

    _import_rows(read_users(file), admin, common, dry_run=dry_run)


def migrate_users(
    paths: Annotated[
        list[Path], argument("PATH", "A user database of Mercury, or a folder of them.")
    ],
    *,
    admin: AdminOption = "",
    dry_run: DryRunOption = False,
    common: options.CommonOptions,
) -> None:
    """Take over the users of Mercury.

    They keep their ids and their passwords. The same address in several databases is one person,
    with the id and the password of the first.

    Exit code: 0 all are in, 3 some rows were refused.
    """
    from tui_annotate.plugins.account_files import find_databases, read_mercury

    rows = [row for file in find_databases(paths) for row in read_mercury(file)]
    _import_rows(rows, admin, common, dry_run=dry_run)


def _account_as_json(account: Account) -> dict[str, Any]:
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


def _import_rows(
    rows: Iterable[UserRow | Problem], admin: str, common: options.CommonOptions, *, dry_run: bool
) -> None:
    from tui_annotate.services.authentication.account_management import register as import_accounts

    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        if not dry_run:
            space.team.members.create_people_store()
        found = import_accounts(space.team.accounts, rows, admin=admin, dry_run=dry_run)
    if common.as_json:
        output.print_json(
            {
                "added": [_account_as_json(each) for each in found.added],
                "joined": found.joined,
                "problems": found.problems,
                "stored": not dry_run,
            }
        )
    else:
        _print_import(found, dry_run=dry_run)
    if found.problems:
        raise typer.Exit(DONE_IN_PART)


def _print_import(found: AccountImportReport, *, dry_run: bool) -> None:
    for problem in found.problems:
        output.print_problem(str(problem), problem.hint)
    for each in found.joined:
        if each.differs:
            message = f"is {each.kept} already, not {each.id}"
            if each.id == each.kept:
                message = "is here already; the password stays the one that is here"
            output.print_message(f"{each.where}: {each.email} {message}")
    would = "would be " if dry_run else ""
    alike = sum(not each.differs for each in found.joined)
    output.print_line(
        f"accounts {would}added: {len(found.added):,}; here already: {len(found.joined):,}"
        f" ({alike:,} alike); rows refused: {len(found.problems):,}"
    )


# A password or a code is never an argument, which would be in the list of processes and in the
# shell's history: it is typed at a prompt, or is a line of standard input.


def _ask_new_password(whose: str) -> str:
    if not sys.stdin.isatty():
        return _read_line("password")
    first = _ask_hidden(f"new password of {whose}: ")
    if _ask_hidden("the same again: ") != first:
        raise InvalidInput("the two passwords differ", "type them once more")
    return first


def _ask_hidden(prompt: str) -> str:
    import getpass

    with warnings.catch_warnings():
        warnings.simplefilter("error", getpass.GetPassWarning)
        try:
            return getpass.getpass(prompt)
        except getpass.GetPassWarning as error:
            raise Unavailable(
                "this terminal would show the password",
                "pipe it: printf '%s\\n' ... | tui-annotate",
            ) from error
        except EOFError as error:
            raise InvalidInput("no password was typed", "") from error


def _read_line(what: str) -> str:
    """One line of standard input without its end; what follows it is left for whoever reads on."""
    raw = sys.stdin.buffer.readline(_MAX_LINE_BYTES)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"the {what} on standard input is not UTF-8", "write it as UTF-8"
        ) from error
    text = text.removesuffix("\n").removesuffix("\r")
    if not text:
        raise InvalidInput(
            f"there is no {what} on standard input", "one line, before anything else"
        )
    return text
