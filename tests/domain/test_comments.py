"""Remarks: what one is, and who is to answer."""

from __future__ import annotations

import pytest

from tui_annotate.domain.comments import (
    LONGEST,
    REVIEWERS,
    CommentThread,
    PersonComment,
    check_text,
)
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.samples import SampleKey


def test_a_talk_waits_for_whoever_did_not_speak_last() -> None:
    """For an answer of a reviewer after the annotator's words, and for none after it."""
    key = SampleKey("d", "1")
    asked = PersonComment("a", key, "ana", REVIEWERS, "", "Why?", "1")
    answered = PersonComment("b", key, "li", "ana", "a", "So.", "2")
    assert (CommentThread([asked]).waiting, CommentThread([asked, answered]).waiting) == (
        True,
        False,
    )
    assert (CommentThread([asked, answered]).id, CommentThread([asked, answered]).person) == (
        "a",
        "ana",
    )


def test_a_remark_says_something() -> None:
    """Blanks at its edges are taken off; nothing, and too much, is refused."""
    assert check_text("  so \n") == "so"
    for wrong in ("", " \n", "x" * (LONGEST + 1)):
        with pytest.raises(InvalidInput):
            check_text(wrong)
