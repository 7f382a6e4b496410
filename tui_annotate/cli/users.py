"""The commands `users`: manage accounts, invitations and passwords.

A password is never an argument.
"""

from __future__ import annotations

import shlex
import sys
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypedDict, cast

import typer

from tui_annotate.cli import completion, options, output, people
from tui_annotate.cli.help_format import CORE
from tui_annotate.cli.options import add_command, add_group, argument, flag, open_workspace, option
from tui_annotate.cli.output import DONE_IN_PART
from tui_annotate.cli.report_parts import (
    Column,
    Columns,
    Facts,
    MessagePart,
    NotePart,
    Part,
    ResultPart,
    Table,
    flexible_column,
)
from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.domain.people import Permission, Role
from tui_annotate.settings import find_workspace

if TYPE_CHECKING:
    from tui_annotate.domain.accounts import Account
    from tui_annotate.domain.people import Person
    from tui_annotate.domain.records import Problem
    from tui_annotate.plugins.account_files import UserRow
    from tui_annotate.services.authentication.account_management import (
        AccountImportReport,
        ImportedAccount,
        SameName,
    )
    from tui_annotate.workspace import Workspace


PersonArgument = Annotated[
    str,
    argument("PERSON", "E-mail address, name or id of an account.", complete=completion.people),
]

_MAX_LINE_BYTES = 8192
INVITED = (
    "the code is valid once, for 7 days; enter the code on the sign-in screen, or with:"
    " tui-annotate users accept-invite"
)


class PrintedAccount(TypedDict):
    """An account; a password is never printed, nor its hash.

    Attributes:
        created: UTC, ISO 8601.
    """

    id: str
    name: str
    email: str
    role: str
    active: bool
    has_password: bool
    must_change_password: bool
    unix_user: str
    created: str


class InvitedAccount(PrintedAccount, total=False):
    """An account, and with an invitation its code."""

    code: str


class AccountDetails(PrintedAccount):
    """An account with counts of the person's work.

    Attributes:
        sessions: number of active sessions.
    """

    annotations: int
    completed: int
    sessions: int


class AcceptedInvite(TypedDict):
    """Id and name of the person who set a password."""

    person: str
    name: str


class WrittenAccounts(TypedDict):
    """The file of an export, and the number of its accounts."""

    file: Path | None
    accounts: int


class AccountAddress(TypedDict):
    """An account by id and address."""

    id: str
    email: str


class NamedPerson(TypedDict):
    """A person without an account."""

    id: str
    name: str


class PrintedSameName(TypedDict):
    """People of one name, and the commands that make them one person.

    Attributes:
        people: ids of people without an account.
    """

    name: str
    accounts: list[AccountAddress]
    people: list[str]
    commands: list[str]


class PrintedAccountImport(TypedDict):
    """Result of an import of accounts.

    Attributes:
        matched: rows whose address, or with `--join-same-names` whose name, belongs to an account.
        weak_passwords: addresses of accounts with a weak plain password.
    """

    added: list[PrintedAccount]
    matched: list[ImportedAccount]
    problems: list[Problem]
    stored: bool
    people: list[NamedPerson]
    weak_passwords: list[str]
    same_names: list[PrintedSameName]


def register(app: typer.Typer) -> typer.Typer:
    """Add the group `users`, and return it for the groups and commands of other modules."""
    users = add_group(app, "users", "Manage people, accounts, sessions and ssh keys.", panel=CORE)
    add_command(
        users,
        create,
        "users create --name olga --email olga@example.org --role admin",
        "users create --name ana --email ana@example.org --link-imported ana",
        "users create --name ben --email ben@example.org --invite",
        "pass show li | tui-annotate users create --name li --email li@example.org",
    )
    add_command(users, list_users, "users list", "users list --all --json", name="list")
    add_command(users, show, "users show ana@example.org")
    add_command(
        users,
        edit,
        "users edit ben@example.org --role reviewer",
        "users edit ben@example.org --unix-user ben",
    )
    add_command(users, disable, "users disable ben@example.org")
    add_command(users, enable, "users enable ben@example.org")
    add_command(users, invite, "users invite li@example.org")
    add_command(users, accept_invite, "users accept-invite", name="accept-invite")
    add_command(users, reset_password, "users reset-password ben@example.org")
    add_command(
        users,
        delete,
        "users delete ben@example.org",
        "users delete ben@example.org --pseudonymize --yes",
    )
    add_command(users, export_users, "users export -o people.csv", name="export")
    add_command(
        users,
        import_users,
        "users import people.csv",
        "users import people.csv --admin ana@example.org",
        "users import user.sqlite batches/ --dry-run",
        name="import",
    )
    return users


def create(
    *,
    name: Annotated[str, option("--name", "NAME", "Display name of the user.")],
    email: Annotated[
        str, option("--email", "ADDRESS", "E-mail address with which the user signs in.")
    ],
    role: Annotated[
        Role | None,
        typer.Option(help="Role of the user (default: annotator; for the first account: admin)."),
    ] = None,
    link_imported: Annotated[
        str,
        option(
            "--link-imported",
            "PERSON",
            "Name or id of a person without an account, whose work becomes the new user's work.",
        ),
    ] = "",
    unix_user: Annotated[
        str,
        option("--unix-user", "USER", "Login name of the user on this machine (default: none)."),
    ] = "",
    invite: Annotated[
        bool, flag("--invite", "Print an invitation code, with which the user sets a password.")
    ] = False,
    common: options.CommonOptions,
) -> None:
    """Create an account; the first account becomes an admin.

    After the first account exists, all users must sign in. The command asks for the password twice,
    or reads the password from one line of standard input. A user whose password was set by another
    user must change the password at the first sign-in.
    """
    from tui_annotate.services.authentication.account_management import NewAccount

    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        space.team.members.create_people_store()
        accounts = space.team.accounts
        first = not accounts.all()
        password = "" if invite else _ask_new_password(name)
        account = accounts.add(NewAccount(name, email, role, unix_user, link_imported, password))
        code = accounts.invite(account.person.id)[1] if invite else ""
        namesakes = accounts.find_namesakes(account.person.id)
        unlinked = accounts.find_unlinked_namesakes(account.person.id)
    values = cast("InvitedAccount", _account_as_json(account))
    text: list[Part] = [ResultPart(_describe_account(account))]
    if code:
        values["code"] = code
        text += [code, NotePart(INVITED)]
    output.show(values, text, as_json=common.as_json)
    _warn_without_user(unix_user)
    _warn_of_namesakes(account, namesakes)
    _warn_of_unlinked_namesakes(account, unlinked)
    if first:
        _print_first_account(account, asked=role is not None)


def _print_first_account(account: Account, *, asked: bool) -> None:
    """Warn about the admin, unless the user asked for one: the first one named may annotate."""
    output.print_message("the workspace has accounts now: all users must sign in")
    if asked:
        return
    name = account.person.name
    who = shlex.quote(account.email)
    output.print_message(
        f"warning: {name} <{account.email}> is an ADMIN, because the first account is always an"
        f" admin's: {name} can see the work of all users, and manage accounts and assignments"
    )
    output.print_message(
        output.add_workspace(
            f"  hint: if {name} is an annotator, create the admin's account (tui-annotate users"
            f" create --role admin), then run: tui-annotate users edit {who} --role annotator"
        )
    )


def list_users(
    *,
    everyone: Annotated[
        bool,
        flag("--all", "List all people, also those without an account, and count their work."),
    ] = False,
    common: options.CommonOptions,
) -> None:
    """List accounts, or all people of the workspace.

    `users show` and --json also print the ids of accounts. With --all, the kind of a person is
    local (a name used on this machine), imported (a name in an imported file), account, or merged
    (another person owns the work). The numbers count annotations and completed samples in all
    datasets.
    """
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        if everyone:
            people.show_everyone(space, as_json=common.as_json)
            return
        found = space.team.accounts.all()
    values = [_account_as_json(each) for each in found]
    output.show(values, [Table(found, _ACCOUNTS)], as_json=common.as_json)


def show(person: PersonArgument, *, common: options.CommonOptions) -> None:
    """Show an account, its work and the number of its sessions."""
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        found = space.team.accounts.find(person)
        work = [each for each in space.corpus.progress() if each.person == found.person.id]
        signed_in = [each.person for each in space.team.accounts.signed_in()]
    details: AccountDetails = {
        **_account_as_json(found),
        "annotations": sum(each.annotations for each in work),
        "completed": sum(each.completed for each in work),
        "sessions": signed_in.count(found.person.id),
    }
    shown: dict[str, Any] = {**details}
    yes_no = {True: "yes", False: "no"}
    facts = {
        name.replace("_", " "): yes_no[value] if isinstance(value, bool) else value
        for name, value in shown.items()
    }
    facts["created"] = output.format_time(found.created)
    output.show(shown, [Facts(facts)], as_json=common.as_json)


def edit(
    person: PersonArgument,
    *,
    name: Annotated[str | None, option("--name", "NAME", "New display name.")] = None,
    email: Annotated[
        str | None, option("--email", "ADDRESS", "New e-mail address for signing in.")
    ] = None,
    role: Annotated[
        Role | None, typer.Option(help="New role. A new role ends the user's sessions.")
    ] = None,
    unix_user: Annotated[
        str | None,
        option("--unix-user", "USER", "New login name of the user on this machine; '' for none."),
    ] = None,
    common: options.CommonOptions,
) -> None:
    """Change an account: its name, address, role or login name."""
    if (name, email, role, unix_user) == (None,) * 4:
        raise InvalidInput("nothing to change", "pass --name, --email, --role or --unix-user")
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        changed = space.team.accounts.update(
            person, name=name, email=email, role=role, unix_user=unix_user
        )
        accounts = space.team.accounts
        namesakes = [] if name is None else accounts.find_namesakes(changed.person.id)
        unlinked = [] if name is None else accounts.find_unlinked_namesakes(changed.person.id)
    _show_account(changed, as_json=common.as_json)
    _warn_of_namesakes(changed, namesakes)
    _warn_of_unlinked_namesakes(changed, unlinked)
    _warn_without_user(unix_user)


def invite(person: PersonArgument, *, common: options.CommonOptions) -> None:
    """Print an invitation code for setting a password.

    Earlier codes for the user become invalid.
    """
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        account, code = space.team.accounts.invite(person)
    value: InvitedAccount = {**_account_as_json(account), "code": code}
    output.show(
        value,
        [code, NotePart(f"invitation of {account.email}: {INVITED}")],
        as_json=common.as_json,
    )


def accept_invite(*, common: options.CommonOptions) -> None:
    """Set your first password with an invitation code.

    The command asks for code and password, or reads them from two lines of standard input.
    """
    from tui_annotate import workspace as workspaces

    with workspaces.open(find_workspace(common.workspace)) as space:
        authenticate = space.team.authenticate
        if sys.stdin.isatty():
            sys.stderr.write("invitation code: ")
            sys.stderr.flush()
        code = _read_line("code")
        password = _ask_new_password("your account")
        signed = authenticate.redeem(code, password, client="terminal")
        authenticate.sign_out(signed.session)
    output.show(
        AcceptedInvite(person=signed.person.id, name=signed.person.name),
        [
            ResultPart(f"password of {signed.person.name} is set"),
            NotePart("to start annotating: tui-annotate annotate"),
        ],
        as_json=common.as_json,
    )


def reset_password(person: PersonArgument, *, common: options.CommonOptions) -> None:
    """Set a temporary password for a user.

    The user must change the temporary password at the next sign-in. The command ends the user's
    sessions. Prefer `users invite`, with which only the user knows the password.
    """
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        accounts = space.team.accounts
        found = accounts.find(person)
        changed = accounts.reset_password(found.person.id, _ask_new_password(found.person.name))
    _show_account(changed, as_json=common.as_json)


def _warn_without_user(user: str | None) -> None:
    import pwd

    try:
        pwd.getpwnam(user or "root")
    except KeyError:
        output.print_message(
            f"warning: this machine has no user {user!r} yet;"
            " a user who is created with this name can sign in to the account"
        )


def _warn_of_namesakes(account: Account, namesakes: list[Account]) -> None:
    if not namesakes:
        return
    others = ", ".join(f"{each.person.name} <{each.email}>" for each in namesakes)
    who = shlex.quote(account.email)
    output.print_message(
        f"warning: the name {account.person.name!r} looks like the name of {others}"
    )
    output.print_message(
        output.add_workspace(
            f"  hint: give the name of one of them an addition: tui-annotate users edit {who}"
            " --name NAME"
        )
    )


def _warn_of_unlinked_namesakes(account: Account, people: list[Person]) -> None:
    if not people:
        return
    others = ", ".join(f"{each.name!r} ({each.kind}, id {each.id})" for each in people)
    output.print_message(
        f"warning: the name {account.person.name!r} looks like the name or id of a person"
        f" without an account: {others}"
    )
    commands = [
        output.add_workspace(
            f"tui-annotate users merge {shlex.quote(each.id)} {shlex.quote(account.email)}"
        )
        for each in people
    ]
    output.print_message(f"  hint: if they are one person, run: {'; '.join(commands)}")


def _describe_state(account: Account) -> str:
    if not account.active:
        return "disabled"
    if not account.hash:
        return "no password"
    return "must change password" if account.must_change else "active"


_ACCOUNTS: Final[Columns[Account]] = (
    flexible_column("name", lambda each: each.person.name),
    flexible_column("address", "email"),
    Column("role", lambda each: each.role.value),
    Column("state", _describe_state),
    Column("unix user", "unix", rare=True),
)


def disable(person: PersonArgument, *, common: options.CommonOptions) -> None:
    """Disable an account: end its sessions and refuse sign-in.

    The user's work stays.
    """
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        changed = space.team.accounts.disable(person)
        _print_unfinished_work(space, changed)
    _show_account(changed, as_json=common.as_json)


def enable(person: PersonArgument, *, common: options.CommonOptions) -> None:
    """Enable a disabled account."""
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        changed = space.team.accounts.enable(person)
    _show_account(changed, as_json=common.as_json)


def delete(
    person: PersonArgument,
    *,
    pseudonymize: Annotated[
        bool,
        flag(
            "--pseudonymize",
            "Replace the user's name and e-mail address with a pseudonym, irreversibly. If"
            " workspaces share a store of people, repeat the command in each workspace.",
        ),
    ] = False,
    yes: options.YesOption = False,
    common: options.CommonOptions,
) -> None:
    """Delete an account, but keep its annotations."""
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        accounts = space.team.accounts
        found = accounts.find(person)
        if pseudonymize:
            output.ask(f"delete the name and address of {found.email} irreversibly?", yes=yes)
        changed = accounts.delete(found.person.id, pseudonymize=pseudonymize)
        _print_unfinished_work(space, changed)
        shared = space.settings.people_store
    if pseudonymize and shared:
        output.print_message(
            f"deleted the name from this workspace and from {shared}; in each other workspace that"
            f" uses {shared}, run: tui-annotate users delete {changed.person.id} --pseudonymize"
        )
    _show_account(changed, as_json=common.as_json)


def _print_unfinished_work(space: Workspace, account: Account) -> None:
    unfinished = [
        each for each in space.team.assignments.show().progress if each.person == account.person.id
    ]
    count = sum(each.open + each.in_progress for each in unfinished)
    if count:
        started = " --include-started" if any(each.in_progress for each in unfinished) else ""
        who = shlex.quote(account.person.name)
        output.print_note(
            f"assigned samples that are not completed: {count:,};"
            f" to move them: tui-annotate assignments move {who} NEW_PERSON{started}"
        )


def _show_account(account: Account, *, as_json: bool) -> None:
    text = [ResultPart(_describe_account(account))]
    output.show(_account_as_json(account), text, as_json=as_json)


def _describe_account(account: Account) -> str:
    article = "a" if account.role is Role.REVIEWER else "an"
    state = "" if account.active else ", disabled"
    return f"{account.person.name} <{account.email}> is {article} {account.role}{state}"


def export_users(
    *,
    target: Annotated[
        Path | None,
        options.output_option(
            "File to write, readable only by you; - for standard output (default)."
        ),
    ] = None,
    common: options.CommonOptions,
) -> None:
    """Write all accounts as CSV, with password hashes.

    Keep the file secret: a reader can try to guess the passwords from the hashes.
    """
    from tui_annotate.plugins.account_files import write_users
    from tui_annotate.plugins.files import targets

    if target is None and common.as_json:
        raise InvalidInput(
            "the accounts and --json both go to standard output", "write to a file: -o FILE"
        )
    if target is None and sys.stdout.isatty():
        raise InvalidInput(
            "password hashes are not printed on a terminal", "write to a file: -o FILE"
        )
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        accounts = space.team.accounts.all()
    with targets.open_output(target, private=True) as file:
        count = write_users(accounts, file)
    output.show(
        WrittenAccounts(file=target, accounts=count),
        [NotePart(f"exported {output.many(count, 'account')}")],
        as_json=common.as_json,
    )


def import_users(
    paths: Annotated[
        list[Path],
        argument(
            "PATH",
            "CSV file of `users export` or Mercury, Mercury database, or folder of databases.",
        ),
    ],
    *,
    admin: Annotated[
        str,
        option("--admin", "ADDRESS", "E-mail address of the imported user who becomes an admin."),
    ] = "",
    join_same_names: Annotated[
        bool,
        flag(
            "--join-same-names",
            "Make one account of rows with the same name and different addresses.",
        ),
    ] = False,
    dry_run: options.DryOption = False,
    common: options.CommonOptions,
) -> None:
    """Import accounts from CSV or from Mercury's databases.

    Imported users keep their ids and passwords. Plain passwords are stored as hashes, and must be
    changed at the first sign-in. Rows with the same e-mail address become one user, with the id and
    password of the first row. Users without an address become people without an account. Existing
    accounts are not changed.

    Exit code: 0 all rows imported, 3 some rows refused, 2 all rows refused.
    """
    from tui_annotate.plugins.account_files import read_accounts

    _import_rows(read_accounts(paths), admin, common, join_names=join_same_names, dry_run=dry_run)


def _account_as_json(account: Account) -> PrintedAccount:
    return {
        "id": account.person.id,
        "name": account.person.name,
        "email": account.email,
        "role": account.role.value,
        "active": account.active,
        "has_password": bool(account.hash),
        "must_change_password": account.must_change,
        "unix_user": account.unix,
        "created": account.created,
    }


def _import_rows(
    rows: Iterable[UserRow | Problem],
    admin: str,
    common: options.CommonOptions,
    *,
    join_names: bool,
    dry_run: bool,
) -> None:
    from tui_annotate.services.authentication.account_management import register as import_accounts

    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        if not dry_run:
            space.team.members.create_people_store()
        found = import_accounts(
            space.team.accounts, rows, admin=admin, join_same_names=join_names, dry_run=dry_run
        )
        needs_account = bool(found.added) or space.team.members.required()
    value: PrintedAccountImport = {
        "added": [_account_as_json(each) for each in found.added],
        "matched": found.matched,
        "problems": found.problems,
        "stored": not dry_run,
        "people": [{"id": each.id, "name": each.name} for each in found.people],
        "weak_passwords": found.weak_passwords,
        "same_names": [
            _same_name_as_json(each, needs_account=needs_account) for each in found.same_names
        ],
    }
    output.show(
        value,
        _describe_import(found, dry_run=dry_run, needs_account=needs_account),
        as_json=common.as_json,
    )
    if found.problems:
        raise typer.Exit(DONE_IN_PART if found.added or found.matched or found.people else 2)


def _same_name_as_json(found: SameName, *, needs_account: bool) -> PrintedSameName:
    return {
        "name": found.name,
        "accounts": [{"id": each.person.id, "email": each.email} for each in found.accounts],
        "people": [each.id for each in found.others],
        "commands": _merge_commands(found, needs_account=needs_account),
    }


def _merge_commands(found: SameName, *, needs_account: bool) -> list[str]:
    """Return the commands that make people of one name one person; none if accounts differ.

    `needs_account`: the workspace has accounts, so that only a person with an account owns work.
    """
    if len(found.accounts) > 1:
        return []
    commands = []
    if found.accounts:
        owner = found.accounts[0].person.id
    else:
        owner = found.others[0].id
        if needs_account:
            commands.append(
                f"tui-annotate users create --name {shlex.quote(found.name)} --email ADDRESS"
                f" --invite --link-imported {shlex.quote(owner)}"
            )
    merged = [each.id for each in found.others if each.id != owner]
    return commands + [
        f"tui-annotate users merge {shlex.quote(each)} {shlex.quote(owner)}" for each in merged
    ]


def _describe_import(
    found: AccountImportReport, *, dry_run: bool, needs_account: bool
) -> Iterator[Part]:
    for problem in found.problems:
        yield MessagePart(str(problem), problem.hint)
    for each in found.matched:
        if each.differs:
            yield MessagePart(f"{each.where}: {each.email}: {_describe_known_account(each)}")
    would = "would be " if dry_run else ""
    alike = sum(not each.differs for each in found.matched)
    yield ResultPart(
        f"accounts {would}added: {len(found.added):,}; already existing: {len(found.matched):,}"
        f" ({alike:,} of them identical); rows refused: {len(found.problems):,}",
        always=dry_run,
    )
    if found.people:
        yield NotePart(
            f"people {would}added without an account, because no e-mail address is given:"
            f" {len(found.people):,}; to give a person an account: tui-annotate users create"
            " --name NAME --email ADDRESS --link-imported ID"
        )
    yield from _describe_account_states(found.added)
    if found.weak_passwords:
        yield MessagePart(
            output.add_workspace(
                "warning: weak passwords, until their users change them: "
                f"{', '.join(found.weak_passwords)};"
                " to let a user choose a password before: tui-annotate users invite ADDRESS"
            )
        )
    for same in found.same_names:
        yield from _describe_same_name(same, needs_account=needs_account)


def _describe_known_account(joined: ImportedAccount) -> str:
    if joined.email != joined.kept_email:
        return f"one user with {joined.kept_email} (id {joined.kept}), who has the same name"
    if joined.id == joined.kept:
        return "the account exists already; its password stays unchanged"
    return f"the account exists already with the id {joined.kept}, not {joined.id}"


def _describe_account_states(added: list[Account]) -> Iterator[Part]:
    changing = sum(each.must_change for each in added)
    if changing:
        yield NotePart(f"passwords to change at the first sign-in: {changing:,}")
    if disabled := [each.email for each in added if not each.active]:
        yield NotePart(f"disabled accounts: {', '.join(disabled)}")
    if bare := [each.email for each in added if each.active and not each.hash]:
        yield NotePart(
            f"accounts without a password: {', '.join(bare)}; to let a user choose a password:"
            " tui-annotate users invite ADDRESS"
        )


def _describe_same_name(found: SameName, *, needs_account: bool) -> Iterator[Part]:
    accounts = [f"{each.person.id} ({each.email})" for each in found.accounts]
    ids = ", ".join([*accounts, *(each.id for each in found.others)])
    yield MessagePart(f"several people have the name {found.name!r}: {ids}")
    if commands := _merge_commands(found, needs_account=needs_account):
        commands = [output.add_workspace(each) for each in commands]
        yield MessagePart(f"if they are one person, run: {'; '.join(commands)}")
    else:
        yield MessagePart(
            "if they are one person, import with --join-same-names, or give their rows the same"
            " e-mail address; accounts that exist already cannot be merged"
        )


# A password or code is typed at a prompt or read from standard input. As an argument it would be
# visible in the list of processes and in the shell's history.


def _ask_new_password(whose: str) -> str:
    if not sys.stdin.isatty():
        return _read_line("password")
    first = _ask_hidden(f"new password of {whose}: ")
    if _ask_hidden("repeat the password: ") != first:
        raise InvalidInput("the two passwords differ", "run the command again")
    return first


def _ask_hidden(prompt: str) -> str:
    import getpass

    with warnings.catch_warnings():
        warnings.simplefilter("error", getpass.GetPassWarning)
        try:
            return getpass.getpass(prompt)
        except getpass.GetPassWarning as error:
            raise Unavailable(
                "this terminal would display the password that you type",
                "pipe the password: printf '%s\\n' ... | tui-annotate users ...",
            ) from error
        except EOFError as error:
            raise InvalidInput("no password was entered", "run the command again") from error


def _read_line(what: str) -> str:
    """Return the next line of standard input without its line end; leave later lines unread."""
    raw = sys.stdin.buffer.readline(_MAX_LINE_BYTES)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"the {what} on standard input is not UTF-8", f"send the {what} in UTF-8"
        ) from error
    text = text.removesuffix("\n").removesuffix("\r")
    if not text:
        raise InvalidInput(
            f"standard input contains no {what}", f"send the {what} as one line of text"
        )
    return text
