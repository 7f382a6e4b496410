"""Options that all judge commands share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from tui_annotate.cli import completion
from tui_annotate.cli.options import (
    JsonOption,
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
    EndpointOptions,
    MaxUnclearOption,
)

ModelOption = Annotated[
    str, option("--model", "NAME", "Name of the judge model (default: from the settings).")
]
LanguageOption = Annotated[
    str,
    option(
        "--language",
        "CODE",
        "Language of the prompts: en or zh (default: the language of each question).",
        complete=completion.complete_words("en", "zh"),
    ),
]
PromptsOption = Annotated[
    Path | None,
    option(
        "--prompts",
        "DIR",
        "Folder with your own prompts, in files such as those that `judge export-prompts`"
        " writes (default: prompts/ of the workspace).",
    ),
]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCommandOptions(EndpointOptions):
    """Options that all `judge` commands share: model, endpoint, prompts, cache and output."""

    model: ModelOption = ""
    base_url: BaseUrlOption = ""
    language: LanguageOption = ""
    prompts: PromptsOption = None
    max_unclear: MaxUnclearOption = MAX_UNCLEAR
    cache: Annotated[
        Path | None,
        option(
            "--cache",
            "FILE",
            "File that caches the replies instead of your cache (see `judge cache`) and of the"
            " workspace.",
        ),
    ] = None
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
