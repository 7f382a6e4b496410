"""The command `agreement`: how far people agree, as a table, JSON or CSV."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from tui_annotate.cli import options, output, pseudonyms
from tui_annotate.cli.options import add_command, flag, open_workspace, option
from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.samples import SampleKind

PeopleOption = Annotated[
    list[str] | None,
    options.person_option(
        "--person", "These people among themselves; one alone: with each of the others."
    ),
]
KindOption = Annotated[
    SampleKind | None, typer.Option(help="Samples of this kind, whose ratings are compared alone.")
]


def register(app: typer.Typer) -> None:
    """Adds this command to the app."""
    add_command(
        app,
        agreement,
        "agreement",
        "agreement --dataset pairs --label-level 1 --pairs",
        "agreement --kind citation",
        "agreement --person ana --person ben --json",
        "agreement --json --pseudonymise > agreement.json",
        "agreement --state new --csv > agreement.csv  # imported, without states",
    )


def agreement(
    *,
    dataset: options.OfDatasetOption = "",
    person: PeopleOption = None,
    origin: Annotated[
        str, option("--origin", "ORIGIN", "Annotations of this origin, as in export.")
    ] = "",
    state: Annotated[
        State, typer.Option(help="Work on samples in this state; new: imported without a state.")
    ] = State.DONE,
    label: options.OfLabelOption = "",
    label_level: Annotated[
        int, option("--label-level", "N", "Names of a label's path that count; 0: all.", minimum=0)
    ] = 0,
    label_set: Annotated[
        str, option("--label-set", "HASH", "Work under this version of the label set; its start.")
    ] = "",
    since: options.SinceOption = "",
    kind: KindOption = None,
    pairs: Annotated[bool, flag("--pairs", "Also a table of each two people.")] = False,
    pseudonymise: pseudonyms.PseudonymiseOption = False,
    as_json: options.JsonOption = False,
    as_csv: Annotated[bool, flag("--csv", "Print CSV: a row for each measure.")] = False,
    workspace: options.WorkspaceOption = None,
) -> None:
    """Tell how far people agree on what several of them read.

    By sample (its worst label), by sentence, by span, by label and evidence of spans that overlap,
    and by ratings; and of who read samples twice, with themselves. Who is done counts, also with
    nothing found.
    """
    if as_json and as_csv:
        raise InvalidInput("--json and --csv both print to standard output", "give one of them")
    from tui_annotate.cli.agreement_output import print_csv, print_tables
    from tui_annotate.services.agreement import AgreementOptions
    from tui_annotate.services.agreement.output import as_json as shaped

    criteria = AgreementOptions(
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
    with open_workspace(workspace) as space:
        found = space.team.agreement.report(criteria)
        if names := pseudonyms.load_pseudonyms(space, wanted=pseudonymise):
            people = tuple(map(names.find_pseudonym, found.asked.people))
            pseudonym = {each: names.name(each) for each in found.names}
            found = replace(found, asked=replace(found.asked, people=people), names=pseudonym)
    if as_json:
        output.print_json(shaped(found))
    elif as_csv:
        print_csv(found)
    else:
        print_tables(found, pairs=pairs)
