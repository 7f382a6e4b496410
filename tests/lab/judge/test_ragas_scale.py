"""RAGAS itself as the scale: the published scores on loopback, told to no one; or how to get it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from importlib.util import find_spec
from itertools import count
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.plugins.chat_server import KEY, chatting, refusal
from tests.plugins.loopback import Reply
from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.lab.judge.metrics import MissingReason
from tui_annotate.lab.judge.ragas_scale import RagasScale
from tui_annotate.lab.judge.rows import QuestionRow

FRANCE = QuestionRow(
    "What is the capital of France?",
    (
        "Berlin is in Germany.",
        "Paris is the capital of France.",
        "Rome is old.",
        "Paris has the Seine.",
    ),
    "Paris, which is old.",
    "Paris.",
)
LIBRARY = pytest.mark.skipif(not find_spec("ragas"), reason="no ragas installed")


def scripted() -> Callable[[str], str]:
    """What a judge says to the library's own prompts."""
    places = count()

    def answer(prompt: str) -> str:
        asked = prompt.lower()
        if "noncommittal" in asked:
            return json.dumps({"question": FRANCE.question, "noncommittal": 0})
        verdicts = [{"statement": "s", "reason": "r", "attributed": each} for each in (1, 0)]
        if "attributed" in asked:
            return json.dumps({"classifications": verdicts})
        if "arriving at" in asked:
            return json.dumps({"reason": "r", "verdict": (0, 1, 0, 1)[next(places) % 4]})
        if "verdict" in asked:
            report = [{"statement": "s", "reason": "r", "verdict": each} for each in (1, 0)]
            return json.dumps({"statements": report})
        return json.dumps({"statements": ["a", "b"]})

    return answer


def alike(texts: Any) -> Any:
    """The same vector for every text."""
    return np.ones((len(texts), 2))


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line that installs it is told; without model or address nothing is imported."""
    monkeypatch.setitem(sys.modules, "ragas", None)
    monkeypatch.setitem(sys.modules, "ragas.metrics.collections", None)
    with pytest.raises(Unavailable) as report:
        RagasScale("m", base_url="http://localhost/v1")
    assert "tui-annotate[ragas]" in report.value.hint
    assert os.environ["RAGAS_DO_NOT_TRACK"] == "true"
    with pytest.raises(InvalidInput):
        RagasScale("", base_url="http://localhost/v1")


class Standing:
    """Stands in for the library, where it is not installed: asks once, and gives what is said."""

    def __init__(self, *, llm: Any, embeddings: Any = None) -> None:
        self.llm, self.embeddings = llm, embeddings

    async def ascore(self, **given: Any) -> SimpleNamespace:
        """The number that the judge says; of relevancy the length of the question's vector."""
        if self.embeddings is not None:
            return SimpleNamespace(value=sum(await self.embeddings.aembed_text("q")))
        said = await self.llm.chat.completions.create(
            model="m", messages=[{"role": "user", "content": json.dumps(sorted(given))}]
        )
        return SimpleNamespace(value=float(said.choices[0].message.content))


@pytest.fixture
def standing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library's place, taken."""
    kinds = ("Faithfulness", "AnswerRelevancy", "ContextPrecisionWithReference", "ContextRecall")

    def factory(model: str, **given: Any) -> Any:
        assert (model, given["provider"]) == ("m", "openai")
        return given["client"]

    collections = ModuleType("ragas.metrics.collections")
    vars(collections).update(dict.fromkeys(kinds, Standing))
    metrics, whole = ModuleType("ragas.metrics"), ModuleType("ragas")
    vars(metrics)["collections"], vars(whole)["metrics"] = collections, metrics
    llms, base = ModuleType("ragas.llms"), ModuleType("ragas.embeddings.base")
    vars(llms)["llm_factory"] = factory
    vars(base)["BaseRagasEmbedding"] = object
    for module in (whole, metrics, collections, llms, ModuleType("ragas.embeddings"), base):
        monkeypatch.setitem(sys.modules, module.__name__, module)


@pytest.mark.usefixtures("standing")
def test_each_metric_is_given_what_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    """By our transport: with the key, and without a header of the library or the environment."""
    monkeypatch.setenv("TUI_ANNOTATE_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
    with chatting(lambda _: "0.25") as chat:
        scale = RagasScale("m", base_url=chat.url, embed=alike)
        names = ("faithfulness", "context_precision", "context_recall")
        assert [scale.score(name, FRANCE).score for name in names] == [0.25] * 3
        assert chat.prompts == [
            '["response", "retrieved_contexts", "user_input"]',
            '["reference", "retrieved_contexts", "user_input"]',
            '["reference", "retrieved_contexts", "user_input"]',
        ]
        assert {each["authorization"] for each in chat.headers} == {f"Bearer {KEY}"}
        assert not [name for each in chat.headers for name in each if "stainless" in name]
        assert "secret" not in json.dumps(chat.headers)
        assert scale.score("answer_relevancy", FRANCE).score == 2
        without = RagasScale("m", base_url=chat.url)
        assert without.score("answer_relevancy", FRANCE).reason == MissingReason.NO_VECTORS


@pytest.mark.usefixtures("standing")
@pytest.mark.parametrize("said", ["nan", "no \x1b[2J number"])
def test_no_number_has_a_reason(said: str) -> None:
    """What the library can not compute is null, in words that a terminal may show."""
    with chatting(lambda _: said) as chat:
        found = RagasScale("m", base_url=chat.url).score("faithfulness", FRANCE)
    assert found.score is None
    assert found.reason.startswith("ragas")
    assert "\x1b" not in found.reason


@pytest.mark.usefixtures("standing")
@pytest.mark.parametrize(
    "reply",
    [
        refusal(401, "no key"),
        refusal(404, "no such model"),
        Reply(body=b"x" * 10_000_000),
        Reply(400, b"x" * 10_000_000),
    ],
)
def test_a_useless_endpoint_ends_it(reply: Reply) -> None:
    """It is told once, and not as the score of each question; floods are cut off here too."""
    with chatting() as chat:
        chat.script.extend([reply] * 5)
        scale = RagasScale("m", base_url=chat.url)
        if reply.status == 400:
            assert scale.score("faithfulness", FRANCE).score is None
        else:
            with pytest.raises(Unavailable):
                scale.score("faithfulness", FRANCE)


@LIBRARY
def test_the_published_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    """R5: .5, 1, .5, .5 with ten calls, none of which holds more than ours do."""
    monkeypatch.setenv("TUI_ANNOTATE_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
    with chatting(scripted()) as chat:
        scale = RagasScale("m", base_url=chat.url, embed=alike)
        assert scale.score("faithfulness", FRANCE).score == 0.5
        assert scale.score("answer_relevancy", FRANCE).score == pytest.approx(1.0)
        assert scale.score("context_precision", FRANCE).score == pytest.approx(0.5)
        assert scale.score("context_recall", FRANCE).score == 0.5
        assert len(chat.asked) == 10
        assert {each["authorization"] for each in chat.headers} == {f"Bearer {KEY}"}
        assert all("stainless-os" not in " ".join(each) for each in chat.headers)
        assert "secret" not in json.dumps(chat.headers)


@LIBRARY
def test_what_is_no_score() -> None:
    """Replies that are no JSON, and a lack of vectors, give a reason; nothing is printed."""
    with chatting(lambda _: "\x1b[2J no") as chat:
        scale = RagasScale("m", base_url=chat.url)
        found = scale.score("faithfulness", FRANCE)
        assert found.score is None
        assert found.reason.startswith("ragas: ")
        assert "\x1b" not in found.reason
        assert scale.score("answer_relevancy", FRANCE).reason == MissingReason.NO_VECTORS


@LIBRARY
def test_an_endpoint_that_is_gone() -> None:
    """It is told once, and not as a score of each question."""
    with chatting() as chat:
        chat.script.extend([refusal(401, "no key")] * 20)
        with pytest.raises(Unavailable):
            RagasScale("m", base_url=chat.url).score("faithfulness", FRANCE)
