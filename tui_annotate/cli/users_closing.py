"""Commands that close accounts and open them again; how an account is told."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tui_annotate.cli import completion, output
from tui_annotate.cli.options import JsonOption, WorkspaceOption, YesOption, opened
from tui_annotate.cli.users_files import told
from tui_annotate.domain.people import Role, Verb

if TYPE_CHECKING:
    from tui_annotate.domain.accounts import Account
    from tui_annotate.workspace import Workspace

WhoArgument = Annotated[
    str,
    typer.Argument(metavar="WHO", help="Address, name or id.", autocompletion=completion.people),
]


def disable(
    who: WhoArgument, *, as_json: JsonOption = False, workspace: WorkspaceOption = None
) -> None:
    """Sign somebody out and keep them out.

    Their work stays.
    """
    with opened(workspace, needs=Verb.MANAGE) as space:
        changed = space.team.accounts.disable(who)
        _tell_open(space, changed, workspace)
    tell(changed, as_json=as_json)


def enable(
    who: WhoArgument, *, as_json: JsonOption = False, workspace: WorkspaceOption = None
) -> None:
    """Let somebody in again."""
    with opened(workspace, needs=Verb.MANAGE) as space:
        changed = space.team.accounts.enable(who)
    tell(changed, as_json=as_json)


def delete(
    who: WhoArgument,
    *,
    pseudonymise: Annotated[
        bool,
        typer.Option(
            "--pseudonymise",
            help="Put a word that says nothing for name and address, for good. Where several "
            "workspaces share one store of people, in this workspace alone: give it in each.",
        ),
    ] = False,
    yes: YesOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Close an account. Annotations are never deleted with it."""
    with opened(workspace, needs=Verb.MANAGE) as space:
        accounts = space.team.accounts
        found = accounts.find(who)
        if pseudonymise:
            output.ask(f"forget the name and address of {found.email} for good?", yes=yes)
        changed = accounts.delete(found.person.id, pseudonymise=pseudonymise)
        _tell_open(space, changed, workspace)
        shared = space.settings.people_store
    if pseudonymise and shared:
        output.say(
            f"the name is gone from {shared} and from this workspace; in each other workspace of "
            f"that store: tui-annotate users delete {changed.person.id} --pseudonymise"
        )
    tell(changed, as_json=as_json)


def _tell_open(space: Workspace, account: Account, workspace: Path | None) -> None:
    """What they leave behind, and how to hand it on."""
    left = [each for each in space.team.share.show().stands if each.person == account.person.id]
    count = sum(each.open + each.begun for each in left)
    if count:
        where = f" -w {shlex.quote(str(workspace))}" if workspace else ""
        begun = " --begun" if any(each.begun for each in left) else ""
        who = shlex.quote(account.person.name)
        output.say(
            f"samples they have not finished: {count:,}; "
            f"to hand them on: tui-annotate assign move --from {who} --to NAME{begun}{where}"
        )


def tell(account: Account, *, as_json: bool) -> None:
    """An account in a sentence, or as JSON."""
    if as_json:
        output.as_json(told(account))
    else:
        output.line(sentence(account))


def sentence(account: Account) -> str:
    """Who it is, and what they may."""
    article = "a" if account.role is Role.REVIEWER else "an"
    state = "" if account.active else ", disabled"
    return f"{account.person.name} <{account.email}> is {article} {account.role}{state}"
