"""The command `status`: what is there, and how far and how fast people are."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from tui_annotate.cli import labels_telling, output, status_telling
from tui_annotate.cli.options import JsonOption, WorkspaceOption, examples, opened

if TYPE_CHECKING:
    from tui_annotate.services.examine import Status


def register(app: typer.Typer) -> None:
    """Adds this command to the app."""
    app.command(epilog=examples("tui-annotate status", "tui-annotate status --flagged"))(status)


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
    """Print what there is, and how far and fast people are.

    Hours are time at work, pauses taken out; the end is told from the pace of the last two weeks.
    Annotators see their own figures.
    """
    with opened(workspace) as space:
        found, waiting = space.status(), space.team.proposals.refused()
        measured = space.team.measure.figures(weeks=weeks)
        runs = len(space.machines.scores.runs())
    if as_json:
        shown = asdict(found)
        whole = {"workspace": str(shown.pop("path")), **shown, "runs": runs}
        from tui_annotate.services.measure import as_json as shaped

        output.as_json({**whole, **shaped(measured), "labels_refused": waiting})
    elif flagged:
        status_telling.show_flags(measured)
    else:
        _show_whole(found, runs)
        status_telling.show_items(found.items)
        status_telling.show(measured)
        labels_telling.show_waiting(found.waiting)
        if waiting:
            file = shlex.quote(str(found.path / "labels.yaml"))
            output.say(f"labels.yaml changed and is not in force: {waiting}")
            output.say(f"  hint: tui-annotate labels apply {file} --dry-run")


def _show_whole(found: Status, runs: int) -> None:
    totals = ("samples", "documents", "segments", "annotations", "done")
    embedded = f"{output.many(found.embedded, 'document')}, {found.embedder}"
    vectors = embedded if found.embedded else "none"
    if found.by_words:
        vectors += f"; {found.by_words:,} of them ranked by words, as the model lacks theirs"
    numbers = {name: getattr(found, name) for name in totals}
    machines = {"machines": f"{output.many(runs, 'run')}; see: tui-annotate score list"}
    facts = {"workspace": str(found.path), **numbers, "vectors": vectors}
    output.facts(facts | (machines if runs else {}))
    if found.datasets:
        output.line("")
        output.table(
            [output.Column("dataset"), *(output.Column(name, number=True) for name in totals)],
            [(each.name, *(getattr(each, name) for name in totals)) for each in found.datasets],
        )
