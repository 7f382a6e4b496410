"""Offsets there and back again."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.domain.errors import InvalidSpan
from tui_annotate.domain.offsets import OffsetMap, line_map, utf8_map, utf16_map

texts = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("\n🌉é桥a"))
UNITS = [
    pytest.param(utf16_map, lambda text: len(text.encode("utf-16-le")) // 2, id="utf-16"),
    pytest.param(utf8_map, lambda text: len(text.encode()), id="utf-8"),
]


@pytest.mark.parametrize(("build", "count"), UNITS)
@given(text=texts)
def test_units_agree_with_the_encoded_text(
    build: Callable[[str], OffsetMap], count: Callable[[str], int], text: str
) -> None:
    """Every offset maps to the length of the encoded text before it, and back."""
    offsets = build(text)
    for offset in range(len(text) + 1):
        assert offsets.to_units(offset) == count(text[:offset])
        assert offsets.to_code_points(offsets.to_units(offset)) == offset


@pytest.mark.parametrize("build", [utf16_map, utf8_map])
@pytest.mark.parametrize("text", ["plain", "a🌉b"])
def test_offsets_outside_the_text_are_refused(build: Callable[[str], OffsetMap], text: str) -> None:
    """Neither direction takes a negative offset or one behind the end."""
    offsets = build(text)
    for wrong in (-1, 100):
        with pytest.raises(InvalidSpan):
            offsets.to_units(wrong)
        with pytest.raises(InvalidSpan):
            offsets.to_code_points(wrong)


@pytest.mark.parametrize("build", [utf16_map, utf8_map])
def test_an_offset_inside_a_character_is_refused(build: Callable[[str], OffsetMap]) -> None:
    """Half a character is no place for a span to begin."""
    with pytest.raises(InvalidSpan, match="2"):
        build("a🌉b").to_code_points(2)


@given(text=texts)
def test_line_and_column_lead_back(text: str) -> None:
    """Every offset has a line and a column, by which it is found again."""
    lines = line_map(text)
    assert len(lines.starts) == text.count("\n") + 1
    for offset in range(len(text) + 1):
        line, column = lines.position(offset)
        before = text[:offset]
        assert (line, column) == (before.count("\n") + 1, len(before.rpartition("\n")[2]) + 1)
        assert lines.offset(line, column) == offset


@pytest.mark.parametrize(("line", "column"), [(0, 1), (3, 1), (1, 0), (1, 4), (2, 3)])
def test_lines_and_columns_that_are_not_there_are_refused(line: int, column: int) -> None:
    """Counting begins at 1 and ends with the line."""
    with pytest.raises(InvalidSpan):
        line_map("ab\nc").offset(line, column)


@pytest.mark.parametrize("offset", [-1, 5])
def test_an_offset_outside_has_no_line(offset: int) -> None:
    """No line is told for what is not in the text."""
    with pytest.raises(InvalidSpan, match=str(offset)):
        line_map("ab\nc").position(offset)
