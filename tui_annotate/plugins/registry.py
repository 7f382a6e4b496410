"""Plug-ins by name: built-ins from a table, those of other packages by entry point.

Besides formats, embedders, scorers and judges there are three groups of hooks, by which the
research tools in `lab` reach the core, which imports none of them: `commands` (functions that add
commands to the app), `services` (functions that make a service of an open workspace) and `features`
(parts of the screens for annotating and reviewing). A plug-in of another package or of `lab` that
breaks is logged, never fatal.
Asking for names imports no plug-in; loading imports the one that is asked for.

The environment variable `TUI_ANNOTATE_DISABLED_PLUGINS` holds patterns, with commas between them:
of `group:name` (`commands:score`) or of modules (`tui_annotate.lab.*`). What matches is not there.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Literal, overload

from tui_annotate.domain.did_you_mean import suggest_word
from tui_annotate.domain.errors import InvalidInput, TuiAnnotateError, Unavailable
from tui_annotate.plugins.judges import Judge, JudgeOptions, ReplyCache
from tui_annotate.plugins.protocols import Embedder, EmbedderOptions, Exporter, Importer
from tui_annotate.plugins.scoring import Scorer, ScorerOptions

_log = logging.getLogger(__name__)

_LAB: Final = "tui_annotate.lab."
_FORMATS = "tui_annotate.plugins.formats"
_IMPORTERS: Final = {
    "native": f"{_FORMATS}.native:NativeFormat",
    "mercury": f"{_FORMATS}.mercury.dump:MercuryFormat",
    "mercury-db": f"{_FORMATS}.mercury.database:MercuryDatabaseFormat",
    "faithbench": f"{_FORMATS}.mercury.dump:FaithBenchFormat",
    "ragtruth": f"{_FORMATS}.ragtruth:RagTruthFormat",
    "labelstudio": f"{_FORMATS}.labelstudio:LabelStudioFormat",
    "doccano": f"{_FORMATS}.doccano:DoccanoFormat",
    "brat": f"{_FORMATS}.brat:BratFormat",
    "w3c": f"{_FORMATS}.webanno:WebAnnotationFormat",
    "autojudge": f"{_FORMATS}.autojudge:AutojudgeFormat",
    "open-qa": f"{_LAB}position.open_qa_format:OpenQaFormat",
    "rag": f"{_LAB}judge.rag_format:RagFormat",
    "generations": f"{_LAB}score.generations:GenerationsFormat",
    "pairs": f"{_FORMATS}.pairs:PairsFormat",
}
_READ_ONLY: Final = {"mercury-db", "pairs"}
_BUILT_IN: Final[Mapping[str, Mapping[str, str]]] = {
    "importers": _IMPORTERS,
    "exporters": {
        **{name: _IMPORTERS[name] for name in _IMPORTERS if name not in _READ_ONLY},
        "preferences": f"{_LAB}score.generations:PreferencesFormat",
        "faithbench-csv": f"{_FORMATS}.tabular:FaithBenchTable",
        "conll": f"{_FORMATS}.conll:ConllFormat",
        "csv": f"{_FORMATS}.tabular:CsvFormat",
        "csv-tables": f"{_FORMATS}.tabular:CsvTablesFormat",
        "parquet": f"{_FORMATS}.tabular:ParquetFormat",
        "xlsx": f"{_FORMATS}.tabular:WorkbookFormat",
    },
    "embedders": {
        "neural": "tui_annotate.plugins.embedders.neural:NeuralEmbedder",
        "static": "tui_annotate.plugins.embedders.static:StaticEmbedder",
        "remote": "tui_annotate.plugins.embedders.remote:RemoteEmbedder",
    },
    "scorers": {
        "unigram": f"{_LAB}score.scorers.unigram:UnigramScorer",
        "similarity": f"{_LAB}score.scorers.similarity:SimilarityScorer",
        "judge": f"{_LAB}score.scorers.judge:JudgeScorer",
        "probe": f"{_LAB}score.scorers.local_models:ProbeScorer",
        "reward": f"{_LAB}score.scorers.local_models:RewardScorer",
    },
    "judges": {"llm": f"{_LAB}chat.llm_judge:LlmJudge"},
    "commands": {
        "score": f"{_LAB}score.commands:register",
        "judge": f"{_LAB}judge.commands:register",
        "rank": f"{_LAB}score.rank_command:register",
        "automate": f"{_LAB}score.rank_command:register_automate",
        "compare-machines": f"{_LAB}score.comparison_command:register",
        "position": f"{_LAB}position.commands:register",
    },
    "services": {
        "positions": f"{_LAB}position.stored_studies:position_studies",
        "scoring": f"{_LAB}score.scoring:ScoreService",
        "ranking": f"{_LAB}score.ranking_service:RankService",
        "comparing": f"{_LAB}score.comparison:ComparisonService",
        "probing": f"{_LAB}score.probe_training:ProbeTrainingService",
        "judging": f"{_LAB}judge.dataset_runs:DatasetJudge",
        "proposing": f"{_LAB}judge.proposals:ProposalService",
    },
    "features": {
        "contexts": f"{_LAB}judge.feature:ContextOrder",
        "positions": f"{_LAB}position.feature:PositionStudy",
    },
}
DISABLED: Final = "TUI_ANNOTATE_DISABLED_PLUGINS"
_PROTOCOLS: Final[Mapping[str, type]] = {
    "importers": Importer,
    "exporters": Exporter,
    "embedders": Embedder,
    "scorers": Scorer,
    "judges": Judge,
}
_SPECIAL_NAMES: Final[Mapping[str, tuple[str, ...]]] = {"embedders": ("auto", "none")}
"""Words in place of a name: for the best plug-in that there is, and for none."""

Hook = Literal["commands", "features", "services"]
Kind = Literal["importers", "exporters", "embedders", "scorers", "judges", Hook]


def plugin_names(kind: Kind) -> tuple[str, ...]:
    """The names of all plug-ins of a kind: built-ins in their order, then others by name."""
    return (*_built_in(kind), *sorted(_third_party(kind)))


def _built_in(kind: Kind) -> Mapping[str, str]:
    table = _BUILT_IN[kind]
    if DISABLED not in os.environ:
        return table
    return {name: target for name, target in table.items() if not _is_disabled(kind, name, target)}


def _is_disabled(kind: Kind, name: str, target: str) -> bool:
    patterns = [each.strip() for each in os.environ.get(DISABLED, "").split(",")]
    full_names = (f"{kind}:{name}", target.partition(":")[0])
    return any(fnmatchcase(each, pattern) for each in full_names for pattern in patterns)


def load_hook(kind: Hook, name: str) -> Any:
    """What a hook names: a function or a class, as it is; raises as `load`."""
    return _find_factory(kind, name)


@overload
def load(kind: Literal["importers"], name: str) -> Importer: ...
@overload
def load(kind: Literal["exporters"], name: str) -> Exporter: ...
@overload
def load(kind: Literal["embedders"], name: str) -> Embedder: ...
def load(kind: Kind, name: str) -> Any:
    """A plug-in, made without arguments; an embedder with its default options.

    Raises:
        InvalidInput: no plug-in of this kind has the name.
        Unavailable: it, or something it needs, is missing or broken.
    """
    return load_embedder(name) if kind == "embedders" else _make_plugin(kind, name)


def load_embedder(spec: str, *, base_url: str = "", dimensions: int = 0) -> Embedder:
    """An embedder by its name, which a colon and a model may follow: `neural:FOLDER`."""
    name, _, model = spec.partition(":")
    options = EmbedderOptions(model=model, base_url=base_url, dimensions=dimensions)
    embedder: Embedder = _make_plugin("embedders", name, options)
    return embedder


def load_scorer(spec: str, options: ScorerOptions) -> Scorer:
    """A scorer by its name, which a colon and a model may follow: `probe:FILE`; see `load`."""
    name, _, model = spec.partition(":")
    scorer: Scorer = _make_plugin("scorers", name, replace(options, model=model))
    return scorer


def load_judge(
    spec: str, *, base_url: str, replies: ReplyCache | None = None, concurrency: int = 4
) -> Judge:
    """Load a judge by `name:MODEL`; see `load`. `base_url` has no default; `replies` caches."""
    name, _, model = spec.partition(":")
    options = JudgeOptions(model=model, base_url=base_url, replies=replies, concurrency=concurrency)
    judge: Judge = _make_plugin("judges", name, options)
    return judge


def resolve_embedder_name(spec: str) -> str:
    """An embedder's name as it is remembered: with the folder of its model in full."""
    name, _, model = spec.partition(":")
    if not model:
        return name
    folder = os.path.abspath(os.path.expanduser(model))  # noqa: PTH100, PTH111  see find_weights
    return f"{name}:{folder}" if name == "neural" and Path(folder).is_dir() else spec


def best_embedder() -> str:
    """The default embedder: neural where its packages and weights are found, else static."""
    return "static" if _missing_for_neural() else "neural"


def better_embedder(used: str) -> str:
    """Return how to get better vectors than those of an embedder or "none"; may be empty."""
    if used not in {"static", "none"}:
        return ""
    steps = (_missing_for_neural(), "tui-annotate index rebuild --embedder neural")
    return f"a language model finds more: {'; '.join(filter(None, steps))}"


def _missing_for_neural() -> str:
    """How to install what neural vectors lack on this machine; empty for nothing."""
    weights = import_module("tui_annotate.plugins.embedders.weights")
    if not all(find_spec(name) for name in ("sentence_transformers", "torch")):
        return str(weights.INSTALL)
    return "" if weights.has_weights() else str(weights.WAYS)


def refuse_unknown(kind: Kind, spec: str) -> None:
    """Looks for a plug-in by its name, which a colon and a model may follow; imports nothing.

    Raises:
        InvalidInput: no plug-in of this kind has the name; the hint lists those that there are.
    """
    name = spec.partition(":")[0]
    if name not in _built_in(kind) and name not in _third_party(kind):
        there = (*_SPECIAL_NAMES.get(kind, ()), *plugin_names(kind))
        hint = f"{suggest_word(name, there)}there are: {', '.join(there)}"
        raise InvalidInput(f"no {kind[:-1]} {name!r}", hint)


def has_cost(spec: str) -> bool:
    """Whether an embedder is `Costly`; makes none, and raises as `load`."""
    return hasattr(_find_factory("embedders", spec.partition(":")[0]), "cost")


def is_built_in(kind: Kind, name: str) -> bool:
    """Whether a plug-in is a built-in one."""
    return name in _BUILT_IN[kind]


def _make_plugin(
    kind: Kind, name: str, *arguments: EmbedderOptions | JudgeOptions | ScorerOptions
) -> Any:
    make = _find_factory(kind, name)
    with guard_plugin(kind, name):
        plugin = make(*arguments)
    protocol = _PROTOCOLS[kind]
    if name not in _BUILT_IN[kind] and not isinstance(plugin, protocol):
        package = _package(_third_party(kind)[name])
        raise Unavailable(
            f"the plug-in {name!r} of {package} is no {protocol.__name__}",
            "it lacks something that tui_annotate.plugins.protocols asks for",
        )
    return plugin


def _find_factory(kind: Kind, name: str) -> Any:
    refuse_unknown(kind, name)
    with guard_plugin(kind, name):
        if target := _built_in(kind).get(name):
            module, _, attribute = target.partition(":")
            return getattr(import_module(module), attribute)
        return _third_party(kind)[name].load()


def load_all(kind: Literal["importers", "exporters"]) -> Iterator[tuple[str, Any]]:
    """All plug-ins of a kind that work; one warning for each that does not."""
    for name in plugin_names(kind):
        try:
            yield name, load(kind, name)
        except TuiAnnotateError as error:
            _log.warning("%s", error.message)


@contextmanager
def guard_plugin(kind: Kind, name: str) -> Iterator[None]:
    """Around every call of a plug-in: an error of another package or of `lab` becomes Unavailable.

    An unexpected error of a core plug-in is our mistake and goes through, as do errors of the disk.
    """
    try:
        yield
    except (TuiAnnotateError, OSError):
        raise
    except Exception as error:
        hint = "tell its makers, or take its package off"
        if target := _BUILT_IN[kind].get(name):
            if not target.startswith(_LAB):
                raise
            hint = f"report it; {DISABLED}={kind}:{name} disables it"
        message = f"the plug-in {name!r} broke: {type(error).__name__}: {error}"
        raise Unavailable(message, hint) from error


@cache
def _third_party(kind: Kind) -> dict[str, EntryPoint]:
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=f"tui_annotate.{kind}"):
        if point.name in _BUILT_IN[kind] or point.name in found:
            message = "the %s %r of %s is left out: the name is taken"
            _log.warning(message, kind[:-1], point.name, _package(point))
        elif not _is_disabled(kind, point.name, point.value):
            found[point.name] = point
    return found


def _package(point: EntryPoint) -> str:
    return f"package {point.dist.name}" if point.dist else point.value
