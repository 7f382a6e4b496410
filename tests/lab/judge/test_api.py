"""The Python API of judges: plain lists in, typed results out, without a workspace."""

from __future__ import annotations

import json
import re
from collections import UserList, deque
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, cast
from unittest.mock import MagicMock

import numpy as np
import pytest

import tui_annotate
from tests.helpers.errors import has_code
from tests.lab.chat.scripted_judge import Script, contexts
from tests.plugins.chat_server import chatting
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.lab.chat.judge_choice import JudgeChoice
from tui_annotate.lab.judge.api import (
    EvaluateApiOptions,
    GenerateApiOptions,
    JudgeApiOptions,
    SortApiOptions,
)
from tui_annotate.lab.judge.options import EvaluateOptions, GenerateOptions, SortOptions
from tui_annotate.lab.score.ranking_service import RankOptions
from tui_annotate.lab.score.scoring import ScoreOptions
from tui_annotate.plugins.scoring import ScorerOptions


def test_three_functions(tmp_path: Path) -> None:
    """Sort, generate and evaluate take the published lists; replies can be kept in a file."""
    questions, given = ["Q?"], [contexts(1, 0, 2)]
    with chatting(Script()) as chat:
        for _ in range(2):
            (found,) = tui_annotate.sort(
                questions, given, model="m", base_url=chat.url, k=2, cache=tmp_path / "kept"
            )
        assert (found.sorted, found.spearman, len(chat.asked)) == ((2, 0), -1.0, 4)
        (made,) = tui_annotate.generate(questions, given, model="m", base_url=chat.url, seed=3)
        assert made.ground_truth == "found"
        (kept,) = tui_annotate.generate(
            questions, given, model="m", base_url=chat.url, keep_thinking=True
        )
        assert kept.ground_truth == "Answer: found"
        with pytest.raises(InvalidInput, match="-1 s"):
            tui_annotate.sort(questions, given, model="m", base_url=chat.url, timeout=-1)
        (scored,) = tui_annotate.evaluate(
            questions, given, ["A."], None, model="m", base_url=chat.url, embedder="static"
        )
        assert scored.generated == ("ground_truth",)
        assert scored.scores["faithfulness"] == 0.5


def test_settings_name_the_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the environment names need not be said; what nobody names is not asked."""
    with pytest.raises(InvalidInput, check=has_code("model-missing")):
        tui_annotate.sort(["Q?"], [["a"]])
    with pytest.raises(InvalidInput, check=has_code("model-missing")):
        tui_annotate.sort(["Q?"], [["a"]], model=" ", base_url="http://127.0.0.1:9/v1")
    with chatting(Script()) as chat:
        monkeypatch.setenv("TUI_ANNOTATE_JUDGE_MODEL", "m")
        monkeypatch.setenv("TUI_ANNOTATE_JUDGE_URL", chat.url)
        (found,) = tui_annotate.sort(["Q?"], [contexts(1, 2)], screen=False)
        assert found.sorted == (1, 0)
        assert chat.asked[0]["model"] == "m"


def test_metrics_are_chosen(tmp_path: Path) -> None:
    """No embedder is loaded for what needs none; prompts of one's own are found."""
    (tmp_path / "useful.en.txt").write_text("was of use {question} {reference} {context}")
    with chatting(Script()) as chat:
        (found,) = tui_annotate.evaluate(
            ["Q?"],
            [contexts(1)],
            ground_truths=["T."],
            metrics=("context_precision",),
            embedder="nonsense",
            prompts=tmp_path,
            model="m",
            base_url=chat.url,
        )
        assert list(found.scores) == ["context_precision"]
        assert chat.prompts == ["was of use Q? T. Text 0 of rel1."]


@pytest.mark.parametrize(
    ("function", "options", "told"),
    [
        (tui_annotate.sort, {"bogus": 1}, "'bogus'"),
        (tui_annotate.sort, {"bottem": True}, "'bottem'"),
        (tui_annotate.sort, {"top_k": 3}, "'top_k'"),
        (tui_annotate.sort, {"top": True, "bottom": False}, "'top'"),
        (tui_annotate.generate, {"fast": True}, "'fast'"),
        (tui_annotate.generate, {"k": 3}, "'k'"),
        (tui_annotate.evaluate, {"swap": True}, "'swap'"),
        (tui_annotate.evaluate, {"question_list": ["Q?"]}, "'questions'"),
    ],
)
def test_an_unknown_argument_is_an_error(
    function: Callable[..., Any], options: dict[str, Any], told: str
) -> None:
    """No argument is ignored: the error names it, as Python's own does."""
    with pytest.raises(TypeError, match=told):
        function(["Q?"], [["a"]], model="m", base_url="http://localhost:1/v1", **options)


def test_the_arguments_of_ragsge_work() -> None:
    """`fast`, `top`, `chat_model` and the names of the four lists mean the same as ours."""
    functions: tuple[Callable[..., Any], ...] = (
        tui_annotate.sort,
        tui_annotate.generate,
        tui_annotate.evaluate,
    )
    sort, generate, evaluate = functions
    lists: dict[str, Any] = {"question_list": ["Q?"], "contexts_list": [contexts(5, 0, 9, 1)]}
    with chatting(Script()) as chat:
        where = {"chat_model": "m", "base_url": chat.url}
        (bottom,) = sort(**lists, k=1, top=False, fast=False, **where)
        (own,) = sort(["Q?"], [contexts(5, 0, 9, 1)], k=1, bottom=True, screen=False, **where)
        assert (bottom.good, bottom.overlap) == (None, own.overlap)
        (top,) = sort(**lists, k=1, top=True, fast=True, **where)
        assert (top.good, top.sim) == ((0, 2, 3), 0.0)
        assert generate(**lists, **where)[0].ground_truth == "found"
        assert {body["model"] for body in chat.asked} == {"m"}
        scored = evaluate(
            **lists,
            answer_list=["A."],
            ground_truth_list=["T."],
            metrics=["faithfulness", "context_recall"],
            **where,
        )
        assert scored[0].generated == ()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"questions": "Q?"}, "questions is 'Q?'"),
        ({"questions": [None]}, "questions[0] is None"),
        ({"contexts": ["abc"]}, "contexts[0] is 'abc'"),
        ({"contexts": [None]}, "contexts[0] is None"),
        ({"contexts": None}, "contexts is None"),
        ({"contexts": [["a", 5]]}, "contexts[0][1] is 5"),
        ({"answers": "abc"}, "answers is 'abc'"),
        ({"answers": [float("nan")]}, "answers[0] is nan"),
        ({"metrics": "faithfulness"}, "metrics is 'faithfulness'"),
        ({"concurrency": "4"}, "concurrency is '4'"),
        ({"concurrency": True}, "concurrency is True"),
        ({"top_k": "3"}, "top_k is '3'"),
        ({"timeout": "5"}, "timeout is '5'"),
        ({"max_retries": 1.5}, "max_retries is 1.5"),
        ({"no_cache": "no"}, "no_cache is 'no'"),
        ({"cache": 5}, "cache is 5"),
        ({"questions": {"Q?": 1}}, "questions is {'Q?': 1}, not a list"),
        ({"questions": b"Q?"}, "questions is b'Q?', not a list"),
        ({"contexts": [{"a"}]}, "contexts[0] is {'a'}, not a list"),
        ({"metrics": {5}}, "metrics is {5}, not a list"),
        ({"progress": "yes"}, "progress is 'yes'"),
        ({"chat_model": 5}, "chat_model is 5"),
    ],
)
def test_an_argument_of_another_type_is_an_error(options: dict[str, Any], told: str) -> None:
    """The error names the argument and its value; it is one of ours and a TypeError."""
    given = {"questions": ["Q?"], "contexts": [["a"]], "base_url": "http://localhost:1/v1"}
    evaluate: Callable[..., Any] = tui_annotate.evaluate
    with pytest.raises(TypeError, match=re.escape(told)) as caught:
        evaluate(**(given | options))
    assert isinstance(caught.value, InvalidInput)


def test_too_many_lists_and_repeated_names_are_errors() -> None:
    """No list is ignored, and none replaces another one."""
    sort: Callable[..., Any] = tui_annotate.sort
    with pytest.raises(TypeError, match="3 lists"):
        sort(["Q?"], [["a"]], ["A."])
    with pytest.raises(TypeError, match="'questions' twice"):
        sort(["Q?"], [["a"]], questions=["Q?"])


def test_arrays_are_lists_and_none_is_the_default() -> None:
    """Columns of numpy and pandas, and numbers of numpy, work as lists and numbers."""
    sort: Callable[..., Any] = tui_annotate.sort
    questions, texts = np.array(["Q?"]), np.array(contexts(1, 2), dtype=object)
    with chatting(Script()) as chat:
        how = {"model": "m", "base_url": chat.url, "k": np.int64(1), "language": None}
        (found,) = sort(questions, [texts], **how)
    assert (found.sorted, len(found.overlap)) == ((1, 0), 0)


@pytest.mark.parametrize(
    "make", [deque, UserList, iter, lambda texts: dict.fromkeys(texts).keys(), np.array]
)
def test_iterables_with_an_order_are_lists(make: Callable[[list[str]], Any]) -> None:
    """Questions, and the contexts of a question, come from any collection or generator."""
    sort: Callable[..., Any] = tui_annotate.sort
    given = (text for text in [make(contexts(1, 2))])
    with chatting(Script()) as chat:
        (found,) = sort(make(["Q?"]), given, model="m", base_url=chat.url, progress=MagicMock())
    assert found.sorted == (1, 0)


@pytest.mark.parametrize("names", [{"context_precision"}, frozenset({"context_precision"})])
def test_metrics_are_a_set_and_files_any_path(names: Any, tmp_path: Path) -> None:
    """A path of another library is the path that it stands for."""

    class OtherPath:
        def __fspath__(self) -> str:
            return str(tmp_path / "kept")

    evaluate: Callable[..., Any] = tui_annotate.evaluate
    with chatting(Script()) as chat:
        how = {"model": "m", "base_url": chat.url, "cache": OtherPath()}
        (found,) = evaluate(["Q?"], [contexts(1)], None, ["T."], metrics=names, **how)
    assert list(found.scores) == ["context_precision"]
    assert (tmp_path / "kept").is_file()


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        (SortOptions, {"k": "3"}),
        (GenerateOptions, {"seed": 1.5}),
        (EvaluateOptions, {"top_k": "3"}),
        (ScoreOptions, {"dataset": "d", "scorer": "unigram", "limit": "3"}),
    ],
)
def test_options_of_another_type_are_errors(
    options: Callable[..., Any], wrong: dict[str, Any]
) -> None:
    """Options of the services are checked in the same way."""
    name, value = wrong.popitem()
    with pytest.raises(TypeError, match=f"{name} is {value!r}"):
        options(**wrong, **{name: value})


@pytest.mark.parametrize(
    ("options", "given"),
    [
        (SortOptions, {"k": np.int64(3), "bottom": np.bool_(True)}),
        (ScoreOptions, {"dataset": np.str_("d"), "scorer": "unigram", "limit": np.int64(3)}),
        (
            RankOptions,
            {"dataset": "d", "short_diff": np.int32(9), "upper_percentile": np.float32(50)},
        ),
    ],
)
def test_options_of_numpy_become_plain_values(
    options: Callable[..., Any], given: dict[str, Any]
) -> None:
    """The values are stored as JSON with the results, which knows no types of numpy."""
    made = options(**given)
    plain = [getattr(made, name) for name in given]
    assert json.loads(json.dumps(plain)) == plain == list(given.values())


def test_options_of_a_scorer_become_plain_values() -> None:
    """They are stored with the results, too."""
    made = ScoreOptions(
        dataset="d", scorer="unigram", options=ScorerOptions(top_k=cast("int", np.int64(3)))
    )
    assert type(made.options.top_k) is int


def test_arguments_are_the_fields_of_their_options() -> None:
    """Functions and commands have the same options, so none of them is named elsewhere."""

    def names(options: Any) -> set[str]:
        return {each.name for each in fields(options)}

    def own(options: Any) -> set[str]:
        return set(options.__annotations__) - set(JudgeApiOptions.__annotations__)

    assert set(JudgeApiOptions.__annotations__) == names(JudgeChoice) | {"progress"}
    assert own(SortApiOptions) == names(SortOptions)
    assert own(GenerateApiOptions) == names(GenerateOptions)
    further = {"embedder", "backend", "keep_thinking"}
    assert own(EvaluateApiOptions) == names(EvaluateOptions) - {"truth"} | further
