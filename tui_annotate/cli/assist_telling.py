"""The figures of the assist as tables for people, within 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from tui_annotate.cli import output
from tui_annotate.cli.output import Column

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
_NAME = 30
"""Cells of an embedder's name in a table, at most."""
_ALL = "all"


def show_evaluation(found: Mapping[str, Any]) -> None:
    """What `services.assist.evaluate` gave: figures of each embedder, then the differences."""
    told = (found, *found["compared"])
    segments = output.many(found["min_segments"], "segment")
    titles = _titles(told)
    for direction, title in _DIRECTIONS.items():
        whole, sources = found[direction]["queries"], found["sources"][direction]
        queries = output.many(whole, "query", "queries")
        output.line(f"{title}: {queries} over {output.many(sources, 'source')}")
        output.line(f"searched texts of at least {segments}; {found['segmenter']}")
        for each in told:
            output.line("")
            output.line(_name(each["embedder"], each["model"]))
            _show_figures(each, direction)
        for each in found["differences"]:
            output.line("")
            output.line(f"{titles[each['embedder']]} less {titles[each['against']]}")
            _show_differences(each, direction)
        output.line("")
    bootstrap = found["bootstrap"]
    draws = output.many(bootstrap["draws"], "draw")
    output.say(f"intervals: {bootstrap['level']:.0%}, {draws} of whole sources")
    output.say("- stands where there are fewer than three sources")
    if not any(found[direction]["queries"] for direction in _DIRECTIONS):
        output.say(f"nothing was measured: no searched text with evidence has {segments}")


def _show_figures(told: Mapping[str, Any], direction: str) -> None:
    whole = told[direction] | {"intervals": told["intervals"][direction]}
    columns = [Column("queries"), Column("n", number=True)]
    output.table(
        [*columns, *(Column(title, number=True) for title in _FIGURES.values())],
        [
            [name, own["queries"], *(_with_interval(own, figure) for figure in _FIGURES)]
            for name, own in _slices(whole, told["slices"][direction])
        ],
    )


def _show_differences(told: Mapping[str, Any], direction: str) -> None:
    titles = ("n", "figure", "difference", "interval", "")
    output.table(
        [
            Column("queries"),
            *(Column(title, number=title in {"n", "difference", "interval"}) for title in titles),
        ],
        [
            [
                name,
                own["queries"],
                title,
                f"{own[figure]['difference']:+.3f}",
                _between(own[figure]["interval"]),
                "excludes zero" if own[figure]["excludes_zero"] else "",
            ]
            for name, own in _slices(told[direction], told["slices"][direction])
            for figure, title in _FIGURES.items()
            if name == _ALL or figure in {"recall_at_5", "mrr"}
        ],
    )


def _slices(
    whole: Mapping[str, Any], slices: Mapping[str, Mapping[str, Any]]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """All queries, then each slice that is a part of them, by the name that people read."""
    yield _ALL, whole
    for name, own in slices.items():
        if 0 < own["queries"] < whole["queries"]:
            yield _LANGUAGES.get(name, name.replace("_", " ")), own


def _with_interval(own: Mapping[str, Any], figure: str) -> str:
    if not own["queries"]:
        return "-"
    bounds = own["intervals"]
    between = "-".join(_share(each, 2) for each in bounds[figure]) if bounds else "-"
    return f"{_share(own[figure], 3)} {between:>7}"


def _between(bounds: list[float] | None) -> str:
    return "{:+.3f} to {:+.3f}".format(*bounds) if bounds else "-"


def _share(value: float, digits: int) -> str:
    """A value of [0, 1] in the same cells always: `.725`, `1.00`."""
    return f"{value:.{digits}f}".lstrip("0")[: digits + 1]


def _name(embedder: str, model: str) -> str:
    return f"words + {_short(model)} ({_short(embedder)})" if model else f"words alone ({embedder})"


def _titles(told: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """What each embedder is called beside others: its model, where no other has the same name."""
    models = [each["model"] or "words alone" for each in told]
    return {
        each["embedder"]: _short(model if models.count(model) == 1 else each["embedder"])
        for each, model in zip(told, models, strict=True)
    }


def _short(embedder: str) -> str:
    return embedder if len(embedder) <= _NAME else f"{embedder[: _NAME - 1]}…"
