"""The options that the commands of judges share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, Final, get_type_hints

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

ModelOption = Annotated[
    str, option("--model", "NAME", "The chat model that judges; else the settings'.")
]
JudgeUrlOption = Annotated[
    str,
    option(
        "--base-url", "URL", "Where it is, as far as /v1; its key stands in $TUI_ANNOTATE_API_KEY."
    ),
]
LanguageOption = Annotated[
    str,
    option(
        "--language",
        "CODE",
        "Of the prompts: en or zh; else as each question is written.",
        complete=completion.complete_words("en", "zh"),
    ),
]
PromptsOption = Annotated[
    Path | None,
    option(
        "--prompts",
        "DIR",
        "Prompts of your own, as `judge prompts` writes them; else prompts/ of the workspace.",
    ),
]
ConcurrencyOption = Annotated[
    int, typer.Option(min=1, max=64, metavar="N", help="Requests at a time.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCommandOptions:
    """The options that sort, generate and evaluate share, in the order of `--help`."""

    file: Annotated[
        Path | None,
        argument("FILE", "Lines of question and contexts; any format that holds questions."),
    ] = None
    dataset: Annotated[
        str,
        dataset_option(
            "The samples of this dataset, in place of a file; what is said is stored with them."
        ),
    ] = ""
    model: ModelOption = ""
    base_url: JudgeUrlOption = ""
    language: LanguageOption = ""
    prompts: PromptsOption = None
    concurrency: ConcurrencyOption = 4
    cache: Annotated[
        Path | None,
        option(
            "--cache",
            "FILE",
            "Keeps the replies; else a file beside the output, or the workspace with --dataset.",
        ),
    ] = None
    target: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Appears whole or not at all.",
            callback=parse_target,
        ),
    ] = None
    dry_run: Annotated[
        bool, flag("--dry-run", "Tell calls and characters; ask nobody, write nothing.")
    ] = False
    as_json: JsonOption = False
    workspace: WorkspaceOption = None


_INPUTS: Final = 2
"""Shared options that `--help` lists before a command's own: FILE and --dataset."""


def takes_judge_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the shared options; it receives them as its first argument."""
    types = get_type_hints(JudgeCommandOptions, include_extras=True)
    shared = [
        Parameter(
            each.name, Parameter.KEYWORD_ONLY, default=each.default, annotation=types[each.name]
        )
        for each in fields(JudgeCommandOptions)
    ]
    _, *own = signature(command, eval_str=True).parameters.values()

    @wraps(command)
    def run(**values: Any) -> None:
        chosen = JudgeCommandOptions(**{each.name: values.pop(each.name) for each in shared})
        command(chosen, **values)

    order = [*shared[:_INPUTS], *own, *shared[_INPUTS:]]
    run.__signature__ = Signature(order)  # type: ignore[attr-defined]  # what Typer reads
    return run
