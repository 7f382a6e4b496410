"""The command `export`: annotations to a file or standard output."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Annotated

import typer

from tui_annotate.cli import completion, options, output, pseudonyms
from tui_annotate.cli.convert import (
    DONE_IN_PART,
    LayerOption,
    StrictOption,
    UnratedOption,
    WrittenOffsetsOption,
    print_conversion,
)
from tui_annotate.cli.options import Offsets, add_command, open_workspace
from tui_annotate.plugins.protocols import ExportOptions


def register(app: typer.Typer) -> None:
    """Adds this command to the app."""
    add_command(
        app,
        export,
        "export --format mercury -o annotations.json",
        "export --format csv --person ana --label Unwanted -o unwanted.csv",
        "export --format native | gzip > backup.jsonl.gz",
        "export --format autojudge --offsets utf16 -o judged.jsonl",
        "export --format parquet --pseudonymise -o published",
    )


def export(
    *,
    format_name: Annotated[
        str,
        typer.Option(
            "--format",
            "-f",
            metavar="NAME",
            help="One that `tui-annotate formats` lists.",
            autocompletion=completion.complete_plugins("exporters"),
        ),
    ],
    target: Annotated[
        Path | None,
        options.output_option(
            "A file, or a new folder; appears whole or not at all; else standard output (-)."
        ),
    ] = None,
    work: options.FilterOptions,
    layer: LayerOption = "",
    offsets: WrittenOffsetsOption = Offsets.CODEPOINT,
    unrated: UnratedOption = False,
    strict: StrictOption = False,
    pseudonymise: pseudonyms.PseudonymiseOption = False,
    include_practice: options.PracticeOption = False,
    workspace: options.WorkspaceOption = None,
) -> None:
    """Write annotations to a file or standard output.

    The same store gives the same bytes. What a format can not carry is counted and told; with
    --strict the exit code is 3 then.
    """
    with open_workspace(workspace) as space:
        # The collector would walk all that the libraries keep, again and again: a sixth of the
        # time. This process is the command's own; the library leaves the collector as it finds it.
        gc.freeze()
        names = pseudonyms.load_pseudonyms(space, wanted=pseudonymise)
        report = space.export(
            target,
            format=format_name,
            options=ExportOptions(layer=layer, offsets=offsets.value, unrated=unrated),
            names=names,
            **work.filters(include_practice=include_practice),
        )
        practice_samples = 0 if include_practice else space.corpus.count_practice_samples()
    print_conversion(report, format_name, where=f" in {target}" if target else "")
    pseudonyms.print_pseudonyms(names)
    print_practice(practice_samples)
    if strict and report.lost:
        raise typer.Exit(DONE_IN_PART)


def print_practice(samples: int) -> None:
    """Says how many samples of practice were left out; nothing where none was."""
    if samples:
        left_out = output.many(samples, "sample")
        output.print_message(
            f"  left out: practice on {left_out}; --include-practice includes them"
        )
