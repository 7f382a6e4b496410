"""The command `export`: annotations to a file or standard output."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Annotated

import typer

from tui_annotate.cli import completion, output, pseudonyms
from tui_annotate.cli.convert import (
    DONE_IN_PART,
    LayerOption,
    StrictOption,
    UnratedOption,
    WrittenOffsetsOption,
    tell,
)
from tui_annotate.cli.options import (
    OfDatasetOption,
    Offsets,
    OfLabelOption,
    OfPersonOption,
    SinceOption,
    WorkspaceOption,
    examples,
    opened,
    unless_stdout,
)
from tui_annotate.domain.assignments import State
from tui_annotate.plugins.protocols import ExportOptions

WrittenOption = Annotated[
    str,
    typer.Option(
        "--format",
        "-f",
        metavar="NAME",
        help="One that `tui-annotate formats` lists.",
        autocompletion=completion.plugged("exporters"),
    ),
]
TargetOption = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="A file, or a new folder; appears whole or not at all; else standard output (-).",
        callback=unless_stdout,
    ),
]
OriginOption = Annotated[
    str,
    typer.Option(
        metavar="ORIGIN",
        help="human, adjudicated, rejected, imported, or one in full, as imported:mercury.",
    ),
]


def register(app: typer.Typer) -> None:
    """Adds this command to the app."""
    app.command(
        epilog=examples(
            "tui-annotate export --format mercury -o annotations.json",
            "tui-annotate export --format csv --person ana --label Unwanted -o unwanted.csv",
            "tui-annotate export --format native | gzip > backup.jsonl.gz",
            "tui-annotate export --format autojudge --offsets utf16 -o judged.jsonl",
            "tui-annotate export --format parquet --pseudonymise -o published",
        )
    )(export)


def export(
    *,
    format_name: WrittenOption,
    target: TargetOption = None,
    dataset: OfDatasetOption = "",
    person: OfPersonOption = "",
    origin: OriginOption = "",
    state: Annotated[
        State | None, typer.Option(help="Work on samples in this state alone.", show_default=False)
    ] = None,
    label: OfLabelOption = "",
    since: SinceOption = "",
    layer: LayerOption = "",
    offsets: WrittenOffsetsOption = Offsets.CODEPOINT,
    unrated: UnratedOption = False,
    strict: StrictOption = False,
    pseudonymise: pseudonyms.PseudonymiseOption = False,
    with_practice: Annotated[
        bool, typer.Option("--with-practice", help="Also work that was done for practice.")
    ] = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Write annotations to a file or standard output.

    The same store gives the same bytes. What a format can not carry is counted and told; with
    --strict the exit code is 3 then.
    """
    with opened(workspace) as space:
        # The collector would walk all that the libraries keep, again and again: a sixth of the
        # time. This process is the command's own; the library leaves the collector as it finds it.
        gc.freeze()
        names = pseudonyms.of_workspace(space, wanted=pseudonymise)
        report = space.export(
            target,
            format=format_name,
            dataset=dataset,
            person=person,
            origin=origin,
            state=state.value if state else "",
            label=label,
            since=since,
            practice="with" if with_practice else "",
            options=ExportOptions(layer=layer, offsets=offsets.value, unrated=unrated),
            names=names,
        )
        practised = 0 if with_practice else space.corpus.practised()
    tell(report, format_name, where=f" in {target}" if target else "")
    pseudonyms.tell(names)
    if practised:
        samples = output.many(practised, "sample")
        output.say(f"  left out: practice on {samples}; --with-practice has it")
    if strict and report.lost:
        raise typer.Exit(DONE_IN_PART)
