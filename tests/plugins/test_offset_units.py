"""Offsets of other programs: one way of counting for all spans of a text, or none."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.plugins.formats.hostile import texts
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.offsets import grapheme_map
from tui_annotate.domain.spans import Span
from tui_annotate.plugins.offset_units import (
    CODE_POINTS,
    DIFFERENCES_IGNORED,
    GRAPHEMES,
    UTF16,
    QuotedSpan,
    convert_offsets,
    fit_offsets,
)


@pytest.mark.parametrize(
    ("text", "start", "end", "quote", "unit"),
    [
        ("🌉 abc", 2, 5, "abc", CODE_POINTS),
        ("🌉 abc", 3, 6, "abc", UTF16),
        ("one\ntwo\nxyz", 10, 13, "xyz", "code points (each line end counts as two characters)"),
        ("one\r\ntwo\r\nxyz", 8, 11, "xyz", "code points (each line end counts as one character)"),
        ("one xyz", 5, 8, "xyz", "code points (a byte order mark before the text is counted)"),
        ("\ufeffone xyz", 4, 7, "xyz", "code points (the text's byte order mark is not counted)"),
        ("   one xyz", 4, 7, "xyz", "code points (white space before the text is not counted)"),
        (
            "one xyz two",
            3,
            8,
            "xyz",
            f"code points{DIFFERENCES_IGNORED}",
        ),
    ],
)
def test_a_way_of_counting_is_recognised(
    text: str, start: int, end: int, quote: str, unit: str
) -> None:
    """By what the span is said to cover; the words under it are those."""
    found = convert_offsets(text, [QuotedSpan(start, end, quote, "span")])
    assert found.unit == unit
    assert found.spans[0].of(text).strip() == quote


def test_all_spans_of_a_text_are_counted_alike() -> None:
    """One that fits in one way and one that fits in another are not both taken."""
    mixed = [QuotedSpan(2, 3, "a", "first"), QuotedSpan(4, 5, "b", "second")]
    with pytest.raises(InvalidInput, match="second"):
        convert_offsets("🌉 ab", mixed)


def test_two_ways_are_one_too_many() -> None:
    """Where a format's programs differ and two ways fit, the record is refused."""
    span = [QuotedSpan(2, 3, "a", "span")]
    with pytest.raises(InvalidInput, match="UTF-16"):
        convert_offsets("🌉aaa", span, unit="")
    assert convert_offsets("🌉aaa", span).spans == (Span(2, 3),)
    assert convert_offsets("bbaaa", span, unit="").spans == (Span(2, 3),)


@pytest.mark.parametrize("wrong", ["1", None, True, 1.5])
def test_what_is_no_integer_is_refused(wrong: object) -> None:
    """Whatever JSON holds in place of an offset."""
    with pytest.raises(InvalidInput, match="span"):
        convert_offsets("abc", [QuotedSpan(wrong, 2, None, "span")])


@pytest.mark.parametrize("far", [2**60, -(10**4299), 10**4300 - 1])
def test_no_text_reaches_that_far(far: int) -> None:
    """Numbers of thousands of digits can be in a file, and can not be printed once one is added."""
    for unit in ("", CODE_POINTS, UTF16):
        with pytest.raises(InvalidInput, match="span"):
            convert_offsets("\ufeff abc", [QuotedSpan(far, far, "abc", "span")], unit=unit)


def test_without_a_quote_the_unit_is_the_format_s() -> None:
    """Nothing can be checked then but that the span is inside the text."""
    assert convert_offsets("🌉ab", [QuotedSpan(1, 3, None, "span")]).spans == (Span(1, 3),)
    with pytest.raises(InvalidInput, match="span"):
        convert_offsets("ab", [QuotedSpan(1, 9, None, "span")])
    assert convert_offsets("ab", []).spans == ()


@given(text=texts, data=st.data())
def test_utf16_is_read_as_what_was_meant(text: str, data: st.DataObject) -> None:
    """Spans counted in UTF-16 come out as the spans that were counted, or as others that fit."""
    text = f"🌉{text}"
    start = data.draw(st.integers(1, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    units = [len(text[:at].encode("utf-16-le")) // 2 for at in (start, end)]
    try:
        found = convert_offsets(
            text, [QuotedSpan(units[0], units[1], text[start:end], "span")], unit=UTF16
        )
    except InvalidInput:
        pytest.fail("the unit that is the format's own always fits")
    assert found.spans == (Span(start, end),)


WAYS = [
    f"{unit}{change}"
    for unit in (CODE_POINTS, UTF16)
    for change in (
        "",
        " (each line end counts as two characters)",
        " (each line end counts as one character)",
        " (a byte order mark before the text is counted)",
        " (the text's byte order mark is not counted)",
        " (white space before the text is not counted)",
    )
] + [GRAPHEMES]


def counted(text: str, span: tuple[int, int], way: str) -> tuple[int, int] | None:
    """A span as a program would count it; None where it could not mark it."""
    ends = [_counted(text, at, way) for at in span]
    if ends[0] is None or ends[1] is None or ends[0] >= ends[1]:
        return None
    return ends[0], ends[1]


def _counted(text: str, at: int, way: str) -> int | None:
    seen = text[:at]
    if way == GRAPHEMES:
        clusters = grapheme_map(text)
        count = clusters.to_units(at)
        return count if clusters.to_code_points(count) == at else None
    if way.endswith("as two characters)"):
        seen = re.sub(r"(?<!\r)\n", "\r\n", seen)
    elif way.endswith("as one character)"):
        if text[at - 1 : at + 1] == "\r\n":
            return None
        seen = seen.replace("\r\n", "\n")
    elif way.endswith("(a byte order mark before the text is counted)"):
        seen = f"\ufeff{seen}"
    elif way.endswith("(the text's byte order mark is not counted)"):
        if not seen.startswith("\ufeff"):
            return None
        seen = seen[1:]
    elif way.endswith("(white space before the text is not counted)"):
        if at < len(text) - len(text.lstrip()):
            return None
        seen = seen.lstrip() if text[:at].strip() else ""
    return len(seen.encode("utf-16-le")) // 2 if way.startswith(UTF16) else len(seen)


def quoted_by(text: str, span: tuple[int, int], way: str) -> str:
    """What a program shows of a span, which changes line ends where it counts them otherwise."""
    words = text[span[0] : span[1]]
    if way.endswith("as two characters)"):
        inside = span[0] > 0 and text[span[0] - 1 : span[0] + 1] == "\r\n"
        half = words[:1] if inside else ""
        return half + re.sub(r"(?<!\r)\n", "\r\n", words[len(half) :])
    return words.replace("\r\n", "\n") if way.endswith("as one character)") else words


@given(
    text=texts, way=st.sampled_from(WAYS), unit=st.sampled_from(["", CODE_POINTS]), data=st.data()
)
def test_every_way_is_recognised(text: str, way: str, unit: str, data: st.DataObject) -> None:
    """In any text and for any spans: as it was meant, or as another way that fits all of them."""
    spans, report = [], []
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text) - 1))
        span = (start, data.draw(st.integers(start + 1, len(text))))
        ends = counted(text, span, way)
        if ends is not None:
            spans.append(span)
            report.append(QuotedSpan(*ends, quoted_by(text, span, way), "span"))
    assume(report)
    try:
        found = convert_offsets(text, report, unit=unit)
    except InvalidInput as error:
        assert "span" in error.message  # noqa: PT017
        return
    if found.unit == way:
        assert [(span.start, span.end) for span in found.spans] == spans
    for there, one in zip(found.spans, report, strict=True):
        words = [re.sub(r"\r*\n", "\n", each) for each in (there.of(text), one.quote or "")]
        assert words[0] == words[1]


@given(text=texts, data=st.data())
def test_never_span_by_span(text: str, data: st.DataObject) -> None:
    """Whatever numbers and words stand in a file: those taken are all of one way of counting."""
    report = []
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, len(text) + 2))
        shift = data.draw(st.integers(-2, 2))
        report.append(QuotedSpan(start, end, text[max(start + shift, 0) : end + shift], "span"))
    try:
        found = convert_offsets(text, report)
    except InvalidInput:
        return
    unit = found.unit.removesuffix(DIFFERENCES_IGNORED)
    if unit in WAYS:
        for span, one in zip(found.spans, report, strict=True):
            assert counted(text, (span.start, span.end), unit) in {(one.start, one.end), None}
    else:
        assert [(span.start, span.end) for span in found.spans] == [one[:2] for one in report]


def test_a_unit_that_is_stated_decides_what_no_quote_shows() -> None:
    """Without quotes, with equally good quotes, and with quotes that fit in no unit."""
    text = "🌉aaa bb"
    for spans, expected in (
        ([QuotedSpan(2, 3, None, "span")], [Span(1, 2)]),
        ([QuotedSpan(2, 3, "a", "span")], [Span(1, 2)]),
        ([QuotedSpan(2, 3, "x", "first"), QuotedSpan(2, 3, None, "span")], [None, Span(1, 2)]),
        (
            [QuotedSpan(5, 7, "bb", "first"), QuotedSpan(2, 3, None, "span")],
            [Span(5, 7), Span(2, 3)],
        ),
    ):
        found = fit_offsets(text, spans, stated="utf16")
        assert list(found.spans) == expected
        is_other = found.unit != UTF16
        assert is_other == (expected[0] == Span(5, 7))
        assert any("not used" in str(doubt) for doubt in found.doubts) == is_other


def test_an_ambiguous_unit_lists_what_its_hint_can_state() -> None:
    """The message and the hint have the same units."""
    (doubt,) = fit_offsets("aaaa🌉aaaa", [QuotedSpan(6, 8, "aa", "span")], unit="").doubts
    assert isinstance(doubt, InvalidInput)
    assert "byte order mark" not in doubt.message
    assert [CODE_POINTS in doubt.message, UTF16 in doubt.message] == [True, True]
    assert ["--offsets codepoint" in doubt.hint, "--offsets utf16" in doubt.hint] == [True, True]
