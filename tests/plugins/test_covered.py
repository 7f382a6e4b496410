"""Offsets of other programs: one way of counting for all spans of a text, or none."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.plugins.formats.hostile import texts
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.spans import Span
from tui_annotate.plugins.covered import CODE_POINTS, UTF16, Quoted, reading


@pytest.mark.parametrize(
    ("text", "start", "end", "quote", "unit"),
    [
        ("🌉 abc", 2, 5, "abc", CODE_POINTS),
        ("🌉 abc", 3, 6, "abc", UTF16),
        ("one\ntwo\nxyz", 10, 13, "xyz", "code points with line ends as two"),
        ("one\r\ntwo\r\nxyz", 8, 11, "xyz", "code points with line ends as one"),
        ("one xyz", 5, 8, "xyz", "code points with a byte order mark"),
        ("\ufeffone xyz", 4, 7, "xyz", "code points without the byte order mark"),
        ("   one xyz", 4, 7, "xyz", "code points of the trimmed text"),
        ("one xyz two", 3, 8, "xyz", "code points of a trimmed quote"),
    ],
)
def test_a_way_of_counting_is_recognised(
    text: str, start: int, end: int, quote: str, unit: str
) -> None:
    """By what the span is said to cover; the words under it are those."""
    found = reading(text, [Quoted(start, end, quote, "span")])
    assert found.unit == unit
    assert found.spans[0].of(text).strip() == quote


def test_all_spans_of_a_text_are_counted_alike() -> None:
    """One that fits in one way and one that fits in another are not both taken."""
    mixed = [Quoted(2, 3, "a", "first"), Quoted(4, 5, "b", "second")]
    with pytest.raises(InvalidInput, match="second"):
        reading("🌉 ab", mixed)


def test_two_ways_are_one_too_many() -> None:
    """Where a format's programs differ and two ways fit, the record is refused."""
    span = [Quoted(2, 3, "a", "span")]
    with pytest.raises(InvalidInput, match="fit as code points and as UTF-16 units"):
        reading("🌉aaa", span, unit="")
    assert reading("🌉aaa", span).spans == (Span(2, 3),)
    assert reading("bbaaa", span, unit="").spans == (Span(2, 3),)


@pytest.mark.parametrize("wrong", ["1", None, True, 1.5])
def test_what_is_no_integer_is_refused(wrong: object) -> None:
    """Whatever JSON holds in place of an offset."""
    with pytest.raises(InvalidInput, match="no pair of integers"):
        reading("abc", [Quoted(wrong, 2, None, "span")])


def test_without_a_quote_the_unit_is_the_format_s() -> None:
    """Nothing can be checked then but that the span is inside the text."""
    assert reading("🌉ab", [Quoted(1, 3, None, "span")]).spans == (Span(1, 3),)
    with pytest.raises(InvalidInput, match="outside"):
        reading("ab", [Quoted(1, 9, None, "span")])
    assert reading("ab", []).spans == ()


@given(text=texts, data=st.data())
def test_utf16_is_read_as_what_was_meant(text: str, data: st.DataObject) -> None:
    """Spans counted in UTF-16 come out as the spans that were counted, or as others that fit."""
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    units = [len(text[:at].encode("utf-16-le")) // 2 for at in (start, end)]
    assume(units != [start, end])
    try:
        found = reading(text, [Quoted(units[0], units[1], text[start:end], "span")], unit=UTF16)
    except InvalidInput:
        pytest.fail("the unit that is the format's own always fits")
    assert found.spans == (Span(start, end),)
