"""The command `export`, which writes annotations to a file or to standard output."""

from __future__ import annotations

import gc
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from tui_annotate.cli import completion, options, output, pseudonyms
from tui_annotate.cli.help_format import CORE
from tui_annotate.cli.option_groups import OptionGroup
from tui_annotate.cli.options import add_command, open_workspace
from tui_annotate.cli.output import DONE_IN_PART
from tui_annotate.cli.written_data import (
    BomOption,
    LayerOption,
    StrictOption,
    UnratedOption,
    WrittenOffsetsOption,
    print_conversion,
    refuse_mixed_output,
)
from tui_annotate.plugins.protocols import ExportOptions

_WriteOptions = Annotated[
    ExportOptions,
    OptionGroup(
        layer=LayerOption,
        everyone_read=options.EveryoneReadOption,
        offsets=WrittenOffsetsOption,
        include_unrated=UnratedOption,
        bom=BomOption,
    ),
]


def register(app: typer.Typer) -> None:
    add_command(
        app,
        export,
        "export --to mercury -o annotations.json",
        "export --to csv --person ana --label Unwanted -o unwanted.csv",
        "export --to native | gzip > backup.jsonl.gz",
        "export --to autojudge --offsets utf16 -o judged.jsonl",
        "export --to parquet --pseudonymize -o published",
        panel=CORE,
    )


def export(
    *,
    format_name: Annotated[
        str,
        typer.Option(
            "--to",
            "-t",
            metavar="FORMAT",
            help="Format to write, as listed by `tui-annotate datasets formats`.",
            autocompletion=completion.complete_plugins("exporters"),
        ),
    ],
    target: Annotated[
        Path | None,
        options.output_option("Output file or new folder (default: standard output)."),
    ] = None,
    work: options.FilterOptions,
    writing: _WriteOptions,
    strict: StrictOption = False,
    pseudonymize: pseudonyms.PseudonymizeOption = False,
    include_practice: options.PracticeOption = False,
    include_gold: options.GoldOption = False,
    common: options.CommonOptions,
) -> None:
    """Export annotations.

    The workspace is not changed, and exports of an unchanged workspace are identical. The format
    native keeps all data; for other formats, the command prints which data they do not keep, and
    how much work is left out. Formats for training (without states of samples) get completed work
    only, unless --state is given. The file or folder is written completely or not at all. --json
    prints a summary of the export, and needs --output.
    """
    refuse_mixed_output(target, as_json=common.as_json)
    with open_workspace(common.workspace) as space:
        # The garbage collector would scan all objects of the libraries repeatedly, which takes a
        # sixth of the time. No other code runs in this process, so this has no side effect.
        gc.freeze()
        names = pseudonyms.load_pseudonyms(space, wanted=pseudonymize)
        report = space.export(
            target,
            format=format_name,
            options=writing,
            names=names,
            **asdict(options.include_excluded(work, practice=include_practice, gold=include_gold)),
        )
        practice_samples = 0 if include_practice else space.corpus.count_practice_samples()
        gold_checks = 0 if include_gold else space.corpus.count_gold_checks()
    excluded = {"practice": practice_samples, "gold": gold_checks}
    counts = {"excluded": excluded}
    print_conversion(
        report,
        format_name,
        target,
        as_json=common.as_json,
        counts=counts,
        more_states="--state all",
        kept_in="the workspace",
    )
    pseudonyms.print_pseudonyms(names)
    print_practice(practice_samples)
    print_gold(gold_checks)
    if strict and report.lost:
        raise typer.Exit(DONE_IN_PART)


def print_practice(samples: int) -> None:
    """Print how many samples an export excluded as practice; nothing for 0."""
    if samples:
        excluded = output.many(samples, "sample")
        output.print_message(
            f"practice work on {excluded} is left out; to write it, add --include-practice"
        )


def print_gold(checks: int) -> None:
    """Print how many accuracy checks an export excluded; nothing for 0."""
    if checks:
        excluded = output.many(checks, "gold check")
        output.print_message(f"work on {excluded} is left out; to write it, add --include-gold")
