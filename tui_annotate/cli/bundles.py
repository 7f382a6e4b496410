"""Commands for work without any server: make a person's bundle, bring it home."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tui_annotate.cli import options, output, screen
from tui_annotate.cli.convert import DONE_IN_PART
from tui_annotate.cli.options import add_command, add_group, argument, open_workspace
from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.stream_merge import describe_state

if TYPE_CHECKING:
    from tui_annotate.domain.history import StreamState
    from tui_annotate.domain.stream_merge import Fork
    from tui_annotate.storage.log.stream_merge import MergedStream, StreamMergeReport


SHOWN = 20


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    group = add_group(app, "bundle", "One person's work in a file, to annotate anywhere.")
    add_command(
        group,
        make,
        "bundle make --for ana -o ana.bundle",
        "bundle make --for ana --dataset news -o ana-news.bundle",
    )
    add_command(group, merge, "bundle merge ana.bundle")


def make(
    *,
    who: Annotated[
        str,
        options.person_option(
            "--for", "Whose: a name, an id, with accounts an address.", metavar="PERSON"
        ),
    ],
    target: Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="The new file.")],
    dataset: Annotated[
        list[str] | None, options.dataset_option("This dataset alone; may be given several times.")
    ] = None,
    common: options.CommonOptions,
) -> None:
    """Write somebody's samples to a file.

    With their own work, labels and vectors; nobody else's work is in it. They open it with
    tui-annotate annotate FILE, and send it back.
    """
    from tui_annotate.workspace import bundles

    with open_workspace(common.workspace) as space:
        person = bundles.find_person(space, who)
        packed = bundles.open_bundles(space, person).make(person, target, datasets=dataset or ())
    samples = output.many(packed.samples, "sample")
    output.print_lines_or_json(
        {
            "file": target,
            "person": person.name,
            "samples": packed.samples,
            "with_work": packed.streams,
            "documents_with_vectors": packed.vectors,
        },
        f"{target}: {samples} for {person.name}, {packed.streams:,} with work",
        as_json=common.as_json,
    )
    if not common.as_json:
        output.print_message(f"next, anywhere: tui-annotate annotate {target}")


def merge(
    file: Annotated[Path, argument("FILE", "A bundle that was annotated.")],
    *,
    common: options.CommonOptions,
) -> None:
    """Bring the work of a bundle home; once more changes nothing.

    Where the same sample was worked on here meanwhile, the newest stands, the other is in the log,
    and both are listed.
    """
    from tui_annotate.workspace import bundles

    with open_workspace(common.workspace) as space:
        about = bundles.read_header(file)
        merged = bundles.open_bundles(space, about.owner).merge(file)
    if common.as_json:
        output.print_json(merge_as_json(merged))
    else:
        print_merge(merged)
    if merged.refused:
        raise typer.Exit(DONE_IN_PART)


def print_merge(merged: StreamMergeReport) -> None:
    """What became of work that came in, for people."""
    output.print_line(
        f"{merged.person.name}: {output.many(merged.streams, 'sample')} with something new, "
        f"{merged.known:,} as they were"
    )
    print_conflicts(merged)


def print_conflicts(merged: StreamMergeReport) -> None:
    """Prints what both sides changed, the version in force first, and what does not fit here."""
    for fork in merged.forks:
        sides = [("there", fork.there_at, fork.there), ("here", fork.here_at, fork.here)]
        (side, at, winner), (other, other_at, loser) = sides if fork.there_wins else sides[::-1]
        output.print_line(f"conflict: {fork.dataset}/{fork.sample}")
        output.print_line(
            f"  stands   ({side}, {output.format_time(at)}): {describe_state(winner)}"
        )
        output.print_line(
            f"  in the log ({other}, {output.format_time(other_at)}): {describe_state(loser)}"
        )
    for each in merged.refused[:SHOWN]:
        output.print_message(f"left out: {each.key}: {each.refused}")
    if len(merged.refused) > SHOWN:
        output.print_message(f"left out: {len(merged.refused) - SHOWN:,} more")


def merge_as_json(merged: StreamMergeReport) -> dict[str, Any]:
    """What became of work that came in, as JSON values."""
    return {
        "person": merged.person.name,
        "samples": merged.streams,
        "events": merged.events,
        "known": merged.known,
        "conflicts": [_fork_as_json(fork) for fork in merged.forks],
        "refused": refusals_as_json(merged.refused),
    }


def refusals_as_json(refused: list[MergedStream]) -> list[dict[str, str]]:
    """What was left out and why, as JSON values."""
    return [
        {"dataset": each.key.dataset, "sample": each.key.id, "reason": each.refused}
        for each in refused
    ]


def _fork_as_json(fork: Fork) -> dict[str, Any]:
    return {
        "dataset": fork.dataset,
        "sample": fork.sample,
        "stands": "there" if fork.there_wins else "here",
        "here": _version_as_json(fork.here, fork.here_at),
        "there": _version_as_json(fork.there, fork.there_at),
    }


def _version_as_json(state: StreamState, at: str) -> dict[str, Any]:
    annotations = [dict(each) for each in state.annotations.values()]
    return {"at": at, **state.assignment, "annotations": annotations}


def annotate_bundle(file: Path, *, sample: str, order: str) -> int:
    """Opens the screen on a bundle, and gives the exit code.

    Raises:
        NotFound, InvalidInput, Conflict, Unavailable: the bundle can not be opened, or there is no
            terminal to draw on.
    """
    from tui_annotate.workspace import bundles

    screen.need_terminal("annotate")
    with output.show_progress("samples") as progress:
        folder, merged = bundles.open_bundle(file, progress=progress)
    try:
        return screen.annotate(folder, name=merged.person.name, sample=sample, order=order)
    finally:
        print_conflicts(merged)  # behind the screen, which would cover them
        _write_back(file, folder)


def _write_back(file: Path, folder: Path) -> None:
    """Also after an error: what was saved is in the folder, and comes to the file by the next try.

    What keeps it from the file is printed, and hides no error of the screen.
    """
    from tui_annotate.workspace import bundles

    command = f"tui-annotate annotate {shlex.quote(str(file))}"
    try:
        count = bundles.write_back(file, folder)
    except TuiAnnotateError as error:
        output.print_error(error)
        output.print_message(f"all work is in {folder}; to bring it to the file: {command}")
        return
    output.print_message(f"{file} has your work on {output.many(count, 'sample')}: send it back")
