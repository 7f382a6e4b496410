"""What may be a password, and what may not."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.passwords import (
    LONGEST,
    SHORTEST,
    check_password,
    is_common,
    normalise_password,
)

OWN = ("Ana Müller", "ana.mueller@example.org")


@pytest.mark.parametrize(
    "password",
    [
        "zebra violin",
        "lowercaseletters",
        "        x        y",
        "🦓🎻🌵🦊🐙🍉🏔🚲",
        "x" * 3 + "violin in the rain" * 5,
        "tr0ub4dor&3",
        "pass7481293847",
        "Ana Müller plays",
        "密码学是很难的事情",
        "a\tb\x00c\x1bdefgh",
    ],
)
def test_anything_long_and_uncommon_is_a_password(password: str) -> None:
    """Blanks, emoji, any script, controls: nothing is asked of what it is made of."""
    assert check_password(password, own=OWN) == normalise_password(password)


@pytest.mark.parametrize(
    ("password", "told"),
    [
        ("", "has 0 characters"),
        ("seven77", "has 7 characters"),
        ("violin " * 147, "has 1029 characters"),
        ("\ud800 half of one", "half a character"),
        ("password", "too common"),
        ("Password123!", "too common"),
        ("P@ssw0rd1", "too common"),
        ("password123456789", "too common"),
        ("qwertyuiop", "too common"),
        ("POIUYTREWQ", "too common"),
        ("asdfqwer1234", "too common"),
        ("12345678", "too common"),
        ("aaaaaaaaaaaa", "too common"),
        ("abcabcabc", "too common"),
        ("        ", "too common"),
        ("dragon dragon", "too common"),
        ("..sunshine2026", "too common"),
        ("ana müller", "your own name"),
        ("ANA.MUELLER@example.org", "your own name"),
        ("ana.mueller", "your own name"),
        ("anamüller99", "your own name"),
    ],
)
def test_what_is_no_password_is_told_without_it(password: str, told: str) -> None:
    """Too short, too long, common in whatever dress, one's own; the message does not hold it."""
    with pytest.raises(InvalidInput, match=told) as caught:
        check_password(password, own=OWN)
    assert caught.value.hint
    assert not password.strip() or password not in caught.value.message.replace("the password", "")


@given(st.text(min_size=1))
def test_the_same_keys_give_the_same_password(text: str) -> None:
    """Composed and decomposed letters are one, and looking again changes nothing."""
    assert (
        normalise_password(unicodedata.normalize("NFD", text))
        == normalise_password(text)
        == normalise_password(normalise_password(text))
    )


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=2 * SHORTEST))
def test_length_counts_characters_after_composing(text: str) -> None:
    """8 to 1024 of them; every other refusal is of common ones."""
    length = len(normalise_password(text))
    if length < SHORTEST:
        with pytest.raises(InvalidInput, match=f"has {length} characters"):
            check_password(text)
    elif not is_common(normalise_password(text)):
        assert len(check_password(text)) == length <= LONGEST


def test_a_short_name_is_nobodys_password() -> None:
    """An empty name, or one of signs alone, refuses nothing."""
    assert check_password("zebra violin", own=("", "!!", "@"))
    assert check_password("19741213 7", own=("77", ""))
