"""Texts that no encoding can express: strings with lone surrogates."""

from __future__ import annotations

import re
from typing import Final

_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def replace_lone_surrogates(text: str) -> str:
    """Replace each lone surrogate by U+FFFD, so that the text has an encoding and all offsets stay.

    For texts that are sent or read by a model; texts with lone surrogates are never stored.
    """
    return text if text.isascii() else _LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
