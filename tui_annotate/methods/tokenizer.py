"""Splits a text into the words that users can select, and other visible characters.

Chinese and Japanese text is split into characters: a word dictionary would take a second to load
and a megabyte of space, and short claims are selected as quickly without one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from tui_annotate.domain.spans import Span

_SINGLE = (
    r"\u2e80-\u2fdf\u3005-\u3007\u3041-\u3096\u30a1-\u30fa\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    r"\uf900-\ufaff\U00020000-\U0003ffff"
)
_MARKS = r"\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0963\u0966-\u0e7f"
_FIRST = rf"[^\W_{_SINGLE}]"
_LETTER = rf"(?:{_FIRST}|[{_MARKS}])"
_MORE = rf"(?:[-‐’'\u200d]{_FIRST}{_LETTER}*)"
_WORD = (
    rf"[$€£¥￥]?\d+(?:[.,:]\d+)*(?:[%‰％]|{_LETTER}*{_MORE}*)"  # $4.2, 40%, 15-year-old
    r"|(?:[^\W\d_]\.){2,}"  # U.S.
    rf"|{_FIRST}{_LETTER}*{_MORE}*"
    rf"|[{_SINGLE}]"
)
_SEEN = r"[^\s\x00-\x1f\x7f-\x9f\ufeff]"
_TAIL = rf"(?:[{_MARKS}\ufe0e\ufe0f\u20e3\U0001f3fb-\U0001f3ff]|\u200d{_SEEN})*"
"""Pattern of code points that belong to the previous character, such as accents."""


@cache
def word_pattern() -> re.Pattern[str]:
    """Return the compiled pattern of one word that users can select."""
    return re.compile(_WORD)


@cache
def _token_pattern() -> re.Pattern[str]:
    return re.compile(rf"(?:{_WORD}|{_SEEN}){_TAIL}")


def tokenize(text: str) -> Iterator[Span]:
    """Yield the spans of words, and of visible characters outside words, in order."""
    for found in _token_pattern().finditer(text):
        yield Span(*found.span())
