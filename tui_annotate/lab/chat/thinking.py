"""The thinking of a model, which some endpoints put before an answer as `<think>…</think>`."""

from __future__ import annotations

import re
from typing import Final

_TAG: Final = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE)


def remove_thinking(text: str) -> str:
    """Remove a model's thinking, `<think>…</think>` or `<thinking>…</thinking>`, from a text.

    A block without an end was cut off, so the rest of the text belongs to it. Before an end without
    a start, the text belongs to a block too: some endpoints start the block in the prompt. A text
    without blocks is returned unchanged.
    """
    kept: list[str] = []
    at = 0
    inside = False
    for tag in _TAG.finditer(text):
        if not tag[1]:
            if not inside:
                kept.append(text[at : tag.start()])
            inside = True
        else:
            if not inside:
                kept = []  # the block began before the text
            at = tag.end()
            inside = False
    if not at and not inside:
        return text
    return "".join([*kept, "" if inside else text[at:]]).strip()
