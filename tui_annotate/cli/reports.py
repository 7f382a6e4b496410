"""Commands that look and write out: export, status, labels check."""

from __future__ import annotations

import gc
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tui_annotate.cli import figures, output
from tui_annotate.cli.convert import DONE_IN_PART, LayerOption, StrictOption, tell
from tui_annotate.cli.options import (
    JsonOption,
    OfDatasetOption,
    OfLabelOption,
    OfPersonOption,
    SinceOption,
    WorkspaceOption,
    examples,
    find,
    opened,
)
from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import InvalidInput, NotFound, Unavailable
from tui_annotate.domain.label_files import parse_labels
from tui_annotate.domain.labels import Need
from tui_annotate.plugins.protocols import ExportOptions

if TYPE_CHECKING:
    from tui_annotate.domain.labels import Label
    from tui_annotate.services.examine import Status


WrittenOption = Annotated[
    str,
    typer.Option("--format", "-f", metavar="NAME", help="One that `tui-annotate formats` lists."),
]
TargetOption = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="A file, or a new folder; appears whole or not at all; else standard output.",
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
        )
    )(export)
    app.command(epilog=examples("tui-annotate status", "tui-annotate status --flagged"))(status)
    labels = typer.Typer(help="The label set.")
    labels.callback()(_group)
    labels.command(
        epilog=examples("tui-annotate labels check", "tui-annotate labels check my-labels.yaml")
    )(check)
    app.add_typer(labels, name="labels", no_args_is_help=True)


def _group() -> None:
    """Keeps a group a group, also while it holds one command."""


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
    strict: StrictOption = False,
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
            options=ExportOptions(layer=layer),
        )
        practised = 0 if with_practice else space.corpus.practised()
    tell(report, format_name, where=f" in {target}" if target else "")
    if practised:
        output.say(f"  left out: practice on {practised:,} samples; --with-practice has it")
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
    """Print what is there, who is how far, how fast, and until when.

    Hours are time at work, pauses taken out; the end is told from the pace of the last two weeks.
    Annotators see their own figures.
    """
    with opened(workspace) as space:
        found = space.status()
        measured = space.team.measure.figures(weeks=weeks)
    if as_json:
        shown = asdict(found)
        whole = {"workspace": str(shown.pop("path")), **shown}
        from tui_annotate.services.measure import as_json as shaped

        output.as_json({**whole, **shaped(measured)})
    elif flagged:
        figures.show_flags(measured)
    else:
        _show_whole(found)
        figures.show(measured)


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


def check(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE", help="Else the workspace's labels.yaml.", show_default=False
        ),
    ] = None,
    *,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Check a label set, and print it as the screen shows it.

    The digit is where the label stands on the bar; key and color are what it asks for.
    """
    path = file or find(workspace) / "labels.yaml"
    tree = parse_labels(read_text(path), name=str(path))
    digits = {label.path: digit for digit, label in tree.bar()}
    if as_json:
        output.as_json(
            [
                {
                    "path": list(label.path),
                    "digit": digits.get(label.path, ""),
                    "key": label.key,
                    "color": label.color,
                    "description": label.description,
                    "evidence": label.evidence.value,
                    "note": label.note.value,
                    "exclusive": label.exclusive,
                }
                for label in tree.walk()
            ]
        )
        return
    names = ("digit", "label", "key", "color", "rules", "description")
    output.table(
        [output.Column(name, flexible=name == "description") for name in names],
        [
            (
                digits.get(label.path, ""),
                "  " * (len(label.path) - 1) + label.path[-1],
                label.key,
                label.color,
                _rules(label),
                label.description,
            )
            for label in tree.walk()
        ],
    )


def _rules(label: Label) -> str:
    """What a label asks for beyond what every label allows."""
    needs = {"evidence": label.evidence, "note": label.note}
    told = [f"{what} {need}" for what, need in needs.items() if need is not Need.OPTIONAL]
    return ", ".join([*told, *(["exclusive"] if label.exclusive else [])])


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
        raise Unavailable(f"{path} can not be read: {error.strerror}", "check its mode") from error
