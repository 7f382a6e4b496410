"""Where a sentence surely ends, and where a long one may be cut."""

from __future__ import annotations

import pytest

from tui_annotate.methods import sentence_boundaries
from tui_annotate.methods.sentence_boundaries import (
    can_start_segment,
    find_next_cut,
    find_sure_ends,
    find_weak_cut,
    follows_abbreviation,
    never_ends_sentence,
    read_token_before,
    skip_closers,
)

KNOWN = frozenset({"inc", "etc", "jan", "no"})


@pytest.mark.parametrize(
    ("line", "ends"),
    [
        ("It ran. The end", [7]),
        ("It ran.  “The end", [7]),
        ("It ran.The end", []),
        ("It ran. the end", []),
        ("By Acme Inc. The end", []),
        ("By Lee. The end", []),
        ("By Lees. The end", [8]),
        ("By NATO. The end", []),
        ("An X-ray. The end", [9]),
        ("It was the U.S. The end", []),
        ("Plan B. The end", []),
        ("In 1932. The end", [8]),
        ("1932. The end", []),
        ("Up 5%. The end", [6]),
        ("(It ran). The end", [9]),
        (" . The end", []),
        ("It ran... The end", []),
        ("It ran… The end", []),
        ("Ran?! The end", [5]),
        ("Yahoo! The end", []),
        ('"It ran." The end', [9]),
        ("It ran.[12] The end", [11]),
        ("यह है। वह", [6]),
        ("说好……走了", []),
        ("他说好.他走了. End", [4, 8]),
        ("版本3.5好", []),
        ('他说。"你好。"', [3, 8]),
        ("《走？》好。", [6]),
    ],
)
def test_sure_ends(line: str, ends: list[int]) -> None:
    """Behind closing signs, before a capital, never behind what may be an abbreviation."""
    assert list(find_sure_ends(line, KNOWN)) == ends


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a word", "word"),
        ("a (word", "word"),
        ("word ", ""),
        ("", ""),
        ("x" * 50, "x" * 40),
        ("他说ok", "ok"),
    ],
)
def test_token_before(text: str, expected: str) -> None:
    """What stands before the end, back to white space or an opening sign, of bounded length."""
    assert read_token_before(text, len(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Acme Inc. ", True),
        ("Dr. ", True),
        ("plan B.) ", True),
        ("the U.S. ", True),
        ("the end. ", False),
        ("the end! ", False),
        ("in 5. ", False),
    ],
)
def test_after_abbreviation(text: str, expected: bool) -> None:
    """Known ones, initials, letters with stops between them."""
    assert follows_abbreviation(text, len(text), KNOWN) is expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("Mr. ", "White", True),
        ("No. ", "5", True),
        ("No. ", "The", False),
        ("J. ", "Smith", True),
        ("J. ", "and", False),
        ("I. ", "The", False),
        ("Ran! ", "The", False),
        ("法官T.S.", "艾略特", True),
        ("the U.S. ", "The", False),
        ("- R8. ", "Lorries", True),
        ("It ended. 2. ", "The", True),
        ("It cost 5. ", "The", False),
    ],
)
def test_what_never_ends_a_sentence(before: str, after: str, expected: bool) -> None:
    """Titles always, numbers' names before digits, initials before capitals."""
    assert never_ends_sentence(before + after, len(before)) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one. two; three, four", "one. "),
        ("by Inc. two; three, four", "by Inc. two; "),
        ("one two, three four", "one two, "),
        ("one two three", "one two "),
        ("Inc. one", "Inc. "),
        ("onetwothree", ""),
        ("一，二。三", "一，二。"),
        ("，一二三", "，"),
    ],
)
def test_weak_cut(text: str, expected: str) -> None:
    """Behind the last of the strongest kind; behind an abbreviation only for want of others."""
    assert text[: find_weak_cut(text, 0, len(text), abbreviations=KNOWN)] == expected


def test_a_weak_cut_leaves_something_before_it() -> None:
    """White space alone is no segment."""
    assert find_weak_cut("   one", 0, 6, abbreviations=KNOWN) == 0


def test_next_cut() -> None:
    """The first boundary of any kind behind which a segment can start, else the end."""
    assert find_next_cut("one, two", 0, 8) == 5
    assert find_next_cut("one \u0301two three", 0, 14) == 9
    assert find_next_cut("onetwo", 0, 6) == 6


def test_nothing_starts_inside_a_character() -> None:
    """No mark, no joiner, nothing behind a joiner, no white space."""
    text = "a\u0301 \u200db"
    assert [can_start_segment(text, offset) for offset in range(1, 5)] == [False] * 4
    assert can_start_segment("ab", 1)


def test_closers_go_with_what_they_close() -> None:
    """Without a space before them, and never a straight quote, which may open."""
    assert skip_closers("好。”他", 2) == 3
    assert skip_closers("a. )", 3) == 3
    assert skip_closers('a."b', 2) == 2
    assert skip_closers("”", 0) == 0
    assert skip_closers("a.”", 2) == 3


def test_unspaced_scripts() -> None:
    """Chinese, Japanese and full-width signs need no space."""
    assert sentence_boundaries.is_unspaced("好")
    assert sentence_boundaries.is_unspaced("の")
    assert not sentence_boundaries.is_unspaced("a")
