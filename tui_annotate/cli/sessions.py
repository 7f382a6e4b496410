"""The commands `users sessions`: list and end sign-in sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, TypedDict

import typer

from tui_annotate.cli import options, output
from tui_annotate.cli.options import add_command, add_group, argument, flag, open_workspace
from tui_annotate.cli.report_parts import Column, Columns, ResultPart, Table, flexible_column
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.people import Permission

if TYPE_CHECKING:
    from tui_annotate.storage.people.sessions import Session


class PrintedSession(TypedDict):
    """A sign-in session; `method` of signing in: `password`, `key`, `unix` or `invite`."""

    id: str
    person: str
    name: str
    method: str
    client: str
    created: str
    last_used: str
    expires: str


class EndedSessions(TypedDict):
    """Number of sessions that were ended."""

    ended: int


def register(users: typer.Typer) -> None:
    sessions = add_group(users, "sessions", "List or end sign-in sessions.")
    add_command(sessions, list_sessions, "users sessions list --json", name="list")
    add_command(
        sessions,
        end,
        "users sessions end 3f2a90c1",
        "users sessions end --person ben@example.org",
        "users sessions end --all --yes",
    )


def list_sessions(*, common: options.CommonOptions) -> None:
    """List sign-in sessions; --json also prints their expiry."""
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        found = space.team.accounts.signed_in()
    values = [_session_as_json(each) for each in found]
    output.show(values, [Table(found, _SESSIONS)], as_json=common.as_json)


_SESSIONS: Final[Columns[Session]] = (
    Column("session", lambda each: each.id[:8]),
    flexible_column("name"),
    Column("signed in by", "means"),
    flexible_column("client"),
    Column("since", lambda each: each.created[:10]),
    Column("last used", lambda each: each.seen[:16]),
)


def _session_as_json(session: Session) -> PrintedSession:
    return {
        "id": session.id,
        "person": session.person,
        "name": session.name,
        "method": session.means,
        "client": session.client,
        "created": session.created,
        "last_used": session.seen,
        "expires": session.expires,
    }


def end(
    session: Annotated[
        str, argument("SESSION", "Id of the session, or the beginning of the id.")
    ] = "",
    *,
    person: Annotated[
        str,
        options.person_option(
            "--person", "End all sessions of this user, given by e-mail address, name or id."
        ),
    ] = "",
    all_users: Annotated[
        bool, flag("--all", "End all sessions; all users must sign in again.")
    ] = False,
    yes: options.YesOption = False,
    common: options.CommonOptions,
) -> None:
    """End sign-in sessions; saved work stays saved."""
    if sum((bool(session), bool(person), all_users)) != 1:
        raise InvalidInput(
            "no session is selected, or several selections are given",
            "select with one of: SESSION, --person NAME, --all",
        )
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        authenticate = space.team.authenticate
        living = space.team.accounts.signed_in()
        if all_users:
            output.ask(f"end all sessions ({len(living):,})?", yes=yes)
            ended = authenticate.sign_everybody_out()
        elif person:
            found = space.team.accounts.find(person)
            ended = authenticate.sign_out_everywhere(found.person.id)
        else:
            ids = [each.id for each in living if each.id.startswith(session)]
            if len(ids) != 1:
                several = f"several session ids begin with {session!r}"
                raise NotFound(
                    several if ids else f"no session id begins with {session!r}",
                    "list all sessions with: tui-annotate users sessions list",
                )
            authenticate.sign_out(ids[0])
            ended = 1
    output.show(
        EndedSessions(ended=ended),
        [ResultPart(f"sessions ended: {ended:,}")],
        as_json=common.as_json,
    )
