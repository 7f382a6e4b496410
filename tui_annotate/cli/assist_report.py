"""The command `assist report`: how the assist fared in the work that people did."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from tui_annotate.cli import completion, output
from tui_annotate.cli.options import (
    JsonOption,
    OfDatasetOption,
    OfLabelOption,
    OfPersonOption,
    SinceOption,
    WorkspaceOption,
    examples,
    opened,
)

EXAMPLES = examples(
    "tui-annotate assist report",
    "tui-annotate assist report --person ana --label Unwanted --weeks",
    "tui-annotate assist report --since 2026-01-31 --json",
)
_SHARES = {
    "top_1": "top 1",
    "top_3": "top 3",
    "top_5": "top 5",
    "outside": "outside",
    "refused_best": "refused",
}
_LEGEND = (
    "under each share: its 95% interval; outside: evidence that no match holds",
    "refused: of first matches looked at, those not taken; --json tells more",
)


def report(
    *,
    dataset: OfDatasetOption = "",
    sample: Annotated[
        str,
        typer.Option(
            metavar="ID", help="Samples of this id alone.", autocompletion=completion.samples
        ),
    ] = "",
    person: OfPersonOption = "",
    label: OfLabelOption = "",
    since: SinceOption = "",
    weeks: Annotated[bool, typer.Option("--weeks", help="By week; else by month.")] = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Tell how the assist fared in the work that was done.

    From how high in the list evidence was taken, by annotator, label, time and model; and how often
    the first match was looked at and refused. Under each share stands its 95 % interval (Wilson);
    --json tells counts as well, and how much evidence is exact words of a match.
    """
    with opened(workspace) as space:
        found = space.assist_report(
            weeks=weeks, dataset=dataset, sample=sample, person=person, label=label, since=since
        )
    if as_json:
        output.as_json(found)
        return
    _show(found)


def _show(found: Mapping[str, Any]) -> None:
    if found["unknown"]:
        unknown = output.many(found["unknown"], "annotation")
        output.say(f"left out: {unknown} with no record of what the assist showed")
    if not found["annotations"]:
        output.say("nothing to report yet: records are kept of annotations made on the screen")
        return
    titles = {
        "by_annotator": "annotator",
        "by_label": "label",
        f"by_{found['period']}": found["period"],
        "by_ranking": "ranked by",
    }
    _table("", [{"name": "all", **found}])
    for grouping, title in titles.items():
        told = [row for row in found[grouping] if row["annotations"]]
        if told:
            output.line("")
            _table(title, told)
    for line in _LEGEND:
        output.say(line)


def _table(title: str, rows: list[dict[str, Any]]) -> None:
    columns = [output.Column(title, flexible=True)]
    columns += [output.Column(name, number=True) for name in ("saved", "spans")]
    columns += [output.Column(name, number=True) for name in _SHARES.values()]
    cells: list[list[str | float]] = []
    for row in rows:
        shares = [row[name] for name in _SHARES]
        cells.append([row["name"], row["annotations"], row["spans"], *map(_share, shares)])
        if any(share["share"] is not None for share in shares):
            cells.append(["", "", "", *map(_interval, shares)])
    output.table(columns, cells)


def _share(share: Mapping[str, Any]) -> str:
    """In hundredths; a dash for none."""
    return "-" if share["share"] is None else f"{100 * share['share']:.0f}%"


def _interval(share: Mapping[str, Any]) -> str:
    return "" if share["share"] is None else f"{100 * share['low']:.0f}-{100 * share['high']:.0f}"
