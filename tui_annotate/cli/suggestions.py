"""Commands about suggestions of machines: list, import, from-scores, remove, report, hide, show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tui_annotate.cli import completion, options, output
from tui_annotate.cli.options import add_command, add_group, argument, flag, open_workspace, option
from tui_annotate.domain.labels import JOINER
from tui_annotate.domain.people import Permission
from tui_annotate.domain.suggestions import suggestion_to_json

if TYPE_CHECKING:
    from tui_annotate.services.suggestions import SuggestionCounts
    from tui_annotate.storage.suggestions import SuggestionListing


MakerOption = Annotated[
    str, typer.Option(metavar="NAME", help="Of this machine alone, as suggestions list shows it.")
]
HiddenOption = Annotated[str, options.dataset_option("Which.")]


_SHORT = 8
"""Characters of a run's id that are shown."""
_COUNTS = ("offered", "open", "passed", "accepted", "changed", "refused")
_RARE = "removed"
"""A count with a column where there is anything to count; names need the room."""
_REASONS = 5
_FLEXIBLE = ("sample", "maker", "label", "words")


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    suggestions = add_group(app, "suggestions", "What machines suggest to annotators.")
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
        from_scores,
        "suggestions from-scores --dataset news --score source_overlap --below 0.2",
    )
    add_command(
        suggestions,
        remove,
        "suggestions remove --run 3f0a9c41",
        "suggestions remove --maker judge:tiny --yes",
    )
    add_command(suggestions, report, "suggestions report --dataset news")
    add_command(suggestions, hide, "suggestions hide --dataset news")
    add_command(suggestions, show, "suggestions show --dataset news")


def list_suggestions(
    *,
    dataset: options.OfDatasetOption = "",
    maker: MakerOption = "",
    waiting: Annotated[bool, flag("--open", "Those alone that nobody answered.")] = False,
    common: options.CommonOptions,
) -> None:
    """List what machines suggest, and what people made of it.

    Whose answers they are is not told. With --open, what was refused or taken is left out.
    """
    with open_workspace(common.workspace, needs=Permission.REPORT) as space:
        wanted = (lambda each: each.open) if waiting else None
        dataset = dataset and options.choose_dataset(space, dataset)
        found = list(
            space.machines.suggestion_service.list_suggestions(
                dataset=dataset, maker=maker, waiting=wanted
            )
        )
    if common.as_json:
        output.print_json([_suggestion_as_json(each, words) for each, words in found])
        return
    if found:
        _print_table(found)
    else:
        output.print_message("nothing is open" if waiting else "no machine suggested anything yet")


def import_suggestions(
    file: Annotated[Path, argument("FILE", "JSON, an object a line.")],
    *,
    dataset: Annotated[str, options.dataset_option("Of lines that name none.")] = "",
    maker: Annotated[
        str, option("--maker", "NAME", "Of lines that name none; else import: and the file's name.")
    ] = "",
    common: options.CommonOptions,
) -> None:
    """Take suggestions out of a file, all of them or none.

    Each line names a sample, a quote of its summary, and what else it knows: label, evidence,
    reason, score. Quotes must stand in the texts; labels must be in the label set.
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
    _print_counts(counts, as_json=common.as_json)


def from_scores(
    *,
    dataset: HiddenOption,
    score: Annotated[str, option("--score", "NAME", "A score of summary segments.")],
    below: Annotated[float | None, option("--below", "X", "Suggest segments of less.")] = None,
    above: Annotated[
        float | None,
        option("--above", "X", "Suggest segments of more, where a low score is the better one."),
    ] = None,
    label: Annotated[
        str, option("--label", "LABEL", "Of the suggestions.", complete=completion.labels)
    ] = "",
    common: options.CommonOptions,
) -> None:
    """Suggest parts of summaries that a score finds unsupported.

    The newest run speaks that says such a score of segments; see `tui-annotate scores compute`.
    """
    from tui_annotate.services.suggestions import ScoreThreshold

    threshold = ScoreThreshold(below, above)
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        counts = space.machines.suggestion_service.from_scores(
            dataset, score, threshold=threshold, label=label
        )
    _print_counts(counts, as_json=common.as_json)


def remove(
    *,
    run: Annotated[
        str, option("--run", "ID", "A run, or how its id begins, as list shows it.")
    ] = "",
    maker: MakerOption = "",
    dataset: options.OfDatasetOption = "",
    yes: options.YesOption = False,
    workspace: options.WorkspaceOption = None,
) -> None:
    """Take suggestions out again.

    What people made of them stays theirs, and their answers stay in the log.
    """
    with open_workspace(workspace, needs=Permission.MANAGE) as space:
        target = f"run {run}" if run else f"maker {maker}"
        output.ask(f"Take out all suggestions of {target}?", yes=yes)
        count = space.machines.suggestions.forget(run=run, maker=maker, dataset=dataset)
    output.print_line(f"took out {output.many(count, 'suggestion')}")


def report(
    *, dataset: options.OfDatasetOption = "", maker: MakerOption = "", common: options.CommonOptions
) -> None:
    """Tell how often suggestions were taken, changed or refused.

    Also why; by maker and by label.

    Counted is each person who had a suggestion before them: those who answered it, and those who
    worked on its sample since; these passed it over if they have finished the sample, else it is
    open. Taken is the share of answers, with its 95 % interval (Wilson).
    """
    with open_workspace(common.workspace, needs=Permission.REPORT) as space:
        dataset = dataset and options.choose_dataset(space, dataset)
        found = space.machines.suggestion_service.report(dataset=dataset, maker=maker)
    if common.as_json:
        output.print_json(found)
    elif found["offered"]:
        _print_report(found)
    else:
        output.print_message("no machine suggested anything yet")


def hide(*, dataset: HiddenOption, workspace: options.WorkspaceOption = None) -> None:
    """Let people annotate a dataset without machines' opinions.

    Suggestions, scores, machine labels and orders by these are gone from their screens. Datasets
    for practice never show any.
    """
    with open_workspace(workspace, needs=Permission.MANAGE) as space:
        space.machines.blind_datasets.hide(dataset)
    output.print_line(f"{dataset} is annotated without what machines say")


def show(*, dataset: HiddenOption, workspace: options.WorkspaceOption = None) -> None:
    """Let people see again what machines say of a dataset."""
    with open_workspace(workspace, needs=Permission.MANAGE) as space:
        space.machines.blind_datasets.show(dataset)
        hidden = space.machines.blind_datasets.hidden(dataset)
    without, with_them = "for practice, and stays without", "annotated with what machines say"
    output.print_line(f"{dataset} is {without if hidden else with_them}")


def _print_counts(counts: SuggestionCounts, *, as_json: bool) -> None:
    known = f", {counts.known} were there already" if counts.known else ""
    line = f"added {output.many(counts.added, 'suggestion')}{known}"
    output.print_lines_or_json(
        {"added": counts.added, "known": counts.known}, line, as_json=as_json
    )


def _count_answers(listed: SuggestionListing) -> Counter[str]:
    return Counter("removed" if each.open else str(each.answer) for each in listed.answers)


def _suggestion_as_json(listed: SuggestionListing, words: str) -> dict[str, Any]:
    return {
        "dataset": listed.key.dataset,
        "sample": listed.key.id,
        **suggestion_to_json(listed.suggestion),
        "quote": words,
        "seen": listed.seen,
        "answers": dict(sorted(_count_answers(listed).items())),
        "reasons": [each.reason for each in listed.answers if each.reason],
    }


def _print_table(found: Sequence[tuple[SuggestionListing, str]]) -> None:
    titles = ("sample", "maker", "run", "score", "label", "words", "answers")
    output.print_table(
        [output.Column(each, flexible=each in _FLEXIBLE, whole=each == "run") for each in titles],
        [_table_cells(listed, words) for listed, words in found],
    )


def _table_cells(listed: SuggestionListing, words: str) -> list[str | float]:
    each = listed.suggestion
    answers = ", ".join(f"{count} {kind}" for kind, count in sorted(_count_answers(listed).items()))
    return [
        str(listed.key),
        each.maker,
        listed.run[:_SHORT],
        "" if each.score is None else f"{each.score:.2f}",
        ", ".join(JOINER.join(path) for path in each.labels),
        words,
        answers,
    ]


def _print_report(found: Mapping[str, Any]) -> None:
    counts = (*_COUNTS, _RARE) if found[_RARE] else _COUNTS
    _print_rates("", counts, [{"name": "all", **found}])
    for grouping, title in (("by_maker", "maker"), ("by_label", "label")):
        output.print_line("")
        _print_rates(title, counts, found[grouping])
    reasons = [(why or "(no reason)", count) for why, count in found["reasons"].items()]
    columns = [output.flexible_column("refused because"), output.number_column("")]
    output.print_table_below(columns, reasons[:_REASONS])
    if len(reasons) > _REASONS:
        output.print_message(
            f"and {output.many(len(reasons) - _REASONS, 'other reason')}: see --json"
        )
    output.print_message(
        "taken: share of answers, with its 95% interval; all but offered count each person"
    )
    output.print_message(
        "passed: not answered by who finished the sample; open: by who is still at it"
    )


def _print_rates(title: str, counts: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    output.print_table(
        [output.flexible_column(title), *map(output.number_column, (*counts, "taken"))],
        [[row["name"], *(row[name] for name in counts), _format_rate(row["rate"])] for row in rows],
    )


def _format_rate(rate: Mapping[str, Any]) -> str:
    if rate["share"] is None:
        return "-"
    low, high = (f"{100 * rate[bound]:.0f}" for bound in ("low", "high"))
    return f"{100 * rate['share']:.0f}% {low}-{high}"
