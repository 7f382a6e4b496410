"""The word that is meant: near in letters, whatever the case, or none."""

from __future__ import annotations

import pytest

from tui_annotate.domain.did_you_mean import find_nearest, suggest_word


@pytest.mark.parametrize(
    ("word", "known", "found"),
    [
        ("source", ["sourc", "summary"], "sourc"),
        ("source", ["Summary", "SOURCE"], "SOURCE"),
        ("source", ["article", "claim"], ""),
        ("source", [], ""),
    ],
)
def test_the_nearest_word_is_found(word: str, known: list[str], found: str) -> None:
    """As it is spelt among the known ones; a word like none of them has no nearest."""
    assert find_nearest(word, known) == found


def test_a_guess_is_a_question() -> None:
    """It stands before a list, or not at all."""
    assert "'csv'" in suggest_word("csvv", ("csv", "native"))
    assert suggest_word("csvv", ("csv", "native")).endswith(" ")
    assert suggest_word("pdf", ("csv", "native")) == ""
