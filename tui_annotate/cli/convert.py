"""The commands `convert` and `datasets formats`, which need no workspace."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypedDict

import typer

from tui_annotate.cli import completion, options, output, pseudonyms
from tui_annotate.cli.help_format import DATA
from tui_annotate.cli.option_groups import OptionGroup
from tui_annotate.cli.options import Offsets, ReadOffsets, add_command, argument, flag
from tui_annotate.cli.output import DONE_IN_PART
from tui_annotate.cli.problems import ProblemPrinter, ProblemsOption, write_problems
from tui_annotate.cli.report_parts import Cell, Column, Columns, Facts, Part, Table, flexible_column
from tui_annotate.cli.written_data import (
    BomOption,
    LayerOption,
    StrictOption,
    UnratedOption,
    WrittenOffsetsOption,
    print_conversion,
    refuse_mixed_output,
)
from tui_annotate.domain.did_you_mean import suggest_word
from tui_annotate.domain.errors import NotFound
from tui_annotate.plugins.files.inputs import copy_standard_input
from tui_annotate.plugins.protocols import ExportOptions, ImportOptions

if TYPE_CHECKING:
    from tui_annotate.services.export.conversion import ConversionReport, ExportFormat


_TargetFormatOption = Annotated[
    str,
    typer.Option(
        "--to",
        "-t",
        metavar="FORMAT",
        help="Format to write, as listed by `tui-annotate datasets formats` (default: by the"
        " ending of OUT, .csv or .xlsx).",
        autocompletion=completion.complete_plugins("exporters"),
    ),
]
_ReadOptions = Annotated[
    options.ReadOptions,
    OptionGroup(
        dataset=options.DatasetOption,
        **options.COLUMN_OPTIONS,
        **options.COLLECTION_OPTIONS,
        everyone_read=options.EveryoneReadOption,
    ),
]
_TextOptions = Annotated[ImportOptions, OptionGroup(**options.TEXT_OPTIONS)]
_ReadOffsetsOption = Annotated[
    ReadOffsets | None,
    typer.Option(
        "--read-offsets",
        help="Unit of the offsets in the file to read (default: the unit that fits the quoted "
        "texts).",
    ),
]
_WriteOptions = Annotated[
    ExportOptions,
    OptionGroup(
        include_unrated=UnratedOption,
        all_states=flag(
            "--all-states",
            "Write work that is not completed to formats for training too (default: completed work"
            " only).",
        ),
        bom=BomOption,
    ),
]


class PrintedFormat(TypedDict):
    """A file format.

    Attributes:
        target: names of the files in a new folder, `file` or `folder`; empty for a format that is
            only read.
        carried: how each kind of data is carried; null for a format without a description.
        lost: names of losses, as exports count them; null for a format without a description, or
            that is only read.
    """

    name: str
    title: str
    reads: bool
    writes: bool
    target: str
    layered: bool
    carried: dict[str, str] | None
    lost: list[str] | None


def register(app: typer.Typer) -> None:
    add_command(
        app,
        convert,
        "convert gold.json gold.csv",
        "convert gold.json gold.jsonl.zst --to native",
        "convert gold.json - --to native --strict",
        "convert gold.json open.csv --pseudonymize --pseudonym-key names.key",
        panel=DATA,
    )


def register_formats(datasets: typer.Typer) -> None:
    """Add the command `datasets formats`."""
    add_command(datasets, formats, "datasets formats", "datasets formats mercury")


def convert(
    source: Annotated[
        Path,
        argument("IN", "File or folder to read, in any readable format; - for standard input."),
    ],
    target: Annotated[Path, argument("OUT", "File or new folder to write; - for standard output.")],
    *,
    source_format: options.FormatOption = "",
    target_format: _TargetFormatOption = "",
    layer: LayerOption = "",
    strict: StrictOption = False,
    pseudonymize: pseudonyms.PseudonymizeOption = False,
    key: pseudonyms.KeyOption = None,
    given: _ReadOptions,
    offsets: WrittenOffsetsOption = Offsets.CODEPOINT,
    read_offsets: _ReadOffsetsOption = None,
    writing: _WriteOptions,
    texts: _TextOptions,
    problems_file: ProblemsOption = None,
    as_json: options.JsonOption = False,
) -> None:
    """Convert a file to another format.

    No workspace is needed. The command lists and counts the data that the format does not keep.

    Exit code: 0 if everything is written, 3 if some records or spans were refused (with --strict
    also if the format does not keep all data), 2 if nothing is written.
    """
    from tui_annotate.services.export.conversion import FileConversion

    problems = ProblemPrinter()
    names = pseudonyms.load_pseudonyms_of_file(key, wanted=pseudonymize)
    writing = replace(writing, layer=layer, offsets=offsets.value)
    file = options.parse_target(target)
    refuse_mixed_output(file, as_json=as_json)
    with (
        write_problems(problems_file, source, file) as problems.log,
        copy_standard_input([source], sys.stdin.buffer) as (origin,),
    ):
        try:
            reading = options.import_options(
                given,
                files=[origin],
                format_name=source_format,
                offsets=read_offsets or "",
                language=texts.language,
                encoding=texts.encoding,
            )
            conversion = FileConversion(
                source_format=source_format,
                target_format=target_format,
                reading=reading,
                writing=writing,
                on_problem=problems,
                names=names,
            )
            result = conversion.run(origin, file)
        finally:
            problems.end()
    counts = {
        "refused": result.refused,
        "files_refused": result.files_refused,
        "spans_refused": result.spans_refused,
        "warnings": result.warnings,
        "problem_kinds": problems.kinds,
    }
    print_conversion(
        result.report,
        result.written,
        file,
        as_json=as_json,
        counts=counts,
        more_states="--all-states",
        kept_in="the input",
    )
    pseudonyms.print_pseudonyms(names)
    _exit_unless_complete(result, strict=strict)


def _exit_unless_complete(result: ConversionReport, *, strict: bool) -> None:
    refused = result.refused + result.files_refused
    if refused and not result.report.records:
        raise typer.Exit(2)
    if refused or result.spans_refused or (strict and result.report.lost):
        raise typer.Exit(DONE_IN_PART)


def formats(
    name: Annotated[str, argument("NAME", "Format to describe (default: list all formats).")] = "",
    *,
    as_json: options.JsonOption = False,
) -> None:
    """List file formats, and the data that each does not keep.

    The target is a file or a folder. Each export counts the data that its format does not keep.
    """
    from tui_annotate.services.export.conversion import list_formats

    found = [form for form in list_formats() if name in ("", form.name)]
    if not found:
        known = [form.name for form in list_formats()]
        hint = f"{suggest_word(name, known)}known formats: {', '.join(known)}"
        raise NotFound(f"unknown format {name!r}", hint)
    values = [_format_as_json(form) for form in found]
    if name:
        output.show(values[0], _describe_format(found[0]), as_json=as_json)
    else:
        output.show(values, [Table(found, _FORMATS)], as_json=as_json)


_YES_NO: Final = {True: "yes", False: "no"}
_FORMATS: Final[Columns[ExportFormat]] = (
    Column("name"),
    Column("reads", lambda each: _YES_NO[each.reads]),
    Column("writes", lambda each: _YES_NO[each.writes]),
    Column("target"),
    flexible_column("does not keep", lambda each: "; ".join(each.losses)),
)


def _describe_format(form: ExportFormat) -> Iterator[Part]:
    facts: dict[str, Cell] = {
        "name": form.name,
        "title": form.about.title if form.about else "(no description)",
        "reads": _YES_NO[form.reads],
        "writes": _YES_NO[form.writes],
    }
    if not form.writes:
        yield Facts(facts)
        return
    yield Facts(facts | {"target": form.target, "layered": _YES_NO[form.layered]})
    yield "does not keep:"
    for loss in form.losses:
        yield f"  {loss}"


def _format_as_json(form: ExportFormat) -> PrintedFormat:
    about = form.about
    return {
        "name": form.name,
        "title": about.title if about else "",
        "reads": form.reads,
        "writes": form.writes,
        "target": form.target,
        "layered": form.layered,
        "carried": {trait.value: how for trait, how in about.carried.items()} if about else None,
        "lost": [trait.value for trait in about.lost] if about and form.writes else None,
    }
