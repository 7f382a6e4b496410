"""The four scores by a judge on loopback: published cases, what is missing, what stays unclear."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest
from numpy.typing import NDArray

from tests.lab.chat.scripted_judge import Script, contexts
from tests.plugins.chat_server import chatting
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.lab.chat.judge_config import JudgeConfig
from tui_annotate.lab.judge.api import choose_scale, make_runner, plan_evaluate
from tui_annotate.lab.judge.evaluation import (
    BuiltInScale,
    EvaluationResult,
    MetricMean,
    evaluate_row,
    mean_metrics,
)
from tui_annotate.lab.judge.metrics import MissingReason
from tui_annotate.lab.judge.options import EvaluateOptions
from tui_annotate.lab.judge.result_files import write_evaluated
from tui_annotate.lab.judge.rows import rows_of_lists
from tui_annotate.settings import load

QUESTION = "What is the capital of France?"
FRANCE = [
    "Berlin is in Germany, rel0.",
    "Paris is the capital of France, rel1.",
    "Rome is old, rel0.",
    "Paris has the Seine, rel1.",
]
Embed = Callable[[Sequence[str]], NDArray[Any]]


def alike(texts: Sequence[str]) -> NDArray[Any]:
    """The same vector for every text."""
    return np.ones((len(texts), 2))


def run(
    script: Script | Callable[[str], str],
    given: Sequence[str] = FRANCE,
    *,
    answer: str | None = "Paris, which is old.",
    truth: str | None = "Paris.",
    embed: Embed | None = alike,
    **options: Any,
) -> tuple[EvaluationResult, list[str]]:
    """The scores of one question, and the prompts."""
    rows = rows_of_lists([QUESTION], [list(given)], answers=[answer], ground_truths=[truth])
    chosen = EvaluateOptions(**options)
    with chatting(script) as chat:
        runner = make_runner(JudgeConfig(judge="llm:m", base_url=chat.url))
        planned = plan_evaluate(rows, runner, chosen)
        (found,) = runner.run(
            partial(evaluate_row, scale=BuiltInScale(runner, embed).score), rows, chosen
        )
        if isinstance(script, Script):
            assert planned.calls >= len(chat.asked)
        return found, chat.prompts


def test_end_to_end() -> None:
    """R5: the published question has its four scores, with ten calls."""
    script = Script()
    found, prompts = run(script)
    assert found.scores == {
        "faithfulness": 0.5,
        "answer_relevancy": pytest.approx(1.0),
        "context_precision": pytest.approx(0.5),
        "context_recall": 0.5,
    }
    assert len(prompts) == 10
    assert script.counts == {
        "statements": 1, "supported": 1, "invent": 3, "useful": 4, "recalled": 1,
    }  # fmt: skip
    assert (found.generated, found.reasons) == ((), {})
    assert (found.useful, found.unsupported) == ((0, 1, 0, 1), ("s2",))


@pytest.mark.parametrize(
    ("relevances", "score"), [((0, 1, 0, 1), 0.5), ((1, 0, 1, 0, 0, 1), 0.7222)]
)
def test_context_precision(relevances: tuple[int, ...], score: float) -> None:
    """R1, R2: average precision of the verdicts in the retriever's order."""
    found, _ = run(Script(), contexts(*relevances), metrics=("context_precision",))
    assert found.scores["context_precision"] == pytest.approx(score, abs=5e-5)


@pytest.mark.parametrize(("evades", "score"), [(0, 0.5690), (1, 0.0)])
def test_relevancy(evades: int, score: float) -> None:
    """R3: the mean cosine to the invented questions; 0 where all say that the answer evades."""
    vectors = {
        QUESTION: (1, 0),
        "Question 1?": (1, 0),
        "Question 2?": (0, 1),
        "Question 3?": (1, 1),
    }

    def embed(texts: Sequence[str]) -> NDArray[Any]:
        return np.array([vectors[text] for text in texts], np.float32)

    found, _ = run(Script(noncommittal=evades), embed=embed, metrics=("answer_relevancy",))
    assert found.scores["answer_relevancy"] == pytest.approx(score, abs=5e-5)


def _no_vectors(texts: Sequence[str]) -> NDArray[Any]:
    return np.zeros((len(texts), 2))


@pytest.mark.parametrize(
    ("similarity", "embed", "score", "used", "reason"),
    [
        ("auto", _no_vectors, 1.0, "words", None),
        ("words", None, 1.0, "words", None),
        ("vectors", _no_vectors, None, "", MissingReason.UNKNOWN_WORDS),
        ("vectors", alike, 1.0, "vectors", None),
        ("auto", alike, 1.0, "vectors", None),
        ("auto", None, 1.0, "words", None),
        ("vectors", None, None, "", MissingReason.NO_VECTORS),
    ],
)
def test_texts_without_vectors(
    similarity: str,
    embed: Embed | None,
    score: float | None,
    used: str,
    reason: str | None,
) -> None:
    """The same question as given has the relevancy 1 or none with a reason, never 0."""
    options = EvaluateOptions(metrics=("answer_relevancy",), similarity=similarity)
    rows = rows_of_lists(["谁建造了这座桥？"], [["桥"]], answers=["埃菲尔。"])
    with chatting(Script(invented=lambda _: "谁建造了这座桥？")) as chat:
        runner = make_runner(JudgeConfig(judge="llm:m", base_url=chat.url))
        scale = BuiltInScale(runner, embed, similarity=similarity).score
        (found,) = runner.run(partial(evaluate_row, scale=scale), rows, options)
    assert found.scores["answer_relevancy"] == (None if score is None else pytest.approx(score))
    assert found.reasons.get("answer_relevancy") == reason
    assert (found.similarity, found.as_json().get("similarity", "")) == (used, used)
    means = mean_metrics([found], options.metrics)["answer_relevancy"]
    assert (means.count, means.missing) == ((0, 1) if score is None else (1, 0))


@pytest.mark.parametrize(
    ("similarity", "knows", "score", "used"),
    [("auto", False, 0.0, "words"), ("vectors", False, None, ""), ("auto", True, 1.0, "vectors")],
)
def test_a_foreign_word_does_not_make_chinese_questions_similar(
    similarity: str, knows: bool, score: float | None, used: str
) -> None:
    """An embedder without Chinese has a vector of the name alone, which both questions contain."""
    options = EvaluateOptions(metrics=("answer_relevancy",), similarity=similarity)
    rows = rows_of_lists(["DNA是谁发现的？"], [["桥"]], answers=["埃菲尔。"])
    with chatting(Script(invented=lambda _: "苹果多少钱")) as chat:
        runner = make_runner(JudgeConfig(judge="llm:m", base_url=chat.url))
        scale = BuiltInScale(
            runner, alike, similarity=similarity, knows_chinese=lambda: knows
        ).score
        (found,) = runner.run(partial(evaluate_row, scale=scale), rows, options)
    assert found.scores["answer_relevancy"] == (None if score is None else pytest.approx(score))
    assert found.similarity == used


def test_the_static_embedder_compares_chinese_questions_by_words() -> None:
    """With a foreign word in them too: unrelated questions are not similar, identical ones are."""
    config = JudgeConfig(judge="llm:m", base_url="http://localhost")
    made = choose_scale(config, ("answer_relevancy",), load(), embedder="static")
    asked = "iPhone 哪一年发布？"
    for invented, low, high in ((asked, 1.0, 1.0), ("这部 iPhone 现在要多少钱呢？", 0.0, 0.5)):
        options = EvaluateOptions(metrics=("answer_relevancy",))
        rows = rows_of_lists([asked], [["桥"]], answers=["2007年。"])
        with chatting(Script(invented=lambda _, said=invented: said)) as chat:  # type: ignore[misc]
            runner = make_runner(JudgeConfig(judge="llm:m", base_url=chat.url))
            scale = BuiltInScale(runner, made.embed, knows_chinese=made.knows_chinese).score
            (found,) = runner.run(partial(evaluate_row, scale=scale), rows, options)
        value = found.scores["answer_relevancy"]
        assert value is not None
        assert low - 1e-6 <= value <= high + 1e-6
        assert found.similarity == "words"


def test_an_unknown_similarity() -> None:
    """It is refused before anything is asked."""
    with pytest.raises(InvalidInput, match="'letters'"):
        EvaluateOptions(similarity="letters")


def test_faithfulness() -> None:
    """R4: the share of supported statements; an answer that states nothing has none."""
    script = Script(statements=("a", "b", "c"), supported=(1, 1, 0))
    found, _ = run(script, metrics=("faithfulness",))
    assert found.scores["faithfulness"] == pytest.approx(0.6667, abs=5e-5)
    found, _ = run(Script(statements=()), metrics=("faithfulness",))
    assert found.scores["faithfulness"] is None
    assert found.reasons == {"faithfulness": MissingReason.EMPTY_ANSWER}


def test_a_ground_truth_that_states_nothing() -> None:
    """Its recall is unknown, not 0."""
    found, _ = run(Script(attributed=()), metrics=("context_recall",))
    assert found.reasons == {"context_recall": MissingReason.EMPTY_GROUND_TRUTH}


def test_contexts_are_kept_within_the_bound() -> None:
    """M1, M2: ten of 2,000 signs leave six, one that is too long is cut; nothing is emptied."""
    long = [f"rel1 {place}" + "x" * 1_994 for place in range(10)]
    found, prompts = run(Script(), long, metrics=("context_precision",))
    assert (len(found.row.contexts), len(prompts)) == (6, 6)
    found, _ = run(Script(), ["rel1 " + "x" * 12_995, "y"], metrics=("context_precision",))
    assert [len(each or "") for each in found.row.contexts] == [12_999]
    found, _ = run(Script(), metrics=("context_precision",), top_k=2)
    assert found.row.contexts == tuple(FRANCE[:2])


def test_what_is_missing_is_made_first() -> None:
    """Answer and ground truth come from the judge, the latter from all contexts; both are told."""
    found, prompts = run(Script(), answer=None, truth=None, top_k=1)
    assert found.generated == ("answer", "ground_truth")
    assert (found.row.answer, found.row.ground_truth) == ("an answer", "found")
    gathering = next(each for each in prompts if "as completely as the documents" in each)
    assert FRANCE[3] in gathering
    assert None not in found.scores.values()


def test_only_what_is_needed_is_made() -> None:
    """Faithfulness needs no ground truth, and recall no answer."""
    found, _ = run(Script(), answer=None, truth=None, metrics=("faithfulness",))
    assert found.generated == ("answer",)
    found, _ = run(Script(), answer=None, truth=None, metrics=("context_recall",))
    assert found.generated == ("ground_truth",)


def test_what_can_not_be_made_has_reasons() -> None:
    """No contexts, no answer, no vectors: each score that is missing says why."""
    found, prompts = run(Script(), [], answer=None, truth=None)
    assert set(found.scores.values()) == {None}
    assert found.reasons["faithfulness"] == MissingReason.NO_ANSWER
    assert found.reasons["context_recall"] == MissingReason.NO_GROUND_TRUTH
    assert prompts == []
    found, _ = run(Script(), [], metrics=("faithfulness",))
    assert found.reasons == {"faithfulness": MissingReason.NO_CONTEXT}


def test_an_unclear_judge_gives_no_score() -> None:
    """Nothing is made up from replies that can not be read."""
    found, prompts = run(lambda _: "Well, it depends.")
    assert set(found.scores.values()) == {None}
    assert set(found.reasons.values()) == {MissingReason.UNCLEAR_JUDGE}
    assert len(prompts) == 3 * (1 + 3 + 4 + 1)
    assert (found.unclear, found.as_json()["unclear"]) == (9, 9)


def test_a_text_that_could_not_be_generated_says_why() -> None:
    """An unreadable reply is not the same as contexts without an answer."""
    found, _ = run(
        lambda _: " ", answer=None, truth=None, metrics=("faithfulness", "context_recall")
    )
    assert set(found.reasons.values()) == {MissingReason.SILENT_JUDGE}
    assert found.unclear == 2
    found, _ = run(lambda _: "unknown", answer=None, truth=None, metrics=("faithfulness",))
    assert found.reasons == {"faithfulness": MissingReason.NO_ANSWER}


@pytest.mark.parametrize(
    "said",
    ['[{"verdict": 1}]', '[{"verdict": 1}, {"verdict": 2}]', '{"verdict": [1, 0]}'],
)
def test_verdicts_of_another_number_are_unclear(said: str) -> None:
    """Two statements need two verdicts."""
    script = Script()

    def answer(prompt: str) -> str:
        return said if "check statements" in prompt else script(prompt)

    found, _ = run(answer, metrics=("faithfulness",))
    assert found.scores["faithfulness"] is None


@pytest.mark.parametrize(
    "said", ["{}", '{"question": "", "noncommittal": 0}', '{"question": "a", "noncommittal": 3}']
)
def test_a_question_that_is_none(said: str) -> None:
    """An invented question without words, or without its flag, is asked for again."""
    found, prompts = run(lambda _: said, metrics=("answer_relevancy",))
    assert found.scores["answer_relevancy"] is None
    assert len(prompts) == 9


@pytest.mark.parametrize("odd", [float("nan"), float("inf")])
def test_a_score_is_a_number(odd: float) -> None:
    """A score that is NaN or infinite is missing, with a reason, and in no mean."""
    found, _ = run(
        Script(),
        embed=lambda texts: np.full((len(texts), 2), odd),
        metrics=("answer_relevancy",),
    )
    assert found.scores == {"answer_relevancy": None}
    assert found.reasons == {"answer_relevancy": MissingReason.NOT_FINITE}
    assert mean_metrics([found], ("answer_relevancy",))["answer_relevancy"].missing == 1


def test_options_that_can_not_be() -> None:
    """A metric that nobody knows, and nothing to look at."""
    with pytest.raises(InvalidInput, match="'beauty'"):
        EvaluateOptions(metrics=("beauty",))
    for options in ({"metrics": ()}, {"top_k": 0}, {"max_chars": 1}):
        with pytest.raises(InvalidInput):
            EvaluateOptions(**options)


def several() -> list[EvaluationResult]:
    """A question with all scores, and one with few and strange texts."""
    whole, _ = run(Script())
    strange, _ = run(Script(), [], answer="=cmd()", truth="@x\x1b[2J")
    return [whole, strange]


def test_means_leave_out_what_is_missing() -> None:
    """And count it."""
    report = mean_metrics(several(), ("faithfulness", "answer_relevancy"))
    assert report["faithfulness"] == MetricMean(0.5, 1, 1)
    relevancy = report["answer_relevancy"]
    assert relevancy.mean == pytest.approx(1.0)
    assert (relevancy.count, relevancy.missing) == (2, 0)
    assert mean_metrics([], ("faithfulness",)) == {"faithfulness": MetricMean(None, 0, 0)}


def test_tables(tmp_path: Path) -> None:
    """Workbook, CSV and lines hold the same, the published columns first; formulas are texts."""
    found = several()
    names = list(found[0].scores)
    for ending in ("xlsx", "csv", "jsonl", "csv.gz"):
        write_evaluated(found, names, tmp_path / f"result.{ending}")
    sheet = openpyxl.load_workbook(tmp_path / "result.xlsx")["result"]
    head, *rows = [[cell.value for cell in row] for row in sheet.iter_rows()]
    published = ["question", "contexts", "ground_truth", "answer", "answer_relevancy"]
    assert head[1:6] == published
    assert head[6:9] == ["faithfulness", "context_recall", "context_precision"]
    assert (rows[0][0], rows[0][1], rows[0][6]) == (0, QUESTION, 0.5)
    assert (rows[1][4], rows[1][6]) == ("=cmd()", None)
    assert sheet.cell(3, 5).data_type == "s"
    with (tmp_path / "result.csv").open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    assert (table[1]["answer"], table[1]["ground_truth"][0]) == ("'=cmd()", "'")
    assert table[1]["faithfulness"] == ""
    assert f"faithfulness: {MissingReason.NO_CONTEXT}" in table[1]["reasons"]
    lines = [json.loads(line) for line in (tmp_path / "result.jsonl").read_text().splitlines()]
    assert lines[1]["answer"] == "=cmd()"
    assert lines[1]["faithfulness"] is None
    assert [row["unclear"] for row in table] == ["0", "0"]
    assert json.loads(table[0]["contexts"]) == lines[0]["contexts"] == FRANCE
