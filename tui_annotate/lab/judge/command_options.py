"""Options that all judge commands share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from tui_annotate.cli import completion
from tui_annotate.cli.option_groups import OptionGroup
from tui_annotate.cli.options import (
    JsonOption,
    TimeoutOption,
    WorkspaceOption,
    argument,
    dataset_option,
    flag,
    option,
    parse_target,
)
from tui_annotate.lab.chat.command_options import (
    MAX_UNCLEAR,
    BaseUrlOption,
    ConcurrencyOption,
    KeepThinkingOption,
    LimitOption,
    MaxRetriesOption,
    MaxUnclearOption,
    NoCacheOption,
)
from tui_annotate.lab.chat.judge_choice import JudgeChoice
from tui_annotate.lab.judge.options import EvaluateOptions, GenerateOptions, SortOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeInputOptions:
    """Options for what a judge reads: a file, or a dataset of the workspace."""

    file: Annotated[
        Path | None,
        argument("FILE", "File with questions and contexts, in any import format for questions."),
    ] = None
    dataset: Annotated[
        str,
        dataset_option(
            "Judge the samples of this dataset instead of a file, and store the results in the"
            " workspace."
        ),
    ] = ""


_CHOICE: Final = {
    "concurrency": ConcurrencyOption,
    "timeout": TimeoutOption,
    "max_retries": MaxRetriesOption,
    "no_cache": NoCacheOption,
    "model": option("--model", "NAME", "Name of the judge model (default: from the settings)."),
    "base_url": BaseUrlOption,
    "language": option(
        "--language",
        "CODE",
        "Language of the prompts: en or zh (default: the language of each question).",
        complete=completion.complete_words("en", "zh"),
    ),
    "prompts": option(
        "--prompts",
        "DIR",
        "Folder with your own prompts, in files such as those that `lab judge export-prompts`"
        " writes (default: prompts/ of the workspace).",
    ),
}
ChosenJudge = Annotated[JudgeChoice, OptionGroup(**_CHOICE)]
"""Options that choose a judge; replies are cached in the workspace."""
ChosenJudgeAndCache = Annotated[
    JudgeChoice,
    OptionGroup(
        **_CHOICE,
        cache=option(
            "--cache",
            "FILE",
            "File that caches the replies instead of your cache (see `lab judge cache`) and of the"
            " workspace.",
        ),
    ),
]
"""Options that choose a judge and the file of its replies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRunOptions:
    """Options for what a `judge` command does with the judge: limits and output."""

    limit: LimitOption = 0
    max_unclear: MaxUnclearOption = MAX_UNCLEAR
    target: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Output file; written completely or not at all. The suffix selects the format:"
            " .xlsx, .csv, .json or .jsonl.",
            callback=parse_target,
        ),
    ] = None
    dry_run: Annotated[
        bool, flag("--dry-run", "Only show the number of calls and characters that would be sent.")
    ] = False
    as_json: JsonOption = False
    workspace: WorkspaceOption = None


_REQUEST_CHARS: Final = typer.Option(
    "--max-chars",
    min=0,
    metavar="N",
    help="Maximum number of characters of contexts in one request, at least 2; 0 for no maximum.",
)
SortingOptions = Annotated[
    SortOptions,
    OptionGroup(
        inverted=("screen",),
        k=typer.Option(
            "-k",
            "--cutoff",
            min=1,
            metavar="N",
            help="Compare the judge's top N with the given top N.",
        ),
        bottom=flag(
            "--bottom",
            "Compare the end of the judge's order and the end of the retriever's, not the starts.",
        ),
        screen=flag(
            "--keep-irrelevant", "Include contexts that do not help to answer the question."
        ),
        swap=flag(
            "--both-orders",
            "Ask the judge about each pair of contexts in both orders, to reduce position bias.",
        ),
        max_chars=_REQUEST_CHARS,
    ),
]
AnswerOptions = Annotated[
    GenerateOptions,
    OptionGroup(
        group_size=typer.Option(
            min=2,
            metavar="N",
            help="Maximum number of contexts, or of answers to merge, in one request.",
        ),
        seed=option("--seed", "N", "Random seed for dividing the contexts into groups."),
        slow=flag(
            "--one-by-one",
            "Send each context in requests of its own; split long contexts into parts.",
        ),
        max_chars=_REQUEST_CHARS,
        keep_thinking=KeepThinkingOption,
    ),
]
MetricOptions = Annotated[
    EvaluateOptions,
    OptionGroup(
        metrics=Annotated[
            list[str] | None,
            option(
                "--metric",
                "NAME",
                "Metric to compute: faithfulness, answer_relevancy, context_precision or"
                " context_recall; repeatable (default: all).",
            ),
        ],
        top_k=typer.Option(min=1, metavar="N", help="Maximum number of contexts per question."),
        max_chars=typer.Option(
            min=2, metavar="N", help="Maximum total number of characters of a question's contexts."
        ),
        similarity=option(
            "--similarity",
            "NAME",
            "How answer relevancy compares questions: vectors, words, or auto: by words if there is"
            " no embedder, or if it has no vector for a text, as for Chinese texts with most"
            " embedders.",
            complete=completion.complete_words("auto", "vectors", "words"),
        ),
    ),
]
