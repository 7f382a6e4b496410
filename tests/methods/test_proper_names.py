"""Names by their capitals and title marks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.methods.contrast import find_known_words, find_names


def found(text: str, *known: str) -> list[str]:
    """The names as they stand."""
    return [name.span.of(text) for name in find_names(text, known=frozenset(known))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the mayor of Carrow Ferry met John Smith.", ["Carrow Ferry", "John Smith"]),
        ("The Bank of England said no. Nobody knew.", ["Bank of England"]),
        ("Bridges fell. Then Paris fell.", ["Paris"]),
        ("UNESCO said so.", ["UNESCO"]),
        ("he met J. Smith and Mr. Jones. Then it ended", ["J. Smith", "Mr. Jones"]),
        ('he said "Never do that" to Ana', ["Ana"]),
        ("Man Bites Young Dog Near Central Park", []),
        ("it was I who", []),
        ("《大桥》比2015年的“海葵花”更大，Apple公司", ["大桥", "海葵花", "Apple"]),
        ("他说：“这不行，我不去。”", []),
        ("", []),
    ],
)
def test_names(text: str, expected: list[str]) -> None:
    """Runs of capitals inside sentences, and short titles; what opens a sentence is no name."""
    assert found(text) == expected


def test_a_known_word_is_a_name_where_a_sentence_opens() -> None:
    """What has a capital inside another sentence is a name at the start of one too."""
    text = "Telmarsh closed. They left Telmarsh in May."
    assert "telmarsh" in find_known_words(text)
    assert found("Telmarsh closed.") == []
    assert found("Telmarsh closed.", *find_known_words(text)) == ["Telmarsh"]
    assert find_known_words("Man Bites Young Dog Near Central Park") == frozenset()


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        ("met Smith", "met John Smith", True),
        ("met Poland", "met Polish", True),
        ("the USA", "the United States", True),
        ("the UN", "the United Nations", True),
        ("met Smith", "met Jones", False),
        ("met John Smith", "met Kate Smith", False),
        ("读《大桥》", "读《大桥下》", True),
        ("读《大桥》", "读《小河》", False),
        ("met Smith", "读《小河》", False),
    ],
)
def test_agreement(one: str, other: str, *, agree: bool) -> None:
    """Names agree where one may stand for the other, both ways."""
    (first,), (second,) = find_names(one), find_names(other)
    assert first.agrees(second) == second.agrees(first) == agree


@given(st.text(max_size=80) | st.text("ABab .《》“”of", max_size=80))
def test_names_stand_in_the_text(text: str) -> None:
    """Whatever the text, a name lies in it and has words."""
    for name in find_names(text):
        assert name.span.end <= len(text)
        assert name.words
