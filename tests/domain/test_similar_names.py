"""Names that look alike are found, whatever they are written with."""

from __future__ import annotations

import pytest

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import check_name
from tui_annotate.domain.similar_names import check_new_name, find_similar_names, name_skeleton


@pytest.mark.parametrize(
    "name",
    ["b\u0435n", "ben\u200b", "Ben", "\uff42en", "b e n".replace(" ", "\u2060"), "\u0412EN"],
)
def test_names_that_look_alike(name: str) -> None:
    """A Cyrillic letter, an invisible character, another case or width."""
    assert find_similar_names(name, ["ana", "ben", name]) == ["ben"]


@pytest.mark.parametrize(("one", "other"), [("ben", "bea"), ("李", "李娜"), ("Жан", "Jean")])
def test_names_that_differ(one: str, other: str) -> None:
    """Names of other people stay possible."""
    assert name_skeleton(one) != name_skeleton(other)


@pytest.mark.parametrize("name", ["be\u200bn", "ben\u2060", "\u202eben", "b\u200den", "ben\u200c"])
def test_invisible_characters_are_refused(name: str) -> None:
    """The message names the character, the hint the name without it."""
    with pytest.raises(InvalidInput, match=r"U\+20") as caught:
        check_new_name(name)
    assert caught.value.hint.endswith(": ben")


@pytest.mark.parametrize("name", ["Ana-Lu\u0301cia", "\u0645\u06cc\u200c\u062e\u0648\u0627", "李"])
def test_names_of_all_languages_are_names(name: str) -> None:
    """Persian names have zero-width joiners between letters."""
    assert check_new_name(f" {name} ") == name


@pytest.mark.parametrize(
    "name",
    ["ana (2nd reading)", "Ana(2ND READING)", "(2nd reading)",
     "ana (2nd re\u0430ding)", "adjudicated", "Majority"],
)  # fmt: skip
def test_names_that_the_program_gives_are_refused(name: str) -> None:
    """A person could not be told from a second reading, an adjudication or a majority vote."""
    with pytest.raises(InvalidInput) as refused:
        check_new_name(name)
    assert refused.value.code == "name-reserved"
    assert check_name(name) == name  # names that are stored already


def test_a_name_may_mention_a_reading() -> None:
    assert check_new_name("ana, 2nd reading of May") == "ana, 2nd reading of May"
