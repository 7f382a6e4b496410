"""The commands `lab assist evaluate`, `lab assist report` and `lab assist tune`."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tui_annotate.cli import options, output
from tui_annotate.cli.help_format import RESEARCH
from tui_annotate.cli.intervals import describe_intervals
from tui_annotate.cli.options import add_command, add_group, argument, flag, open_workspace, option
from tui_annotate.cli.report_parts import (
    Cell,
    Grid,
    MessagePart,
    Part,
    ResultPart,
    flexible_column,
    number_column,
)
from tui_annotate.domain.errors import InvalidInput, TuiAnnotateError
from tui_annotate.domain.people import Permission

if TYPE_CHECKING:
    from tui_annotate.services.assist.weights import AssistWeights


_DIRECTIONS: Final = {
    "summary_to_source": "search in the source for the words of a claim",
    "source_to_summary": "search in the summary for the words of evidence",
}
_FIGURES: Final = {
    "recall_at_1": "recall@1",
    "recall_at_3": "recall@3",
    "recall_at_5": "recall@5",
    "mrr": "mrr",
}
_LANGUAGES: Final = {"en": "English", "zh": "Chinese"}
_MAX_NAME_WIDTH = 30
"""Maximum width of an embedder's name in a printed table, in terminal cells."""
_ALL = "all"
_ON_SCREEN = "on the screen"

_SHARES = {
    "top_1": "top 1",
    "top_3": "top 3",
    "top_5": "top 5",
    "outside_matches": "outside",
    "rejected_best_match": "refused",
}
_LEGEND = (
    "below each percentage is its 95 % interval; --json also prints the counts",
    'column "outside": evidence that is not among the matches',
    'column "refused": best matches that were viewed but not taken as evidence',
)


def register(app: typer.Typer) -> None:
    assist = add_group(app, "assist", "Measure how well the assist finds evidence.", panel=RESEARCH)
    add_command(
        assist,
        evaluate,
        "lab assist evaluate annotations.json",
        "lab assist evaluate batch_1.json batch_2.json --min-segments 8 --json",
        "lab assist evaluate gold.json --embedder static --compare none,neural",
    )
    add_command(
        assist,
        report,
        "lab assist report",
        "lab assist report --person ana --label Unwanted --by-week",
        "lab assist report --since 2026-01-31 --json",
    )
    add_command(
        assist, tune, "lab assist tune", "lab assist tune --apply", "lab assist tune --undo"
    )


_WithoutSuggestedWorkOption = Annotated[
    bool,
    flag(
        "--without-suggested-work",
        "Exclude claims and evidence that people accepted from a machine's suggestions.",
    ),
]
_EmbedderOption = Annotated[
    str,
    option("--embedder", "NAME", "Embedder to evaluate: auto, static, neural[:FOLDER] or none."),
]


def evaluate(
    files: Annotated[
        list[Path],
        argument(
            "FILE", "Files of annotations in the format mercury or native, evaluated together."
        ),
    ],
    *,
    min_segments: Annotated[
        int,
        option(
            "--min-segments",
            "N",
            "Evaluate only searches in texts with at least N segments.",
            minimum=1,
        ),
    ] = 1,
    embedder: _EmbedderOption = "auto",
    compare: Annotated[
        list[str] | None,
        option(
            "--compare",
            "NAMES",
            "Other embedders to compare on the same queries, separated by commas; repeatable.",
        ),
    ] = None,
    without_suggested_work: _WithoutSuggestedWorkOption = False,
    common: options.CommonOptions,
) -> None:
    """Measure how well the assist ranks known evidence.

    The files' annotations are measured in both directions: from claim to evidence, and from
    evidence to claim. No workspace is needed; in a workspace, the weights rank that `lab assist
    tune` stored there for the same embedder. A hit is a segment that shares at least 3 code points
    with the known span, or contains the whole span. The row "all" ranks all segments of the
    searched text; the row "on the screen" only the first five with a score of at least 0.08, as
    annotators see them. Each value has a 95 % interval from bootstrap resamples of whole clusters
    of sources that share a document. Each embedder of --compare is compared with --embedder.
    """
    from tui_annotate.domain.progress import TaskProgress
    from tui_annotate.lab.assist.evaluation import evaluate as evaluate_assist

    weights = _read_weights(common.workspace)
    start_times: dict[str, float] = {}
    others = [name.strip() for part in compare or () for name in part.split(",") if name.strip()]
    with output.show_progress("texts") as show:

        def show_model(model: str, texts: int, share: float) -> None:
            seconds = time.monotonic() - start_times.setdefault(model, time.monotonic())
            show(TaskProgress(model, texts, share=share, seconds=seconds))

        found = evaluate_assist(
            files,
            min_segments=min_segments,
            embedder=embedder,
            compare=others,
            weights=weights,
            without_suggested_work=without_suggested_work,
            progress=show_model,
        )
    output.show(found, _describe_evaluation(found), as_json=common.as_json)


def _read_weights(workspace: Path | None) -> Sequence[AssistWeights]:
    from tui_annotate.services.assist.weights import stored_weights

    try:
        with open_workspace(workspace) as space:
            return stored_weights(space.corpus)
    except TuiAnnotateError:
        if workspace is not None:
            raise
        return ()


def _describe_evaluation(found: Mapping[str, Any]) -> Iterator[Part]:
    evaluations = (found, *found["compared"])
    segments = output.many(found["min_segments"], "segment")
    titles = _make_embedder_titles(evaluations)
    for direction, title in _DIRECTIONS.items():
        queries = output.many(found[direction]["queries"], "query", "queries")
        sources = output.many(found["sources"][direction], "source")
        yield f"{title}: {queries} over {sources}"
        yield f"only texts with at least {segments} are searched (segmenter: {found['segmenter']})"
        for each in evaluations:
            yield ""
            embedder = each["embedder"]
            model = each["model"]
            signals = f"words + {_shorten(model)}" if model else "words only"
            yield f"{signals} ({_shorten(embedder) if model else embedder})"
            yield f"weights of the signals: {each['weights'] or 'built-in'}"
            yield from _describe_figures(each, direction)
        for each in found["differences"]:
            yield ""
            yield f"{titles[each['embedder']]} minus {titles[each['against']]}"
            yield _differences_grid(each, direction)
        yield ""
    clusters = {
        direction.replace("_", " "): count
        for direction, count in found["clusters"].items()
        if found[direction]["queries"]
    }
    yield from describe_intervals(clusters)
    yield MessagePart("- means no interval, because there are fewer than three clusters")
    yield from _describe_origins(found)
    if not any(found[direction]["queries"] for direction in _DIRECTIONS):
        yield MessagePart(f"nothing to measure: no searched text has at least {segments}")


def _describe_origins(found: Mapping[str, Any]) -> Iterator[Part]:
    """Describe how many queries a machine proposed, since such work flatters a machine."""
    suggested = sum(found["suggested"].values())
    shown = sum(found["from_match"].values())
    if suggested:
        queries = output.many(suggested, "query", "queries")
        if found["without_suggested_work"]:
            yield MessagePart(f"excluded: {queries} that people accepted from suggestions")
        else:
            yield MessagePart(
                f"warning: people accepted {queries} from suggestions",
                hint="to exclude them, pass --without-suggested-work",
            )
    if shown:
        yield MessagePart(
            f"warning: in {output.many(shown, 'query', 'queries')} people took the evidence from a"
            " match that the assist displayed: their ranks are too good",
            hint="compare with files that were annotated without the assist",
        )


def _describe_figures(evaluation: Mapping[str, Any], direction: str) -> Iterator[Part]:
    whole = evaluation[direction] | {"intervals": evaluation["intervals"][direction]}
    screen = evaluation["screen"][direction]
    rows = [*_list_query_slices(whole, evaluation["slices"][direction])]
    rows.insert(1, (_ON_SCREEN, screen))
    yield Grid(
        ["queries", *map(number_column, ("n", *_FIGURES.values()))],
        [
            [name, row["queries"], *(_format_with_interval(row, figure) for figure in _FIGURES)]
            for name, row in rows
        ],
    )
    if screen["blank"]:
        blank = output.many(screen["blank"], "query", "queries")
        yield f"for {blank} the screen shows no match"


def _differences_grid(difference: Mapping[str, Any], direction: str) -> Grid:
    slices = _list_query_slices(difference[direction], difference["slices"][direction])
    return Grid(
        [
            "queries",
            number_column("n"),
            "measure",
            number_column("difference"),
            number_column("interval"),
            "",
        ],
        [
            [
                name,
                row["queries"],
                title,
                _format_difference(row[figure]["difference"]),
                _format_difference_interval(row[figure]["interval"]),
                "excludes zero" if row[figure]["excludes_zero"] else "",
            ]
            for name, row in slices
            for figure, title in _FIGURES.items()
            if name == _ALL or figure in {"recall_at_5", "mrr"}
        ],
    )


def _list_query_slices(
    whole: Mapping[str, Any], slices: Mapping[str, Mapping[str, Any]]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield (title, results) for all queries, then for each group of queries (by language etc.)."""
    yield _ALL, whole
    for name, row in slices.items():
        if 0 < row["queries"] < whole["queries"]:
            yield _LANGUAGES.get(name, name.replace("_", " ")), row


def _format_with_interval(row: Mapping[str, Any], figure: str) -> str:
    if not row["queries"]:
        return "-"
    bounds = row["intervals"]
    between = "-".join(_format_share(each, 2) for each in bounds[figure]) if bounds else "-"
    return f"{_format_share(row[figure], 3)} {between:>7}"


def _format_difference(value: float | None) -> str:
    return "-" if value is None else f"{value:+.3f}"


def _format_difference_interval(bounds: list[float] | None) -> str:
    return "{:+.3f} to {:+.3f}".format(*bounds) if bounds else "-"


def _format_share(value: float, digits: int) -> str:
    """Format a value in [0, 1] with a fixed width: `.725`, `1.00`."""
    return f"{value:.{digits}f}".lstrip("0")[: digits + 1]


def _make_embedder_titles(evaluations: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    models = [each["model"] or "words only" for each in evaluations]
    return {
        each["embedder"]: _shorten(model if models.count(model) == 1 else each["embedder"])
        for each, model in zip(evaluations, models, strict=True)
    }


def _shorten(embedder: str) -> str:
    return embedder if len(embedder) <= _MAX_NAME_WIDTH else f"{embedder[: _MAX_NAME_WIDTH - 1]}…"


def report(
    *,
    dataset: options.OfDatasetOption = "",
    sample: Annotated[
        str, options.sample_option("Only samples with this id (default: all samples).")
    ] = "",
    person: options.OfPersonOption = "",
    label: options.OfLabelOption = "",
    since: options.SinceOption = "",
    by_week: Annotated[bool, flag("--by-week", "Group by week (default: by month).")] = False,
    common: options.CommonOptions,
) -> None:
    """Show which matches annotators took as evidence.

    The report shows the ranks of the matches that became evidence, by annotator, label, time and
    model. It also shows how often annotators viewed the first match but did not take it. Each
    percentage has its 95 % interval below it, which resamples whole clusters of samples that share
    a source document. --json also prints the counts, and how much evidence has the exact words of a
    match.
    """
    with open_workspace(common.workspace) as space:
        found = space.assist_report(
            by_week=by_week, dataset=dataset, sample=sample, person=person, label=label, since=since
        )
    output.show(found, _describe_report(found), as_json=common.as_json)


def _describe_report(found: Mapping[str, Any]) -> Iterator[Part]:
    if found["without_snapshot"]:
        unknown = output.many(found["without_snapshot"], "annotation")
        yield MessagePart(
            f"excluded: {unknown} without a record of the matches shown to the annotator"
        )
    if not found["annotations"]:
        yield MessagePart(
            "nothing to report: no annotation has a record of the matches shown to the annotator"
        )
        return
    titles = {
        "by_annotator": "annotator",
        "by_label": "label",
        f"by_{found['period']}": found["period"],
        "by_ranking": "ranked by",
    }
    yield _shares_grid("", [{"name": "all", **found}])
    for grouping, title in titles.items():
        rows = [row for row in found[grouping] if row["annotations"]]
        if rows:
            yield ""
            yield _shares_grid(title, rows)
    for line in _LEGEND:
        yield MessagePart(line)
    yield from describe_intervals({"annotations": found["clusters"]})


def _shares_grid(title: str, rows: list[dict[str, Any]]) -> Grid:
    """Return a table with the shares of each row, and their intervals in a row below."""
    cells: list[list[Cell]] = []
    for row in rows:
        shares = [row[name] for name in _SHARES]
        cells.append(
            [row["name"], row["annotations"], row["spans"], *map(_format_percentage, shares)]
        )
        if any(share["low"] is not None for share in shares):
            cells.append(["", "", "", *map(_format_bounds, shares)])
    numbers = ("saved", "spans", *_SHARES.values())
    return Grid([flexible_column(title), *map(number_column, numbers)], cells)


def _format_percentage(share: Mapping[str, Any]) -> str:
    return "-" if share["share"] is None else f"{100 * share['share']:.0f}%"


def _format_bounds(share: Mapping[str, Any]) -> str:
    return "" if share["low"] is None else f"{100 * share['low']:.0f}-{100 * share['high']:.0f}"


def tune(
    *,
    apply: Annotated[
        bool, flag("--apply", "Store the new weights if they are better on left-out sources.")
    ] = False,
    force: Annotated[
        bool, flag("--force", "With --apply: store the new weights even if they are not better.")
    ] = False,
    undo: Annotated[bool, flag("--undo", "Restore the built-in weights, and fit nothing.")] = False,
    without_suggested_work: _WithoutSuggestedWorkOption = False,
    seed: Annotated[
        int,
        option("--seed", "N", "Random seed for dividing the sources into five parts.", minimum=0),
    ] = 0,
    common: options.CommonOptions,
) -> None:
    """Fit the weights of the assist to the workspace's own evidence.

    The queries are the claims and evidence that people annotated, in both directions. The table
    compares the built-in weights with new weights on sources that the fit did not see (five-fold
    cross-validation over sources). The new weights are better if the 95 % interval of the
    difference is above zero for MRR, or below zero for the Brier score (squared error of the
    scores), and no measure is worse beyond its interval in any direction. Nothing is stored
    without --apply.
    """
    if (undo and apply) or (force and not apply):
        raise InvalidInput("--force needs --apply, and --undo excludes --apply", "use one action")
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        tuning = space.assist_tuning
        if undo:
            undone = tuning.undo()
            line = f"the built-in weights replace the {undone or 'damaged'} weights"
            output.show({"undone": undone}, [ResultPart(line)], as_json=common.as_json)
            return
        with output.show_progress("queries") as show:
            found = tuning.run(
                seed=seed, without_suggested_work=without_suggested_work, progress=show
            )
        if not common.as_json:
            output.print_parts(_describe_tuning(found))
        applied = ""
        if apply and (found["improved"] or force):
            applied = tuning.apply(found, force=force)
        if common.as_json:
            output.print_json({**found, "applied": applied})
        if apply and not applied:
            tuning.apply(found)  # raises the error that states why nothing was stored
    if applied and not common.as_json:
        output.print_result(f"stored: the assist ranks with the weights {applied}")


def _describe_tuning(found: Mapping[str, Any]) -> Iterator[Part]:
    for each in found["curves"]:
        weights = ", ".join(f"{name} {share:.2f}" for name, share in each["weights"].items())
        yield f"new weights, {each['direction'].replace('_', ' ')}: {weights}"
    numbers = ("n", "built-in", "new", "difference", "interval")
    yield Grid(
        ["left-out sources", "measure", *map(number_column, numbers)],
        [
            [
                scope.replace("_", " "),
                title,
                own["queries"],
                _format_share(own["old"][name], 3),
                _format_share(own["new"][name], 3),
                f"{own[name]['difference']:+.3f}",
                _format_difference_interval(own[name]["interval"]),
            ]
            for scope, own in found["measures"].items()
            for name, title in {**_FIGURES, "brier": "Brier"}.items()
        ],
    )
    yield from describe_intervals({"queries": found["clusters"]})
    yield from _describe_origins(found)
    if found["improved"]:
        yield MessagePart(
            "gain: on left-out sources, MRR or the Brier score is better beyond its 95 % interval"
        )
    else:
        yield MessagePart(
            "no gain: on left-out sources, neither MRR nor the Brier score is better beyond its"
            " 95 % interval, or a measure is worse"
        )
