"""A file that names data, scorers and a ranker; ours, or one of Dreamcatcher. Refuses doubt.

Source: the configuration files of the project Dreamcatcher, whose keys are read beside ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import yaml

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.nearest import meant
from tui_annotate.plugins.files.whole import read_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A scorer with its options, by our names."""

    scorer: str
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What a file asks for.

    Attributes:
        dataset: empty for the input's name.
        source: the input; None where the dataset is stored already.
        labelled, ranked: the outputs; None for none.
        steps: the scorers in the order of the file; none where the input's own scores are taken.
        ranker: its options by our names; None for no ranking.
        unused: keys that were understood and play no part here, each with why.
    """

    dataset: str = ""
    source: Path | None = None
    labelled: Path | None = None
    ranked: Path | None = None
    steps: tuple[Step, ...] = ()
    ranker: Mapping[str, Any] | None = None
    unused: tuple[str, ...] = ()


_Check = Callable[[Any], bool]


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_switch(value: Any) -> bool:
    return isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _is_share(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 100


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_text, value))


def _is_anything(value: Any) -> bool:
    del value
    return True


_WORDS: Final[Mapping[_Check, str]] = MappingProxyType(
    {
        _is_text: "a text",
        _is_switch: "true or false",
        _is_count: "a whole number above 0",
        _is_share: "a number from 0 to 100",
        _is_list: "a list of texts",
    }
)
_IDLE: Final = ("", _is_anything)
"""A key of the original that says how to load a model, which here its folder says."""
_MODELS: Final = (
    "model_type", "hidden_size", "probe_state_key", "probe_token", "probe_layer", "model_path",
    "tokenizer_path", "embedding_tokenizer_path", "rm_tokenizer_path",
)  # fmt: skip
_Keys = Mapping[str, tuple[str, _Check]]
_DATA: Final[_Keys] = MappingProxyType(
    {
        "input_data_path": ("source", _is_text),
        "output_data_path": ("labelled", _is_text),
        "output_rank_data_path": ("ranked", _is_text),
        "dataset": ("dataset", _is_text),
    }
)
_OPTIONS: Final[_Keys] = MappingProxyType(
    {
        "top_k": ("top_k", _is_count),
        "unigram_top_k": ("top_k", _is_count),
        "lang": ("language", _is_text),
        "with_question": ("with_question", _is_switch),
        "use_answer_only": ("answer_only", _is_switch),
        "embedder": ("embedder", _is_text),
        "base_url": ("base_url", _is_text),
        "model": ("model", _is_text),
        "embedding_model_path": ("vectors", _is_text),
        "probe_model_path": ("model", _is_text),
        "rm_model_path": ("model", _is_text),
        **dict.fromkeys(_MODELS, _IDLE),
    }
)
_PROBE: Final[_Keys] = MappingProxyType({**_OPTIONS, "model_path": ("folder", _is_text)})
_RANKER: Final[_Keys] = MappingProxyType(
    {
        "ranker_name": ("ranker", _is_text),
        "name": ("ranker", _is_text),
        "up_percentile": ("up", _is_share),
        "up": ("up", _is_share),
        "down_percentile": ("down", _is_share),
        "down": ("down", _is_share),
        "short_diff": ("short", _is_count),
        "use": ("use", _is_list),
    }
)
_SCORERS: Final[Mapping[str, tuple[str, Mapping[str, Any]]]] = MappingProxyType(
    {
        "unigram_scorer": ("unigram", {"language": "zh"}),
        "unigram_scorer_en": ("unigram", {"language": "en"}),
        "similarity_scorer": ("similarity", {}),
        "probe_scorer": ("probe", {}),
        "rm_scorer": ("reward", {}),
    }
)
"""The original's names, each with ours and what it means besides."""


def read_recipe(path: Path, *, scorers: tuple[str, ...]) -> Recipe:
    """Reads such a file.

    Args:
        scorers: the names of the scorers that there are.

    Raises:
        NotFound, Unavailable: it can not be read.
        InvalidInput: it is no such file; the message gives the line.
    """
    return _Reader(path, scorers).recipe()


class _Reader:
    """Walks the nodes of one file, which know their lines."""

    def __init__(self, path: Path, scorers: tuple[str, ...]) -> None:
        self._path = path
        self._scorers = scorers
        self._unused: list[str] = []

    def recipe(self) -> Recipe:
        root = self._root()
        parts = dict(self._pairs(root, ("data", "scorer", "ranker")))
        data = self._section(parts.get("data"), _DATA, "data")
        if not {"source", "dataset"} & data.keys():
            raise self._wrong(root, "it names no data", "data: input_data_path, or data: dataset")
        paths = {
            name: Path(data[name]) for name in ("source", "labelled", "ranked") if name in data
        }
        ranker = parts.get("ranker")
        return Recipe(
            dataset=data.get("dataset", ""),
            **paths,
            steps=tuple(self._steps(parts.get("scorer"))),
            ranker=None if _empty(ranker) else self._section(ranker, _RANKER, "ranker"),
            unused=tuple(self._unused),
        )

    def _root(self) -> yaml.MappingNode:
        text = read_text(self._path)
        try:
            node = yaml.compose(text, Loader=yaml.SafeLoader)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            where = f"{self._path}:{mark.line + 1}" if mark else str(self._path)
            what = getattr(error, "problem", None) or "it can not be read"
            raise InvalidInput(f"{where}: this is no YAML: {what}") from error
        if not isinstance(node, yaml.MappingNode):
            raise InvalidInput(f"{self._path} holds no keys", "data:, scorer:, ranker:")
        return node

    def _steps(self, node: yaml.Node | None) -> Iterator[Step]:
        if node is None or _empty(node):
            return
        known = (*self._scorers, *_SCORERS)
        for name, options in self._pairs(node, known):
            scorer, implied = _SCORERS.get(name, (name, {}))
            keys = _PROBE if scorer == "probe" else _OPTIONS
            said = {} if _empty(options) else self._section(options, keys, name)
            if "answer_only" in said:
                said["with_question"] = not said.pop("answer_only")
            if vectors := said.pop("vectors", ""):
                said.setdefault("embedder", f"neural:{vectors}")
            if model := said.pop("model", ""):
                scorer = f"{scorer}:{model}"
            yield Step(scorer=scorer, options={**implied, **said})

    def _section(self, node: yaml.Node | None, keys: _Keys, what: str) -> dict[str, Any]:
        """The options of a section by our names."""
        found: dict[str, Any] = {}
        if node is None or _empty(node):
            return found
        for name, value in self._pairs(node, tuple(keys)):
            ours, check = keys[name]
            said = _value(value)
            if not ours:
                self._unused.append(f"{what}.{name}: the model's own folder says it")
            elif not check(said):
                raise self._wrong(value, f"{what}.{name} is {said!r:.80}, not {_WORDS[check]}")
            elif ours in found:
                raise self._wrong(value, f"{what} says {ours} twice")
            else:
                found[ours] = said
        return found

    def _pairs(self, node: yaml.Node, known: tuple[str, ...]) -> Iterator[tuple[str, yaml.Node]]:
        """Keys and values of a node in the order of the file.

        Raises:
            InvalidInput: it has no keys, or one that is not known or comes twice.
        """
        if not isinstance(node, yaml.MappingNode):
            raise self._wrong(node, "here stands no key with a value")
        seen: set[str] = set()
        for key, value in node.value:
            name = str(key.value)
            if name not in known:
                hint = f"{meant(name, known)}known: {', '.join(known)}"
                raise self._wrong(key, f"unknown key {name!r}", hint)
            if name in seen:
                raise self._wrong(key, f"key {name!r} comes twice")
            seen.add(name)
            yield name, value

    def _wrong(self, node: yaml.Node, message: str, hint: str = "") -> InvalidInput:
        return InvalidInput(f"{self._path}:{node.start_mark.line + 1}: {message}", hint)


def _empty(node: yaml.Node | None) -> bool:
    return node is None or node.tag == "tag:yaml.org,2002:null"


def _value(node: yaml.Node) -> Any:
    """A word, number or list of such; of all else None, which no check takes."""
    if isinstance(node, yaml.MappingNode):
        return None
    return yaml.SafeLoader("").construct_object(node, deep=True)
