"""Plug-ins by name: built-ins from a table, strangers' by entry point.

A stranger that breaks is told, never fatal. Asking for names imports no plug-in; loading imports
the one that is asked for.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, overload

from tui_annotate.domain.errors import InvalidInput, TuiAnnotateError, Unavailable
from tui_annotate.domain.nearest import meant
from tui_annotate.plugins.asking import Judge, JudgeOptions, Replies
from tui_annotate.plugins.protocols import Embedder, EmbedderOptions, Exporter, Importer
from tui_annotate.plugins.scoring import Scorer, ScorerOptions

_log = logging.getLogger(__name__)

_FORMATS = "tui_annotate.plugins.formats"
_BUILT_IN: Final = MappingProxyType(
    {
        "importers": {
            "native": f"{_FORMATS}.native:NativeFormat",
            "mercury": f"{_FORMATS}.mercury:MercuryFormat",
            "mercury-db": f"{_FORMATS}.mercury.database:MercuryDatabaseFormat",
            "faithbench": f"{_FORMATS}.mercury:FaithBenchFormat",
            "ragtruth": f"{_FORMATS}.ragtruth:RagTruthFormat",
            "labelstudio": f"{_FORMATS}.labelstudio:LabelStudioFormat",
            "doccano": f"{_FORMATS}.doccano:DoccanoFormat",
            "brat": f"{_FORMATS}.brat:BratFormat",
            "w3c": f"{_FORMATS}.webanno:WebAnnotationFormat",
            "autojudge": f"{_FORMATS}.autojudge:AutojudgeFormat",
            "open-qa": f"{_FORMATS}.open_qa:OpenQaFormat",
            "rag": f"{_FORMATS}.rag:RagFormat",
            "generations": f"{_FORMATS}.generations:GenerationsFormat",
            "pairs": f"{_FORMATS}.pairs:PairsFormat",
        },
        "exporters": {
            "native": f"{_FORMATS}.native:NativeFormat",
            "mercury": f"{_FORMATS}.mercury:MercuryFormat",
            "faithbench": f"{_FORMATS}.mercury:FaithBenchFormat",
            "ragtruth": f"{_FORMATS}.ragtruth:RagTruthFormat",
            "labelstudio": f"{_FORMATS}.labelstudio:LabelStudioFormat",
            "doccano": f"{_FORMATS}.doccano:DoccanoFormat",
            "brat": f"{_FORMATS}.brat:BratFormat",
            "w3c": f"{_FORMATS}.webanno:WebAnnotationFormat",
            "autojudge": f"{_FORMATS}.autojudge:AutojudgeFormat",
            "open-qa": f"{_FORMATS}.open_qa:OpenQaFormat",
            "rag": f"{_FORMATS}.rag:RagFormat",
            "generations": f"{_FORMATS}.generations:GenerationsFormat",
            "preferences": f"{_FORMATS}.generations:PreferencesFormat",
            "faithbench-csv": f"{_FORMATS}.verdicts:FaithBenchTable",
            "conll": f"{_FORMATS}.conll:ConllFormat",
            "csv": f"{_FORMATS}.tabular.delimited:CsvFormat",
            "csv-tables": f"{_FORMATS}.tabular.delimited:CsvTablesFormat",
            "parquet": f"{_FORMATS}.tabular.parquet:ParquetFormat",
            "xlsx": f"{_FORMATS}.tabular.workbook:WorkbookFormat",
        },
        "embedders": {
            "neural": "tui_annotate.plugins.embedders.neural:NeuralEmbedder",
            "static": "tui_annotate.plugins.embedders.static:StaticEmbedder",
            "remote": "tui_annotate.plugins.embedders.remote:RemoteEmbedder",
        },
        "scorers": {
            "unigram": "tui_annotate.plugins.scorers.unigram:UnigramScorer",
            "similarity": "tui_annotate.plugins.scorers.similarity:SimilarityScorer",
            "judge": "tui_annotate.plugins.scorers.judge:JudgeScorer",
            "probe": "tui_annotate.plugins.scorers.probe:ProbeScorer",
            "reward": "tui_annotate.plugins.scorers.reward:RewardScorer",
        },
        "judges": {"llm": "tui_annotate.plugins.judges.llm:LlmJudge"},
    }
)
_PROMISES: Final = MappingProxyType(
    {
        "importers": Importer,
        "exporters": Exporter,
        "embedders": Embedder,
        "scorers": Scorer,
        "judges": Judge,
    }
)
_WORDS: Final = MappingProxyType({"embedders": ("auto", "none")})
"""What may be said in place of a name: the best that there is, and no plug-in at all."""

Kind = Literal["importers", "exporters", "embedders", "scorers", "judges"]


def names(kind: Kind) -> tuple[str, ...]:
    """The names of all plug-ins of a kind: built-ins in their order, then strangers' by name."""
    return (*_BUILT_IN[kind], *sorted(_strangers(kind)))


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
    return load_embedder(name) if kind == "embedders" else _made(kind, name)


def load_embedder(asked: str, *, base_url: str = "", dimensions: int = 0) -> Embedder:
    """An embedder by its name, which a colon and a model may follow: `neural:FOLDER`.

    Raises:
        InvalidInput: no embedder has the name.
        Unavailable: it, or something it needs, is missing or broken.
    """
    name, _, model = asked.partition(":")
    options = EmbedderOptions(model=model, base_url=base_url, dimensions=dimensions)
    made: Embedder = _made("embedders", name, options)
    return made


def load_scorer(asked: str, options: ScorerOptions) -> Scorer:
    """A scorer by its name, which a colon and a model may follow: `probe:FILE`.

    Raises:
        InvalidInput: no scorer has the name, or it can not work with these options.
        Unavailable: it, or something it needs, is missing or broken.
    """
    name, _, model = asked.partition(":")
    made: Scorer = _made("scorers", name, replace(options, model=model))
    return made


def load_judge(
    asked: str, *, base_url: str, replies: Replies | None = None, concurrency: int = 4
) -> Judge:
    """A judge by its name, which a colon and a model follow: `llm:MODEL`.

    Args:
        base_url: of the endpoint that texts go to; there is no default.
        replies: the cache; None keeps replies only as long as the judge lives.
        concurrency: requests at a time.

    Raises:
        InvalidInput: no judge has the name, or the address can not be used.
        Unavailable: it, or something it needs, is missing or broken.
    """
    name, _, model = asked.partition(":")
    options = JudgeOptions(model=model, base_url=base_url, replies=replies, concurrency=concurrency)
    made: Judge = _made("judges", name, options)
    return made


def settled(asked: str) -> str:
    """An embedder's name as it is remembered: with the folder of its model in full."""
    name, _, model = asked.partition(":")
    if not model:
        return name
    folder = os.path.abspath(os.path.expanduser(model))  # noqa: PTH100, PTH111  see weights.find
    return f"{name}:{folder}" if name == "neural" and Path(folder).is_dir() else asked


def best_embedder() -> str:
    """The embedder that is meant where none is named: neural where it can be had, else static.

    Looks for packages and weights, and loads none of them; so it may still fail to load.
    """
    return "static" if _lacking() else "neural"


def better_embedder(used: str) -> str:
    """How better vectors than those of an embedder are had, in one line; empty if there are none.

    Args:
        used: its name, or "none".
    """
    if used not in {"static", "none"}:
        return ""
    rebuild = "tui-annotate index rebuild --embedder neural"
    return f"a language model finds more: {'; '.join(filter(None, (_lacking(), rebuild)))}"


def _lacking() -> str:
    """What neural vectors lack on this machine, as the lines that mend it; empty for nothing."""
    weights = import_module("tui_annotate.plugins.embedders.weights")
    if not all(find_spec(name) for name in ("sentence_transformers", "torch")):
        return str(weights.INSTALL)
    return "" if weights.there() else str(weights.WAYS)


def refuse_unknown(kind: Kind, asked: str) -> None:
    """Looks for a plug-in by its name, which a colon and a model may follow; imports nothing.

    Raises:
        InvalidInput: no plug-in of this kind has the name; the hint lists those that there are.
    """
    name = asked.partition(":")[0]
    if name not in _BUILT_IN[kind] and name not in _strangers(kind):
        there = (*_WORDS.get(kind, ()), *names(kind))
        hint = f"{meant(name, there)}there are: {', '.join(there)}"
        raise InvalidInput(f"no {kind[:-1]} {name!r}", hint)


def has_cost(asked: str) -> bool:
    """Whether an embedder tells what its vectors cost, as `Costly` says; makes none.

    Raises:
        InvalidInput: no embedder has the name.
        Unavailable: a stranger's is broken.
    """
    return hasattr(_maker("embedders", asked.partition(":")[0]), "cost")


def is_ours(kind: Kind, name: str) -> bool:
    """Whether a plug-in is a built-in one."""
    return name in _BUILT_IN[kind]


def _made(kind: Kind, name: str, *arguments: EmbedderOptions | JudgeOptions | ScorerOptions) -> Any:
    make = _maker(kind, name)
    with guarded(kind, name):
        plugin = make(*arguments)
    promise = _PROMISES[kind]
    if name not in _BUILT_IN[kind] and not isinstance(plugin, promise):
        raise Unavailable(
            f"the plug-in {name!r} of {_package(_strangers(kind)[name])} is no {promise.__name__}",
            "it lacks something that tui_annotate.plugins.protocols asks for",
        )
    return plugin


def _maker(kind: Kind, name: str) -> Any:
    """What is called to make a plug-in."""
    refuse_unknown(kind, name)
    if target := _BUILT_IN[kind].get(name):
        module, _, attribute = target.partition(":")
        return getattr(import_module(module), attribute)
    with guarded(kind, name):
        return _strangers(kind)[name].load()


def load_all(kind: Literal["importers", "exporters"]) -> Iterator[tuple[str, Any]]:
    """All plug-ins of a kind that work; one warning for each that does not."""
    for name in names(kind):
        try:
            yield name, load(kind, name)
        except TuiAnnotateError as error:
            _log.warning("%s", error.message)


@contextmanager
def guarded(kind: Kind, name: str) -> Iterator[None]:
    """Around every call of a plug-in: what a stranger's raises becomes Unavailable.

    What a built-in raises unasked is our mistake and goes through, and so do errors of the disk.
    """
    try:
        yield
    except (TuiAnnotateError, OSError):
        raise
    except Exception as error:
        if name in _BUILT_IN[kind]:
            raise
        raise Unavailable(
            f"the plug-in {name!r} broke: {type(error).__name__}: {error}",
            "tell its makers, or take its package off",
        ) from error


@cache
def _strangers(kind: Kind) -> dict[str, EntryPoint]:
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=f"tui_annotate.{kind}"):
        if point.name in _BUILT_IN[kind] or point.name in found:
            _log.warning(
                "the %s %r of %s is left out: the name is taken",
                kind[:-1],
                point.name,
                _package(point),
            )
        else:
            found[point.name] = point
    return found


def _package(point: EntryPoint) -> str:
    return f"package {point.dist.name}" if point.dist else point.value
