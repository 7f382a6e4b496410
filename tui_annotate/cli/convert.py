"""Commands of formats, without a workspace: convert, formats."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tui_annotate.cli import completion, output, pseudonyms
from tui_annotate.cli.options import (
    ColumnsOption,
    DatasetOption,
    DocumentsOption,
    EncodingOption,
    FormatOption,
    GroupOption,
    IdOption,
    JsonOption,
    LanguageOption,
    Offsets,
    SourceOption,
    SummaryOption,
    TopicOption,
    TopicsOption,
    collection,
    examples,
)
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.plugins.columns import with_columns
from tui_annotate.plugins.protocols import ExportOptions, ImportOptions

if TYPE_CHECKING:
    from tui_annotate.domain.records import Problem
    from tui_annotate.plugins.protocols import Report
    from tui_annotate.services.export.conversion import Converted
    from tui_annotate.services.export.forms import Form

SHOWN_PROBLEMS = 20
DONE_IN_PART = 3

OutArgument = Annotated[
    Path, typer.Argument(metavar="OUT", help="Appears whole or not at all; - for standard output.")
]
ToOption = Annotated[
    str,
    typer.Option(
        "--to",
        metavar="NAME",
        help="The format to write; needed unless OUT ends in .csv or .xlsx.",
        autocompletion=completion.plugged("exporters"),
    ),
]
LayerOption = Annotated[
    str,
    typer.Option(
        "--layer",
        metavar="WHOSE",
        help="Whose work: adjudicated, majority, all, or a person; some formats must be told.",
    ),
]
WrittenOffsetsOption = Annotated[
    Offsets,
    typer.Option("--offsets", help="What autojudge lines count in: utf16 as its own page does."),
]
UnratedOption = Annotated[
    bool,
    typer.Option(
        "--include-unrated", help="Also autojudge lines of what was looked at and not judged."
    ),
]
StrictOption = Annotated[
    bool, typer.Option("--strict", help="Exit with 3 where the format can not carry everything.")
]


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    app.command(
        epilog=examples(
            "tui-annotate convert gold.json gold.csv",
            "tui-annotate convert gold.json gold.jsonl.zst --to native",
            "tui-annotate convert gold.json - --to native --strict",
            "tui-annotate convert gold.json open.csv --pseudonymise --key names.key",
        )
    )(convert)
    app.command(epilog=examples("tui-annotate formats", "tui-annotate formats mercury"))(formats)


def convert(
    source: Annotated[Path, typer.Argument(metavar="IN", help="A file or folder of any format.")],
    target: OutArgument,
    *,
    source_format: FormatOption = "",
    target_format: ToOption = "",
    layer: LayerOption = "",
    strict: StrictOption = False,
    pseudonymise: pseudonyms.PseudonymiseOption = False,
    key: pseudonyms.KeyOption = None,
    dataset: DatasetOption = "",
    columns: ColumnsOption = "",
    source_column: SourceOption = "source",
    summary_column: SummaryOption = "summary",
    id_column: IdOption = "",
    group_column: GroupOption = "",
    topics: TopicsOption = None,
    topic: TopicOption = None,
    documents: DocumentsOption = None,
    offsets: WrittenOffsetsOption = Offsets.CODEPOINT,
    unrated: UnratedOption = False,
    language: LanguageOption = "",
    encoding: EncodingOption = "utf-8",
) -> None:
    """Write a file of one format as another, no workspace.

    What the format can not carry is counted and told.

    Exit code: 0 all is there, 3 records were refused (or, with --strict, something was lost), 2
    nothing is there.
    """
    from tui_annotate.services.export.conversion import Conversion

    told, names = Telling(), pseudonyms.of_file(key, wanted=pseudonymise)
    reading = with_columns(
        columns,
        ImportOptions(
            dataset=dataset,
            source_column=source_column,
            summary_column=summary_column,
            id_column=id_column,
            group_column=group_column,
            language=language,
            encoding=encoding,
            **collection(topics, documents, only=topic),
        ),
    )
    writing = ExportOptions(layer=layer, offsets=offsets.value, unrated=unrated)
    conversion = Conversion(source_format, target_format, reading, writing, told, names)
    place = None if str(target) == "-" else target
    try:
        done = conversion.run(source, place)
    finally:
        told.end()
    tell(done.report, done.written, where=f" in {target}" if place else "")
    pseudonyms.tell(names)
    if code := _code(done, strict=strict):
        raise typer.Exit(code)


class Telling:
    """Says the first problems, and how many more there were.

    Attributes:
        refused: how many records were kept out.
    """

    def __init__(self) -> None:
        self._count = 0
        self.refused = 0

    def __call__(self, problem: Problem) -> None:
        """Counts a problem, and says it where it is one of the first."""
        self._count += 1
        self.refused += problem.refused
        if self._count <= SHOWN_PROBLEMS:
            output.say(f"{problem}{'' if problem.refused else ' (taken all the same)'}")
            if problem.hint:
                output.say(f"  hint: {problem.hint}")

    def end(self) -> None:
        """Says how many were counted only."""
        if self._count > SHOWN_PROBLEMS:
            output.say(f"and {output.many(self._count - SHOWN_PROBLEMS, 'more problem')}")


def _code(done: Converted, *, strict: bool) -> int:
    if done.refused and not done.report.records:
        return 2
    return DONE_IN_PART if done.refused or (strict and done.report.lost) else 0


def tell(report: Report, written: str, *, where: str) -> None:
    """Says what was written, and what the format could not carry, by kind and count."""
    samples = output.many(report.records, "sample")
    output.say(f"{output.many(report.annotations, 'annotation')} of {samples}{where}")
    for kind, count in report.lost.items():
        output.say(f"  {written} can not carry: {kind} ({count:,})")


def formats(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="One of them, in full.", show_default=False)
    ] = "",
    *,
    as_json: JsonOption = False,
) -> None:
    """List the formats, and what each reads and writes.

    Also where to, and what it can not carry, which is counted at each export.
    """
    from tui_annotate.services.export.forms import forms

    found = [form for form in forms() if name in ("", form.name)]
    if not found:
        there = ", ".join(form.name for form in forms())
        raise InvalidInput(f"no format is named {name!r}", f"there are: {there}")
    if as_json:
        shown = [_as_json(form) for form in found]
        output.as_json(shown[0] if name else shown)
    elif name:
        _show(found[0])
    else:
        columns = ("name", "reads", "writes", "target", "what is lost")
        rows = [(each.name, *_yes_no(each), each.target, "; ".join(each.losses)) for each in found]
        output.table([output.Column(each, flexible=each == columns[-1]) for each in columns], rows)


def _yes_no(form: Form) -> tuple[str, str]:
    return "yes" if form.reads else "no", "yes" if form.writes else "no"


def _show(form: Form) -> None:
    reads, writes = _yes_no(form)
    title = form.about.title if form.about else "not told"
    target = {"target": form.target, "layered": "yes" if form.layered else "no"}
    told = {"name": form.name, "what": title, "reads": reads, "writes": writes}
    output.facts(told | (target if form.writes else {}))
    if form.writes:
        output.line("what is lost:")
        for what in form.losses:
            output.line(f"  {what}")


def _as_json(form: Form) -> dict[str, Any]:
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
