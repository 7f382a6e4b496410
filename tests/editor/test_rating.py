"""The rating of a sample by a key and a digit, and the comment on it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.editor.draft_samples import code, draft, keys, said, store
from tui_annotate.domain.samples import SampleKind
from tui_annotate.editor import notes, save_results
from tui_annotate.editor.effects import Blink, Comment, OpenNote, Rate
from tui_annotate.editor.key_state import OPTION, READING
from tui_annotate.editor.messages import MessageCode
from tui_annotate.editor.state import RATING, SAMPLE, Draft, Note, PendingQuestion

SCALE = ("Perfect", "Mostly Good", "So-so", "Bad")


def rated(rating: str = "") -> Draft:
    """A sample with a scale, and with a rating that is stored."""
    made = draft()
    made.scale, made.rating = SCALE, rating
    return made


@pytest.mark.parametrize("kind", SampleKind)
def test_a_digit_gives_its_rating(kind: SampleKind) -> None:
    """After `*`, the digits are the words of the scale; one press saves, on each kind of sample."""
    made = rated()
    made.sample = replace(made.sample, kind=kind)
    assert keys(made, "*") == []
    assert (made.pending, made.state) == (PendingQuestion(RATING), OPTION)
    assert [(each.digit, each.text) for each in made.options()] == [
        (str(number), word) for number, word in enumerate(SCALE, 1)
    ]
    assert keys(made, "2") == [Rate("Mostly Good")]
    assert (made.pending, made.state) == (None, READING)
    made.say(save_results.describe_rating("Mostly Good"), "saved")
    assert (code(made), made.message.kind) == (MessageCode.RATED, "saved")
    assert "Mostly Good" in said(made)


def test_the_present_rating_is_marked_and_not_given_again() -> None:
    """The store gets no action; the status line shows that the rating is the same."""
    made = rated("So-so")
    keys(made, "*")
    assert [each.text for each in made.options() if each.chosen] == ["So-so"]
    assert keys(made, "3") == []
    assert code(made) is MessageCode.ALREADY_RATED
    made = rated()
    assert keys(made, "* 0") == []
    assert code(made) is MessageCode.ALREADY_NOT_RATED


def test_zero_takes_a_rating_back_and_other_keys_leave_it() -> None:
    """Enter, Backspace and `u` close the question; a digit beyond the scale keeps it open."""
    assert keys(rated("Bad"), "* 0") == [Rate("")]
    for key in ("enter", "backspace", "u"):
        for rating in ("", "Bad"):
            made = rated(rating)
            assert keys(made, f"* {key}") == []
            assert (made.pending, made.rating) == (None, rating)
    made = rated()
    assert keys(made, "* 5") == [Blink()]
    assert made.pending


def test_a_scale_of_more_words_than_digits_offers_nine() -> None:
    """The others have no key."""
    made = rated()
    made.scale = tuple("abcdefghijkl")
    keys(made, "*")
    assert [each.text for each in made.options()] == [*"abcdefghi"]


def test_without_a_scale_the_setting_is_named() -> None:
    """No question is shown then."""
    made = draft()
    assert keys(made, "*") == [Blink()]
    assert code(made) is MessageCode.NO_SCALE
    assert "ratings = [...]" in said(made)
    assert made.pending is None


def test_the_comment_is_on_the_sample_whatever_is_in_focus() -> None:
    """Where `m` writes on the annotation, `M` does not."""
    made = rated()
    saved = store(made, keys(made, "1"))
    assert keys(made, "M") == [OpenNote("")]
    assert made.writing == Note(SAMPLE)
    assert notes.finish_note(made, "x") == [Comment("x")]
    assert made.annotations == (saved,)
    assert saved.note == ""
