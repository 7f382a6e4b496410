"""Commands about the assist: what it finds for a span, and how well it finds what people chose."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tui_annotate.cli import options, output
from tui_annotate.cli.options import add_command, add_group, argument, flag, open_workspace, option
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.samples import Side, Signals
from tui_annotate.domain.spans import Span

if TYPE_CHECKING:
    from tui_annotate.domain.samples import Match, Sample


_SPAN = re.compile(r"(\d+):(\d+)")


_DIRECTIONS: Final = {
    "summary_to_source": "from summary to source",
    "source_to_summary": "from source to summary",
}
_FIGURES: Final = {
    "recall_at_1": "recall@1",
    "recall_at_3": "recall@3",
    "recall_at_5": "recall@5",
    "mrr": "mrr",
}
_LANGUAGES: Final = {"en": "English", "zh": "Chinese"}
_MAX_NAME_WIDTH = 30
"""Cells of an embedder's name in a table."""
_ALL = "all"

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


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    add_command(
        app,
        match,
        "match --sample news/17 --side summary --span 90:107",
        "match --sample news/17 --side source --span 0:60 --top 3 --json",
    )
    assist = add_group(app, "assist", "How well the assist finds what people choose.")
    add_command(
        assist,
        evaluate,
        "assist evaluate annotations.json",
        "assist evaluate batch_1.json batch_2.json --min-segments 8 --json",
        "assist evaluate gold.json --embedder static --compare none,neural",
    )
    add_command(
        assist,
        report,
        "assist report",
        "assist report --person ana --label Unwanted --weeks",
        "assist report --since 2026-01-31 --json",
    )


def match(
    *,
    sample: Annotated[str, options.sample_option("The sample: its id, or dataset/id.")],
    side: Annotated[Side, typer.Option(help="The side on which the span lies.")],
    span: Annotated[
        str, option("--span", "START:END", "In code points from 0; the end is not in it.")
    ],
    document: Annotated[
        str, option("--document", "KEY", "The document of that side, where it has several.")
    ] = "",
    top: Annotated[int, option("--top", "N", "How many to print at most.", minimum=1)] = 5,
    by: Annotated[
        Signals, typer.Option(help="What ranks: all signals, or one kind alone.")
    ] = Signals.FUSED,
    common: options.CommonOptions,
) -> None:
    """Print what the screen lights up for a span.

    Ranked segments of the other side, with scores; the best first.
    """
    found = _SPAN.fullmatch(span.strip())
    if not found:
        raise InvalidInput(f"{span!r} is no span", "write START:END, for example 90:107")
    chosen = Span(int(found[1]), int(found[2]))
    with open_workspace(common.workspace) as space:
        key = space.corpus.find(sample)
        result = space.match(key, side=side, span=chosen, document=document, top=top, by=by)
    rows = [match_as_json(each, result.sample, side.other) for each in result.matches]
    if common.as_json:
        where = {"sample": str(key), "side": side.value, "document": document}
        what = {"span": [chosen.start, chosen.end], "text": result.text, "signals": result.signals}
        output.print_json({**where, **what, "matches": rows})
        return
    output.print_message(f"{key}, {side} {chosen}: {result.text!r}; {result.signals}")
    print_matches(rows)
    if not rows:
        output.print_message("nothing on the other side is related")


def match_as_json(match: Match, sample: Sample, side: Side) -> dict[str, Any]:
    """A match as the commands print it; `side` is where it lies."""
    document = sample.document(side, match.document)
    return {
        "rank": match.rank,
        "score": round(match.score, 4),
        "strength": match.strength,
        "side": side.value,
        "document": document.key,
        "segment": match.segment,
        "start": match.span.start,
        "end": match.span.end,
        "signals": {name: round(value, 4) for name, value in match.signals.items()},
        "text": match.span.of(document.text),
    }


def print_matches(rows: Sequence[Mapping[str, Any]]) -> None:
    """Matches, as `match_as_json` gives them, as a table: rank, scores, position, text.

    The screen lights up what has a strength of 1 to 5.
    """
    signals = sorted({name for row in rows for name in row["signals"]})
    several = any(row["document"] for row in rows)
    titles = ("rank", "score", "strength", *signals, *["document"] * several, "position", "text")
    output.print_table(
        [
            output.Column(each, number=each not in {"document", "text"}, flexible=each == "text")
            for each in titles
        ],
        [
            [
                row["rank"],
                float(row["score"]),
                row["strength"],
                *(float(row["signals"].get(name, 0)) for name in signals),
                *[row["document"]] * several,
                f"{row['start']}:{row['end']}",
                row["text"].strip(),
            ]
            for row in rows
        ],
    )


def evaluate(
    files: Annotated[list[Path], argument("FILE", "Mercury dumps, taken together.")],
    *,
    min_segments: Annotated[
        int,
        option(
            "--min-segments", "N", "Count only searched texts with at least N segments.", minimum=1
        ),
    ] = 1,
    embedder: Annotated[
        str, option("--embedder", "NAME", "auto, static, neural, neural:FOLDER or none.")
    ] = "auto",
    compare: Annotated[
        list[str] | None,
        option(
            "--compare",
            "NAMES",
            "Others on the same queries, parted by commas; may be given again.",
        ),
    ] = None,
    as_json: options.JsonOption = False,
) -> None:
    """Measure the assist against what people chose.

    For both directions; needs no workspace. A query is a distinct (texts, claim, evidence); every
    segment of the other side is ranked; a hit is a segment that shares at least 3 code points
    with the span, or all of it. Beside each figure stands its 95 % interval: sources are drawn
    anew, each with all its queries. Each of --compare is held against --embedder.
    """
    from tui_annotate.domain.progress import TaskProgress
    from tui_annotate.services.assist.evaluation import evaluate as evaluate_assist

    start_times: dict[str, float] = {}
    others = [name.strip() for part in compare or () for name in part.split(",") if name.strip()]
    with output.show_progress("texts") as show:

        def show_model(model: str, texts: int, share: float) -> None:
            seconds = time.monotonic() - start_times.setdefault(model, time.monotonic())
            show(TaskProgress(model, texts, share=share, seconds=seconds))

        found = evaluate_assist(
            files, min_segments=min_segments, embedder=embedder, compare=others, progress=show_model
        )
    if as_json:
        output.print_json(found)
    else:
        _print_evaluation(found)


def _print_evaluation(found: Mapping[str, Any]) -> None:
    evaluations = (found, *found["compared"])
    segments = output.many(found["min_segments"], "segment")
    titles = _make_embedder_titles(evaluations)
    for direction, title in _DIRECTIONS.items():
        whole, sources = found[direction]["queries"], found["sources"][direction]
        queries = output.many(whole, "query", "queries")
        output.print_line(f"{title}: {queries} over {output.many(sources, 'source')}")
        output.print_line(f"searched texts of at least {segments}; {found['segmenter']}")
        for each in evaluations:
            output.print_line("")
            embedder, model = each["embedder"], each["model"]
            signals = f"words + {_shorten(model)}" if model else "words alone"
            output.print_line(f"{signals} ({_shorten(embedder) if model else embedder})")
            _print_figures(each, direction)
        for each in found["differences"]:
            output.print_line("")
            output.print_line(f"{titles[each['embedder']]} less {titles[each['against']]}")
            _print_differences(each, direction)
        output.print_line("")
    bootstrap = found["bootstrap"]
    draws = output.many(bootstrap["draws"], "draw")
    output.print_message(f"intervals: {bootstrap['level']:.0%}, {draws} of whole sources")
    output.print_message("- stands where there are fewer than three sources")
    if not any(found[direction]["queries"] for direction in _DIRECTIONS):
        output.print_message(f"nothing was measured: no searched text with evidence has {segments}")


def _print_figures(evaluation: Mapping[str, Any], direction: str) -> None:
    whole = evaluation[direction] | {"intervals": evaluation["intervals"][direction]}
    output.print_table(
        ["queries", *map(output.number_column, ("n", *_FIGURES.values()))],
        [
            [name, row["queries"], *(_format_with_interval(row, figure) for figure in _FIGURES)]
            for name, row in _list_query_slices(whole, evaluation["slices"][direction])
        ],
    )


def _print_differences(difference: Mapping[str, Any], direction: str) -> None:
    numbers = map(output.number_column, ("difference", "interval"))
    output.print_table(
        ["queries", output.number_column("n"), "figure", *numbers, ""],
        [
            [
                name,
                row["queries"],
                title,
                f"{row[figure]['difference']:+.3f}",
                _format_difference_interval(row[figure]["interval"]),
                "excludes zero" if row[figure]["excludes_zero"] else "",
            ]
            for name, row in _list_query_slices(
                difference[direction], difference["slices"][direction]
            )
            for figure, title in _FIGURES.items()
            if name == _ALL or figure in {"recall_at_5", "mrr"}
        ],
    )


def _list_query_slices(
    whole: Mapping[str, Any], slices: Mapping[str, Mapping[str, Any]]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """All queries, then each slice that is a part of them, by the name that people read."""
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


def _format_difference_interval(bounds: list[float] | None) -> str:
    return "{:+.3f} to {:+.3f}".format(*bounds) if bounds else "-"


def _format_share(value: float, digits: int) -> str:
    """A value of [0, 1] in the same cells always: `.725`, `1.00`."""
    return f"{value:.{digits}f}".lstrip("0")[: digits + 1]


def _make_embedder_titles(evaluations: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The name of each embedder in a comparison: its model, where no other has the same name."""
    models = [each["model"] or "words alone" for each in evaluations]
    return {
        each["embedder"]: _shorten(model if models.count(model) == 1 else each["embedder"])
        for each, model in zip(evaluations, models, strict=True)
    }


def _shorten(embedder: str) -> str:
    return embedder if len(embedder) <= _MAX_NAME_WIDTH else f"{embedder[: _MAX_NAME_WIDTH - 1]}…"


def report(
    *,
    dataset: options.OfDatasetOption = "",
    sample: Annotated[str, options.sample_option("Samples of this id alone.")] = "",
    person: options.OfPersonOption = "",
    label: options.OfLabelOption = "",
    since: options.SinceOption = "",
    weeks: Annotated[bool, flag("--weeks", "By week; else by month.")] = False,
    common: options.CommonOptions,
) -> None:
    """Tell how the assist fared in the work that was done.

    From how high in the list evidence was taken, by annotator, label, time and model; and how often
    the first match was looked at and refused. Under each share stands its 95 % interval (Wilson);
    --json tells counts as well, and how much evidence is exact words of a match.
    """
    with open_workspace(common.workspace) as space:
        found = space.assist_report(
            weeks=weeks, dataset=dataset, sample=sample, person=person, label=label, since=since
        )
    if common.as_json:
        output.print_json(found)
    else:
        _print_report(found)


def _print_report(found: Mapping[str, Any]) -> None:
    if found["unknown"]:
        unknown = output.many(found["unknown"], "annotation")
        output.print_message(f"left out: {unknown} with no record of what the assist showed")
    if not found["annotations"]:
        output.print_message(
            "nothing to report yet: records are kept of annotations made on the screen"
        )
        return
    titles = {
        "by_annotator": "annotator",
        "by_label": "label",
        f"by_{found['period']}": found["period"],
        "by_ranking": "ranked by",
    }
    _print_shares("", [{"name": "all", **found}])
    for grouping, title in titles.items():
        rows = [row for row in found[grouping] if row["annotations"]]
        if rows:
            output.print_line("")
            _print_shares(title, rows)
    for line in _LEGEND:
        output.print_message(line)


def _print_shares(title: str, rows: list[dict[str, Any]]) -> None:
    numbers = ("saved", "spans", *_SHARES.values())
    cells: list[list[str | float]] = []
    for row in rows:
        shares = [row[name] for name in _SHARES]
        cells.append(
            [row["name"], row["annotations"], row["spans"], *map(_format_percentage, shares)]
        )
        if any(share["share"] is not None for share in shares):
            cells.append(["", "", "", *map(_format_bounds, shares)])
    output.print_table([output.flexible_column(title), *map(output.number_column, numbers)], cells)


def _format_percentage(share: Mapping[str, Any]) -> str:
    return "-" if share["share"] is None else f"{100 * share['share']:.0f}%"


def _format_bounds(share: Mapping[str, Any]) -> str:
    return "" if share["share"] is None else f"{100 * share['low']:.0f}-{100 * share['high']:.0f}"
