"""Offsets there and back again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.domain.errors import InvalidSpan
from tui_annotate.domain.offsets import utf16_map

texts = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("\n🌉é桥a"))


@given(text=texts)
def test_units_agree_with_the_encoded_text(text: str) -> None:
    """Every offset maps to the length of the encoded text before it, and back."""
    offsets = utf16_map(text)
    for offset in range(len(text) + 1):
        assert offsets.to_units(offset) == len(text[:offset].encode("utf-16-le")) // 2
        assert offsets.to_code_points(offsets.to_units(offset)) == offset


@pytest.mark.parametrize("text", ["plain", "a🌉b"])
def test_offsets_outside_the_text_are_refused(text: str) -> None:
    """Neither direction takes a negative offset or one behind the end."""
    offsets = utf16_map(text)
    for wrong in (-1, 100):
        with pytest.raises(InvalidSpan):
            offsets.to_units(wrong)
        with pytest.raises(InvalidSpan):
            offsets.to_code_points(wrong)


def test_an_offset_inside_a_character_is_refused() -> None:
    """Half a character is no place for a span to begin."""
    with pytest.raises(InvalidSpan, match="2"):
        utf16_map("a🌉b").to_code_points(2)
