"""The command `score train-probe`, and the options of scorers that need a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tui_annotate.cli import output
from tui_annotate.cli.options import JsonOption, WorkspaceOption, examples, meant_dataset, opened
from tui_annotate.cli.output import Column
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import Verb

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tui_annotate.methods.probing import Figures
    from tui_annotate.plugins.probes import Trained
    from tui_annotate.plugins.scoring import ScorerOptions
    from tui_annotate.services.probe import Asked, Gathered
    from tui_annotate.workspace import Workspace

EXAMPLES = examples(
    "tui-annotate score train-probe ranked.jsonl --model FOLDER -o probe.json",
    "tui-annotate score train-probe --labels human --dataset answers --model FOLDER -o probe.json",
    "tui-annotate score --dataset answers --scorer probe:probe.json",
)
JudgeNameOption = Annotated[
    str, typer.Option("--judge", metavar="MODEL", help="The chat model of the scorer judge.")
]
FolderOption = Annotated[
    str,
    typer.Option(
        "--model-folder", metavar="DIR", help="Where the local model of a probe lies by now."
    ),
]
_AUTO = "auto"
_DIGITS = 9
"""Of a layer; no model has so many."""
_LABELS = ("human", "machine")


def scorer_options(
    space: Workspace, scorers: Sequence[str], *, judge: str, base_url: str, **others: Any
) -> ScorerOptions:
    """What scorers are made with; a judge alone where one of them asks it.

    Args:
        others: further fields of `ScorerOptions`; and `unasked`, where nobody will be asked.

    Raises:
        InvalidInput, Unavailable: the judge can not be had.
    """
    from tui_annotate.cli.judge_annotate import named_judge, own_prompts
    from tui_annotate.plugins.scoring import ScorerOptions

    unasked = others.pop("unasked")
    if "judge" in scorers and (judge or space.settings.judge_model):
        others["judge"] = named_judge(space, judge, base_url=base_url, unasked=unasked)
    return ScorerOptions(prompts=str(own_prompts(space, None)[0]), **others)


def train_probe(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE]",
            help="JSON lines of question and category, as rank writes them.",
            show_default=False,
        ),
    ] = None,
    *,
    model: Annotated[
        str, typer.Option(metavar="DIR", help="The local model's folder, with config.json.")
    ],
    target: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", help="Where the probe goes: JSON."),
    ],
    labels: Annotated[
        str,
        typer.Option(
            metavar="WHOSE",
            help="In place of a file: human (people's labels) or machine (a ranker's).",
        ),
    ] = "",
    dataset: Annotated[
        str,
        typer.Option(metavar="NAME", help="With --labels; where there is one alone it is meant."),
    ] = "",
    layer: Annotated[
        str, typer.Option(metavar="N", help="Whose states are read, from 1; auto tries all.")
    ] = _AUTO,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Of the parting 70 to 30.")] = 0,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Train a probe: does a model know the answer to a question?

    Questions whose answers are all right are known, such whose answers are all wrong are not. Of
    100 it learns from 70; the figures are those of the other 30, which no layer has seen.
    """
    from tui_annotate.services.probe import from_file, trained

    if (file is None) == (not labels) or labels not in {"", *_LABELS}:
        raise InvalidInput("name a file, or whose labels", "FILE, or --labels human or machine")
    if file is not None:
        with output.progress("questions") as tell:
            found, taken = trained(_asked(model, layer, seed=seed), from_file(file), progress=tell)
    else:
        found, taken = _of_dataset(
            dataset, _asked(model, layer, seed=seed, whose=labels), workspace=workspace
        )
    found.probe.write(target)
    if as_json:
        output.as_json(_as_json(found, taken, target))
    else:
        _tell(found, taken, target)


def _of_dataset(dataset: str, asked: Asked, *, workspace: Path | None) -> Any:
    from dataclasses import replace

    with opened(workspace, needs=Verb.MANAGE) as space, output.progress("questions") as tell:
        chosen = replace(asked, dataset=meant_dataset(space, dataset))
        return space.machines.probing.run(chosen, progress=tell)


def _asked(model: str, layer: str, *, seed: int, whose: str = "human") -> Asked:
    from tui_annotate.services.probe import Asked, Whose

    sound = layer.isascii() and layer.isdecimal() and len(layer) <= _DIGITS
    if layer != _AUTO and not (sound and int(layer)):
        raise InvalidInput(f"{layer!r} is no layer", "a number from 1, or auto")
    number = 0 if layer == _AUTO else int(layer)
    return Asked(model=model, layer=number, seed=seed, whose=Whose(whose))


def _tell(found: Trained, taken: Gathered, target: Path) -> None:
    known = sum(taken.known)
    output.line(
        f"{output.many(len(taken.known), 'question')}: {known:,} known, "
        f"{len(taken.known) - known:,} not; learnt from {found.learnt:,}, tried on {found.apart:,}"
    )
    output.line("")
    titles = ("layer", "accuracy", "precision", "recall", "specificity")
    columns = [Column(each, number=True) for each in titles]
    output.table([*columns, Column("")], [_row(layer, found) for layer in found.layers])
    for why, count in sorted(taken.left.items()):
        output.say(f"left out: {count:,} {why}")
    output.say(f"layer {found.probe.layer} is kept in {target}")


def _row(layer: int, found: Trained) -> list[str]:
    told = [_share(each) for each in _shares(found.layers[layer])]
    return [str(layer), *told, "kept" if layer == found.probe.layer else ""]


def _shares(figures: Figures) -> tuple[float | None, ...]:
    return figures.accuracy, figures.precision, figures.recall, figures.specificity


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _as_json(found: Trained, taken: Gathered, target: Path) -> dict[str, Any]:
    return {
        "probe": str(target),
        "model": found.probe.model,
        "layer": found.probe.layer,
        **{name: found.probe.trained[name] for name in ("questions", "known", "learnt", "apart")},
        "seed": found.probe.trained["seed"],
        "layers": found.probe.trained["layers"],
        "left_out": dict(sorted(taken.left.items())),
    }
