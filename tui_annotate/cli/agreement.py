"""The command `agreement`, which prints agreement between annotators as a table, JSON or CSV."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from tui_annotate.cli import options, output, pseudonyms
from tui_annotate.cli.help_format import RESEARCH
from tui_annotate.cli.options import add_command, flag, open_workspace, option
from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.samples import SampleKind

PeopleOption = Annotated[
    list[str] | None,
    options.person_option(
        "--person",
        "Compare only these people; a single one is compared with all others (repeatable; default: "
        "all people).",
    ),
]
KindOption = Annotated[
    SampleKind | None,
    typer.Option(
        help="Only samples of this kind, of which ratings are compared (default: summaries)."
    ),
]


def register(app: typer.Typer) -> None:
    """Add this command to the app."""
    add_command(
        app,
        agreement,
        "agreement",
        "agreement --dataset pairs --label-level 1 --pairs",
        "agreement --kind citation",
        "agreement --person ana --person ben --json",
        "agreement --json --pseudonymise > agreement.json",
        "agreement --state new --csv > agreement.csv  # imported, without states",
        panel=RESEARCH,
    )


def agreement(
    *,
    dataset: options.OfDatasetOption = "",
    person: PeopleOption = None,
    origin: Annotated[
        str,
        option(
            "--origin",
            "ORIGIN",
            "Only annotations of this origin: human, imported, or a full name such as "
            "imported:mercury.",
        ),
    ] = "",
    state: Annotated[
        State,
        typer.Option(help="Only work on samples in this state; new: imported without a state."),
    ] = State.DONE,
    label: options.OfLabelOption = "",
    label_level: Annotated[
        int,
        option(
            "--label-level", "N", "Compare labels down to this level; 0: all levels.", minimum=0
        ),
    ] = 0,
    label_set: Annotated[
        str,
        option(
            "--label-set",
            "VERSION",
            "Only work with the label set version that begins with this hash (default: all).",
        ),
    ] = "",
    since: options.SinceOption = "",
    kind: KindOption = None,
    pairs: Annotated[bool, flag("--pairs", "Also print a table with each pair of people.")] = False,
    pseudonymise: pseudonyms.PseudonymiseOption = False,
    as_json: options.JsonOption = False,
    as_csv: Annotated[bool, flag("--csv", "Print CSV with one row for each measure.")] = False,
    workspace: options.WorkspaceOption = None,
) -> None:
    """Measure agreement between annotators.

    The levels are the sample (worst label), the sentence, the span, label and evidence of
    overlapping spans, and ratings. Annotators who completed a sample twice are also compared with
    themselves. A completed sample counts even if the annotator marked nothing.
    """
    if as_json and as_csv:
        raise InvalidInput("--json and --csv both print to standard output", "use one of them")
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
