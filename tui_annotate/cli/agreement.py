"""The command `agreement`, which prints agreement between annotators as a table, JSON or CSV."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from tui_annotate.cli import options, output, pseudonyms
from tui_annotate.cli.help_format import CORE
from tui_annotate.cli.option_groups import OptionGroup
from tui_annotate.cli.options import add_command, flag, open_workspace, option
from tui_annotate.domain.agreement_options import AgreementOptions
from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.samples import SampleKind

ComparedWork = Annotated[
    AgreementOptions,
    OptionGroup(
        dataset=options.OfDatasetOption,
        people=Annotated[
            list[str] | None,
            options.person_option(
                "--person",
                "Compare only these people. A single person is compared with all others"
                " (repeatable; default: all people).",
            ),
        ],
        origin=option(
            "--origin",
            "ORIGIN",
            "Only annotations of this origin: human, imported, or a full name such as "
            "imported:mercury.",
        ),
        state=Annotated[
            State,
            options.state_option(
                State,
                "Only readings in this state, also by the name that status displays: done or "
                "completed, draft or in-progress; imported work without a state is new.",
            ),
        ],
        label=options.OfLabelOption,
        label_level=option(
            "--label-level",
            "N",
            "Compare only the first N levels of labels: with 1, Unwanted.Intrinsic counts as "
            "Unwanted (0: all levels).",
            minimum=0,
        ),
        label_set=option(
            "--label-set",
            "VERSION",
            "Only annotations made under the version of labels.yaml whose hash begins with "
            "VERSION, as listed by `tui-annotate labels history` (default: all versions).",
        ),
        guidelines=option(
            "--guidelines",
            "VERSION",
            "Only work done with the version of the guidelines whose hash begins with VERSION "
            "(default: all versions).",
        ),
        since=options.SinceOption,
        kind=Annotated[
            SampleKind | None,
            typer.Option(help="Compare only samples of this kind (default: all kinds)."),
        ],
        after_review=flag(
            "--after-review",
            "Compare the work as it is now (default: the work on an adjudicated sample as it was "
            "when the sample was first adjudicated).",
        ),
        without_suggested_work=options.WithoutSuggestedWorkOption,
    ),
]
"""Options that select the work which `agreement` compares."""


def register(app: typer.Typer) -> None:
    add_command(
        app,
        agreement,
        "agreement",
        "agreement --dataset pairs --label-level 1 --pairs",
        "agreement --dataset pairs --disagreements",
        "agreement --kind citation",
        "agreement --after-review",
        "agreement --without-suggested-work",
        "agreement --person ana --person ben --json",
        "agreement --json --pseudonymize > agreement.json",
        "agreement --state new --csv > agreement.csv  # imported, without states",
        panel=CORE,
    )


def agreement(
    *,
    comparison: ComparedWork,
    pairs: Annotated[
        bool, flag("--pairs", "Also print a table of the agreement of each pair of people.")
    ] = False,
    disagreements: Annotated[
        bool,
        flag(
            "--disagreements",
            "Also print what each two people labelled or rated differently, by label.",
        ),
    ] = False,
    pseudonymize: pseudonyms.PseudonymizeOption = False,
    as_json: options.JsonOption = False,
    as_csv: Annotated[bool, flag("--csv", "Print CSV with one row for each measure.")] = False,
    workspace: options.WorkspaceOption = None,
) -> None:
    """Measure agreement between annotators.

    Compare the annotators of each sample that two or more of them completed. The table has one line
    for each measure of samples (most severe label), sentences, spans, labels and evidence of
    overlapping spans, and ratings; the mark * is at the value to quote in a paper. A reading is the
    work of one annotator on one sample; a completed reading without annotations counts, too.
    Annotators who completed a sample twice are also compared with themselves. Edits that annotators
    made after a reviewer adjudicated the sample count only with --after-review.

    Exit code: 0 agreement was measured, 1 there was nothing to compare.
    """
    if as_json and as_csv:
        raise InvalidInput("--json and --csv both print to standard output", "pass --json or --csv")
    if disagreements and as_csv:
        raise InvalidInput(
            "--csv cannot be combined with --disagreements", "pass --json instead of --csv"
        )
    from tui_annotate.cli.agreement_output import describe_agreement, format_csv
    from tui_annotate.services.agreement.output import as_json as shaped

    with open_workspace(workspace) as space:
        found = space.team.agreement.report(comparison)
        if names := pseudonyms.load_pseudonyms(space, wanted=pseudonymize):
            people = tuple(map(names.find_pseudonym, found.asked.people))
            pseudonym = {each: names.name(each) for each in found.names}
            found = replace(found, asked=replace(found.asked, people=people), names=pseudonym)
    if as_csv:
        output.print_text(format_csv(found))
    else:
        output.show(
            shaped(found, disagreements=disagreements),
            describe_agreement(found, pairs=pairs, disagreements=disagreements),
            as_json=as_json,
        )
    if not found.together.samples and not found.oneself.samples:
        raise typer.Exit(1)
