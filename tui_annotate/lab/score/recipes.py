"""Reads and runs pipeline files (YAML) that name data, scorers, and rules to label answers.

Source: the configuration files of the project Dreamcatcher, whose keys are supported too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import yaml

from tui_annotate.domain.did_you_mean import suggest_word
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.workspace_files import PROMPTS
from tui_annotate.plugins.files.output_names import check_json_name
from tui_annotate.plugins.files.small_text import read_text
from tui_annotate.plugins.format_detection import detect
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.plugins.record_validation import choose_dataset_name
from tui_annotate.plugins.scoring import ScorerOptions

if TYPE_CHECKING:
    from tui_annotate.domain.progress import TaskProgress
    from tui_annotate.lab.score.ranking_service import RankOptions, RankReport
    from tui_annotate.lab.score.scoring import ScoreOptions, ScoreReport
    from tui_annotate.plugins.judges import Judge
    from tui_annotate.plugins.protocols import ExportReport
    from tui_annotate.services.ingest import IngestReport
    from tui_annotate.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorerStep:
    """A scorer of a pipeline, by name, with its options."""

    scorer: str
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """The parsed content of a pipeline file.

    `unused`: ignored keys, each with the reason. Empty values stand for nothing to do.
    """

    dataset: str = ""
    source: Path | None = None
    labelled: Path | None = None
    ranked: Path | None = None
    steps: tuple[ScorerStep, ...] = ()
    ranker: Mapping[str, Any] | None = None
    unused: tuple[str, ...] = ()


_TEXT = "a text"
_SWITCH = "true or false"
_COUNT = "a whole number above 0"
_SHARE = "a number from 0 to 100"
_LIST = "a list of texts"
_IGNORED: Final = ("", "")


def _has_type(value: Any, kind: str) -> bool:
    if kind == _LIST:
        return isinstance(value, list) and bool(value) and all(_has_type(x, _TEXT) for x in value)
    if kind == _TEXT:
        return isinstance(value, str) and bool(value.strip())
    if kind == _SWITCH:
        return isinstance(value, bool)
    if isinstance(value, bool):  # Python counts True and False as integers.
        return False
    if kind == _COUNT:
        return isinstance(value, int) and value > 0
    return isinstance(value, int | float) and 0 <= value <= 100


_MODEL_KEYS: Final = (
    "model_type",
    "hidden_size",
    "probe_state_key",
    "probe_token",
    "probe_layer",
    "model_path",
    "tokenizer_path",
    "embedding_tokenizer_path",
    "rm_tokenizer_path",
)
_Keys = Mapping[str, tuple[str, str]]
_DATA: Final[_Keys] = MappingProxyType(
    {
        "input_data_path": ("source", _TEXT),
        "output_data_path": ("labelled", _TEXT),
        "output_rank_data_path": ("ranked", _TEXT),
        "dataset": ("dataset", _TEXT),
    }
)
_OPTIONS: Final[_Keys] = MappingProxyType(
    {
        "top_k": ("top_k", _COUNT),
        "unigram_top_k": ("top_k", _COUNT),
        "lang": ("language", _TEXT),
        "with_question": ("with_question", _SWITCH),
        "use_answer_only": ("answer_only", _SWITCH),
        "keep_thinking": ("keep_thinking", _SWITCH),
        "embedder": ("embedder", _TEXT),
        "base_url": ("base_url", _TEXT),
        "model": ("model", _TEXT),
        "embedding_model_path": ("vectors", _TEXT),
        "probe_model_path": ("model", _TEXT),
        "rm_model_path": ("model", _TEXT),
        **dict.fromkeys(_MODEL_KEYS, _IGNORED),
    }
)
_PROBE: Final[_Keys] = MappingProxyType({**_OPTIONS, "model_path": ("folder", _TEXT)})
_RANKER: Final[_Keys] = MappingProxyType(
    {
        "ranker_name": ("ranker", _TEXT),
        "name": ("ranker", _TEXT),
        "up_percentile": ("upper_percentile", _SHARE),
        "up": ("upper_percentile", _SHARE),
        "down_percentile": ("lower_percentile", _SHARE),
        "down": ("lower_percentile", _SHARE),
        "short_diff": ("short_diff", _COUNT),
        "use": ("scores", _LIST),
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
"""Name of our scorer and its options, by the scorer's name in Dreamcatcher."""


def read_recipe(path: Path | str, *, scorers: tuple[str, ...]) -> Recipe:
    """Read and check a pipeline file; an InvalidInput names the invalid line."""
    return _Reader(Path(path), scorers).read()


class _Reader:
    def __init__(self, path: Path, scorers: tuple[str, ...]) -> None:
        self._path = path
        self._scorers = scorers
        self._unused: list[str] = []

    def read(self) -> Recipe:
        root = self._read_root()
        parts = dict(self._read_pairs(root, ("data", "scorer", "ranker")))
        data = self._read_section(parts.get("data"), _DATA, "data")
        if not {"source", "dataset"} & data.keys():
            raise self._error(
                root,
                "the pipeline file names no input data",
                "under data:, add input_data_path or dataset",
            )
        paths = {
            name: Path(data[name]) for name in ("source", "labelled", "ranked") if name in data
        }
        for name in ("labelled", "ranked"):
            check_json_name(paths.get(name), what="labelled and ranked answers")
        return Recipe(
            dataset=data.get("dataset", ""),
            **paths,
            steps=tuple(self._read_steps(parts.get("scorer"))),
            ranker=self._read_ranker(parts.get("ranker")),
            unused=tuple(self._unused),
        )

    def _read_root(self) -> yaml.MappingNode:
        text = read_text(self._path)
        try:
            node = yaml.compose(text, Loader=yaml.SafeLoader)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            where = f"{self._path}:{mark.line + 1}" if mark else str(self._path)
            what = getattr(error, "problem", None) or "the pipeline file cannot be read"
            raise InvalidInput(f"{where}: invalid YAML: {what}") from error
        if not isinstance(node, yaml.MappingNode):
            raise InvalidInput(
                f"the pipeline file {self._path} has no keys",
                "add the keys data:, scorer: and ranker:",
            )
        return node

    def _read_steps(self, node: yaml.Node | None) -> Iterator[ScorerStep]:
        from tui_annotate.lab.score.sample_reader import AUTO, check_language

        if node is None or _is_empty(node):
            return
        known = (*self._scorers, *_SCORERS)
        for name, options in self._read_pairs(node, known):
            scorer, implied = _SCORERS.get(name, (name, {}))
            keys = _PROBE if scorer == "probe" else _OPTIONS
            chosen = {} if _is_empty(options) else self._read_section(options, keys, name)
            with self._naming_line(options):
                check_language(chosen.get("language", AUTO))
            if "answer_only" in chosen:
                chosen["with_question"] = not chosen.pop("answer_only")
            if vectors := chosen.pop("vectors", ""):
                chosen.setdefault("embedder", f"neural:{vectors}")
            if model := chosen.pop("model", ""):
                scorer = f"{scorer}:{model}"
            yield ScorerStep(scorer=scorer, options={**implied, **chosen})

    def _read_ranker(self, node: yaml.Node | None) -> Mapping[str, Any] | None:
        """Read and check the rules of the ranker, which runs after all costs of the scorers."""
        if node is None or _is_empty(node):
            return None
        rules = self._read_section(node, _RANKER, "ranker")
        with self._naming_line(node):
            _rank_options(rules, dataset="")
        return rules

    def _read_section(self, node: yaml.Node | None, keys: _Keys, what: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if node is None or _is_empty(node):
            return found
        for name, value in self._read_pairs(node, tuple(keys)):
            ours, kind = keys[name]
            setting = _plain_value(value)
            if not ours:
                self._unused.append(
                    f"{what}.{name}: ignored, because the model's folder contains this setting"
                )
            elif not _has_type(setting, kind):
                raise self._error(value, f"{what}.{name} is {setting!r:.80}, not {kind}")
            elif ours in found:
                raise self._error(value, f"section {what} sets {ours} twice")
            else:
                found[ours] = setting
        return found

    def _read_pairs(
        self, node: yaml.Node, known: tuple[str, ...]
    ) -> Iterator[tuple[str, yaml.Node]]:
        """Yield the keys and values of a YAML node in order; refuse unknown and repeated keys."""
        if not isinstance(node, yaml.MappingNode):
            raise self._error(
                node, "the section of the pipeline file must consist of keys with values"
            )
        seen: set[str] = set()
        for key, value in node.value:
            name = str(key.value)
            if name not in known:
                hint = f"{suggest_word(name, known)}known keys: {', '.join(known)}"
                raise self._error(key, f"unknown key {name!r}", hint)
            if name in seen:
                raise self._error(key, f"key {name!r} is repeated")
            seen.add(name)
            yield name, value

    @contextmanager
    def _naming_line(self, node: yaml.Node) -> Iterator[None]:
        """Let an InvalidInput of a block name the line of a section."""
        try:
            yield
        except InvalidInput as error:
            raise self._error(node, error.message, error.hint, code=error.code) from error

    def _error(
        self, node: yaml.Node, message: str, hint: str = "", *, code: str = ""
    ) -> InvalidInput:
        where = f"{self._path}:{node.start_mark.line + 1}"
        return InvalidInput(f"{where}: {message}", hint, code=code)


def _is_empty(node: yaml.Node | None) -> bool:
    return node is None or node.tag == "tag:yaml.org,2002:null"


def _plain_value(node: yaml.Node) -> Any:
    """Return the value of a YAML scalar or list; None for a mapping, which is always invalid."""
    if isinstance(node, yaml.MappingNode):
        return None
    return yaml.SafeLoader("").construct_object(node, deep=True)


@dataclass(slots=True)
class RecipeReport:
    """Results of the steps of a pipeline; a step that the file does not name has none.

    `written`: reports of the exports, by path.
    """

    dataset: str = ""
    ingested: IngestReport | None = None
    scored: list[ScoreReport] = field(default_factory=list)
    ranked: RankReport | None = None
    written: dict[str, ExportReport] = field(default_factory=dict)


def run_recipe(
    space: Workspace,
    recipe: Recipe,
    *,
    timeout: float | None = None,
    max_retries: int | None = None,
    limit: int = 0,
    progress: Callable[[TaskProgress], None] | None = None,
) -> RecipeReport:
    """Run the steps of a pipeline file; if one fails, the results of earlier steps are kept.

    A ranking without scorers uses the input's scores. The scorers score the first `limit` questions
    or samples; 0 for all.

    Raises:
        InvalidInput: some records of the input were refused.
    """
    from tui_annotate.lab.score.ranking_service import RankService
    from tui_annotate.lab.score.scoring import ScoreService
    from tui_annotate.services.ingest.former_names import needs_former_name

    done = RecipeReport(dataset=recipe.dataset)
    if recipe.source is not None:
        looked_up = ImportOptions(
            dataset=recipe.dataset,
            stored=space.corpus.sample_or_none,
            first_rows=space.corpus.first_rows(),
        )
        former = needs_former_name(recipe.source, detect(recipe.source), looked_up)
        done.dataset = choose_dataset_name(recipe.source, recipe.dataset, former=former)
        options = ImportOptions(dataset=done.dataset, language=space.settings.language)
        embedder = space.vector_options(timeout=timeout, max_retries=max_retries)
        done.ingested = space.ingest(
            recipe.source, options=options, embedder=embedder, progress=progress
        )
        if refused := done.ingested.refused:
            problem = done.ingested.problems[0]
            raise InvalidInput(f"{problem}; {refused} records were refused", problem.hint)
    scoring = ScoreService(space.machines)
    for step in recipe.steps:
        wanted = _score_options(space, step, done.dataset, timeout=timeout, max_retries=max_retries)
        done.scored.append(scoring.run(replace(wanted, limit=limit), progress=progress))
    if recipe.ranker is not None:
        if not recipe.steps:
            done.scored.append(scoring.from_columns(done.dataset))
        asked = _rank_options(recipe.ranker, dataset=done.dataset)
        done.ranked = RankService(space.machines).run(asked, progress=progress)
    for target, form in ((recipe.labelled, "generations"), (recipe.ranked, "preferences")):
        if target is not None:
            done.written[str(target)] = space.export(target, format=form, dataset=done.dataset)
    return done


def list_urls(space: Workspace, recipe: Recipe) -> Iterator[str]:
    """Yield the URLs to which a pipeline would send texts."""
    if recipe.source is not None:
        yield space.ingest_service.sets.unnamed_url(space.vector_options())
    for step in recipe.steps:
        if step.scorer == "similarity":
            embedder = step.options.get("embedder", "")
            yield step.options.get("base_url", "") or space.machines.embedder_url(embedder)
        elif _judge_model(space, step):
            yield step.options.get("base_url", "") or space.settings.judge_url


def _judge_model(space: Workspace, step: ScorerStep) -> str:
    """Return the chat model of a step with the scorer `judge`; empty without one."""
    name, _, model = step.scorer.partition(":")
    return (model or space.settings.judge_model) if name == "judge" else ""


def _load_judge(
    space: Workspace, step: ScorerStep, *, timeout: float | None, max_retries: int | None
) -> Judge | None:
    """Load the judge of a step: its model, else that of the settings; None without a model."""
    from tui_annotate.lab.chat.judge_choice import JudgeChoice
    from tui_annotate.lab.chat.judge_config import choose_judge
    from tui_annotate.lab.chat.reply_cache import open_replies

    model = _judge_model(space, step)
    if not model:
        return None
    # A pipeline file may come from someone else: its URL needs trust, like that of a workspace.
    url = step.options.get("base_url", "") or space.settings.judge_url
    chosen = JudgeChoice(model=model, timeout=timeout, max_retries=max_retries)
    config = choose_judge(replace(space.settings, judge_url=url), chosen)
    return config.load(open_replies(space.machines.replies))


def _rank_options(rules: Mapping[str, Any], *, dataset: str) -> RankOptions:
    from tui_annotate.lab.score.ranking_service import RankOptions, parse_ranker

    others = dict(rules)
    ranker = parse_ranker(others.pop("ranker", "percentile"))
    scores = tuple(others.pop("scores", ()))
    return RankOptions(dataset=dataset, ranker=ranker, scores=scores, **others)


def _score_options(
    space: Workspace,
    step: ScorerStep,
    dataset: str,
    *,
    timeout: float | None,
    max_retries: int | None,
) -> ScoreOptions:
    from tui_annotate.lab.score.sample_reader import AUTO
    from tui_annotate.lab.score.scoring import ScoreOptions

    said: dict[str, Any] = dict(step.options)
    embedder = said.pop("embedder", "")
    base_url = said.pop("base_url", "")
    language = said.pop("language", AUTO)
    keep_thinking = said.pop("keep_thinking", False)
    # A pipeline file may come from someone else: its URL needs trust, like that of a workspace.
    load = partial(
        space.machines.embedder,
        embedder,
        base_url=base_url,
        timeout=timeout,
        max_retries=max_retries,
        is_named=False,
    )
    judge = _load_judge(space, step, timeout=timeout, max_retries=max_retries)
    options = ScorerOptions(
        judge=judge,
        prompts=str(space.path / PROMPTS) if judge else "",
        embedder=load,
        by_characters=embedder == "none",
        **said,
    )
    return ScoreOptions(
        dataset=dataset,
        scorer=step.scorer,
        language=language,
        keep_thinking=keep_thinking,
        options=options,
    )
