"""Commands of formats, without a workspace: convert, formats."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tui_annotate.cli import completion, options, output, pseudonyms
from tui_annotate.cli.options import Offsets, add_command, argument, flag, option
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.plugins.protocols import ExportOptions

if TYPE_CHECKING:
    from tui_annotate.domain.records import Problem
    from tui_annotate.plugins.protocols import ExportReport
    from tui_annotate.services.export.conversion import ExportFormat

SHOWN_PROBLEMS = 20
DONE_IN_PART = 3

LayerOption = Annotated[
    str,
    option(
        "--layer",
        "WHOSE",
        "Whose work: adjudicated, majority, all, or a person; some formats must be told.",
    ),
]
WrittenOffsetsOption = Annotated[
    Offsets,
    typer.Option("--offsets", help="What autojudge lines count in: utf16 as its own page does."),
]
UnratedOption = Annotated[
    bool, flag("--include-unrated", "Also autojudge lines of what was looked at and not judged.")
]
StrictOption = Annotated[
    bool, flag("--strict", "Exit with 3 where the format can not carry everything.")
]


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    add_command(
        app,
        convert,
        "convert gold.json gold.csv",
        "convert gold.json gold.jsonl.zst --to native",
        "convert gold.json - --to native --strict",
        "convert gold.json open.csv --pseudonymise --key names.key",
    )
    add_command(app, formats, "formats", "formats mercury")


def convert(
    source: Annotated[Path, argument("IN", "A file or folder of any format.")],
    target: Annotated[Path, argument("OUT", "Appears whole or not at all; - for standard output.")],
    *,
    source_format: options.FormatOption = "",
    target_format: Annotated[
        str,
        option(
            "--to",
            "NAME",
            "The format to write; needed unless OUT ends in .csv or .xlsx.",
            complete=completion.complete_plugins("exporters"),
        ),
    ] = "",
    layer: LayerOption = "",
    strict: StrictOption = False,
    pseudonymise: pseudonyms.PseudonymiseOption = False,
    key: pseudonyms.KeyOption = None,
    dataset: options.DatasetOption = "",
    columns: options.ColumnOptions,
    collection: options.CollectionOptions,
    offsets: WrittenOffsetsOption = Offsets.CODEPOINT,
    unrated: UnratedOption = False,
    texts: options.TextOptions,
) -> None:
    """Write a file of one format as another, no workspace.

    What the format can not carry is counted and told.

    Exit code: 0 all is there, 3 records were refused (or, with --strict, something was lost), 2
    nothing is there.
    """
    from tui_annotate.services.export.conversion import FileConversion

    problems, names = ProblemPrinter(), pseudonyms.load_pseudonyms_of_file(key, wanted=pseudonymise)
    reading = options.import_options(columns, texts, collection, dataset=dataset)
    writing = ExportOptions(layer=layer, offsets=offsets.value, unrated=unrated)
    conversion = FileConversion(source_format, target_format, reading, writing, problems, names)
    file = options.parse_target(target)
    try:
        result = conversion.run(source, file)
    finally:
        problems.end()
    print_conversion(result.report, result.written, where=f" in {target}" if file else "")
    pseudonyms.print_pseudonyms(names)
    if result.refused and not result.report.records:
        raise typer.Exit(2)
    if result.refused or (strict and result.report.lost):
        raise typer.Exit(DONE_IN_PART)


class ProblemPrinter:
    """Prints the first problems and the number of others; `refused` counts lost records."""

    def __init__(self) -> None:
        self._count = 0
        self.refused = 0

    def __call__(self, problem: Problem) -> None:
        """Counts a problem, and says it where it is one of the first."""
        self._count += 1
        self.refused += problem.refused
        if self._count <= SHOWN_PROBLEMS:
            taken = "" if problem.refused else " (taken all the same)"
            output.print_problem(f"{problem}{taken}", problem.hint)

    def end(self) -> None:
        """Says how many were counted only."""
        if self._count > SHOWN_PROBLEMS:
            output.print_message(f"and {output.many(self._count - SHOWN_PROBLEMS, 'more problem')}")


def print_conversion(report: ExportReport, written: str, *, where: str) -> None:
    """Says what was written, and what the format could not carry, by kind and count."""
    samples = output.many(report.records, "sample")
    output.print_message(f"{output.many(report.annotations, 'annotation')} of {samples}{where}")
    for kind, count in report.lost.items():
        output.print_message(f"  {written} can not carry: {kind} ({count:,})")


def formats(
    name: Annotated[str, argument("NAME", "One of them, in full.")] = "",
    *,
    as_json: options.JsonOption = False,
) -> None:
    """List the formats, and what each reads and writes.

    Also where to, and what it can not carry, which is counted at each export.
    """
    from tui_annotate.services.export.conversion import list_formats

    found = [form for form in list_formats() if name in ("", form.name)]
    if not found:
        known = ", ".join(form.name for form in list_formats())
        raise InvalidInput(f"no format is named {name!r}", f"there are: {known}")
    yes_no = {True: "yes", False: "no"}
    if as_json:
        shown = [_format_as_json(form) for form in found]
        output.print_json(shown[0] if name else shown)
    elif not name:
        rows = [
            (
                each.name,
                yes_no[each.reads],
                yes_no[each.writes],
                each.target,
                "; ".join(each.losses),
            )
            for each in found
        ]
        columns = ("name", "reads", "writes", "target", output.flexible_column("what is lost"))
        output.print_table(columns, rows)
    else:
        (form,) = found
        title = form.about.title if form.about else "not told"
        reads, writes = yes_no[form.reads], yes_no[form.writes]
        facts = {"name": form.name, "what": title, "reads": reads, "writes": writes}
        target = {"target": form.target, "layered": yes_no[form.layered]}
        output.print_facts(facts | (target if form.writes else {}))
        for line in ["what is lost:", *(f"  {each}" for each in form.losses)] * form.writes:
            output.print_line(line)


def _format_as_json(form: ExportFormat) -> dict[str, Any]:
    about = form.about
    return {
        "name": form.name,
        "title": about.title if about else "",
        **{name: getattr(form, name) for name in ("reads", "writes", "target", "layered")},
        "carried": {trait.value: how for trait, how in about.carried.items()} if about else None,
        "lost": [trait.value for trait in about.lost] if about and form.writes else None,
    }
