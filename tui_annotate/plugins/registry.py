"""Registry of plug-ins by name: built-in ones from a table, others by package entry point.

There are five groups of plug-ins: importers, exporters, embedders, scorers and judges. Three more
groups are hooks, which add the research tools in `lab` to the core; the core imports none of them:
`commands` (functions that add commands to the app), `services` (functions that make a service of an
open workspace) and `features` (parts of the screens for annotating and reviewing). If a plug-in of
another package or of `lab` fails, the error is logged; the program continues. Listing names imports
no plug-in; loading a plug-in imports only this plug-in.

The environment variable `TUI_ANNOTATE_DISABLED_PLUGINS` holds comma-separated patterns for
`group:name` (`commands:scores`) or for modules (`tui_annotate.lab.*`). Plug-ins that match a
pattern are disabled.
"""

from __future__ import annotations

import logging
import os
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cache, partial
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Final, Literal, cast, overload

from tui_annotate.domain.did_you_mean import suggest_word
from tui_annotate.domain.endpoint_trust import EndpointTrust
from tui_annotate.domain.errors import InvalidInput, TuiAnnotateError, Unavailable
from tui_annotate.plugins.judges import Judge, JudgeOptions
from tui_annotate.plugins.model_weights import INSTALL_DEFAULT, can_run_default
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
    "w3c": f"{_FORMATS}.w3c:WebAnnotationFormat",
    "autojudge": f"{_FORMATS}.autojudge:AutojudgeFormat",
    "open-qa": f"{_LAB}position.open_qa_format:OpenQaFormat",
    "rag": f"{_LAB}judge.rag_format:RagFormat",
    "generations": f"{_LAB}score.generations:GenerationsFormat",
    "pairs": f"{_FORMATS}.pairs:PairsFormat",
    "csv": f"{_FORMATS}.pairs:CsvPairsFormat",
    "tsv": f"{_FORMATS}.pairs:TsvPairsFormat",
    "jsonl": f"{_FORMATS}.pairs:JsonLinesPairsFormat",
    "json": f"{_FORMATS}.pairs:JsonPairsFormat",
    "xlsx": f"{_FORMATS}.pairs:WorkbookPairsFormat",
    "folder": f"{_FORMATS}.folder:FolderFormat",
}
PAIRS: Final = ("pairs", "csv", "tsv", "jsonl", "json", "xlsx")
"""Names of the importers of source-summary pairs.

The exporters `csv`, `jsonl`, `json` and `xlsx` write formats that these importers do not read.
"""
_READ_ONLY: Final = {"mercury-db", "folder", *PAIRS}
_BUILT_IN: Final[Mapping[str, Mapping[str, str]]] = {
    "importers": _IMPORTERS,
    "exporters": {
        **{name: _IMPORTERS[name] for name in _IMPORTERS if name not in _READ_ONLY},
        "autojudge-page": f"{_FORMATS}.autojudge.page:AutojudgePageFormat",
        "suggestions": f"{_FORMATS}.answered_suggestions:AnsweredSuggestionsFormat",
        "preferences": f"{_LAB}score.generations:PreferencesFormat",
        "faithbench-csv": f"{_FORMATS}.tabular:FaithBenchTable",
        "conll": f"{_FORMATS}.conll:ConllFormat",
        "csv": f"{_FORMATS}.tabular:CsvFormat",
        "jsonl": f"{_FORMATS}.tabular:JsonLinesFormat",
        "json": f"{_FORMATS}.tabular:JsonFormat",
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
        "scores": f"{_LAB}score.command_group:register",
        "judge": f"{_LAB}judge.commands:register",
        "pipeline": f"{_LAB}score.pipeline_command:register",
        "position": f"{_LAB}position.commands:register",
        "assist": f"{_LAB}assist.commands:register",
    },
    "services": {
        "positions": f"{_LAB}position.stored_studies:position_studies",
        "scoring": f"{_LAB}score.scoring:ScoreService",
        "ranking": f"{_LAB}score.ranking_service:RankService",
        "comparing": f"{_LAB}score.comparison:ComparisonService",
        "probing": f"{_LAB}score.probe_training:ProbeTrainingService",
        "judging": f"{_LAB}judge.dataset_runs:DatasetJudge",
        "proposing": f"{_LAB}judge.proposals:ProposalService",
        "assist_studies": f"{_LAB}assist.studies:AssistStudies",
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
_FILE_KINDS: Final = ("importers", "exporters")
_WITHOUT_MODEL: Final = frozenset({"auto", "none", "static"})
"""Names of embedders that no `:MODEL` follows."""
_SPECIAL_NAMES: Final[Mapping[str, tuple[str, ...]]] = {"embedders": ("auto", "none")}
"""Values in place of a plug-in name: `auto` for the best plug-in, `none` for no plug-in."""

Hook = Literal["commands", "features", "services"]
Kind = Literal["importers", "exporters", "embedders", "scorers", "judges", Hook]


def plugin_names(kind: Kind) -> tuple[str, ...]:
    """Return the names of all plug-ins of a kind, the built-in ones first."""
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
    """Return the function or class of a plug-in that extends commands, services or screens.

    Raises:
        InvalidInput: the hook is unknown.
        Unavailable: the hook, or a package that it needs, is missing or broken.
    """
    return _find_factory(kind, name)


@overload
def load(kind: Literal["importers"], name: str) -> Importer: ...
@overload
def load(kind: Literal["exporters"], name: str) -> Exporter: ...
@overload
def load(kind: Literal["embedders"], name: str) -> Embedder: ...
def load(kind: Kind, name: str) -> Any:
    """Load and create a plug-in without arguments, or an embedder with default options.

    Raises:
        InvalidInput: no plug-in of this kind has the name.
        Unavailable: the plug-in, or a package or file that the plug-in needs, is missing or broken.
    """
    return load_embedder(name) if kind == "embedders" else _make_plugin(kind, name)


def load_embedder(
    spec: str,
    *,
    base_url: str = "",
    dimensions: int = 0,
    timeout: float | None = None,
    max_retries: int | None = None,
    keeps_vectors: bool = True,
    trust: EndpointTrust | None = None,
) -> Embedder:
    """Load an embedder by its name, optionally with a colon and a model: `neural:FOLDER`.

    Args:
        trust: the endpoints that may receive texts; None for no endpoint at all.
        dimensions, timeout, max_retries, keeps_vectors: as in `EmbedderOptions`.

    Raises:
        NotAllowed: an embedder of another package gets a URL that the user does not trust.
    """
    name, model = _split_model(spec)
    allowed = trust or EndpointTrust()
    _require_trust("embedders", name, base_url, trust=allowed)
    options = EmbedderOptions(
        model=model,
        base_url=base_url,
        dimensions=dimensions,
        timeout=timeout,
        max_retries=max_retries,
        keeps_vectors=keeps_vectors,
        trust=allowed,
    )
    embedder: Embedder = _make_plugin("embedders", name, options)
    if is_built_in("embedders", name):
        return embedder
    from tui_annotate.plugins.plugin_results import CheckedEmbedder, check_embedder

    guard = partial(guard_plugin, "embedders", name)
    with guard():
        check_embedder(embedder, plugin=name)
    return cast("Embedder", CheckedEmbedder(embedder, name=name, guard=guard))


def load_scorer(spec: str, options: ScorerOptions) -> Scorer:
    """Load a scorer by its name, optionally with a colon and a model: `probe:FILE`."""
    name, model = _split_model(spec)
    scorer: Scorer = _make_plugin("scorers", name, replace(options, model=model))
    return scorer


def load_judge(spec: str, options: JudgeOptions) -> Judge:
    """Load a judge (chat model that rates texts) by `name:MODEL`."""
    name, model = _split_model(spec)
    if options.trust is not None:
        _require_trust("judges", name, options.base_url, trust=options.trust)
    judge: Judge = _make_plugin("judges", name, replace(options, model=model))
    if is_built_in("judges", name):
        return judge
    from tui_annotate.plugins.plugin_results import CheckedJudge, check_judge

    guard = partial(guard_plugin, "judges", name)
    with guard():
        check_judge(judge, plugin=name)
    return CheckedJudge(judge, name=name, guard=guard)


def _require_trust(kind: Kind, name: str, base_url: str, *, trust: EndpointTrust) -> None:
    # A built-in plug-in checks each request, so that an estimate of costs needs no trust.
    if base_url and not is_built_in(kind, name):
        trust.require(base_url)


def _split_model(spec: str) -> tuple[str, str]:
    """Return the name of a plug-in and the model after its colon; a blank model is none."""
    name, _, model = spec.partition(":")
    return name, model.strip()


def resolve_embedder_name(spec: str) -> str:
    """Return an embedder's name as the workspace stores it, with an absolute model folder."""
    name, model = _split_model(spec)
    if not model:
        return name
    spec = f"{name}:{model}"
    folder = os.path.abspath(os.path.expanduser(model))  # noqa: PTH100, PTH111  see find_weights
    return f"{name}:{folder}" if name == "neural" and Path(folder).is_dir() else spec


def best_embedder() -> str:
    """Return the name of the best embedder that is installed: neural, else static."""
    return "neural" if can_run_default() else "static"


def explain_embedder(used: str) -> str:
    """Return which embedder was chosen automatically, why, and how to use another embedder."""
    command = "tui-annotate lab vectors rebuild --embedder"
    if used == "neural":
        return (
            "matches are found by meaning and by words (embedder 'neural'); to use the faster"
            f" embedder 'static': {command} static"
        )
    if used not in {"static", "none"}:
        return ""
    steps = [f"{command} neural"]
    state = "could not be loaded"
    if not can_run_default():
        steps.insert(0, INSTALL_DEFAULT)
        state = "is not installed"
    return (
        f"matches are found with the embedder {used!r}; the embedder 'neural' finds more, but"
        f" {state}; to use it: {'; '.join(steps)}"
    )


def _explain_model(spec: str) -> str:
    """Return how to use a model that is named as Mercury names it; empty for another word."""
    if "/" not in spec and "-" not in spec:
        return ""
    is_openai = spec.startswith(("openai/", "text-embedding-"))
    model = spec.rpartition("/")[2].strip()
    what = "this is a model of OpenAI" if is_openai else "this is the name of a model"
    if not model or model.endswith("-"):  # as `openai/` and `text-embedding-`
        what = "the name of the model is missing"
        model = "MODEL"
    remote = shlex.quote(f"remote:{model}")
    if is_openai:
        return f"{what}: pass --embedder {remote} --base-url https://api.openai.com/v1"
    return (
        f"{what}: pass --embedder neural:FOLDER for a folder that contains the"
        f" model, --embedder {remote} --base-url URL for a server that runs the model, or"
        " --embedder static for vectors without any model"
    )


def refuse_unknown(kind: Kind, spec: str) -> None:
    """Check that a plug-in with a name (with an optional `:MODEL`) exists; import no plug-in.

    Raises:
        InvalidInput: no plug-in of this kind has the name, and the hint lists the available names;
            or a model follows a name that takes none.
    """
    name, model = _split_model(spec)
    if kind == "embedders" and model and name in _WITHOUT_MODEL:
        raise InvalidInput(
            f"the embedder {name!r} takes no model, but {spec!r} names one",
            f"use --embedder {name}; the embedders with a model are neural:FOLDER and remote:MODEL",
        )
    if name not in _built_in(kind) and name not in _third_party(kind):
        there = (*_SPECIAL_NAMES.get(kind, ()), *plugin_names(kind))
        hint = f"{suggest_word(name, there)}available: {', '.join(there)}"
        if kind == "embedders" and (explained := _explain_model(spec)):
            hint = explained
        what = "format" if kind in _FILE_KINDS else kind[:-1]
        raise InvalidInput(f"unknown {what} {name!r}", hint)


def has_cost(spec: str) -> bool:
    """Return whether the use of an embedder costs money or a remote server's time."""
    return hasattr(_find_factory("embedders", spec.partition(":")[0]), "cost")


def is_instant(spec: str) -> bool:
    """Return whether an embedder computes vectors in milliseconds, without creating it."""
    return bool(getattr(_find_factory("embedders", spec.partition(":")[0]), "instant", False))


def is_built_in(kind: Kind, name: str) -> bool:
    """Return whether a plug-in belongs to this program; it takes precedence over others."""
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
            f"the plug-in {name!r} of {package} is not a valid {protocol.__name__}",
            f"the plug-in lacks members of the protocol {protocol.__module__}.{protocol.__name__}",
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
    """Yield the name and the object of each working plug-in of a kind; log broken plug-ins."""
    for name in plugin_names(kind):
        try:
            yield name, load(kind, name)
        except TuiAnnotateError as error:
            _log.warning("%s", error.message)


@contextmanager
def guard_plugin(kind: Kind, name: str) -> Iterator[None]:
    """Replace an unexpected error of an optional plug-in by the error Unavailable.

    Optional plug-ins are those of other packages and of `tui_annotate.lab`. An unexpected error of
    a core plug-in is a bug and passes through; so do the program's own errors, and an OSError of
    importers and exporters, which may concern the user's file.
    """
    try:
        yield
    except TuiAnnotateError:
        raise
    except (Exception, SystemExit) as error:  # a plug-in must not end the program either
        if isinstance(error, OSError) and (kind in _FILE_KINDS or name in _BUILT_IN[kind]):
            raise
        hint = "report the error to the authors of the plug-in, or uninstall its package"
        if target := _BUILT_IN[kind].get(name):
            if not target.startswith(_LAB):
                raise
            hint = f"report the error; to disable the plug-in, set {DISABLED}={kind}:{name}"
        message = f"the plug-in {name!r} failed: {type(error).__name__}: {error}"
        raise Unavailable(message, hint) from error


@cache
def _third_party(kind: Kind) -> dict[str, EntryPoint]:
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=f"tui_annotate.{kind}"):
        if point.name in _BUILT_IN[kind] or point.name in found:
            message = "skipped the %s %r of the package %s: its name is already in use"
            _log.warning(message, kind[:-1], point.name, _package(point))
        elif not _is_disabled(kind, point.name, point.value):
            found[point.name] = point
    return found


def _package(point: EntryPoint) -> str:
    return f"package {point.dist.name}" if point.dist else point.value
