"""What a model's reply says, read strictly: exactly what was asked for, or nothing.

Replies are strangers' words. What is not clear is None, and whoever asked asks again.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Collection, Mapping
from typing import Any, Final

UNKNOWN: Final[Mapping[str, str]] = {"en": "unknown", "zh": "不知道"}
"""What a model is asked to say where the texts do not tell, by language."""

_THOUGHT: Final = re.compile(r"\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
"""What some models say to themselves first."""
_FENCED: Final = re.compile(r"```[a-zA-Z]*[ \t]*\n(.*?)\n?[ \t]*```", re.DOTALL)
_LONGEST_CHOICE: Final = 60
"""Code points; a longer reply argues instead of choosing."""
_LEAD: Final = (
    r"the|answer|choice|verdict|context|document|text|passage|number|better|one|is"
    r"|我|选择|选|答案|回答|结论|判断|上下文|文本|文档|段落|第|是|为|应该|更好的"
)
_LONE_NUMBER: Final = re.compile(
    rf"[\W_]*(?:(?:{_LEAD})[\s:=,.*`\"'「『【(（]*)*(?<![\d.-])(\d+)[\W_]*(?:个|号|段)?[\W_]*",
    re.IGNORECASE,
)
"""A number, with nothing but words that announce it and punctuation around."""
_PREFIX: Final = re.compile(
    r"\s*(?:\*\*)?(?:答案|回答|answer)(?:\*\*)?\s*[:：](?:\*\*)?\s*", re.IGNORECASE
)
_AFTER_MARKER: Final = re.compile(r"\s*(?:$|[^\w\s])")


def said(reply: str) -> str:
    """A reply without what the model thought first, and without a fence around all of it."""
    text = reply
    while found := _THOUGHT.match(text):
        text = text[found.end() :]
    text = text.strip()
    fenced = _FENCED.fullmatch(text)
    return fenced.group(1).strip() if fenced else text


def one_of(reply: str, allowed: Collection[str]) -> str | None:
    """The one number that a reply consists of, where it is allowed; else None.

    `1`, `选择1` and `2。` are numbers alone; `10` is no 1, and `1 or 2` is unclear.
    A JSON object with one value says that value.
    """
    text = unicodedata.normalize("NFKC", said(reply))
    value = json_in(text)
    if isinstance(value, dict) and len(value) == 1:
        only = next(iter(value.values()))
        text = str(int(only)) if isinstance(only, bool) else str(only)
    found = _LONE_NUMBER.fullmatch(text) if len(text) <= _LONGEST_CHOICE else None
    return found.group(1) if found and found.group(1) in allowed else None


def json_in(reply: str) -> Any | None:
    """The JSON value that a reply is; None where it is none, or something stands around it."""
    try:
        return json.loads(said(reply), parse_constant=_no_number)
    except (ValueError, RecursionError):
        return None


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is no number of JSON")


def verdicts(reply: str, *, count: int, name: str) -> tuple[int, ...] | None:
    """One 0 or 1 for each of some numbered things, in their order.

    The reply is a JSON list of 0 and 1, or of objects that hold one under `name`; as many as there
    are things. None where it is anything else.

    Args:
        count: of the things.
    """
    rows = json_in(reply)
    if not isinstance(rows, list) or len(rows) != count:
        return None
    values: list[Any] = [row.get(name) if isinstance(row, dict) else row for row in rows]
    if any(value not in (0, 1) for value in values):
        return None
    return tuple(int(value) for value in values)


def texts(reply: str) -> tuple[str, ...] | None:
    """The texts of a JSON list of texts, those that are blank left out; None for anything else."""
    rows = json_in(reply)
    if not isinstance(rows, list) or not all(isinstance(row, str) for row in rows):
        return None
    return tuple(row.strip() for row in rows if row.strip())


def answer(reply: str) -> str | None:
    """The answer in a reply, without the word that announces it.

    Returns:
        "" where the model says that the texts do not tell; None where it says nothing at all.
    """
    text = said(reply)
    if prefix := _PREFIX.match(text):
        text = text[prefix.end() :]
    text = text.strip()
    if not text:
        return None
    folded = text.strip("*\"'“”「」 ").casefold()
    for marker in UNKNOWN.values():
        if folded.startswith(marker) and _AFTER_MARKER.match(folded, len(marker)):
            return ""
    return text
