"""The commands `audit snapshots`: create, list and verify snapshots of a workspace for papers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypedDict

import typer

from tui_annotate.cli import options, output
from tui_annotate.cli.options import add_command, add_group, argument, open_workspace, option
from tui_annotate.cli.report_parts import (
    Column,
    Columns,
    MessagePart,
    NotePart,
    Part,
    ResultPart,
    Table,
    flexible_column,
    number_column,
)
from tui_annotate.domain.errors import InvalidInput

if TYPE_CHECKING:
    from tui_annotate.services.freeze import FrozenState, ReplayReport

SHOWN = 20


class ReplayedState(TypedDict):
    """The annotations as they were at a time, in a file."""

    at: str
    events: int
    streams: int
    file: Path


def register(audit: typer.Typer) -> None:
    snapshots = add_group(audit, "snapshots", "Create, list and verify snapshots of a workspace.")
    add_command(snapshots, create, "audit snapshots create paper-1")
    add_command(snapshots, list_snapshots, "audit snapshots list", name="list")
    add_command(
        snapshots,
        replay,
        "audit snapshots replay paper-1",
        "audit snapshots replay --at 2026-05-04T12:00 -o then.jsonl",
    )


def create(
    name: Annotated[
        str, argument("NAME", "Name of the snapshot, which is stored in the folder `frozen/NAME`.")
    ],
    *,
    common: options.CommonOptions,
) -> None:
    """Store the current state of the workspace for a paper.

    The folder of the snapshot contains an export, the label sets, the guidelines, agreement,
    statistics and a methods paragraph, all for the same point in time. Annotators can
    continue to work during the command. A snapshot never changes later.
    """
    with open_workspace(common.workspace) as space:
        state = space.team.freeze.run(name)
    events = output.many(state.events, "event")
    kept = "to detect later changes, keep this digest of the event log outside the workspace"
    output.show(
        state,
        [f"snapshot: {state.folder}", NotePart(f"{events}; {kept}: {state.head}")],
        as_json=common.as_json,
    )


def list_snapshots(*, common: options.CommonOptions) -> None:
    """List snapshots."""
    with open_workspace(common.workspace) as space:
        states = space.team.freeze.all()
    output.show(states, [Table(states, _SNAPSHOTS)], as_json=common.as_json)


_SNAPSHOTS: Final[Columns[FrozenState]] = (
    Column("name"),
    Column("at", lambda each: output.format_time(each.at)),
    number_column("events"),
    flexible_column("head"),
)


def replay(
    name: Annotated[str, argument("NAME", "Name of the snapshot to recreate and verify.")] = "",
    *,
    at: Annotated[
        str,
        option(
            "--at",
            "TIME",
            "Write the annotations as they were at this time (UTC); requires -o.",
        ),
    ] = "",
    target: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="File for the recreated annotations and samples, in the format native.",
        ),
    ] = None,
    common: options.CommonOptions,
) -> None:
    """Recreate a snapshot from the event log to verify it.

    The command shows whether the event log still explains the snapshot. It works on a copy of the
    database. The exit code is 1 if a sample differs.
    """
    if bool(name) == bool(at) or (at and target is None):
        raise InvalidInput(
            "expected either the NAME of a snapshot or a time",
            "pass NAME, or both --at TIME and -o FILE",
        )
    with open_workspace(common.workspace) as space:
        if at:
            from tui_annotate.services.export import parse_time

            until = parse_time(at)
            file = target or Path()
            events, streams = space.team.freeze.replay_to(until, file)
            log = f"{output.many(events, 'event')} in {output.many(streams, 'stream')}"
            output.show(
                ReplayedState(at=until, events=events, streams=streams, file=file),
                [ResultPart(f"wrote the annotations as of {until}, from {log}, to {target}")],
                as_json=common.as_json,
            )
            return
        found = space.team.freeze.replay(name, export=target)
    values = {**asdict(found), "same": found.same}
    output.show(values, _describe_replay(name, found), as_json=common.as_json)
    if not found.same:
        raise typer.Exit(1)


def _describe_replay(name: str, found: ReplayReport) -> Iterator[Part]:
    yield (
        f"replayed {output.many(found.events, 'event')} in "
        f"{output.many(found.streams, 'stream')}; samples that are the same after the replay and "
        f"in the snapshot {name}: {found.identical:,} of {found.samples:,}"
    )
    for head in found.lost[:SHOWN]:
        yield (
            f"missing or altered in the log: event {head.seq} of the work of {head.person} on "
            f"{head.dataset}/{head.sample}"
        )
    for each in found.differences[:SHOWN]:
        deleted = "the sample was deleted, but its events are still in the event log"
        differs = f"differs in {', '.join(each.parts)}" if each.parts else deleted
        yield f"{each.dataset}/{each.sample}: {differs}"
    more = max(len(found.differences) - SHOWN, 0) + found.more_differences
    if more:
        yield f"and {output.many(more, 'more sample')}"
    if found.added_later:
        yield MessagePart(f"excluded: {output.many(found.added_later, 'sample')} imported later")
