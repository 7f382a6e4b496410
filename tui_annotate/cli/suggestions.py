"""The commands `suggestions`: list, import, create, delete, report, hide and unhide suggestions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple, TypedDict

import typer

from tui_annotate.cli import completion, options, output
from tui_annotate.cli.earlier_suggestions import print_earlier_suggestions
from tui_annotate.cli.help_format import MODELS
from tui_annotate.cli.intervals import describe_intervals
from tui_annotate.cli.options import add_command, add_group, argument, flag, open_workspace, option
from tui_annotate.cli.report_parts import (
    Column,
    Columns,
    Grid,
    MessagePart,
    NotePart,
    Part,
    ResultPart,
    Table,
    flexible_column,
    number_column,
    whole_column,
)
from tui_annotate.domain.labels import JOINER
from tui_annotate.domain.people import Permission
from tui_annotate.domain.suggestions import suggestion_to_json

if TYPE_CHECKING:
    from tui_annotate.domain.scores import ScoreRun
    from tui_annotate.services.suggestions import QuotedSuggestion, SuggestionCounts
    from tui_annotate.storage.suggestions import SuggestionListing


MakerOption = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Only suggestions that this maker (a model or program) made, as listed by"
        " `tui-annotate suggestions list`.",
    ),
]
RequiredDatasetOption = Annotated[str, options.dataset_option("Name of the dataset.")]


_SHORT = 8
_COUNTS = ("offered", "open", "passed", "accepted", "changed", "refused")
_HEADINGS = {"refused": "rejected"}
"""Headings of columns that the JSON of the report names by other words."""
_RARE = "removed"
"""Name of the report's column of removed suggestions, shown only if there are any."""
_REASONS = 5
_SHOWN_RUNS = 3
"""Maximum number of runs that the question before a deletion names."""
_LEGEND = (
    'column "acceptance": percentage of answers that accept a suggestion, with its 95 % interval',
    'column "offered" counts each suggestion once; other columns count it once per person',
    'column "passed": the person completed the sample without answering the suggestion',
    'column "open": the suggestion is not answered and the sample is not completed',
)


class DeletedSuggestions(TypedDict):
    """Number of deleted suggestions."""

    deleted: int


class HiddenSuggestions(TypedDict):
    """Whether annotators see suggestions and scores of a dataset."""

    dataset: str
    hidden: bool


class PrintedAnswers(TypedDict):
    """How annotators answered a suggestion.

    Attributes:
        quote: words of the first span.
        seen: number of people who saw the suggestion.
        answers: numbers of answers by kind.
        reasons: reasons of refusals.
    """

    quote: str
    seen: int
    answers: dict[str, int]
    reasons: list[str]


def register(app: typer.Typer) -> None:
    suggestions = add_group(
        app, "suggestions", "Manage machine suggestions of annotations.", panel=MODELS
    )
    add_command(
        suggestions,
        list_suggestions,
        "suggestions list --open",
        "suggestions list --dataset news --json",
        name="list",
    )
    add_command(
        suggestions,
        import_suggestions,
        "suggestions import found.jsonl --maker import:detector",
        name="import",
    )
    add_command(
        suggestions,
        create,
        "suggestions create --dataset news --score source_overlap --below 0.2",
    )
    add_command(
        suggestions,
        delete,
        "suggestions delete --run 3f0a9c41",
        "suggestions delete --maker judge:tiny --yes",
    )
    add_command(suggestions, report, "suggestions report --dataset news")
    add_command(suggestions, hide, "suggestions hide --dataset news")
    add_command(suggestions, unhide, "suggestions unhide --dataset news")


def list_suggestions(
    *,
    dataset: options.OfDatasetOption = "",
    maker: MakerOption = "",
    only_open: Annotated[
        bool, flag("--open", "List only suggestions that no annotator has answered.")
    ] = False,
    common: options.CommonOptions,
) -> None:
    """List suggestions, and how annotators answered them.

    The list does not name the people who answered. With --open, rejected and accepted suggestions
    are excluded.
    """
    with open_workspace(common.workspace, needs=Permission.REPORT) as space:
        space.machines.suggestions.require_maker(maker)
        service = space.machines.suggestion_service
        found = list(service.list_suggestions(dataset=dataset, maker=maker, open=only_open))
    text: list[Part] = [Table(found, _SUGGESTIONS)]
    if not found:
        text = [
            NotePart("no suggestions wait for an answer" if only_open else "no suggestions yet")
        ]
    values = [_suggestion_as_json(each) for each in found]
    output.show(values, text, as_json=common.as_json)


def import_suggestions(
    file: Annotated[Path, argument("FILE", "JSONL file with one suggestion per line.")],
    *,
    dataset: Annotated[
        str,
        options.dataset_option("Dataset of suggestions whose line in the file names no dataset."),
    ] = "",
    maker: Annotated[
        str,
        option(
            "--maker",
            "NAME",
            "Name of the model or program that made the suggestions, for lines of the file without "
            "a name (default: import:FILE_NAME).",
        ),
    ] = "",
    common: options.CommonOptions,
) -> None:
    """Import suggestions.

    Each line of the file names a sample and quotes words of its summary. A label, evidence, a
    reason and a score are optional. Quotes must occur in the texts, labels in the label set. A line
    with a list "suggestions" states that the machine ran for the sample, also if the list is empty;
    "sentence_scores" gives a probability for each sentence. If a line has an error, nothing is
    imported.
    """
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        counts = space.machines.suggestion_service.read(
            file,
            dataset=dataset,
            maker=maker,
            problem=lambda found: output.print_problem(
                f"{found.where}: {found.message}", found.hint
            ),
        )
    _show_counts(counts, as_json=common.as_json)


def create(
    *,
    dataset: RequiredDatasetOption,
    score: Annotated[
        str, option("--score", "NAME", "Name of the score by which summary segments are selected.")
    ],
    below: Annotated[
        float | None, option("--below", "X", "Suggest segments whose score is below this number.")
    ] = None,
    above: Annotated[
        float | None,
        option(
            "--above",
            "X",
            "Suggest segments whose score is above this number (for scores that should be low).",
        ),
    ] = None,
    label: Annotated[
        str,
        option(
            "--label",
            "LABEL",
            "Label of the suggestions (default: no label).",
            complete=completion.labels,
        ),
    ] = "",
    common: options.CommonOptions,
) -> None:
    """Create suggestions from a score.

    Summary segments whose score indicates poor support by the source are suggested. The command
    uses the newest run that has the score for segments; see `tui-annotate lab scores compute`.
    """
    from tui_annotate.services.suggestions import ScoreThreshold

    threshold = ScoreThreshold(below, above)
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        counts = space.machines.suggestion_service.from_scores(
            dataset, score, threshold=threshold, label=label
        )
    _show_counts(counts, as_json=common.as_json)


def delete(
    *,
    run: Annotated[
        str,
        option(
            "--run",
            "ID",
            "Id of the run whose suggestions are deleted, or the beginning of the id.",
        ),
    ] = "",
    maker: MakerOption = "",
    dataset: options.OfDatasetOption = "",
    yes: options.YesOption = False,
    common: options.CommonOptions,
) -> None:
    """Delete suggestions.

    Annotations made from suggestions are kept, and so are the answers in the event log.
    """
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        if dataset:
            space.guidance.require_dataset(dataset)
        chosen = space.machines.suggestions.choose_runs(run=run, maker=maker, dataset=dataset)
        output.ask(
            f"delete all suggestions of {_describe_runs([each.run for each in chosen])}?", yes=yes
        )
        count = space.machines.suggestions.forget(run=run, maker=maker, dataset=dataset)
    line = ResultPart(f"{output.many(count, 'suggestion')} deleted")
    output.show(DeletedSuggestions(deleted=count), [line], as_json=common.as_json)


def _describe_runs(runs: Sequence[ScoreRun]) -> str:
    """Name the maker, the datasets and the ids of runs; all runs have the same maker."""
    ids = [each.id for each in runs[:_SHOWN_RUNS]]
    if len(runs) > _SHOWN_RUNS:
        ids.append(f"{len(runs) - _SHOWN_RUNS:,} more")
    datasets = sorted({each.dataset for each in runs})
    return (
        f"{runs[0].maker} in {'dataset' if len(datasets) == 1 else 'datasets'}"
        f" {', '.join(datasets)} ({'run' if len(runs) == 1 else 'runs'} {', '.join(ids)})"
    )


def report(
    *, dataset: options.OfDatasetOption = "", maker: MakerOption = "", common: options.CommonOptions
) -> None:
    """Show how annotators answered suggestions.

    The tables count accepted, changed and rejected suggestions by maker and by label, and the
    reasons for rejections.

    A suggestion counts once for each person to whom it was displayed: people who answered, and
    people who worked on its sample afterwards. A suggestion without an answer is passed if the
    person completed the sample, else open. Acceptance is the percentage of answers that accept the
    suggestion, with its 95 % interval, which resamples whole clusters of samples that share a
    source document. People who saw a suggestion are no independent judges of its maker: compare
    makers with people by `tui-annotate lab scores compare --suggestions MAKER`.
    """
    with open_workspace(common.workspace, needs=Permission.REPORT) as space:
        space.machines.suggestions.require_maker(maker)
        found = space.machines.suggestion_service.report(dataset=dataset, maker=maker)
    output.show(found, _describe_report(found), as_json=common.as_json)


def hide(*, dataset: RequiredDatasetOption, common: options.CommonOptions) -> None:
    """Hide suggestions and scores from annotators.

    Machine labels and orders by score are also hidden. In practice datasets, all of these are
    always hidden.
    """
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        space.machines.blind_datasets.hide(dataset)
    line = NotePart(f"dataset {dataset!r} hides suggestions and scores from annotators")
    value = HiddenSuggestions(dataset=dataset, hidden=True)
    output.show(value, [line], as_json=common.as_json)


def unhide(*, dataset: RequiredDatasetOption, common: options.CommonOptions) -> None:
    """Show suggestions and scores to annotators again."""
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        space.machines.blind_datasets.show(dataset)
        hidden = space.machines.blind_datasets.hidden(dataset)
    shows = "shows suggestions and scores to annotators"
    if hidden:
        shows = "is a practice dataset and always hides suggestions and scores"
    line = NotePart(f"dataset {dataset!r} {shows}")
    value = HiddenSuggestions(dataset=dataset, hidden=hidden)
    output.show(value, [line], as_json=common.as_json)


def _show_counts(counts: SuggestionCounts, *, as_json: bool) -> None:
    line = f"{output.many(counts.added, 'suggestion')} added"
    if counts.known:
        line += f", {counts.known:,} already known"
    if counts.updated:
        line += f" ({counts.updated:,} with a new score)"
    if counts.samples:
        line += f"; results of {output.many(counts.samples, 'sample')} stored"
    output.show(counts, [ResultPart(line)], as_json=as_json)
    print_earlier_suggestions(counts.earlier)


def _count_answers(listed: SuggestionListing) -> Counter[str]:
    return Counter("removed" if each.open else str(each.answer) for each in listed.answers)


def _suggestion_as_json(quoted: QuotedSuggestion) -> dict[str, Any]:
    listed = quoted.listing
    answers: PrintedAnswers = {
        "quote": quoted.words,
        "seen": listed.seen,
        "answers": dict(sorted(_count_answers(listed).items())),
        "reasons": [each.reason for each in listed.answers if each.reason],
    }
    return {
        "dataset": listed.key.dataset,
        "sample": listed.key.id,
        **suggestion_to_json(listed.suggestion),
        **answers,
    }


def _join_answers(listed: SuggestionListing) -> str:
    counts = sorted(_count_answers(listed).items())
    return ", ".join(f"{count} {_HEADINGS.get(kind, kind)}" for kind, count in counts)


def _format_score(listed: SuggestionListing) -> str:
    score = listed.suggestion.score
    return "" if score is None else f"{score:.2f}"


def _join_labels(listed: SuggestionListing) -> str:
    return ", ".join(JOINER.join(path) for path in listed.suggestion.labels)


_SUGGESTIONS: Final[Columns[QuotedSuggestion]] = (
    flexible_column("sample", lambda each: str(each.listing.key)),
    flexible_column("maker", lambda each: each.listing.suggestion.maker),
    whole_column("run", lambda each: each.listing.run[:_SHORT]),
    Column("score", lambda each: _format_score(each.listing)),
    flexible_column("label", lambda each: _join_labels(each.listing)),
    flexible_column("words", lambda each: each.words),
    Column("answers", lambda each: _join_answers(each.listing)),
)


def _describe_report(found: Mapping[str, Any]) -> Iterator[Part]:
    if not found["offered"]:
        yield NotePart("no suggestions yet")
        return
    counts = (*_COUNTS, _RARE) if found[_RARE] else _COUNTS
    yield _rates_grid("", counts, [{"name": "all", **found}])
    for grouping, title in (("by_maker", "maker"), ("by_label", "label")):
        yield ""
        yield _rates_grid(title, counts, found[grouping])
    reasons = [_RejectionReason(*each) for each in found["reasons"].items()]
    yield Table(reasons[:_REASONS], _REJECTION_REASONS, below=True)
    if len(reasons) > _REASONS:
        more = output.many(len(reasons) - _REASONS, "more reason")
        yield MessagePart(f"{more} for rejected suggestions; list all reasons with --json")
    for line in _LEGEND:
        yield MessagePart(line)
    yield from describe_intervals({"answers": found["clusters"]})


class _RejectionReason(NamedTuple):
    text: str
    uses: int


_REJECTION_REASONS: Final[Columns[_RejectionReason]] = (
    flexible_column("reason for rejection", lambda each: each.text or "(no reason)"),
    number_column("count", "uses"),
)


def _rates_grid(title: str, counts: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> Grid:
    headings = [_HEADINGS.get(name, name) for name in (*counts, "acceptance")]
    return Grid(
        [flexible_column(title), *map(number_column, headings)],
        [[row["name"], *(row[name] for name in counts), _format_rate(row["rate"])] for row in rows],
    )


def _format_rate(rate: Mapping[str, Any]) -> str:
    if rate["share"] is None:
        return "-"
    share = f"{100 * rate['share']:.0f}%"
    if rate["low"] is None:
        return f"{share} -"
    low, high = (f"{100 * rate[bound]:.0f}" for bound in ("low", "high"))
    return f"{share} {low}-{high}"
