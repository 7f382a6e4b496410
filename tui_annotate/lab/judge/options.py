"""Options of the judge's functions and commands, which share their names and defaults."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.lab.argument_types import check_fields

GROUP_SIZE: Final = 20
MAX_CHARACTERS: Final = 13_000
"""Default maximum number of code points of a question's retrieved texts."""
PART: Final = 6_000
"""Length, in code points, of the parts in which long texts are read: about 2,000 tokens."""
WINDOW: Final = 24_000
"""Maximum length, in code points, of a part of a text and the parts before it together."""
METRICS: Final = ("faithfulness", "answer_relevancy", "context_precision", "context_recall")
VECTORS: Final = "vectors"
WORDS: Final = "words"
SIMILARITIES: Final = ("auto", VECTORS, WORDS)
"""How answer relevancy compares questions.

"auto": by words if there is no embedder, or if it has no vector for a text.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SortOptions:
    """Options for sorting a question's retrieved texts (contexts) with a judge.

    Attributes:
        k: number of contexts of both orders to compare, at least 1.
        bottom: compare the last k contexts instead of the first k.
        screen: omit contexts that do not help to answer.
        swap: ask about each pair in both orders; on a contradiction the order stays.
        max_chars: maximum number of code points of the contexts in a request, which has up to two;
            0 for no maximum. The rest of a longer context is not sent.
    """

    k: int = 10
    bottom: bool = False
    screen: bool = True
    swap: bool = False
    max_chars: int = 0

    def __post_init__(self) -> None:
        check_fields(self)
        _check_max_chars(self.max_chars)
        if self.k < 1:
            raise InvalidInput(
                f"invalid number of contexts to compare: k is {self.k}", "choose a k of at least 1"
            )

    def cut_context(self, context: str) -> str:
        """Return the start of a context that goes into a prompt with two contexts."""
        return context[: self.max_chars // 2] if self.max_chars else context


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerateOptions:
    """Options with which a judge generates reference answers.

    Attributes:
        group_size: maximum contexts, or partial answers to merge, in one call; at least 2.
        seed: random seed of the order of contexts.
        keep_thinking: keep the model's thinking as a part of its answers.
        max_chars: maximum number of code points of the contexts in a request; 0 for no maximum. A
            longer context is read in parts.
    """

    group_size: int = GROUP_SIZE
    seed: int = 0
    slow: bool = False
    keep_thinking: bool = False
    max_chars: int = 0

    def __post_init__(self) -> None:
        check_fields(self)
        _check_max_chars(self.max_chars)
        if self.group_size < 2:
            raise InvalidInput(
                f"group size {self.group_size} is too small for merging partial answers",
                "pass --group-size of at least 2",
            )

    @property
    def window(self) -> int:
        """Maximum length of a part of a context and the parts before it, if read one by one."""
        return min(WINDOW, self.max_chars or WINDOW)

    @property
    def part(self) -> int:
        """Length of the parts of a context, if read one by one."""
        return min(PART, self.window)

    def parse_answer(self, reply: str) -> str | None:
        """Return a reply's answer; "" if the model knows none, None if the reply is empty."""
        from tui_annotate.lab.chat.replies import parse_answer

        return parse_answer(reply, keep_thinking=self.keep_thinking)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluateOptions:
    """Options for scoring answers; `similarity` is one of `SIMILARITIES`."""

    metrics: tuple[str, ...] = METRICS
    top_k: int = 10
    max_chars: int = MAX_CHARACTERS
    similarity: str = "auto"
    truth: GenerateOptions = field(default_factory=GenerateOptions)

    def __post_init__(self) -> None:
        check_fields(self)
        if unknown := [name for name in self.metrics if name not in METRICS]:
            raise InvalidInput(
                f"unknown metric {unknown[0]!r}", f"choose from: {', '.join(METRICS)}"
            )
        if self.similarity not in SIMILARITIES:
            raise InvalidInput(
                f"unknown similarity {self.similarity!r}",
                f"choose one of: {', '.join(SIMILARITIES)}",
            )
        if not self.metrics or self.top_k < 1 or self.max_chars < 2:
            raise InvalidInput(
                "an evaluation needs a metric, --top-k of at least 1 and --max-chars of at least 2",
                "add --metric NAME, or pass larger values for --top-k or --max-chars",
            )


def _check_max_chars(most: int) -> None:
    """Raise InvalidInput unless a maximum number of characters is 0 (no maximum) or at least 2."""
    if most < 0 or most == 1:
        raise InvalidInput(
            f"invalid maximum number of characters in a request: {most:,}",
            "pass a maximum of at least 2, or 0 for no maximum",
        )
