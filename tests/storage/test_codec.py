"""Values become columns and come back."""

from __future__ import annotations

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.errors import has_code
from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.domain.samples import Request, Segment
from tui_annotate.storage.codec import (
    check_storable,
    from_json,
    mapping_to_json,
    pack,
    replace_unstorable,
    request_from_json,
    request_to_json,
    to_json,
    unpack,
)

any_text = st.text(st.characters(categories=None))


@given(st.lists(st.integers(1, 70_000), max_size=20))
def test_segments_survive_packing(lengths: list[int]) -> None:
    """Segments that join come back as they were, in four bytes each."""
    ends = list(accumulate(lengths))
    segments = tuple(map(Segment, [0, *ends][: len(ends)], ends))
    packed = pack(segments)
    assert len(packed) == 4 * len(segments)
    assert unpack(packed, sum(lengths)) == segments


@pytest.mark.parametrize(
    "wrong", [[Segment(1, 2)], [Segment(0, 2), Segment(3, 4)], [Segment(0, 0)]]
)
def test_segments_that_do_not_join_are_refused(wrong: list[Segment]) -> None:
    """A gap, a late start, an empty one."""
    with pytest.raises(InvalidInput, check=has_code("segments-gap")):
        pack(wrong)


@pytest.mark.parametrize("length", [0, 4, 6])
def test_segments_of_another_text_are_told(length: int) -> None:
    """What was stored must end where the text does."""
    with pytest.raises(Unavailable):
        unpack(pack([Segment(0, 5)]), length)


@given(any_text)
def test_any_text_survives_as_json_of_ascii(text: str) -> None:
    """Lone surrogates and NUL too."""
    assert to_json(text).isascii()
    assert from_json(to_json(text)) == text


@given(st.builds(Request, any_text, any_text, any_text, any_text))
def test_a_request_survives(request_: Request) -> None:
    """An empty one takes no room."""
    stored = request_to_json(request_)
    assert request_from_json(stored) == request_
    assert bool(stored) == (request_ != Request())


def test_an_empty_mapping_takes_no_room() -> None:
    """Neither does none at all."""
    assert mapping_to_json({}) == mapping_to_json(None) == ""
    assert mapping_to_json({"a": 1}) == '{"a":1}'


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b"])
def test_a_name_that_no_column_holds_is_refused_with_its_place(name: str) -> None:
    """NUL and half characters have no place in a name."""
    with pytest.raises(InvalidInput, match="1"):
        check_storable(name, "sample id")


def test_half_characters_of_a_file_become_question_marks() -> None:
    """Where a column is there for searching only."""
    assert replace_unstorable("a\ud800b 桥") == "a?b 桥"
