"""Commands that keep dated states for papers, and replay the log against them: freeze."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from tui_annotate.cli import options, output
from tui_annotate.cli.options import add_command, argument, open_workspace, option
from tui_annotate.domain.errors import InvalidInput

if TYPE_CHECKING:
    from tui_annotate.services.freeze import ReplayReport

SHOWN = 20


class _FreezeGroup(TyperGroup):
    """`freeze NAME` is `freeze keep NAME`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Puts the word in where no command is named."""
        if args and args[0] not in {*self.commands, "--help", "-h"}:
            args = ["keep", *args]
        return super().parse_args(ctx, args)


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    freeze = typer.Typer(
        cls=_FreezeGroup,
        help="Dated states for papers; freeze NAME keeps one.",
        no_args_is_help=True,
    )
    add_command(freeze, keep, "freeze paper-1", "freeze keep paper-1")
    add_command(freeze, list_states, "freeze list", name="list")
    add_command(
        freeze, replay, "freeze replay paper-1", "freeze replay --at 2026-05-04T12:00 -o then.jsonl"
    )
    app.add_typer(freeze, name="freeze")


def keep(
    name: Annotated[str, argument("NAME", "Its folder in the workspace's frozen/.")],
    *,
    common: options.CommonOptions,
) -> None:
    """Keep the state of this moment in a folder.

    Export, versions, agreement, figures, a paragraph of method: all of one moment, also while
    people are at work. The folder is never written again.
    """
    with open_workspace(common.workspace) as space:
        state = space.team.freeze.run(name)
    output.print_lines_or_json(state, f"frozen: {state.folder}", as_json=common.as_json)
    if not common.as_json:
        output.print_message(f"{output.many(state.events, 'event')}; keep elsewhere: {state.head}")


def list_states(*, common: options.CommonOptions) -> None:
    """List the states that were kept."""
    with open_workspace(common.workspace) as space:
        states = space.team.freeze.all()
    output.print_table_or_json(
        states,
        ["name", "at", output.number_column("events"), output.flexible_column("head")],
        [(state.name, output.format_time(state.at), state.events, state.head) for state in states],
        as_json=common.as_json,
    )


def replay(
    name: Annotated[str, argument("NAME", "A state that was kept.")] = "",
    *,
    at: Annotated[
        str, option("--at", "TIME", "A time in UTC, instead of a state that was kept.")
    ] = "",
    target: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write the replayed export there."),
    ] = None,
    common: options.CommonOptions,
) -> None:
    """Make a state again from the log, and compare.

    A copy of the store is taken back; the store itself is not touched. Exit code 1 where something
    differs.
    """
    if bool(name) == bool(at) or (at and target is None):
        raise InvalidInput("replay wants a state or a time", "give NAME, or --at TIME -o FILE")
    with open_workspace(common.workspace) as space:
        if at:
            from tui_annotate.services.export import parse_time

            until = parse_time(at)
            events, streams = space.team.freeze.replay_to(until, target or Path())
            log = f"{output.many(events, 'event')} in {output.many(streams, 'stream')}"
            output.print_line(f"{log}, until {until}, in {target}")
            return
        found = space.team.freeze.replay(name, export=target)
    if common.as_json:
        output.print_json({**asdict(found), "same": found.same})
    else:
        _print_replay(name, found)
    if not found.same:
        raise typer.Exit(1)


def _print_replay(name: str, found: ReplayReport) -> None:
    output.print_line(
        f"replayed {output.many(found.events, 'event')} in "
        f"{output.many(found.streams, 'stream')}; identical to {name}, to the byte: "
        f"{found.identical:,} of {output.many(found.samples, 'sample')}"
    )
    for head in found.lost[:SHOWN]:
        output.print_line(
            f"the log does not hold event {head.seq} of the work of {head.person} on "
            f"{head.dataset}/{head.sample} as it was"
        )
    for each in found.differences[:SHOWN]:
        gone = "gone from the workspace; the log still has what was done on it"
        differs = f"differs in {', '.join(each.parts)}" if each.parts else gone
        output.print_line(f"{each.dataset}/{each.sample}: {differs}")
    more = max(len(found.differences) - SHOWN, 0) + found.more
    if more:
        output.print_line(f"and {output.many(more, 'more sample')}")
    if found.since:
        output.print_message(f"{output.many(found.since, 'sample')} came since: left out")
