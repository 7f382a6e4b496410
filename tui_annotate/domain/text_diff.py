"""Differences between two versions of a text, by lines and by words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

_WORDS = re.compile(r"\s+|[^\W_]+|.", re.DOTALL)


class DiffPart(NamedTuple):
    """A part of a diff; `mark` is "+" if only in the new text, "-" only in the old, " " in both."""

    mark: str
    text: str


def diff_lines(old: str, new: str, *, around: int = 3) -> Iterator[list[DiffPart]]:
    """Compare two texts by lines; return groups of changed lines with unchanged ones around."""
    before = old.splitlines()
    after = new.splitlines()
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for group in matcher.get_grouped_opcodes(around):
        runs = _mark_runs(group, before, after)
        yield [DiffPart(mark, line) for mark, lines in runs for line in lines]


def diff_words(old: str, new: str) -> list[DiffPart]:
    """Compare two texts by words; return parts, of adjacent words, that are old, new or equal."""
    before = _WORDS.findall(old)
    after = _WORDS.findall(new)
    codes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return [DiffPart(mark, "".join(words)) for mark, words in _mark_runs(codes, before, after)]


def _mark_runs(
    codes: Iterable[tuple[str, int, int, int, int]], before: Sequence[str], after: Sequence[str]
) -> Iterator[tuple[str, Sequence[str]]]:
    for code, one, two, three, four in codes:
        if code == "equal":
            yield " ", before[one:two]
            continue
        if one < two:
            yield "-", before[one:two]
        if three < four:
            yield "+", after[three:four]


def count_changed_lines(old: str, new: str) -> tuple[int, int]:
    """Return the numbers of added and of removed lines; a changed line counts as both."""
    marks = [piece.mark for group in diff_lines(old, new, around=0) for piece in group]
    return marks.count("+"), marks.count("-")
