"""The commands `sync bundles`: write samples of a person to a file, and merge its work."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict, cast

import typer

from tui_annotate.cli import options, output, screen
from tui_annotate.cli.options import add_command, add_group, argument, flag, open_workspace
from tui_annotate.cli.output import DONE_IN_PART
from tui_annotate.cli.report_parts import MessagePart, NotePart, Part, ResultPart
from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.stream_merge import describe_state
from tui_annotate.plugins.files.targets import check_target

if TYPE_CHECKING:
    from tui_annotate.domain.history import StreamState
    from tui_annotate.domain.stream_merge import Fork
    from tui_annotate.storage.log.stream_merge import MergedStream, StreamMergeReport


SHOWN = 20
"""Maximum number of listed samples whose imported work was refused."""


class PrintedBundle(TypedDict):
    """A bundle of a person's samples.

    Attributes:
        with_work: number of samples with work.
        practice_left_out: number of practice samples that the bundle does not have.
    """

    file: Path
    person: str
    samples: int
    with_work: int
    documents_with_vectors: int
    practice_left_out: int


class RefusedSample(TypedDict):
    """A sample of which nothing was merged or sent."""

    dataset: str
    sample: str
    reason: str


class WorkVersion(TypedDict):
    """One of two versions of a person's work on a sample.

    Attributes:
        annotations: as in the native format.
    """

    at: str
    state: str
    rating: str
    comment: str
    annotations: list[dict[str, Any]]


class MergeConflict(TypedDict):
    """A sample that was changed here and there since the last exchange.

    Attributes:
        kept: the version that is kept.
    """

    dataset: str
    sample: str
    kept: Literal["here", "there"]
    here: WorkVersion
    there: WorkVersion


class PrintedMerge(TypedDict):
    """Merged work of a person.

    Attributes:
        samples: samples with new work.
        known: samples without new work.
        completed_while_held_back: readings that were completed while practice was open or work was
            paused.
        questions: new questions and replies.
    """

    person: str
    samples: int
    events: int
    known: int
    completed_while_held_back: int
    questions: int
    conflicts: list[MergeConflict]
    refused: list[RefusedSample]


def register(sync: typer.Typer) -> None:
    group = add_group(sync, "bundles", "Exchange a person's work as a file.")
    add_command(
        group,
        create,
        "sync bundles create --person ana -o ana.bundle",
        "sync bundles create --person ana --dataset news -o ana-news.bundle",
    )
    add_command(group, merge, "sync bundles merge ana.bundle")


def create(
    *,
    person: Annotated[
        str,
        options.person_option(
            "--person",
            "Person whose samples are written to the bundle: a name, an id or an e-mail address.",
        ),
    ],
    target: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="Bundle file to write.")
    ],
    dataset: Annotated[
        list[str] | None,
        options.dataset_option("Only this dataset (default: all datasets). Repeatable."),
    ] = None,
    create: Annotated[
        bool,
        flag(
            "--create",
            "Add the person if the name is new. A workspace with accounts refuses this option.",
        ),
    ] = False,
    common: options.CommonOptions,
) -> None:
    """Write a person's samples to a file to annotate on another machine.

    The bundle file contains the samples, the person's own work, labels and vectors, and no other
    person's work. The person opens the file with `tui-annotate annotate FILE`, and sends it back.
    A bundle has no practice samples. It cannot be written while the person's work is paused, or
    before the person has finished practice.
    """
    from tui_annotate.workspace import bundles

    check_target(target)  # before a new person is stored
    with open_workspace(common.workspace) as space:
        owner = bundles.find_person(space, person, create=create)
        packed = bundles.open_bundles(space, owner).make(owner, target, datasets=dataset or ())
    samples = output.many(packed.samples, "sample")
    text: list[Part] = [
        ResultPart(f"{target}: {samples} for {owner.name}, {packed.streams:,} with work")
    ]
    if packed.practice:
        left_out = output.many(packed.practice, "practice sample")
        text.append(NotePart(f"left out: {left_out}, which are annotated in this workspace only"))
    command = f"tui-annotate annotate {shlex.quote(str(target))}"
    step = f"to annotate the bundle on another machine: {command}"
    text.append(NotePart(step, is_complete=True))  # a bundle has a workspace of its own
    value: PrintedBundle = {
        "file": target,
        "person": owner.name,
        "samples": packed.samples,
        "with_work": packed.streams,
        "documents_with_vectors": packed.vectors,
        "practice_left_out": packed.practice,
    }
    output.show(value, text, as_json=common.as_json)


def merge(
    file: Annotated[Path, argument("FILE", "Bundle file with work to merge.")],
    *,
    common: options.CommonOptions,
) -> None:
    """Merge the work of a bundle into the workspace.

    Merging a bundle again changes nothing. If a sample was changed in the bundle and in the
    workspace, the newest version is kept. The other version stays in the event log, and the command
    lists both.
    """
    from tui_annotate.workspace import bundles

    with open_workspace(common.workspace) as space:
        about = bundles.read_header(file)
        merged = bundles.open_bundles(space, about.owner).merge(file)
    output.show(merge_as_json(merged), describe_merge(merged), as_json=common.as_json)
    if merged.refused:
        raise typer.Exit(DONE_IN_PART)


def describe_merge(merged: StreamMergeReport) -> Iterator[Part]:
    """Describe how much work was merged, then conflicts with both versions, and refused work."""
    line = (
        f"work of {merged.person.name}: samples with new work: {merged.streams:,}; "
        f"unchanged samples: {merged.known:,}"
    )
    if merged.questions:
        line += f"; new questions and replies: {merged.questions:,}"
    yield ResultPart(line)
    if merged.held:
        yield MessagePart(
            f"{output.many(merged.held, 'reading')} of {merged.person.name} completed elsewhere"
            " while their work was paused or their practice was not finished; the work is stored"
        )
    yield from _describe_conflicts(merged)


def _describe_conflicts(merged: StreamMergeReport) -> Iterator[Part]:
    for fork in merged.forks:
        yield f"conflict: {fork.dataset}/{fork.sample}"
        sides = [("merged", fork.there_at, fork.there), ("present", fork.here_at, fork.here)]
        if not fork.there_wins:
            sides.reverse()
        for title, (side, at, state) in zip(("kept      ", "in the log"), sides, strict=True):
            yield f"  {title} ({side}, {output.format_time(at)}): {describe_state(state)}"
    for each in merged.refused[:SHOWN]:
        yield MessagePart(f"refused: {each.key}: {each.refused}")
    if len(merged.refused) > SHOWN:
        yield MessagePart(f"refused: {len(merged.refused) - SHOWN:,} more")


def merge_as_json(merged: StreamMergeReport) -> PrintedMerge:
    """Return the result of a merge as the JSON that `sync bundles merge` prints."""
    return {
        "person": merged.person.name,
        "samples": merged.streams,
        "events": merged.events,
        "known": merged.known,
        "completed_while_held_back": merged.held,
        "questions": merged.questions,
        "conflicts": [_fork_as_json(fork) for fork in merged.forks],
        "refused": refusals_as_json(merged.refused),
    }


def refusals_as_json(refused: list[MergedStream]) -> list[RefusedSample]:
    """Return the samples of which nothing was merged, with the reasons, for JSON."""
    return [
        {"dataset": each.key.dataset, "sample": each.key.id, "reason": each.refused}
        for each in refused
    ]


def _fork_as_json(fork: Fork) -> MergeConflict:
    return {
        "dataset": fork.dataset,
        "sample": fork.sample,
        "kept": "there" if fork.there_wins else "here",
        "here": _version_as_json(fork.here, fork.here_at),
        "there": _version_as_json(fork.there, fork.there_at),
    }


def _version_as_json(state: StreamState, at: str) -> WorkVersion:
    annotations = [dict(each) for each in state.annotations.values()]
    value = {"at": at, **state.assignment, "annotations": annotations}
    return cast("WorkVersion", value)


def annotate_bundle(file: Path, *, sample: str, order: str) -> int:
    """Open the screen for annotators on a bundle file, and return the exit code.

    Raises:
        NotFound, InvalidInput, Conflict, Unavailable: the bundle cannot be opened, or there is no
            terminal.
    """
    from tui_annotate.workspace import bundles

    screen.need_terminal("annotate")
    with output.show_progress("samples") as progress:
        folder, merged = bundles.open_bundle(file, progress=progress)
    try:
        return screen.annotate(folder, name=merged.person.name, sample=sample, order=order)
    finally:
        # Printed after the screen closes, which would cover the text.
        output.print_parts(_describe_conflicts(merged))
        _write_back(file, folder, listed=merged)


def _write_back(file: Path, folder: Path, *, listed: StreamMergeReport) -> None:
    """Write the work done on a bundle's samples back to the bundle's file.

    Newer work in the file is merged first. An error is printed and not raised, so that it hides no
    error of the screen; the next opening of the bundle writes the work.
    """
    from tui_annotate.workspace import bundles

    command = f"tui-annotate annotate {shlex.quote(str(file))}"
    try:
        count, merged = bundles.write_back(file, folder)
    except TuiAnnotateError as error:
        output.print_error(error)
        output.print_message(
            f"all work is in {folder}; to write the work to the bundle file: {command}"
        )
        return
    merged.refused = [each for each in merged.refused if each not in listed.refused]
    output.print_parts(_describe_conflicts(merged))
    output.print_note(
        f"wrote your work on {output.many(count, 'sample')} to {file};"
        " send the file back to its sender"
    )
