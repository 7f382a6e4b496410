"""The command `agreement`: how far people agree, as a table, JSON or CSV."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from tui_annotate.cli import completion, output, pseudonyms
from tui_annotate.cli.options import (
    JsonOption,
    OfDatasetOption,
    OfLabelOption,
    SinceOption,
    WorkspaceOption,
    examples,
    opened,
)
from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.samples import Kind

if TYPE_CHECKING:
    from tui_annotate.services.agree import Agreement
    from tui_annotate.services.export.pseudonyms import Pseudonyms

PeopleOption = Annotated[
    list[str] | None,
    typer.Option(
        "--person",
        metavar="NAME",
        help="These people among themselves; one alone: with each of the others.",
        autocompletion=completion.people,
    ),
]
LevelOption = Annotated[
    int, typer.Option(min=0, metavar="N", help="Names of a label's path that count; 0: all.")
]
LabelSetOption = Annotated[
    str, typer.Option(metavar="HASH", help="Work under this version of the label set; its start.")
]


def register(app: typer.Typer) -> None:
    """Adds this command to the app."""
    app.command(
        epilog=examples(
            "tui-annotate agreement",
            "tui-annotate agreement --dataset pairs --label-level 1 --pairs",
            "tui-annotate agreement --kind citation",
            "tui-annotate agreement --person ana --person ben --json",
            "tui-annotate agreement --json --pseudonymise > agreement.json",
            "tui-annotate agreement --state new --csv > agreement.csv  # imported, without states",
        )
    )(agreement)


def agreement(
    *,
    dataset: OfDatasetOption = "",
    person: PeopleOption = None,
    origin: Annotated[
        str, typer.Option(metavar="ORIGIN", help="Annotations of this origin, as in export.")
    ] = "",
    state: Annotated[
        State, typer.Option(help="Work on samples in this state; new: imported without a state.")
    ] = State.DONE,
    label: OfLabelOption = "",
    label_level: LevelOption = 0,
    label_set: LabelSetOption = "",
    since: SinceOption = "",
    kind: Annotated[
        Kind | None, typer.Option(help="Samples of this kind, whose ratings are compared alone.")
    ] = None,
    pairs: Annotated[
        bool, typer.Option("--pairs", help="Also a table of each two people.")
    ] = False,
    pseudonymise: pseudonyms.PseudonymiseOption = False,
    as_json: JsonOption = False,
    as_csv: Annotated[
        bool, typer.Option("--csv", help="Print CSV: a row for each measure.")
    ] = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Tell how far people agree on what several of them read.

    By sample (its worst label), by sentence, by span, by label and evidence of spans that overlap,
    and by ratings; and of who read samples twice, with themselves. Who is done counts, also with
    nothing found.
    """
    if as_json and as_csv:
        raise InvalidInput("--json and --csv both print to standard output", "give one of them")
    from tui_annotate.cli.agreement_telling import print_csv, show
    from tui_annotate.services.agree import Asked
    from tui_annotate.services.agree.shapes import as_json as shaped

    asked = Asked(
        dataset=dataset,
        people=tuple(person or ()),
        origin=origin,
        state=state.value,
        label=label,
        label_level=label_level,
        label_set=label_set,
        since=since,
        kind=kind.value if kind else "",
    )
    with opened(workspace) as space:
        found = space.team.agreement.report(asked)
        if names := pseudonyms.of_workspace(space, wanted=pseudonymise):
            found = _unnamed(found, names)
    if as_json:
        output.as_json(shaped(found))
    elif as_csv:
        print_csv(found)
    else:
        show(found, pairs=pairs)


def _unnamed(found: Agreement, names: Pseudonyms) -> Agreement:
    """The same figures, with pseudonyms for those who were asked for, too."""
    asked = replace(found.asked, people=tuple(map(names.meant, found.asked.people)))
    return replace(found, asked=asked, names={each: names.name(each) for each in found.names})
