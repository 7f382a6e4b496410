"""Options of commands that ask a chat model, and their exit code if replies are unreadable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tui_annotate.cli import output
from tui_annotate.cli.option_groups import OptionGroup
from tui_annotate.cli.options import TimeoutOption, flag, option, refuse_nan
from tui_annotate.cli.output import DONE_IN_PART
from tui_annotate.lab.chat.judge_choice import JudgeChoice

if TYPE_CHECKING:
    from tui_annotate.lab.chat.replies import ReplyTally
    from tui_annotate.plugins.judges import ReplyCache

BaseUrlOption = Annotated[
    str,
    option(
        "--base-url",
        "URL",
        "Address of the model endpoint, up to /v1. The API key is read from $TUI_ANNOTATE_API_KEY.",
    ),
]
ConcurrencyOption = Annotated[
    int, typer.Option(min=1, max=64, metavar="N", help="Maximum number of requests at a time.")
]
MaxRetriesOption = Annotated[
    int | None,
    typer.Option(
        "--max-retries",
        metavar="N",
        min=0,
        max=100,
        help="Maximum number of repetitions of a request after temporary errors (default: 5, or 2"
        " if no connection succeeded yet).",
    ),
]
LimitOption = Annotated[
    int,
    typer.Option(
        "--limit",
        metavar="N",
        min=0,
        help="Use only the first N questions, samples or rows; 0 for all.",
    ),
]
NoCacheOption = Annotated[
    bool,
    flag("--no-cache", "Neither use nor store cached replies; all requests are sent again."),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitedJudgeChoice(JudgeChoice):
    """A judge model, with the number of questions, samples or rows to use; 0 for all."""

    limit: int = 0


EndpointOptions = Annotated[
    LimitedJudgeChoice,
    OptionGroup(
        concurrency=ConcurrencyOption,
        timeout=TimeoutOption,
        max_retries=MaxRetriesOption,
        limit=LimitOption,
        no_cache=NoCacheOption,
    ),
]
"""Options of commands that send requests to a chat model."""


MAX_UNCLEAR: Final = 0.1

MaxUnclearOption = Annotated[
    float,
    typer.Option(
        metavar="SHARE",
        min=0.0,
        max=1.0,
        callback=refuse_nan,
        help="Maximum share, 0 to 1, of questions to the model that get no readable reply. If the"
        " share is larger, the exit code is 3.",
    ),
]

KeepThinkingOption = Annotated[
    bool,
    flag(
        "--keep-thinking",
        "Keep `<think>…</think>`, the text of a model's thinking, in its answers.",
    ),
]


def note_continuation(replies: ReplyCache | None) -> None:
    """Let an interrupted command promise a continuation only if it caches its replies."""
    if replies is None or not replies.keeps:
        output.set_no_continuation()


def describe_replies(tally: ReplyTally, host: str, *, no_cache: bool) -> str:
    """Return the numbers of replies by where they come from.

    Without a cache, a question that occurs twice in a run is sent once.
    """
    known = "from earlier in this run" if no_cache else "from the cache"
    return f"replies: {tally.asked:,} from {host}, {tally.cached:,} {known}"


def print_missing_replies(tally: ReplyTally) -> None:
    """Print the numbers of questions without a readable reply, by the reason."""
    if tally.repeated:
        output.print_message(f"questions repeated after an unclear reply: {tally.repeated:,}")
    if tally.unclear:
        output.print_message(f"questions without a clear reply: {tally.unclear:,}")
    if tally.refused:
        output.print_message(
            f"questions that the endpoint refused: {tally.refused:,}; first refusal:"
            f" {tally.refusal}"
        )


def check_unclear(tally: ReplyTally, most: float) -> None:
    """Set the exit code for `exit_if_partial` if too many questions have no readable reply.

    A question that the endpoint failed to answer always counts as too many: it can be asked again.
    """
    if tally.failure:
        output.set_exit_code(DONE_IN_PART)
        output.print_message(
            f"questions that the endpoint failed to answer: {tally.failed:,}; first failure:"
            f" {tally.failure.message} ({tally.failure.hint})"
        )
    if tally.unanswered > most * tally.questions:
        output.set_exit_code(DONE_IN_PART)
        output.print_message(
            f"questions to the model without a readable reply: {tally.unanswered:,} of"
            f" {tally.questions:,} (unclear: {tally.unclear:,}, refused: {tally.refused:,}, failed:"
            f" {tally.failed:,}); --max-unclear allows a share of at most {most:g}"
        )


def exit_if_partial() -> None:
    """End the command, after its output, with the exit code that `check_unclear` set, if any."""
    if code := output.known_exit_code():
        raise typer.Exit(code)
