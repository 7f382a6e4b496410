"""Commands about sessions: who is signed in from where, and ending that."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from tui_annotate.cli import completion, output
from tui_annotate.cli.options import JsonOption, WorkspaceOption, YesOption, examples, opened
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.people import Verb


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    sessions = typer.Typer(help="Who is signed in.", no_args_is_help=True)
    sessions.command("list", epilog=examples("tui-annotate sessions list --json"))(list_sessions)
    sessions.command(
        epilog=examples(
            "tui-annotate sessions end 3f2a90c1",
            "tui-annotate sessions end --person ben@example.org",
            "tui-annotate sessions end --all --yes",
        )
    )(end)
    app.add_typer(sessions, name="sessions")


def list_sessions(*, as_json: JsonOption = False, workspace: WorkspaceOption = None) -> None:
    """List who is signed in, by name; --json says until when."""
    with opened(workspace, needs=Verb.MANAGE) as space:
        found = space.team.accounts.signed_in()
    if as_json:
        output.as_json([asdict(each) for each in found])
        return
    titles = ("session", "name", "by", "from", "since", "seen")
    columns = [output.Column(title, flexible=title in {"name", "from"}) for title in titles]
    output.table(
        columns,
        [
            (
                each.id[:8],
                each.name,
                each.means,
                each.client,
                each.created[:10],
                each.seen[:16],
            )
            for each in found
        ],
    )


def end(
    session: Annotated[
        str, typer.Argument(metavar="[SESSION]", help="Its id, or how it begins.")
    ] = "",
    *,
    person: Annotated[
        str,
        typer.Option(
            metavar="WHO",
            help="All of one person: address, name or id.",
            autocompletion=completion.people,
        ),
    ] = "",
    everybody: Annotated[
        bool, typer.Option("--all", help="All of everybody: each signs in anew.")
    ] = False,
    yes: YesOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Sign people out; what they saved stays saved."""
    if sum((bool(session), bool(person), everybody)) != 1:
        raise InvalidInput("whose session?", "say which: a SESSION, --person WHO, or --all")
    with opened(workspace, needs=Verb.MANAGE) as space:
        authenticate = space.team.authenticate
        living = space.team.accounts.signed_in()
        if everybody:
            output.ask(f"sign out everybody ({output.many(len(living), 'session')})?", yes=yes)
            ended = authenticate.sign_everybody_out()
        elif person:
            found = space.team.accounts.find(person)
            ended = authenticate.sign_out_everywhere(found.person.id)
        else:
            meant = [each.id for each in living if each.id.startswith(session)]
            if len(meant) != 1:
                which = "more than one session begins" if meant else "no session that lives begins"
                raise NotFound(f"{which} with {session!r}", "see: tui-annotate sessions list")
            authenticate.sign_out(meant[0])
            ended = 1
    if as_json:
        output.as_json({"ended": ended})
    else:
        output.line(f"sessions ended: {ended:,}")
