"""Prompts: ours are whole in both languages, a user's own stand in for them or are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.lab.chat import prompts
from tui_annotate.lab.chat.placeholders import check_placeholders, find_placeholders
from tui_annotate.lab.chat.prompts import Prompt, built_in_text, load_prompt


@pytest.mark.parametrize("name", prompts.prompt_names())
def test_both_languages_have_the_same_places(name: str) -> None:
    """What English shows the model, Chinese does too; each has a version of its own."""
    english, chinese = (load_prompt(name, language=language) for language in prompts.LANGUAGES)
    places = [{*find_placeholders(each.text)} for each in (english, chinese)]
    assert places[0] == places[1]
    assert english.version != chinese.version
    assert any("一" <= sign <= "鿿" for sign in chinese.text)


def test_an_unknown_language_is_english() -> None:
    """There is always a prompt."""
    assert load_prompt("pair", language="de") == load_prompt("pair")


def test_places_are_filled_once() -> None:
    """What is put in is not looked at again, and other braces are text."""
    prompt = Prompt("x", "en", 'Say {question} as {"verdict": 1}: { context } {{n1}} {} {0}')
    filled = prompt.fill(question="{context} \\1", context="{question}")
    assert filled == 'Say {context} \\1 as {"verdict": 1}: {question} {n1} {} {0}'
    with pytest.raises(KeyError):
        prompt.fill(question="a")


def test_a_users_file_goes_before_ours(tmp_path: Path) -> None:
    """In the first folder that holds it; folders that are not there count for nothing."""
    (tmp_path / "pair.en.txt").write_text("Q {question} 1 {first} 2 {second}\n")
    folders = (tmp_path / "none", tmp_path)
    assert load_prompt("pair", folders=folders).text == "Q {question} 1 {first} 2 {second}"
    assert load_prompt("pair", language="zh", folders=folders).text == built_in_text("pair", "zh")
    assert load_prompt("screen", folders=folders).text == built_in_text("screen", "en")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"{question} {first}", r"pair\.en\.txt: .*\{second\}"),
        (b"{question}", r"\{first\}, \{second\}"),
        (b"{question} {first} {second} {third}", r"pair\.en\.txt:1: .*\{third\}"),
        (b"{question} {first}\n{second} {Second}", r"pair\.en\.txt:2: .*\{Second\}"),
        ("{question} {first} {second} {问题}".encode(), r"\{问题\}"),
        (b"{{question}} {first} {second}", r"lacks .*\{question\}"),
        (b"{questoin} {first} {second}", r"\{questoin\}"),
        (b"\xff", r"pair\.en\.txt .*UTF-8"),
        (b"{question} {first} {second}" + b"x" * 100_001, r"pair\.en\.txt .*100,0\d\d"),
    ],
)
def test_a_file_that_can_not_be_used(tmp_path: Path, content: bytes, told: str) -> None:
    """The message names the file and what is wrong with it."""
    (tmp_path / "pair.en.txt").write_bytes(content)
    with pytest.raises(InvalidInput, match=told) as error:
        load_prompt("pair", folders=(tmp_path,))
    assert error.value.hint


def test_a_file_that_can_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk's own words are told."""
    (tmp_path / "pair.en.txt").write_text("x")

    def refused(*_: object, **__: object) -> str:
        raise PermissionError(13, "Permission denied")

    built_in_text("pair", "en")  # read before the disk is refused
    monkeypatch.setattr(Path, "read_text", refused)
    with pytest.raises(Unavailable):
        load_prompt("pair", folders=(tmp_path,))


def test_a_misspelt_placeholder_has_a_suggestion() -> None:
    """The error names the placeholder as written, and suggests the closest known one."""
    with pytest.raises(InvalidInput, match=r"\{Questoin\}") as error:
        check_placeholders("{Questoin} {kv}", allowed=("question", "kv"))
    assert error.value.hint.startswith("did you mean {question}?")
    with pytest.raises(InvalidInput, match=r"\{formatted_kv_record\}") as error:
        check_placeholders("{formatted_kv_record}", allowed=("kv",))
    assert error.value.hint.startswith("did you mean {formatted_kv_records}?")


def test_names_of_papers_are_placeholders(tmp_path: Path) -> None:
    """The names of RAGAS replace ours, only in prompts that have the placeholder."""
    (tmp_path / "answer.en.txt").write_text("{user_input} {retrieved_contexts} {unknown}")
    prompt = load_prompt("answer", folders=(tmp_path,))
    assert prompt.fill(question="Q", contexts="C", unknown="U", answer="A") == "Q C U"
    (tmp_path / "pair.en.txt").write_text("{user_input} {first} {second} {response}")
    with pytest.raises(InvalidInput, match=r"\{response\}"):
        load_prompt("pair", folders=(tmp_path,))


def test_all_prompts_of_a_folder_are_checked(tmp_path: Path) -> None:
    """An invalid prompt or a misspelt name is found; a missing folder has none."""
    (tmp_path / "readme.txt").write_text("notes")
    prompts.check_folders((tmp_path / "none", tmp_path))
    (tmp_path / "grade.zh.txt").write_text("{question}")
    with pytest.raises(InvalidInput, match=r"grade\.zh\.txt"):
        prompts.check_folders((tmp_path / "none", tmp_path))
    (tmp_path / "grade.zh.txt").rename(tmp_path / "grades.zh.txt")
    with pytest.raises(
        InvalidInput, match=r"no built-in prompt has the name of the file .*grades\.zh\.txt"
    ) as caught:
        prompts.check_folders((tmp_path,))
    assert "'grade.zh.txt'" in caught.value.hint
