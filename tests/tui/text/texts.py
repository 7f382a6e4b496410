"""Texts for the tests: what terminals and offsets stumble over, and sentences for any text."""

from __future__ import annotations

import re

from hypothesis import strategies as st

from tui_annotate.domain.samples import Segment

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
FLAG = "\U0001f1e8\U0001f1f3"
CHUNKS = [
    "a",
    "word ",
    "don't stop. ",
    "$4.2 million, 40% of it",
    "裂缝",
    "，",
    "。",
    "（",
    "“x”",
    "e\u0301",
    "\u0301",
    "\u0915\u093f",
    "\u0939\u093f\u0928\u094d\u0926\u0940",
    FAMILY,
    FLAG,
    FLAG[0],
    "\u2764\ufe0f",
    "\U0001f44d\U0001f3fd",
    "\U0001f3fd",
    "\u200d",
    "\t",
    "\n",
    "\r\n",
    "\r",
    "\x00",
    "\x1b]52;c;aGk=\x07",
    "\x9b31m",
    "\u202e",
    "\u200b",
    "\u00ad",
    "\ufeff",
    "\u00a0",
    "\u3000",
    "  ",
    "[red]",
    "\u2630",
    "\u0378",
    "\U0010ffff",
    "각",
    "\u1112\u1161\u11ab",
    "x" * 30,
]
texts = st.lists(st.sampled_from(CHUNKS) | st.characters(codec="utf-8"), max_size=60).map("".join)
"""Any text, with more trouble in it than chance would bring."""


def segments_of(text: str) -> tuple[Segment, ...]:
    """Sentences that join to the text: each ends with a full stop or newline, and blanks."""
    ends = [found.end() for found in re.finditer(r"(?:\.(?!\d)|。)\s*|\n\s*", text)]
    if text and (not ends or ends[-1] < len(text)):
        ends.append(len(text))
    return tuple(map(Segment, [0, *ends[:-1]], ends)) if ends else ()
