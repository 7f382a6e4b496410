"""Command `lab scores compare`: agreement of scores and detectors with human labels."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import typer

from tui_annotate.cli import completion, output
from tui_annotate.cli.options import (
    JsonOption,
    WithoutSuggestedWorkOption,
    WorkspaceOption,
    choose_dataset,
    flag,
    open_workspace,
    option,
)
from tui_annotate.domain.did_you_mean import suggest_word
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.scores import Pooling
from tui_annotate.lab.score.commands import DatasetOption

if TYPE_CHECKING:
    from collections.abc import Sequence


PEOPLE = "people"
ADJUDICATED = "adjudicated"
_Names = list[str] | None

ScoreOption = Annotated[
    _Names,
    option(
        "--score",
        "NAME",
        "Score to compare: its name, or the name of its scorer or judge; repeatable (default: all"
        " scores).",
    ),
]
ColumnOption = Annotated[
    _Names,
    option(
        "--column", "NAME", "Metadata column with a detector's values for the samples; repeatable."
    ),
]
SuggestionsOption = Annotated[
    _Names,
    option(
        "--suggestions",
        "MAKER",
        "Maker whose suggestions are compared with the spans that people marked; repeatable.",
    ),
]
AgainstOption = Annotated[
    str,
    option(
        "--against",
        "LABELS",
        "Human labels to use: people (all annotators), adjudicated, or an annotator's name.",
        complete=completion.complete_words(PEOPLE, ADJUDICATED),
    ),
]
UnsupportedLabelOption = Annotated[
    _Names,
    option(
        "--unsupported-label",
        "LABEL",
        "Label of an unsupported sample; repeatable (default: all labels but Benign).",
    ),
]
UnmarkedCleanOption = Annotated[
    bool,
    flag("--unmarked-clean", "Count samples without annotations as supported."),
]
ThresholdOption = Annotated[
    _Names,
    option(
        "--threshold",
        "NAME=VALUE",
        "Value of the score NAME that separates supported from unsupported samples, or of the"
        " sentence scores of the maker NAME (default: 0.5); VALUE without NAME= applies to all"
        " others.",
    ),
]
ChartOption = Annotated[
    str,
    option(
        "--chart",
        "MEASURE",
        "Measure that the chart shows: balanced_accuracy, f1_macro, f1_unsupported, auc or kappa.",
    ),
]


LowerOption = Annotated[
    _Names,
    option(
        "--lower-is-better",
        "NAME",
        "Score whose low values mean that a sample is supported; repeatable.",
    ),
]
HigherOption = Annotated[
    _Names,
    option(
        "--higher-is-better",
        "NAME",
        "Score whose high values mean that a sample is supported; repeatable.",
    ),
]


ProbabilityOption = Annotated[
    _Names,
    option(
        "--probability",
        "NAME",
        "Score whose values are probabilities, to measure its calibration; repeatable.",
    ),
]
BaselineOption = Annotated[
    str,
    option(
        "--baseline",
        "NAME",
        "Score, or maker of --suggestions, whose measures are subtracted from those of each other"
        " one, on the samples that have both.",
    ),
]


AggregateOption = Annotated[
    Pooling,
    typer.Option(
        "--aggregate",
        help="How many annotators must call a sample unsupported, so that it counts as"
        " unsupported: worst: one, majority: more than half, best: all.",
    ),
]


def compare(
    *,
    dataset: DatasetOption = "",
    score: ScoreOption = None,
    column: ColumnOption = None,
    suggestions: SuggestionsOption = None,
    against: AgainstOption = PEOPLE,
    unsupported_label: UnsupportedLabelOption = None,
    aggregate: AggregateOption = Pooling.WORST,
    unmarked_clean: UnmarkedCleanOption = False,
    threshold: ThresholdOption = None,
    lower_is_better: LowerOption = None,
    higher_is_better: HigherOption = None,
    probability: ProbabilityOption = None,
    baseline: BaselineOption = "",
    without_suggested_work: WithoutSuggestedWorkOption = False,
    chart: ChartOption = "balanced_accuracy",
    as_json: JsonOption = False,
    as_csv: Annotated[
        bool, flag("--csv", "Print CSV with one row for each score and measure.")
    ] = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Compare scores, judges and detectors with human labels.

    The report shows how well each score finds the samples that annotators call unsupported:
    balanced accuracy, F1, area under the curve and kappa, with intervals. Without --threshold, the
    threshold is chosen on the same samples, and the report marks the threshold. Intervals resample
    whole clusters of samples that share a source document. With --suggestions, the spans that a
    machine suggested are compared with the spans that people marked: precision, recall and F1 by
    characters, spans, sentences and samples. Sentence scores of the machine are measured in the
    same way, as decisions above a threshold.
    """
    if as_json and as_csv:
        raise InvalidInput(
            "--json and --csv both print to standard output", "pass either --json or --csv"
        )
    from tui_annotate.lab.score.comparison import ComparisonOptions, ComparisonService
    from tui_annotate.lab.score.comparison_output import as_json as shaped
    from tui_annotate.lab.score.comparison_output import describe_comparison, format_csv
    from tui_annotate.lab.score.detection_metrics import MEASURES

    if chart not in MEASURES:
        raise InvalidInput(
            f"unknown measure {chart!r}",
            f"{suggest_word(chart, MEASURES)}Choose from: {', '.join(MEASURES)}",
        )
    thresholds = _parse_thresholds(threshold or ())
    with open_workspace(workspace) as space:
        options = ComparisonOptions(
            dataset=choose_dataset(space, dataset),
            scores=tuple(score or ()),
            columns=tuple(dict.fromkeys(column or ())),
            against=against,
            unsupported_labels=tuple(unsupported_label or ()),
            aggregate=aggregate,
            unmarked_clean=unmarked_clean,
            thresholds=thresholds,
            lower_is_better=frozenset(lower_is_better or ()),
            higher_is_better=frozenset(higher_is_better or ()),
            probabilities=frozenset(probability or ()),
            baseline=baseline,
            without_suggested_work=without_suggested_work,
            suggestions=tuple(dict.fromkeys(suggestions or ())),
        )
        found = ComparisonService(space.machines).report(options)
    if found.unused_threshold:
        output.print_problem(
            f"warning: the threshold {thresholds['']:g} applies to nothing: no other score is"
            " compared, and suggestions without sentence scores have no threshold",
            f"remove --threshold {thresholds['']:g}, or add scores with --score or --column",
        )
    if as_csv:
        output.print_text(format_csv(found))
    else:
        text = describe_comparison(found, charted=chart)
        output.show(shaped(found), text, as_json=as_json)


def _parse_thresholds(given: Sequence[str]) -> dict[str, float]:
    """Return the threshold of each score; the empty name stands for all scores not named."""
    found: dict[str, float] = {}
    for each in given:
        name, _, value = each.rpartition("=")
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise InvalidInput(
                f"invalid threshold {each!r}",
                "write NAME=0.5 for the threshold of one score, or 0.5 for all scores",
            )
        found[name] = number
    return found
