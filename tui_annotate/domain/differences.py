"""What is different between two versions of a text: by lines, and by the words of a line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

_WORDS = re.compile(r"\s+|[^\W_]+|.", re.DOTALL)


class Piece(NamedTuple):
    """A part of a text: `+` stands in the new one alone, `-` in the old one, a blank in both."""

    mark: str
    text: str


def line_pieces(old: str, new: str, *, around: int = 3) -> Iterator[list[Piece]]:
    """Groups of lines about each change; nothing where the texts are the same.

    Args:
        around: lines that stay, on each side of a change.
    """
    before, after = old.splitlines(), new.splitlines()
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for group in matcher.get_grouped_opcodes(around):
        yield [
            piece
            for code, *places in group
            for piece in _marked(code, places, before=before, after=after)
        ]


def _marked(
    code: str, places: Sequence[int], *, before: Sequence[str], after: Sequence[str]
) -> Iterator[Piece]:
    one, two, three, four = places
    if code == "equal":
        yield from (Piece(" ", text) for text in before[one:two])
        return
    yield from (Piece("-", text) for text in before[one:two])
    yield from (Piece("+", text) for text in after[three:four])


def word_pieces(old: str, new: str) -> list[Piece]:
    """The whole of both texts by words: what stays, what goes, what comes; joined where alike."""
    before, after = _WORDS.findall(old), _WORDS.findall(new)
    pieces: list[Piece] = []
    for code, *places in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        one, two, three, four = places
        if code == "equal":
            pieces.append(Piece(" ", "".join(before[one:two])))
            continue
        if one < two:
            pieces.append(Piece("-", "".join(before[one:two])))
        if three < four:
            pieces.append(Piece("+", "".join(after[three:four])))
    return pieces


def counted(old: str, new: str) -> tuple[int, int]:
    """How many lines came and how many went."""
    marks = [piece.mark for group in line_pieces(old, new, around=0) for piece in group]
    return marks.count("+"), marks.count("-")
