"""What stands nowhere in other texts."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.methods.unsupported_words import find_unsupported_words

TEXTS = st.text(max_size=60) | st.text(
    "ab the 12 million May 14一二三万元大桥。的Smith", max_size=60
)


@pytest.mark.parametrize(
    ("text", "other", "expected"),
    [
        ("It cost 15 million pounds.", "The cost: 12 million pounds", ["15 million pounds"]),
        ("Twelve million", "12,000,000", []),
        ("It took 14 years", "It took 14 months", ["14 years"]),
        ("It took 14 years", "It took 14", []),
        ("14 trees", "14 months of trees", []),
        ("2020 trees", "trees in 2020", []),
        ("one tree", "some trees", []),
        ("the two trees, the second", "trees", []),
        ("the 2 trees", "trees", ["2"]),
        ("for two hours, five trees", "trees", ["two hours", "five"]),
        ("1. trees\n 2) trees\n3 trees", "trees", ["3"]),
        ("on 14 May", "on 14 May 2020", []),
        ("on 14 May", "between 14 and 16 May", []),
        ("on 15 May", "on 14 May", ["15 May"]),
        ("in June", "in May", ["June"]),
        ("on Friday in 2021", "on Tuesday in 2020", ["Friday", "2021"]),
        ("the loved family business", "a family", ["loved", "business"]),
        ("local families loved it", "", ["local families loved"]),
        ("less loss", "pass", ["loss"]),
        ("it stopped", "it stops", []),
        ("the bridges were closed", "they close a bridge", []),
        ("公司深受茶农爱戴", "公司种茶", ["深受茶农爱戴"]),
        ("公司的茶", "公司有茶", []),
        ("", "words", []),
    ],
)
def test_unsupported(text: str, other: str, expected: list[str]) -> None:
    """Values, days and telling words that the other text has in no form."""
    assert [span.of(text) for span in find_unsupported_words(text, [other])] == expected


@given(TEXTS, st.lists(TEXTS, max_size=3))
def test_marks_are_disjoint_and_in_order(text: str, others: list[str]) -> None:
    """Marks lie in the text, one behind the other."""
    marks = find_unsupported_words(text, others)
    assert all(one.end < two.start for one, two in pairwise(marks))
    assert all(mark.end <= len(text) for mark in marks)


@given(TEXTS, st.lists(TEXTS, max_size=2), TEXTS)
def test_more_texts_support_more(text: str, others: list[str], more: str) -> None:
    """Another text never adds a mark."""

    def marked(texts: list[str]) -> set[int]:
        return {
            at for mark in find_unsupported_words(text, texts) for at in range(mark.start, mark.end)
        }

    spaces = {at for at, sign in enumerate(text) if sign == " "}
    assert marked([*others, more]) - spaces <= marked(others)
