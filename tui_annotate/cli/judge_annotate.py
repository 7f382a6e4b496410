"""The command `judge annotate`: a model proposes unsupported spans, which people take or refuse."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tui_annotate.cli import completion, output
from tui_annotate.cli.judge_options import (
    AtOnceOption,
    JudgeUrlOption,
    ModelOption,
    PromptsOption,
    SpokenOption,
)
from tui_annotate.cli.options import (
    DryOption,
    JsonOption,
    WorkspaceOption,
    examples,
    meant_dataset,
    opened,
)
from tui_annotate.domain.people import Verb

if TYPE_CHECKING:
    from tui_annotate.plugins.asking import Judge
    from tui_annotate.services.propose import Planned, Proposed
    from tui_annotate.workspace import Workspace

EXAMPLES = examples(
    "tui-annotate judge annotate --model MODEL --base-url http://127.0.0.1:8000/v1 --dry-run",
    "tui-annotate judge annotate --dataset news --model MODEL --limit 20",
    "tui-annotate compare-machines --dataset news --score unsupported_spans",
)
_NOWHERE = "http://localhost"
"""What stands for the endpoint where nobody is asked."""


def annotate(
    *,
    dataset: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Whose samples; may be left out where there is one dataset alone.",
            autocompletion=completion.datasets,
            show_default=False,
        ),
    ] = "",
    model: ModelOption = "",
    base_url: JudgeUrlOption = "",
    language: SpokenOption = "",
    prompts: PromptsOption = None,
    concurrency: AtOnceOption = 4,
    max_chars: Annotated[
        int, typer.Option(min=1, metavar="N", help="Of sources, and of a summary, that are sent.")
    ] = 24_000,
    limit: Annotated[
        int, typer.Option(min=0, metavar="N", help="The first samples alone; 0: all.")
    ] = 0,
    dry_run: DryOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Let a model propose unsupported spans, and say why.

    Each has labels, evidence and a reason.

    What it quotes must stand in the texts, and its labels in the label set: all else is refused and
    counted. Proposals are suggestions, nobody's work until somebody takes them. Replies are kept:
    the same again asks nobody.
    """
    from tui_annotate.services.propose import Asked

    with opened(workspace, needs=Verb.MANAGE) as space:
        machines = space.machines
        asked = Asked(
            dataset=meant_dataset(space, dataset),
            language=language,
            folders=own_prompts(space, prompts),
            most=max_chars,
            limit=limit,
        )
        judge = named_judge(
            space, model, base_url=base_url, concurrency=concurrency, unasked=dry_run
        )
        if dry_run:
            planned = machines.proposing.plan(asked, judge)
            _tell_plan(planned, judge.host, as_json=as_json)
            return
        with output.progress("samples") as tell:
            done = machines.proposing.run(asked, judge, progress=tell)
    if as_json:
        output.as_json(_as_json(done))
    else:
        _tell(done)


def named_judge(
    space: Workspace, model: str, *, base_url: str, concurrency: int = 4, unasked: bool = False
) -> Judge:
    """The judge that options and settings mean; its replies are kept in the workspace.

    Args:
        unasked: nobody will be asked, so that no address is needed.

    Raises:
        InvalidInput: model or address is missing.
        Unavailable: its library is missing.
    """
    from tui_annotate.plugins import registry
    from tui_annotate.workspace.judging import asked_by

    nowhere = _NOWHERE if unasked and not space.settings.judge_url else ""
    asked = asked_by(
        space.settings, model=model, base_url=base_url or nowhere, concurrency=concurrency
    )
    return registry.load_judge(
        asked.judge,
        base_url=asked.base_url,
        replies=space.machines.replies,
        concurrency=asked.concurrency,
    )


def own_prompts(space: Workspace, asked: Path | None) -> tuple[Path, ...]:
    """The folders of a user's own prompts: the one that is named, then the workspace's."""
    from tui_annotate.workspace.judging import PROMPTS

    own = space.path / PROMPTS
    return (asked, own) if asked else (own,)


def _tell_plan(planned: Planned, host: str, *, as_json: bool) -> None:
    calls = planned.samples - planned.cached
    if as_json:
        told: dict[str, Any] = {"samples": planned.samples, "calls": calls}
        output.as_json(told | {"cached": planned.cached, "characters": planned.characters})
        return
    where = f" to {host}" if host else ""
    output.line(
        f"{output.many(planned.samples, 'sample')}: {output.many(calls, 'call')}{where}, "
        f"{planned.characters:,} characters; {planned.cached:,} known"
    )


def _tell(done: Proposed) -> None:
    tally = done.tally
    output.line(
        f"{output.many(done.samples, 'sample')}: {output.many(done.proposals, 'suggestion')}, "
        f"{done.new:,} new; {tally.asked:,} asked, {tally.cached:,} known"
    )
    for reason, count in done.refused.items():
        output.say(f"refused, {reason}: {count:,}")
    if done.cut:
        output.say(f"cut: {output.many(done.cut, 'sample')} longer than --max-chars")
    if done.passed:
        output.say(f"passed over: {output.many(done.passed, 'sample')} without both sides")
    if tally.refused:
        output.say(f"not taken by the endpoint: {output.many(tally.refused, 'sample')}")
    if tally.unclear:
        unread = output.many(tally.unclear, "sample: its reply", "samples: their replies")
        output.say(f"no proposals of {unread} could not be read")
    if done.new:
        output.say("people answer them in: tui-annotate annotate")


def _as_json(done: Proposed) -> dict[str, Any]:
    tally = done.tally
    return {
        "run": done.run or None,
        "samples": done.samples,
        "suggestions": done.proposals,
        "new": done.new,
        "refused": dict(done.refused),
        "cut": done.cut,
        "passed": done.passed,
        "asked": tally.asked,
        "cached": tally.cached,
        "unclear": tally.unclear,
        "not_taken": tally.refused,
    }
