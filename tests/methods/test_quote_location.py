"""Where quotes stand in texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.domain.spans import Span
from tui_annotate.methods.quote_location import find_meant_spans, locate_quote


@pytest.mark.parametrize(
    ("quote", "text", "place"),
    [
        ("cost 15", "It cost 15 million.", (3, 10)),
        ("  cost 15\n", "It cost 15 million.", (3, 10)),
        ("cost 15 million", "It cost\n 15\u00a0million.", (3, 19)),
        ("cost\n15", "It cost 15.", (3, 10)),
        ("fine", "so \ufb01ne", (3, 6)),
        ("\uff11\uff15 m", "It cost 15 million.", (8, 12)),
        ("caf\u00e9", "a cafe\u0301 there", (2, 7)),
        ("它花了 1500 万", "它花了　１５００ 万。", (0, 10)),
    ],
)
def test_a_quote_stands_where_its_words_do(quote: str, text: str, place: tuple[int, int]) -> None:
    """White space and compatible forms of characters are forgiven; the span is the text's own."""
    assert locate_quote(quote, text) == Span(*place)


@pytest.mark.parametrize(
    ("quote", "text"),
    [("Cost", "It cost."), ("f", "\ufb01ne"), ("", "x"), (" \n", "a b"), ("x", "")],
)
def test_what_does_not_stand_there_is_nowhere(quote: str, text: str) -> None:
    """Neither other case, nor half a character, nor nothing at all."""
    assert locate_quote(quote, text) is None


@pytest.mark.parametrize(
    ("near", "start"), [(None, 0), (0, 0), (2, 0), (3, 4), (5, 4), (7, 8), (99, 8), (-5, 0)]
)
@pytest.mark.parametrize("text", ["aab aab aab", "\uff41ab aab aab"])
def test_of_several_places_the_nearest_is_meant(text: str, near: int | None, start: int) -> None:
    """The earlier of two as near, in either form; without a hint the first."""
    quote = "aab" if text.isascii() else "a\uff41b"
    assert locate_quote(quote, text, near=near) == Span(start, start + 3)


@pytest.mark.parametrize(
    ("quote", "text", "starts"),
    [
        ("15", "In 2015, 15 of 150.", [9]),
        ("15", "In 2015 or 150.", [5, 11]),
        ("the", "the other and the third", [0, 14]),
        ("桥", "桥，红桥。", [0, 3]),
        ("men", "women", [2]),
        ("it's", "It\u2019s so: it\u2019s.", [9]),
        ("none", "It is so.", []),
    ],
)
def test_a_quote_means_whole_words(quote: str, text: str, starts: list[int]) -> None:
    """Parts of words are meant only if nothing else is; Chinese has no boundaries of words."""
    assert [span.start for span in find_meant_spans(quote, text)] == starts


@given(st.text(), st.text(min_size=1), st.text())
def test_what_was_cut_out_is_found_again(before: str, quote: str, after: str) -> None:
    """Each part of a text that is not white space alone stands in it, word for word."""
    text = before + quote + after
    found = locate_quote(quote, text, near=len(before))
    assert (found is None) == (not quote.strip())
    assert found is None or found.of(text) == quote.strip()


@given(st.text(), st.text())
def test_what_is_found_is_inside_the_text(quote: str, text: str) -> None:
    """Whatever is asked, a place is a span of the text."""
    found = locate_quote(quote, text)
    assert found is None or found.end <= len(text)
