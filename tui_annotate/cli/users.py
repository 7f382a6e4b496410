"""Commands about accounts: who may sign in, as what; a password is never an argument."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tui_annotate.cli import output, secrets, users_files
from tui_annotate.cli.options import JsonOption, WorkspaceOption, examples, find, opened
from tui_annotate.cli.users_closing import WhoArgument, delete, disable, enable, sentence, tell
from tui_annotate.cli.users_files import told
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import Role, Verb

if TYPE_CHECKING:
    from tui_annotate.domain.accounts import Account

RoleOption = Annotated[
    Role | None,
    typer.Option(help="Else annotator; the first account is an admin's.", show_default=False),
]
INVITED = "good once, for 7 days: tui-annotate users redeem, or the sign-in screen"


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    users = typer.Typer(help="Accounts: who may sign in, and as what.", no_args_is_help=True)
    for function, lines in (
        (
            add,
            (
                "tui-annotate users add --name ana --email ana@example.org --claim ana",
                "tui-annotate users add --name ben --email ben@example.org --invite",
                "pass show li | tui-annotate users add --name li --email li@example.org",
            ),
        ),
        (list_users, ("tui-annotate users list", "tui-annotate users list --json")),
        (show, ("tui-annotate users show ana@example.org",)),
        (
            update,
            (
                "tui-annotate users update ben@example.org --role reviewer",
                "tui-annotate users update ben@example.org --unix ben",
            ),
        ),
        (disable, ("tui-annotate users disable ben@example.org",)),
        (enable, ("tui-annotate users enable ben@example.org",)),
        (invite, ("tui-annotate users invite li@example.org",)),
        (redeem, ("tui-annotate users redeem",)),
        (reset_password, ("tui-annotate users reset-password ben@example.org",)),
        (
            delete,
            (
                "tui-annotate users delete ben@example.org",
                "tui-annotate users delete ben@example.org --pseudonymise --yes",
            ),
        ),
    ):
        name = "list" if function is list_users else None
        users.command(name, epilog=examples(*lines))(function)
    users_files.register(users)
    app.add_typer(users, name="users")


def add(
    *,
    name: Annotated[str, typer.Option(metavar="NAME", help="What people see.")],
    email: Annotated[str, typer.Option(metavar="ADDRESS", help="What they sign in with.")],
    role: RoleOption = None,
    claim: Annotated[
        str,
        typer.Option(
            metavar="PERSON",
            help="Name or id of somebody who worked without an account; their work comes along.",
        ),
    ] = "",
    unix: Annotated[
        str, typer.Option(metavar="USER", help="Their own user of this machine, if any.")
    ] = "",
    invite: Annotated[
        bool, typer.Option("--invite", help="Print a code with which they choose a password.")
    ] = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Make an account; the first one is an admin's.

    From then on everybody signs in. The password is asked for twice, or is a line of standard
    input. One that you typed for somebody else has to be changed at the first sign-in.
    """
    from tui_annotate.services.authenticate.managing import NewAccount

    with opened(workspace, needs=Verb.MANAGE) as space:
        space.team.members.furnish()
        accounts = space.team.accounts
        first = not accounts.all()
        password = "" if invite else secrets.new_password(name)
        made = accounts.add(NewAccount(name, email, role, unix, claim, password))
        code = accounts.invite(made.person.id)[1] if invite else ""
    if as_json:
        output.as_json(told(made) | ({"code": code} if code else {}))
    else:
        output.line(sentence(made))
        if code:
            output.line(code)
            output.say(f"the code is {INVITED}")
    _look_for(unix)
    if first:
        output.say("there are accounts now: from here on everybody signs in")


def list_users(*, as_json: JsonOption = False, workspace: WorkspaceOption = None) -> None:
    """List all accounts; ids are in `users show` and in --json."""
    with opened(workspace, needs=Verb.MANAGE) as space:
        found = space.team.accounts.all()
    if as_json:
        output.as_json([told(each) for each in found])
        return
    columns = [output.Column("name", flexible=True), output.Column("address", flexible=True)]
    titles = ("role", "state", "user") if any(each.unix for each in found) else ("role", "state")
    columns += [output.Column(title) for title in titles]
    rows = [
        (each.person.name, each.email, each.role.value, _state(each), each.unix) for each in found
    ]
    output.table(columns, [row[: len(columns)] for row in rows])


def show(
    who: WhoArgument, *, as_json: JsonOption = False, workspace: WorkspaceOption = None
) -> None:
    """Show an account, what its owner did, and their sessions."""
    with opened(workspace, needs=Verb.MANAGE) as space:
        found = space.team.accounts.find(who)
        work = [each for each in space.corpus.progress() if each.person == found.person.id]
        sessions = [
            each for each in space.team.accounts.signed_in() if each.person == found.person.id
        ]
    figures = {
        "annotations": sum(each.annotations for each in work),
        "done": sum(each.done for each in work),
        "sessions": len(sessions),
    }
    if as_json:
        output.as_json(told(found) | figures)
        return
    shown = told(found) | figures | {"created": output.seconds(found.created)}
    output.facts({name: _word(value) for name, value in shown.items()})


def update(
    who: WhoArgument,
    *,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="What people see.", show_default=False)
    ] = None,
    email: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="What they sign in with.", show_default=False),
    ] = None,
    role: Annotated[
        Role | None, typer.Option(help="Another one signs them out.", show_default=False)
    ] = None,
    unix: Annotated[
        str | None,
        typer.Option(
            metavar="USER", help="Their user of this machine; '' for none.", show_default=False
        ),
    ] = None,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Change an account."""
    if (name, email, role, unix) == (None, None, None, None):
        raise InvalidInput("nothing to change", "say what: --name, --email, --role or --unix")
    with opened(workspace, needs=Verb.MANAGE) as space:
        changed = space.team.accounts.update(who, name=name, email=email, role=role, unix=unix)
    tell(changed, as_json=as_json)
    _look_for(unix)


def invite(
    who: WhoArgument, *, as_json: JsonOption = False, workspace: WorkspaceOption = None
) -> None:
    """Print a code with which somebody chooses a password.

    A code from before is void.
    """
    with opened(workspace, needs=Verb.MANAGE) as space:
        account, code = space.team.accounts.invite(who)
    if as_json:
        output.as_json(told(account) | {"code": code})
        return
    output.line(code)
    output.say(f"the code of {account.email} is {INVITED}")


def redeem(*, workspace: WorkspaceOption = None) -> None:
    """Choose your first password with the code of an invitation.

    Code and password are asked for, or are two lines of standard input.
    """
    from tui_annotate import workspace as workspaces

    with workspaces.open(find(workspace)) as space:
        authenticate = space.team.authenticate
        signed = authenticate.redeem(
            secrets.code(), secrets.new_password("yours"), client="terminal"
        )
        authenticate.sign_out(signed.session)
    output.line(f"{signed.person.name}, your password is set: tui-annotate annotate")


def reset_password(
    who: WhoArgument, *, as_json: JsonOption = False, workspace: WorkspaceOption = None
) -> None:
    """Set a password that its owner changes at the next sign-in.

    Signs them out. Better is users invite: then nobody knows the password but its owner.
    """
    with opened(workspace, needs=Verb.MANAGE) as space:
        accounts = space.team.accounts
        found = accounts.find(who)
        changed = accounts.reset_password(found.person.id, secrets.new_password(found.person.name))
    tell(changed, as_json=as_json)


def _look_for(user: str | None) -> None:
    import pwd

    try:
        pwd.getpwnam(user or "root")
    except KeyError:
        output.say(f"this machine has no user {user!r} yet; whoever gets that name is let in")


def _state(account: Account) -> str:
    if not account.active:
        return "disabled"
    if not account.hash:
        return "no password yet"
    return "new password due" if account.must_change else "active"


def _word(value: Any) -> str | int:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, int) else str(value)
