"""Commands that look and write out: export, status."""

from __future__ import annotations

import gc
import shlex
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tui_annotate.cli import completion, figures, output, pseudonyms
from tui_annotate.cli.convert import (
    DONE_IN_PART,
    LayerOption,
    StrictOption,
    UnratedOption,
    WrittenOffsetsOption,
    tell,
)
from tui_annotate.cli.options import (
    JsonOption,
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
from tui_annotate.domain.errors import InvalidInput, NotFound, Unavailable
from tui_annotate.plugins.protocols import ExportOptions

if TYPE_CHECKING:
    from tui_annotate.services.examine import Status


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
    """Adds these commands to the app."""
    app.command(
        epilog=examples(
            "tui-annotate export --format mercury -o annotations.json",
            "tui-annotate export --format csv --person ana --label Unwanted -o unwanted.csv",
            "tui-annotate export --format native | gzip > backup.jsonl.gz",
            "tui-annotate export --format autojudge --offsets utf16 -o judged.jsonl",
            "tui-annotate export --format parquet --pseudonymise -o published",
        )
    )(export)
    app.command(epilog=examples("tui-annotate status", "tui-annotate status --flagged"))(status)


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


def status(
    *,
    flagged: Annotated[
        bool, typer.Option("--flagged", help="List the flagged samples, each with its reason.")
    ] = False,
    weeks: Annotated[
        int, typer.Option(metavar="N", min=1, max=520, help="How many weeks are charted.")
    ] = 12,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Print what is there, and how far and how fast people are.

    Hours are time at work, pauses taken out; the end is told from the pace of the last two weeks.
    Annotators see their own figures.
    """
    with opened(workspace) as space:
        found, waiting = space.status(), space.team.proposals.refused()
        measured = space.team.measure.figures(weeks=weeks)
    if as_json:
        shown = asdict(found)
        whole = {"workspace": str(shown.pop("path")), **shown}
        from tui_annotate.services.measure import as_json as shaped

        output.as_json({**whole, **shaped(measured), "labels_refused": waiting})
    elif flagged:
        figures.show_flags(measured)
    else:
        _show_whole(found)
        figures.show_items(found.items)
        figures.show(measured)
        figures.show_waiting(found.waiting)
        if waiting:
            file = shlex.quote(str(found.path / "labels.yaml"))
            output.say(f"labels.yaml changed and is not in force: {waiting}")
            output.say(f"  hint: tui-annotate labels apply {file} --dry-run")


def _show_whole(found: Status) -> None:
    totals = ("samples", "documents", "segments", "annotations", "done")
    vectors = f"{found.embedded:,} documents, {found.embedder}" if found.embedded else "none"
    if found.by_words:
        vectors += f"; {found.by_words:,} of them ranked by words, as the model lacks theirs"
    numbers = {name: getattr(found, name) for name in totals}
    output.facts({"workspace": str(found.path), **numbers, "vectors": vectors})
    if found.datasets:
        output.line("")
        output.table(
            [output.Column("dataset"), *(output.Column(name, number=True) for name in totals)],
            [(each.name, *(getattr(each, name) for name in totals)) for each in found.datasets],
        )


def read_text(path: Path) -> str:
    """A small UTF-8 file.

    Raises:
        NotFound, Unavailable, InvalidInput: it is not there, can not be read, is not UTF-8.
    """
    try:
        return path.read_text("utf-8")
    except FileNotFoundError as error:
        raise NotFound(f"there is no file {path}", "check its name") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{path} is not UTF-8 at byte {error.start}", "save it as UTF-8"
        ) from error
    except OSError as error:
        raise Unavailable(
            f"{path} can not be read: {error.strerror}", "check its permissions"
        ) from error
