"""The command `compare-machines`: how well scores and detectors tell what people say."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import typer

from tui_annotate.cli import output
from tui_annotate.cli.options import (
    JsonOption,
    WorkspaceOption,
    choose_dataset,
    examples,
    flag,
    open_workspace,
    option,
)
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.scores import Pooling
from tui_annotate.lab.score.commands import DatasetOption

if TYPE_CHECKING:
    from collections.abc import Sequence


_Names = list[str] | None


def register(app: typer.Typer) -> None:
    """Adds this command to the app."""
    app.command(
        name="compare-machines",
        epilog=examples(
            "tui-annotate compare-machines --dataset news",
            "tui-annotate compare-machines --dataset batch --column hhemv1 --column trueteacher",
            "tui-annotate compare-machines --dataset news --score faithfulness --threshold .5",
            "tui-annotate compare-machines --dataset news --against settled --chart auc --json",
        ),
    )(compare_machines)


ScoreOption = Annotated[
    _Names,
    option("--score", "NAME", "This score, or those of this maker; else all that there are."),
]
ColumnOption = Annotated[
    _Names,
    option("--column", "META", "A column of the samples that holds a detector's numbers."),
]
AgainstOption = Annotated[
    str,
    option("--against", "WHOM", "people (all readers), settled (by review), or a person's name."),
]
UnwantedOption = Annotated[
    _Names,
    option("--unwanted", "LABEL", "What calls a sample unsupported; else any label but Benign."),
]
UnmarkedCleanOption = Annotated[
    bool,
    flag("--unmarked-clean", "Samples in which nobody marked anything count as supported."),
]
ThresholdOption = Annotated[
    _Names,
    option("--threshold", "NAME=VALUE", "Where a score parts them; VALUE alone for all others."),
]
ChartOption = Annotated[
    str,
    option(
        "--chart",
        "MEASURE",
        "What is drawn: balanced_accuracy, f1_macro, f1_unsupported, auc or kappa.",
    ),
]


def compare_machines(
    *,
    dataset: DatasetOption = "",
    score: ScoreOption = None,
    column: ColumnOption = None,
    against: AgainstOption = "people",
    unwanted: UnwantedOption = None,
    pool: Annotated[
        Pooling, typer.Option(help="Unsupported by one reader, by more than half, or by all.")
    ] = Pooling.WORST,
    unmarked_clean: UnmarkedCleanOption = False,
    threshold: ThresholdOption = None,
    low: Annotated[
        _Names, option("--low", "NAME", "Of this one a low value is the better supported.")
    ] = None,
    high: Annotated[
        _Names, option("--high", "NAME", "Of this one a high value is the better.")
    ] = None,
    chart: ChartOption = "balanced_accuracy",
    as_json: JsonOption = False,
    as_csv: Annotated[bool, flag("--csv", "Print CSV: a row for each measure.")] = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Hold scores, judges and detectors against people.

    How well do they find what people call unsupported?

    By sample: balanced accuracy, F1, area under the curve, kappa, with intervals. A threshold that
    is not given is chosen on the same samples, and told so.
    """
    if as_json and as_csv:
        raise InvalidInput("--json and --csv both print to standard output", "give one of them")
    from tui_annotate.lab.score.comparison import ComparisonOptions, ComparisonService
    from tui_annotate.lab.score.comparison_output import as_json as shaped
    from tui_annotate.lab.score.comparison_output import print_comparison, print_csv
    from tui_annotate.lab.score.detection_metrics import MEASURES

    if chart not in MEASURES:
        raise InvalidInput(f"no measure {chart!r}", f"there are: {', '.join(MEASURES)}")
    thresholds = _parse_thresholds(threshold or ())
    with open_workspace(workspace) as space:
        options = ComparisonOptions(
            dataset=choose_dataset(space, dataset),
            scores=tuple(score or ()),
            columns=tuple(dict.fromkeys(column or ())),
            against=against,
            unwanted=tuple(unwanted or ()),
            pool=pool,
            unmarked_clean=unmarked_clean,
            thresholds=thresholds,
            low=frozenset(low or ()),
            high=frozenset(high or ()),
        )
        found = ComparisonService(space.machines).report(options)
    if as_json:
        output.print_json(shaped(found))
    elif as_csv:
        print_csv(found)
    else:
        print_comparison(found, charted=chart)


def _parse_thresholds(given: Sequence[str]) -> dict[str, float]:
    """By name; of all that are not named under the empty one."""
    found: dict[str, float] = {}
    for each in given:
        name, _, value = each.rpartition("=")
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise InvalidInput(f"{each!r} is no threshold", "write NAME=0.5, or 0.5 for all")
        found[name] = number
    return found
