"""Two texts as one, and one as two: exactly, or refused."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.errors import has_code
from tests.plugins.formats.hostile import texts
from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span
from tui_annotate.plugins.joined_texts import (
    SEPARATOR,
    JoinedTexts,
    group_linked,
    join_texts,
    split_text,
)


@given(source=texts, summary=texts)
def test_what_is_joined_comes_apart(source: str, summary: str) -> None:
    """By the separator alone and by the lengths; texts that hold it are refused."""
    try:
        joined = join_texts(source, summary)
    except InvalidInput:
        assert "=== SUMMARY" in source + summary
        return
    assert split_text(joined.text) == joined
    lengths = {"source_len": len(source), "sep_len": len(SEPARATOR)}
    assert split_text(joined.text, **lengths) == joined


@given(source=texts, summary=texts, data=st.data())
def test_a_span_is_of_one_of_the_two(source: str, summary: str, data: st.DataObject) -> None:
    """An anchor as a span covers the same words, and comes back as that anchor."""
    joined = JoinedTexts(source, summary)
    side = data.draw(st.sampled_from(Side))
    text = source if side is Side.SOURCE else summary
    start = data.draw(st.integers(0, len(text) - 1))
    anchor = Anchor(side, 0, Span(start, data.draw(st.integers(start + 1, len(text)))))
    span = joined.span(anchor)
    assert span.of(joined.text) == anchor.span.of(text)
    assert joined.anchor(span, what="span") == anchor


def test_a_span_over_the_separator_is_refused() -> None:
    """It is of neither text."""
    joined = join_texts("abc", "def")
    for span in (Span(1, 5), Span(4, 6), Span(1, len(joined.text)), Span(joined.offset - 1, 25)):
        with pytest.raises(InvalidInput, match="span"):
            joined.anchor(span, what="span")


@pytest.mark.parametrize("text", ["abc", f"a{SEPARATOR}b{SEPARATOR}c"])
def test_a_text_that_is_not_parted_once_is_refused(text: str) -> None:
    """Neither none nor two separators say where the summary begins."""
    with pytest.raises(InvalidInput, check=has_code("separator-count")) as caught:
        split_text(text)
    assert SEPARATOR.strip() in caught.value.hint  # a text file has no fields for the lengths


@pytest.mark.parametrize("lengths", [(1, None), ("1", 1), (True, 1), (-1, 1), (9, 9)])
def test_lengths_that_are_none_are_refused(lengths: tuple[object, object]) -> None:
    """Whatever a file holds in their place."""
    integers = all(type(each) is int for each in lengths)
    code = "lengths-outside" if integers else "lengths-type"
    with pytest.raises(InvalidInput, check=has_code(code)):
        split_text("abcdef", source_len=lengths[0], sep_len=lengths[1])


CLAIMS = dict.fromkeys("abc", Side.SUMMARY)
PROOFS = dict.fromkeys("xyz", Side.SOURCE)


@pytest.mark.parametrize(
    ("relations", "groups"),
    [
        ("ab bc", ["abc:"]),
        ("bc ab", ["abc:"]),
        ("ab ba", ["ab:", "c:"]),
        ("ab bc ca", ["abc:"]),
        ("ac bc", ["abc:"]),
        ("ba", ["ba:", "c:"]),
        ("ab bx", ["ab:x", "c:"]),
        ("ab ax by", ["ab:xy", "c:"]),
        ("ax xy", ["a:xy", "b:", "c:"]),
        ("ax yx", ["a:xy", "b:", "c:"]),
        ("ax bx", ["a:x", "b:x", "c:"]),
    ],
)
def test_spans_connected_as_parts_are_one_annotation(relations: str, groups: list[str]) -> None:
    """Chains and cycles too, on both sides; all links of the parts are the annotation's."""
    parts = ((pair[0], pair[1], ["part"]) for pair in relations.split())
    left_out = Counter[str]()
    found = list(group_linked(CLAIMS | PROOFS, parts, left_out))
    shown = ["".join(heads) + ":" + "".join(evidence) for heads, evidence in found]
    used = {key for group in groups for key in group}
    assert shown == [*groups, *(f"{key}:" for key in PROOFS if key not in used)]
    assert not left_out


_KEYS = st.sampled_from([*CLAIMS, *PROOFS])


@given(st.lists(st.tuples(_KEYS, _KEYS, st.sampled_from([[], ["part"], ["other"]]))))
def test_each_span_is_in_an_annotation(relations: list[tuple[str, str, list[str]]]) -> None:
    """A claim is in exactly one, whatever the relations are."""
    found = list(group_linked(CLAIMS | PROOFS, relations, Counter()))
    claims = sorted(key for heads, _ in found for key in heads if key in CLAIMS)
    assert claims == sorted(CLAIMS)
    assert {key for heads, evidence in found for key in (*heads, *evidence)} >= PROOFS.keys()
