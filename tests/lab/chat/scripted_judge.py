"""A judge that knows how relevant each text is: what it says to our own prompts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Script:
    """Replies to prompts. Texts hold their relevance as `rel7`.

    Attributes:
        verdicts: for `useful`, by the text that is judged; else its relevance is above 0.
        known: texts from which an answer can be gathered; all where empty.
    """

    statements: tuple[str, ...] = ("s1", "s2")
    supported: tuple[int, ...] = (1, 0)
    attributed: tuple[int, ...] = (1, 0)
    noncommittal: int = 0
    invented: Callable[[int], str] = "Question {}?".format
    gathered: Callable[[str], str] = lambda prompt: "Answer: found"  # noqa: ARG005
    joined: Callable[[str], str] = lambda prompt: "Answer: joined"  # noqa: ARG005
    counts: dict[str, int] = field(default_factory=dict)

    def __call__(self, prompt: str) -> str:
        """The reply to a prompt."""
        name = next(name for name, sign in SIGNS.items() if re.search(sign, prompt))
        self.counts[name] = self.counts.get(name, 0) + 1
        return str(getattr(self, f"_{name}")(prompt))

    def _screen(self, prompt: str) -> int:
        return int(relevance(prompt)[0] > 0)

    def _useful(self, prompt: str) -> int:
        return int(relevance(prompt)[0] > 0)

    def _pair(self, prompt: str) -> int:
        first, second = relevance(prompt)
        return 1 if first > second else 2

    def _gather(self, prompt: str) -> str:
        return self.gathered(prompt)

    def _read(self, prompt: str) -> str:
        return self.gathered(prompt)

    def _join(self, prompt: str) -> str:
        return self.joined(prompt)

    def _answer(self, _: str) -> str:
        return "Answer: an answer"

    def _statements(self, _: str) -> str:
        return json.dumps(self.statements)

    def _supported(self, _: str) -> str:
        return json.dumps([{"verdict": each, "reason": "r"} for each in self.supported])

    def _recalled(self, _: str) -> str:
        return json.dumps([{"statement": "s", "attributed": each} for each in self.attributed])

    def _invent(self, prompt: str) -> str:
        found = re.search(r"guess (\d)|第 (\d) 次", prompt)
        assert found
        number = int(found[1] or found[2])
        return json.dumps({"question": self.invented(number), "noncommittal": self.noncommittal})


SIGNS = {
    "screen": "if only in part|哪怕只是一部分",
    "useful": "was of use|是否有助于得出正确答案",
    "pair": "compare two texts|请比较两段文本",
    "gather": "as completely as the documents|请尽可能完整地回答，写出文档",
    "read": "part by part|分段阅读",
    "join": "make one answer|合并成一个答案",
    "answer": "in a few sentences|用几句话回答",
    "statements": "take an answer apart|拆分成",
    "supported": "check statements|核对陈述",
    "recalled": "can be attributed|逐句拆开",
    "invent": "guess which question|请猜测",
}
"""Words that stand in one prompt alone."""


def relevance(prompt: str) -> list[int]:
    """The relevances that a prompt tells, in its order."""
    return [int(found) for found in re.findall(r"rel(\d+)", prompt)]


def contexts(*relevances: int) -> list[str]:
    """Texts that hold their relevance."""
    return [f"Text {place} of rel{each}." for place, each in enumerate(relevances)]
