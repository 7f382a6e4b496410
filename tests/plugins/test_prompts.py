"""Prompts: ours are whole in both languages, a user's own stand in for them or are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.plugins import prompts
from tui_annotate.plugins.prompts import Prompt, built_in, load


@pytest.mark.parametrize("name", prompts.names())
def test_both_languages_have_the_same_places(name: str) -> None:
    """What English shows the model, Chinese does too; each has a version of its own."""
    english, chinese = (load(name, language=language) for language in prompts.LANGUAGES)
    places = [set(prompts._PLACE.findall(each.text)) for each in (english, chinese)]
    assert places[0] == places[1]
    assert english.version != chinese.version
    assert any("一" <= sign <= "鿿" for sign in chinese.text)


def test_an_unknown_language_is_english() -> None:
    """There is always a prompt."""
    assert load("pair", language="de") == load("pair")


def test_places_are_filled_once() -> None:
    """What is put in is not looked at again, and other braces are text."""
    prompt = Prompt("x", "en", 'Say {question} as {"verdict": 1}: {context} {n1}')
    filled = prompt.filled(question="{context} \\1", context="{question}")
    assert filled == 'Say {context} \\1 as {"verdict": 1}: {question} {n1}'
    with pytest.raises(KeyError):
        prompt.filled(question="a")


def test_a_users_file_goes_before_ours(tmp_path: Path) -> None:
    """In the first folder that holds it; folders that are not there count for nothing."""
    (tmp_path / "pair.en.txt").write_text("Q {question} 1 {first} 2 {second}\n")
    folders = (tmp_path / "none", tmp_path)
    assert load("pair", folders=folders).text == "Q {question} 1 {first} 2 {second}"
    assert load("pair", language="zh", folders=folders).text == built_in("pair", "zh")
    assert load("screen", folders=folders).text == built_in("screen", "en")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"{question} {first}", r"pair\.en\.txt lacks \{second\}"),
        (b"{question}", r"lacks \{first\}, \{second\}"),
        (b"{question} {first} {second} {third}", r"has \{third\}, which nothing fills"),
        (b"\xff", "is no UTF-8 text"),
        (b"{question} {first} {second}" + b"x" * 100_001, "characters"),
    ],
)
def test_a_file_that_can_not_be_used(tmp_path: Path, content: bytes, told: str) -> None:
    """The message names the file and what is wrong with it."""
    (tmp_path / "pair.en.txt").write_bytes(content)
    with pytest.raises(InvalidInput, match=told) as error:
        load("pair", folders=(tmp_path,))
    assert error.value.hint


def test_a_file_that_can_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk's own words are told."""
    (tmp_path / "pair.en.txt").write_text("x")

    def refused(*_: object, **__: object) -> str:
        raise PermissionError(13, "Permission denied")

    built_in("pair", "en")  # read before the disk is refused
    monkeypatch.setattr(Path, "read_text", refused)
    with pytest.raises(Unavailable, match="Permission denied"):
        load("pair", folders=(tmp_path,))
