"""How runs of machines are shown: as rows, as JSON, and what came of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tui_annotate.cli import output
from tui_annotate.domain.nouns import many

if TYPE_CHECKING:
    from tui_annotate.domain.scores import Run
    from tui_annotate.plugins.protocols import Cost
    from tui_annotate.services.score import Scored

_SHORT: Final = 8
"""Signs of a run's id that are shown."""
RUN_COLUMNS: Final = (
    output.Column("run", whole=True),
    output.Column("dataset", whole=True),
    output.Column("kind"),
    output.Column("maker", whole=True),
    output.Column("at"),
    output.Column("embedder", flexible=True),
    output.Column("", flexible=True),
)


def parameters_as_json(run: Run) -> dict[str, Any]:
    """A run as the commands print it."""
    return {
        "run": run.id,
        "dataset": run.dataset,
        "kind": run.kind.value,
        "maker": run.maker,
        "parameters": dict(run.parameters),
        "embedder": run.embedder,
        "low": sorted(run.low),
        "at": run.at,
        "by": run.by,
    }


def run_row(run: Run, stands: bool) -> tuple[str, ...]:  # noqa: FBT001  a cell
    """A run as a row of a table."""
    at = output.seconds(run.at)
    word = "" if stands else "older"
    return (run.id[:_SHORT], run.dataset, run.kind.value, run.maker, at, run.embedder, word)


def run_as_json(scored: Scored) -> dict[str, Any]:
    """What came of a run, as the commands print it."""
    return parameters_as_json(scored.run) | {
        "samples": scored.samples,
        "scores": scored.scores,
        "without": scored.passed,
        "notes": list(scored.notes),
    }


def tell_run(scored: Scored) -> None:
    """What came of a run, in a line, and what a reader should know of it."""
    run = scored.run
    said = f"{run.maker}: {many(scored.samples, 'sample')} of {run.dataset}"
    said += f", {many(scored.scores, 'score')}"
    if scored.passed:
        said += f"; {many(scored.passed, 'sample')} without"
    output.line(said)
    for note in scored.notes:
        output.say(note)


def cost_line(scorer: str, samples: int, cost: Cost | None) -> str:
    """What a run would cost, in a line."""
    told = f"{scorer}: {many(samples, 'sample')}"
    if cost is None or not (cost.calls or cost.characters):
        return f"{told}; nothing leaves this machine"
    return f"{told}; {many(cost.calls, 'call')}, {many(cost.characters, 'character')} would be sent"
