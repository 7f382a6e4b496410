"""RAGAS itself as the scale: the published scores on loopback, told to no one; or how to get it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from importlib.util import find_spec
from itertools import count
from typing import Any

import numpy as np
import pytest

from tests.plugins.chat_server import KEY, chatting, refusal
from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.plugins.ragas_scale import RagasScale
from tui_annotate.services.judge.rows import Row

FRANCE = Row(
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
            told = [{"statement": "s", "reason": "r", "verdict": each} for each in (1, 0)]
            return json.dumps({"statements": told})
        return json.dumps({"statements": ["a", "b"]})

    return answer


def alike(texts: Any) -> Any:
    """The same vector for every text."""
    return np.ones((len(texts), 2))


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line that installs it is told; without model or address nothing is imported."""
    monkeypatch.setitem(sys.modules, "ragas", None)
    monkeypatch.setitem(sys.modules, "ragas.metrics.collections", None)
    with pytest.raises(Unavailable) as told:
        RagasScale("m", base_url="http://localhost/v1")
    assert "tui-annotate[ragas]" in told.value.hint
    assert os.environ["RAGAS_DO_NOT_TRACK"] == "true"
    with pytest.raises(InvalidInput):
        RagasScale("", base_url="http://localhost/v1")


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
        assert "no embedder" in scale.score("answer_relevancy", FRANCE).reason


@LIBRARY
def test_an_endpoint_that_is_gone() -> None:
    """It is told once, and not as a score of each question."""
    with chatting() as chat:
        chat.script.extend([refusal(401, "no key")] * 20)
        with pytest.raises(Unavailable):
            RagasScale("m", base_url=chat.url).score("faithfulness", FRANCE)
