"""Commands that bring texts in: init, ingest."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tui_annotate.cli import output
from tui_annotate.cli.options import (
    ColumnsOption,
    DatasetOption,
    DimensionsOption,
    DocumentsOption,
    EmbedderOption,
    EncodingOption,
    FilesArgument,
    FormatOption,
    GroupOption,
    IdOption,
    JsonOption,
    LanguageOption,
    OffsetsOption,
    SourceOption,
    SummaryOption,
    TopicOption,
    TopicsOption,
    UrlOption,
    WorkspaceOption,
    collection,
    examples,
    opened,
)
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import Verb
from tui_annotate.plugins.columns import with_columns
from tui_annotate.plugins.protocols import ImportOptions

if TYPE_CHECKING:
    from tui_annotate.domain.records import Problem
    from tui_annotate.plugins.protocols import Cost
    from tui_annotate.services.ingest import IngestReport

SHOWN_PROBLEMS = 20
PLACES_OF_A_FILE = 3
"""Of those where the same is wrong, but for the first."""
PLACES_UP_TO = 160
"""Characters of a line of a problem: what follows the places makes it some 200."""

LookOption = Annotated[
    bool, typer.Option("--dry-run", help="Read everything, tell costs, store nothing.")
]
AllOption = Annotated[bool, typer.Option("--strict", help="Check all first; store all or nothing.")]


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    app.command(epilog=examples("tui-annotate init", "tui-annotate init news"))(init)
    app.command(
        epilog=examples(
            "tui-annotate ingest pairs.csv",
            "tui-annotate ingest --source-column article --summary-column answer data.jsonl.gz",
            "tui-annotate ingest --dry-run --strict pairs.csv",
            "tui-annotate ingest --embedder remote:m --base-url http://localhost:11434/v1 a.csv",
            "tui-annotate ingest runs --format autojudge --topics topics.jsonl",
        )
    )(ingest)


def init(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", help="Made where it is missing; else this folder.", show_default=False
        ),
    ] = Path(),
    *,
    as_json: JsonOption = False,
) -> None:
    """Make a workspace: a folder for texts and annotations.

    It holds settings, labels, a SQLite store, and vectors in LanceDB.
    """
    from tui_annotate import workspace as workspaces

    space = workspaces.create(folder)
    space.close()
    if as_json:
        output.as_json({"workspace": str(space.path)})
        return
    output.line(f"workspace: {space.path}")
    output.say("its labels are in labels.yaml; next: tui-annotate ingest FILE...")


def ingest(
    files: FilesArgument,
    *,
    format_name: FormatOption = "",
    dataset: DatasetOption = "",
    columns: ColumnsOption = "",
    source_column: SourceOption = "source",
    summary_column: SummaryOption = "summary",
    id_column: IdOption = "",
    group_column: GroupOption = "",
    topics: TopicsOption = None,
    topic: TopicOption = None,
    documents: DocumentsOption = None,
    offsets: OffsetsOption = None,
    language: LanguageOption = "",
    encoding: EncodingOption = "utf-8",
    embedder: EmbedderOption = "",
    base_url: UrlOption = "",
    dimensions: DimensionsOption = 0,
    dry_run: LookOption = False,
    strict: AllOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Read texts, sources and summaries, into the workspace.

    The same file again adds nothing; stopped at any moment, it goes on the next time.

    Exit code: 0 all is in, 3 some records were refused, 2 nothing is in.
    """
    with (
        opened(workspace, needs=Verb.MANAGE) as space,
        output.progress("records") as tell,
    ):
        refuse_absent(files)
        options = with_columns(
            columns,
            ImportOptions(
                dataset=dataset,
                source_column=source_column,
                summary_column=summary_column,
                id_column=id_column,
                group_column=group_column,
                language=language or space.settings.language,
                encoding=encoding,
                **collection(topics, documents, only=topic, offsets=offsets),
            ),
        )
        report = space.ingest(
            *files,
            format=format_name,
            options=options,
            strict=strict,
            dry_run=dry_run,
            progress=tell,
            embedder=space.asked(embedder, base_url=base_url, dimensions=dimensions),
        )
    tell_report(report, as_json=as_json, workspace=workspace)


def refuse_absent(files: Iterable[Path]) -> None:
    """Before anything is stored, so that what is told holds: nothing changed.

    Raises:
        InvalidInput: a file is not there.
    """
    absent = [str(file) for file in files if not file.exists()]
    if absent:
        raise InvalidInput(
            f"there is no file {', '.join(absent)}", "nothing was stored; check the name"
        )


def tell_report(report: IngestReport, *, as_json: bool, workspace: Path | None) -> None:
    """Prints what an ingest did, and leaves with its exit code.

    Args:
        workspace: as it was named, for the command that ends the better choice's line.
    """
    if as_json:
        output.as_json({**asdict(report), "outcome": report.outcome.value})
    else:
        _tell_problems(report)
        for note in report.notes:
            output.say(note)
        output.line(summary(report))
        tell_cost(report.cost, report.embedder)
        _tell_outside(report, workspace)
        if report.better:
            where = f" -w {shlex.quote(str(workspace))}" if workspace else ""
            output.say(f"{report.better}{where}")
    code = {"all": 0, "some": 3, "none": 2}[report.outcome.value]
    if code:
        raise typer.Exit(code)


def _tell_outside(report: IngestReport, workspace: Path | None) -> None:
    if not report.outside:
        return
    kinds = output.many(report.outside_labels, "label")
    alone = f" --dataset {shlex.quote(report.outside_in[0])}" if len(report.outside_in) == 1 else ""
    where = f" -w {shlex.quote(str(workspace))}" if workspace else ""
    output.say(
        f"annotations with labels that the set lacks: {report.outside:,}, of {kinds}; "
        f"tui-annotate labels normalise --dry-run{alone}{where}"
    )


def _tell_problems(report: IngestReport) -> None:
    """Each thing that is wrong once, at its first place, with the first others of it."""
    alike: dict[tuple[str, str, bool], list[Problem]] = {}
    for problem in report.problems:
        alike.setdefault((problem.message, problem.hint, problem.refused), []).append(problem)
    shown, hinted = list(alike.values())[:SHOWN_PROBLEMS], ""
    whole = len(report.problems) == report.refused + report.doubts
    for same in shown:
        first = same[0]
        line = f"{first}{'' if first.refused else ' (its sample is taken)'}"
        places = (each.where for each in same)
        output.say(line + _elsewhere(places, room=PLACES_UP_TO - len(line), listed=whole))
        if first.hint and first.hint != hinted:
            output.say(f"  hint: {first.hint}")
        hinted = first.hint
    more = report.refused + report.doubts - sum(map(len, shown))
    if more:
        problems = output.many(len(report.problems), "problem")
        output.say(f"and {more:,} more; --json lists {problems}")


def _elsewhere(places: Iterable[str], *, room: int, listed: bool) -> str:
    """Where else the same is wrong: the first places of each file, while there is room.

    Args:
        places: the first is told already.
        listed: whether `--json` lists all.
    """
    first, *others = dict.fromkeys(places)
    told: list[str] = []
    named: Counter[str] = Counter()
    last, _ = _parted(first)
    for place in others:
        file, line = _parted(place)
        short = line if file == last else place
        fits = sum(map(len, told)) + 2 * len(told) + len(short) <= room
        if not told or (fits and named[file] < PLACES_OF_A_FILE):
            told.append(short)
            named[file] += 1
            last = file
    if not told:
        return ""
    more = len(others) - len(told)
    rest = f" and {more:,} more{'; --json lists all' if listed else ''}" if more else ""
    return f" (also {', '.join(told)}{rest})"


def _parted(place: str) -> tuple[str, str]:
    """The file of a place, and the rest of it, which tells it from others of the file."""
    found = re.fullmatch(r"(.*?)(:\d+|, record [\d,]+)", place, re.DOTALL)
    return (found[1], found[2].removeprefix(", ")) if found else ("", place)


def tell_cost(cost: Cost | None, embedder: str) -> None:
    """Prints what the vectors of a remote embedder would take; nothing where they are free."""
    if cost is not None:
        output.line(
            f"vectors of {embedder}: calls: {cost.calls:,}; characters: {cost.characters:,}; "
            f"tokens: about {cost.tokens:,} (a guess: a fourth of the ASCII signs, all others); "
            "nobody was asked"
        )


def summary(report: IngestReport) -> str:
    """What an ingest did, in one line."""
    if report.strict:
        return f"nothing stored: --strict; records refused: {report.refused:,}"
    counts = {
        "added": report.added,
        "known already": report.known,
        "replaced": report.replaced,
        "removed": report.removed,
        "refused": report.refused,
    }
    told = [f"{count:,} {what}" for what, count in counts.items() if count]
    line = "samples: " + (", ".join(told) or "none")
    if report.annotations or report.annotations_known:
        line += f"; annotations: {report.annotations:,} added, {report.annotations_known:,} known"
    line += f"; {report.seconds:.1f} s"
    return f"{line}; nothing was stored, as asked" if report.dry else line
