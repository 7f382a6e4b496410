"""Commands about suggestions of machines: list, import, from-scores, remove, report, hide, show."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tui_annotate.cli import completion, output
from tui_annotate.cli import suggestions_telling as telling
from tui_annotate.cli.options import (
    JsonOption,
    OfDatasetOption,
    WorkspaceOption,
    YesOption,
    examples,
    meant_dataset,
    opened,
)
from tui_annotate.domain.people import Verb
from tui_annotate.domain.records import Problem

MakerOption = Annotated[
    str, typer.Option(metavar="NAME", help="Of this machine alone, as suggestions list shows it.")
]
HiddenOption = Annotated[
    str,
    typer.Option("--dataset", metavar="NAME", help="Which.", autocompletion=completion.datasets),
]


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    suggestions = typer.Typer(help="What machines suggest to annotators.", no_args_is_help=True)
    suggestions.command(
        "list",
        epilog=examples(
            "tui-annotate suggestions list --open",
            "tui-annotate suggestions list --dataset news --json",
        ),
    )(list_suggestions)
    suggestions.command(
        "import",
        epilog=examples("tui-annotate suggestions import found.jsonl --maker import:detector"),
    )(take_in)
    suggestions.command(
        "from-scores",
        epilog=examples(
            "tui-annotate suggestions from-scores --dataset news --score source_overlap --below 0.2"
        ),
    )(from_scores)
    suggestions.command(
        epilog=examples(
            "tui-annotate suggestions remove --run 3f0a9c41",
            "tui-annotate suggestions remove --maker judge:tiny --yes",
        )
    )(remove)
    suggestions.command(epilog=examples("tui-annotate suggestions report --dataset news"))(report)
    suggestions.command(epilog=examples("tui-annotate suggestions hide --dataset news"))(hide)
    suggestions.command(epilog=examples("tui-annotate suggestions show --dataset news"))(show)
    app.add_typer(suggestions, name="suggestions")


def list_suggestions(
    *,
    dataset: OfDatasetOption = "",
    maker: MakerOption = "",
    waiting: Annotated[
        bool, typer.Option("--open", help="Those alone that nobody answered.")
    ] = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """List what machines suggest, and what people made of it.

    Whose answers they are is not told. With --open, what was refused or taken is left out.
    """
    with opened(workspace, needs=Verb.REPORT) as space:
        wanted = (lambda each: each.open) if waiting else None
        dataset = dataset and meant_dataset(space, dataset)
        found = list(space.machines.suggesting.listed(dataset=dataset, maker=maker, waiting=wanted))
    if as_json:
        output.as_json([telling.as_json(each, words) for each, words in found])
        return
    if found:
        telling.table(found)
    else:
        output.say("nothing is open" if waiting else "no machine suggested anything yet")


def take_in(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="JSON, an object a line.")],
    *,
    dataset: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Of lines that name none.",
            autocompletion=completion.datasets,
        ),
    ] = "",
    maker: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Of lines that name none; else import: and the file's name."
        ),
    ] = "",
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Take suggestions out of a file, all of them or none.

    Each line names a sample, a quote of its summary, and what else it knows: label, evidence,
    reason, score. Quotes must stand in the texts; labels must be in the label set.
    """
    with opened(workspace, needs=Verb.MANAGE) as space:
        counts = space.machines.suggesting.read(
            file, dataset=dataset, maker=maker, problem=_complain
        )
    telling.counted(counts, as_json=as_json)


def _complain(problem: Problem) -> None:
    output.say(f"{problem.where}: {problem.message}")
    if problem.hint:
        output.say(f"  hint: {problem.hint}")


def from_scores(
    *,
    dataset: HiddenOption,
    score: Annotated[str, typer.Option(metavar="NAME", help="A score of summary segments.")],
    below: Annotated[
        float | None,
        typer.Option(metavar="X", help="Suggest segments of less.", show_default=False),
    ] = None,
    above: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            help="Suggest segments of more, where a low score is the better one.",
            show_default=False,
        ),
    ] = None,
    label: Annotated[
        str,
        typer.Option(metavar="LABEL", help="Of the suggestions.", autocompletion=completion.labels),
    ] = "",
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Suggest parts of summaries that a score finds unsupported.

    The newest run speaks that says such a score of segments; see `tui-annotate score`.
    """
    from tui_annotate.services.suggest import Threshold

    threshold = Threshold(below, above)
    with opened(workspace, needs=Verb.MANAGE) as space:
        counts = space.machines.suggesting.from_scores(
            dataset, score, threshold=threshold, label=label
        )
    telling.counted(counts, as_json=as_json)


def remove(
    *,
    run: Annotated[
        str, typer.Option(metavar="ID", help="A run, or how its id begins, as list shows it.")
    ] = "",
    maker: MakerOption = "",
    dataset: OfDatasetOption = "",
    yes: YesOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Take suggestions out again.

    What people made of them stays theirs, and their answers stay in the log.
    """
    with opened(workspace, needs=Verb.MANAGE) as space:
        named = f"run {run}" if run else f"maker {maker}"
        output.ask(f"Take out all suggestions of {named}?", yes=yes)
        count = space.machines.suggestions.forget(run=run, maker=maker, dataset=dataset)
    output.line(f"took out {output.many(count, 'suggestion')}")


def report(
    *,
    dataset: OfDatasetOption = "",
    maker: MakerOption = "",
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Tell how often suggestions were taken, changed or refused.

    Also why; by maker and by label.

    Counted is each person who had a suggestion before them: those who answered it, and those who
    worked on its sample since; these passed it over if they have finished the sample, else it is
    open. Taken is the share of answers, with its 95 % interval (Wilson).
    """
    with opened(workspace, needs=Verb.REPORT) as space:
        dataset = dataset and meant_dataset(space, dataset)
        found = space.machines.suggesting.report(dataset=dataset, maker=maker)
    if as_json:
        output.as_json(found)
    elif found["offered"]:
        telling.report(found)
    else:
        output.say("no machine suggested anything yet")


def hide(*, dataset: HiddenOption, workspace: WorkspaceOption = None) -> None:
    """Let people annotate a dataset without machines' opinions.

    Suggestions, scores, machine labels and orders by these are gone from their screens. Datasets
    for practice never show any.
    """
    with opened(workspace, needs=Verb.MANAGE) as space:
        space.machines.hiding.hide(dataset)
    output.line(f"{dataset} is annotated without what machines say")


def show(*, dataset: HiddenOption, workspace: WorkspaceOption = None) -> None:
    """Let people see again what machines say of a dataset."""
    with opened(workspace, needs=Verb.MANAGE) as space:
        space.machines.hiding.show(dataset)
        hidden = space.machines.hiding.hidden(dataset)
    if hidden:
        output.line(f"{dataset} is for practice, and stays without")
    else:
        output.line(f"{dataset} is annotated with what machines say")
