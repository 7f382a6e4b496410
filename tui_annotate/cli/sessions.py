"""Commands about sessions: who is signed in from where, and ending that."""

from __future__ import annotations

from typing import Annotated

import typer

from tui_annotate.cli import options, output
from tui_annotate.cli.options import add_command, add_group, argument, flag, open_workspace
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.people import Permission


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    sessions = add_group(app, "sessions", "Who is signed in.")
    add_command(sessions, list_sessions, "sessions list --json", name="list")
    add_command(
        sessions,
        end,
        "sessions end 3f2a90c1",
        "sessions end --person ben@example.org",
        "sessions end --all --yes",
    )


def list_sessions(*, common: options.CommonOptions) -> None:
    """List who is signed in, by name; --json says until when."""
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        found = space.team.accounts.signed_in()
    output.print_table_or_json(
        found,
        [
            "session",
            output.flexible_column("name"),
            "by",
            output.flexible_column("from"),
            "since",
            "seen",
        ],
        [
            (each.id[:8], each.name, each.means, each.client, each.created[:10], each.seen[:16])
            for each in found
        ],
        as_json=common.as_json,
    )


def end(
    session: Annotated[str, argument("[SESSION]", "Its id, or how it begins.")] = "",
    *,
    person: Annotated[
        str,
        options.person_option("--person", "All of one person: address, name or id.", metavar="WHO"),
    ] = "",
    everybody: Annotated[bool, flag("--all", "All of everybody: each signs in anew.")] = False,
    yes: options.YesOption = False,
    common: options.CommonOptions,
) -> None:
    """Sign people out; what they saved stays saved."""
    if sum((bool(session), bool(person), everybody)) != 1:
        raise InvalidInput("whose session?", "say which: a SESSION, --person WHO, or --all")
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        authenticate = space.team.authenticate
        living = space.team.accounts.signed_in()
        if everybody:
            output.ask(f"sign out everybody ({output.many(len(living), 'session')})?", yes=yes)
            ended = authenticate.sign_everybody_out()
        elif person:
            found = space.team.accounts.find(person)
            ended = authenticate.sign_out_everywhere(found.person.id)
        else:
            ids = [each.id for each in living if each.id.startswith(session)]
            if len(ids) != 1:
                which = "more than one session begins" if ids else "no session that lives begins"
                raise NotFound(f"{which} with {session!r}", "see: tui-annotate sessions list")
            authenticate.sign_out(ids[0])
            ended = 1
    output.print_lines_or_json(
        {"ended": ended}, f"sessions ended: {ended:,}", as_json=common.as_json
    )
