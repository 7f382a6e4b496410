"""Rows of position studies for tests, and where the real ones and the golden values lie."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(os.environ.get("TUI_ANNOTATE_SHARED", Path(__file__).parents[3] / "shared"))


def real(*parts: str) -> Path:
    """A file of the folder of real data; a test without it skips."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip("real data: no folder TUI_ANNOTATE_SHARED with position studies")
    return path


def golden(name: str) -> Any:
    """A file of golden values."""
    return json.loads(real("golden", "lost_in_the_middle", name).read_text("utf-8"))


def passage(name: str, text: str, *, has: bool = False, **more: Any) -> dict[str, Any]:
    """A passage of a retriever."""
    return {
        "id": name,
        "title": name.upper(),
        "text": text,
        "score": "1.5",
        "hasanswer": has,
    } | more


def question(name: str = "which animal eats mussels?", **more: Any) -> dict[str, Any]:
    """A question with five passages, one of which has its answer, and an annotated gold one."""
    texts = ("Crabs hide.", "Kelp grows.", "Sea stars eat.", "Gulls fly.", "Sand.")
    return {
        "question": name,
        "answers": ["sea star", "starfish"],
        "ctxs": [passage(f"p{at}", text, has=at == 2) for at, text in enumerate(texts)],
        "nq_annotated_gold": {
            "title": "Gold",
            "long_answer": "A sea star opens mussels, and more.",
            "chunked_long_answer": "A sea star opens mussels.",
            "short_answers": ["sea star"],
        },
    } | more


def placed(
    at: int, answer: str | None = None, *, name: str = "who?", **more: Any
) -> dict[str, Any]:
    """A question over three passages with its gold one at a place; with an answer, a prediction."""
    ctxs = [
        passage(f"d{place}", f"Gulls fly {place}.", isgold=False, original_retrieval_index=place)
        for place in range(2)
    ]
    gold = {"title": "Gold", "text": "The sea star did it.", "hasanswer": True, "isgold": True}
    row = {"question": name, "answers": ["sea star"], "ctxs": [*ctxs[:at], gold, *ctxs[at:]]}
    said = {} if answer is None else {"model_answer": answer, "model": "m"}
    return row | said | more


def lookup(at: int, answer: str | None = None, *, count: int = 3, **more: Any) -> dict[str, Any]:
    """A key among pairs, at a place; with an answer, a prediction."""
    pairs = [[f"k{place}", f"v-{place}"] for place in range(1, count)]
    pairs.insert(at, ["key", "Value-1"])
    row = {"ordered_kv_records": pairs, "key": "key", "value": "Value-1"}
    said = {} if answer is None else {"model_answer": answer, "model": "m"}
    return row | said | more


def lines(*rows: Any) -> str:
    """JSON lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
