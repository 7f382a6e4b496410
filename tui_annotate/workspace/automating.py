"""Runs a recipe: reads its data, scores, ranks and writes, each step as its command would."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.plugins.recipes import Recipe, Step
from tui_annotate.plugins.scoring import ScorerOptions

if TYPE_CHECKING:
    from tui_annotate.domain.progress import Progress
    from tui_annotate.plugins.protocols import Report
    from tui_annotate.services.ingest import IngestReport
    from tui_annotate.services.rank import Ranked
    from tui_annotate.services.score import Asked, Scored
    from tui_annotate.workspace.wiring import Workspace


@dataclass(slots=True)
class Done:
    """What came of a recipe, as far as it asks for it."""

    dataset: str = ""
    ingested: IngestReport | None = None
    scored: list[Scored] = field(default_factory=list)
    ranked: Ranked | None = None
    written: dict[str, Report] = field(default_factory=dict)


def automate(
    space: Workspace, recipe: Recipe, *, progress: Callable[[Progress], None] | None = None
) -> Done:
    """Runs a recipe. What was done before a step fails stays, and costs little the next time.

    Where it names no scorer and asks for a ranking, the scores that the input holds are taken.

    Raises:
        InvalidInput: the input could not be read whole.
        TuiAnnotateError: as each step does.
    """
    done = Done(dataset=recipe.dataset)
    if recipe.source is not None:
        _ingest(space, recipe, done, progress=progress)
    scoring = space.machines.scoring
    for step in recipe.steps:
        done.scored.append(scoring.run(_asked(space, step, done.dataset), progress=progress))
    if recipe.ranker is not None:
        if not recipe.steps:
            done.scored.append(scoring.from_columns(done.dataset))
        done.ranked = space.machines.ranking.run(_ranking(recipe, done.dataset), progress=progress)
    for target, form in ((recipe.labelled, "generations"), (recipe.ranked, "preferences")):
        if target is not None:
            done.written[str(target)] = space.export(target, format=form, dataset=done.dataset)
    return done


def _ingest(
    space: Workspace, recipe: Recipe, done: Done, *, progress: Callable[[Progress], None] | None
) -> None:
    from tui_annotate.plugins.admission import dataset_name
    from tui_annotate.plugins.protocols import ImportOptions

    source = recipe.source
    assert source is not None  # noqa: S101  asked before
    done.dataset = dataset_name(source, recipe.dataset)
    options = ImportOptions(dataset=done.dataset, language=space.settings.language)
    done.ingested = space.ingest(source, options=options, progress=progress)
    if done.ingested.refused:
        problem = done.ingested.problems[0]
        raise InvalidInput(f"{problem}; {done.ingested.refused} records are refused", problem.hint)


def _asked(space: Workspace, step: Step, dataset: str) -> Asked:
    from tui_annotate.services.score import AUTO, Asked

    said: dict[str, Any] = dict(step.options)
    embedder, base_url = said.pop("embedder", ""), said.pop("base_url", "")
    language = said.pop("language", AUTO)
    load = partial(space.machines.embedder, embedder, base_url=base_url)
    options = ScorerOptions(embedder=load, **said)
    return Asked(dataset=dataset, scorer=step.scorer, language=language, options=options)


def _ranking(recipe: Recipe, dataset: str) -> Any:
    from tui_annotate.services.rank import Asked, chosen_ranker

    said = dict(recipe.ranker or {})
    ranker = chosen_ranker(said.pop("ranker", "percentile"))
    use = tuple(said.pop("use", ()))
    return Asked(dataset=dataset, ranker=ranker, use=use, **said)
