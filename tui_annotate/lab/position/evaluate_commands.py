"""Commands `lab position evaluate` (score answers) and `lab position show` (show a chart)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tui_annotate.cli import completion, output, screen
from tui_annotate.cli.options import (
    CommonOptions,
    NameOption,
    WorkspaceOption,
    argument,
    dataset_option,
    flag,
    open_workspace,
    option,
)
from tui_annotate.cli.output import DONE_IN_PART
from tui_annotate.cli.report_parts import (
    Cell,
    Column,
    Columns,
    Facts,
    Grid,
    MessagePart,
    Part,
    flexible_column,
    number_column,
)
from tui_annotate.domain.did_you_mean import suggest_word
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.lab.chat.command_options import KeepThinkingOption
from tui_annotate.plugins.files.output_names import JSON_LINES_HINT, check_json_name
from tui_annotate.settings import find_workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tui_annotate.lab.position.evaluation import Evaluation, GroupBy, HumanAgreement
    from tui_annotate.lab.position.metric import MatchRules, PositionScore

BAR_CELLS = 24


ByOption = Annotated[
    str,
    option(
        "--by",
        "NAMES",
        "Properties to group rows by, separated by commas: gold-position, documents, model, task,"
        " file.",
    ),
]


PredictionsArgument = Annotated[
    list[Path] | None, argument("FILE", "Files with predictions, uncompressed or compressed.")
]
StudyOption = Annotated[
    str,
    dataset_option("Instead of files, evaluate a workspace's dataset and its human verdicts."),
]
SharedQuestionsOption = Annotated[
    bool, flag("--shared-questions", "Count only questions with an answer in each compared group.")
]
WholeWordsOption = Annotated[
    bool,
    flag("--whole-words", 'Match whole words only: "cat" does not match in "category".'),
]
FirstLineOption = Annotated[
    bool, flag("--first-line", "Score only the first non-blank line of each answer.")
]
SkipEmptyOption = Annotated[
    bool,
    flag("--skip-empty", "Ignore gold answers that consist only of punctuation and articles."),
]


_PROPERTY_NAMES: Final = {"documents": "number of documents", "gold-position": "position"}
"""Names in sentences of properties whose name as an option is no noun in the singular."""


def evaluate(
    files: PredictionsArgument = None,
    *,
    dataset: StudyOption = "",
    by: ByOption = "gold-position",
    shared_questions: SharedQuestionsOption = False,
    whole_words: WholeWordsOption = False,
    first_line: FirstLineOption = False,
    skip_empty: SkipEmptyOption = False,
    keep_thinking: KeepThinkingOption = False,
    target: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Output file: rows with scores, as JSON lines."
        ),
    ] = None,
    as_csv: Annotated[
        bool, flag("--csv", "Print CSV with one row for each group, and one for all rows.")
    ] = False,
    common: CommonOptions,
) -> None:
    """Score answers by the gold fact's position in the prompt.

    The report counts the right answers for each position of the gold fact.

    The metrics are those of the study "Lost in the Middle": best_subspan_em of the first line for
    questions; for key-value rows, whether the answer contains the value. The options --whole-words,
    --first-line and --skip-empty correct weaknesses of the metric. The thinking of a model is not a
    part of its answer.

    Exit code: 3 if no row has a score.
    """
    from tui_annotate.lab.position import evaluation
    from tui_annotate.lab.position.metric import MatchRules

    check_json_name(
        target,
        what="rows with scores",
        hint=f"{JSON_LINES_HINT}; the means are printed as a table with: --csv",
    )
    if common.as_json and as_csv:
        raise InvalidInput(
            "--json and --csv both print to standard output", "pass either --json or --csv"
        )
    if bool(files) == bool(dataset):
        raise InvalidInput(
            "exactly one input is required: files or a dataset", "pass FILE... or --dataset NAME"
        )
    rules = MatchRules(
        whole_words=whole_words,
        first_line=first_line,
        skip_empty=skip_empty,
        keep_thinking=keep_thinking,
    )
    options = evaluation.EvaluationOptions(by=_parse_by(by), shared_questions=shared_questions)
    if files:
        found = evaluation.evaluate(evaluation.file_cases(files, rules), options)
        if target is not None:
            _write_scored(files, target, rules)
    else:
        if target is not None:
            raise InvalidInput(
                "-o writes only rows that were read from files, not rows of a dataset",
                "export the rows of a dataset with: tui-annotate export --to open-qa",
            )
        with open_workspace(common.workspace) as space:
            from tui_annotate.lab.position.stored_studies import position_studies

            space.guidance.require_dataset(dataset)
            found = position_studies(space.machines).evaluate(dataset, options, rules=rules)
    if as_csv:
        output.print_text(evaluation.as_csv(found))
    else:
        text = describe_evaluation(found, rules)
        output.show(evaluation.as_json(found), text, as_json=common.as_json)
    if not found.all.n:
        rows = found.all.unanswered + found.unscored + found.left_out
        output.print_message(
            f"no row has a score; rows: {rows:,}, of these without an answer:"
            f" {found.all.unanswered:,}, without a gold answer: {found.unscored:,}, excluded by"
            f" --shared-questions: {found.left_out:,}"
        )
        raise typer.Exit(DONE_IN_PART)


def _write_scored(files: list[Path], target: Path, rules: MatchRules) -> None:
    from tui_annotate.lab.position.evaluation import write_scored
    from tui_annotate.plugins.files.targets import open_output as written

    with written(target) as file:
        count, not_finite = write_scored(files, file, rules)
    output.print_non_finite(not_finite)
    output.print_note(f"wrote {output.many(count, 'scored row')} to {target}")


def _parse_by(names: str) -> tuple[GroupBy, ...]:
    from tui_annotate.lab.position.evaluation import GroupBy

    try:
        return tuple(GroupBy(name.strip()) for name in names.split(","))
    except ValueError as error:
        there = ", ".join(GroupBy)
        known = list(GroupBy)
        unknown = next(each for each in map(str.strip, names.split(",")) if each not in known)
        near = suggest_word(unknown, known)
        raise InvalidInput(
            f"unknown property in --by {names!r}", f"{near}Choose from: {there}"
        ) from error


def describe_evaluation(found: Evaluation, rules: MatchRules) -> Iterator[Part]:
    """Describe the means as one table for each model and kind of prompt, then notes."""
    from tui_annotate.lab.position.evaluation import PositionTable

    titles = [each.value for each in found.by[len(found.split) :]]
    unanswered = found.all.unanswered > 0
    columns: Columns[Any] = [
        *(Column(title, number=title != "model") for title in titles),
        *map(number_column, ("n", "questions", "mean", "95 %")),
        *([number_column("unanswered")] if unanswered else []),
        flexible_column(f"0 {' ' * (BAR_CELLS - 4)} 1"),
    ]
    for at, table in enumerate(found.tables or (PositionTable((), (), found.all),)):
        if at:
            yield ""
        if table.key:
            named = zip(found.split, table.key, strict=True)
            yield ", ".join(f"{by}: {_format_value(value)}" for by, value in named)
        rows: list[list[Cell]] = [
            [*place, *_bar_cells(bar, unanswered=unanswered)] for place, bar in table.groups
        ]
        if len(rows) != 1 and not table.all.mixed:
            blanks = [""] * (len(titles) - 1)
            rows.append(["all", *blanks, *_bar_cells(table.all, unanswered=unanswered)])
        yield Grid(columns, rows)
    if found.people is not None:
        yield from _describe_agreement(found.people)
    for line in _notes(found, rules):
        yield MessagePart(line)


def _bar_cells(bar: PositionScore, *, unanswered: bool) -> list[Cell]:
    interval: Cell = ""
    if bar.interval is not None:
        low, high = bar.interval
        interval = f"{low:.3f}-{high:.3f}"
    elif bar.mean is not None:
        interval = None
    return [
        bar.n,
        len(bar.questions),
        "" if bar.mean is None else bar.mean,
        interval,
        *([bar.unanswered] if unanswered else []),
        draw_bar(bar, BAR_CELLS),
    ]


def _format_value(value: int | str | None) -> int | str:
    return "-" if value is None else value


def draw_bar(bar: PositionScore, cells: int) -> str:
    """Draw a mean in its interval: `#` to the low end, `=` to the mean, `-` to the high end."""
    if bar.mean is None or bar.interval is None:
        return ""
    low, mean, high = (round(each * cells) for each in (bar.interval[0], bar.mean, bar.interval[1]))
    return "#" * low + "=" * (mean - low) + "-" * (high - mean)


def _describe_agreement(people: HumanAgreement) -> Iterator[Part]:
    yield ""
    yield f"answers with a human verdict (right or wrong): {people.judged:,}"
    yield Facts(
        {
            "  right according to both the metric and annotators": people.both,
            "  right according to the metric, but not to annotators": people.metric_alone,
            "  right according to annotators, but not to the metric": people.people_alone,
            "  wrong according to both the metric and annotators": people.neither,
            "  human verdict unclear or tied": people.open,
            "  Cohen's kappa": "not defined" if people.kappa is None else f"{people.kappa:.3f}",
        }
    )


def _notes(found: Evaluation, rules: MatchRules) -> list[str]:
    from tui_annotate.methods.bootstrap import DRAWS, FEWEST, SEED

    notes = []
    if found.split:
        names = " and ".join(_PROPERTY_NAMES.get(each.value, each.value) for each in found.split)
        notes.append(f"one table for each {names}: different ones are not averaged")
    if any(table.all.mixed for table in found.tables):
        notes.append(
            "no mean of all rows: they are of different models, tasks, files or sizes of prompts"
        )
    if any(bar.clustered for bar in _means(found)):
        notes.append(
            "intervals where a question has several answers: bootstrap by question"
            f" ({DRAWS:,} resamples, seed {SEED}), or Wilson's with a case for each question if all"
            f" questions have the same mean; '-' for fewer than {FEWEST} different questions"
        )
    if found.repeated:
        notes.append(
            "answers that repeat a question at the same position, and count again:"
            f" {found.repeated:,}"
        )
    if found.empty_golds and not rules.skip_empty:
        notes.append(
            "gold answers that consist only of punctuation and articles, and so match every answer:"
            f" {found.empty_golds:,}"
        )
        notes.append("  hint: ignore empty gold answers with --skip-empty")
    elif found.empty_golds:
        notes.append(
            "gold answers that were ignored, because they consist only of punctuation and articles"
            f" (such as 'the'): {found.empty_golds:,}"
        )
    if found.unscored:
        notes.append(
            f"rows without a score, because all their gold answers are empty: {found.unscored:,}"
        )
    if found.left_out:
        notes.append(
            f"rows excluded, because not all groups contain their questions: {found.left_out:,}"
        )
    if found.all.unanswered:
        notes.append(
            f"rows without an answer, excluded from the means: {found.all.unanswered:,}"
            " (to compare all groups by the same questions, pass --shared-questions)"
        )
    return notes


def _means(found: Evaluation) -> Iterator[PositionScore]:
    for table in found.tables:
        yield from (bar for _, bar in table.groups)
        if not table.all.mixed:
            yield table.all


def show(
    dataset: Annotated[
        str,
        argument(
            "NAME",
            "Dataset to show (default: the only dataset with positions).",
            complete=completion.datasets,
        ),
    ] = "",
    *,
    name: NameOption = "",
    workspace: WorkspaceOption = None,
) -> None:
    """Show accuracy by position on the screen.

    Enter on a bar opens the samples with wrong answers.
    """
    folder = find_workspace(workspace)
    from tui_annotate.lab.position.stored_studies import position_studies

    with open_workspace(folder) as space:
        positions = position_studies(space.machines)
        there = positions.datasets()
        if not dataset and len(there) == 1:
            (dataset,) = there
        if not dataset:
            names = ", ".join(there)
            raise InvalidInput(
                "no dataset is named" if there else "no dataset has questions with positions",
                f"pass one of: {names}" if there else "import rows of a position study first",
            )
        space.guidance.require_dataset(dataset)
        positions.evaluate(dataset)
    begin = f"{dataset}/"
    raise typer.Exit(screen.annotate(folder, name=name, sample=begin, action="positions.show"))
