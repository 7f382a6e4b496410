"""Laws of segmentation: exact, bounded, no slower for long lines, no cut at an abbreviation."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.methods import segmentation
from tui_annotate.methods.segmentation import (
    LIMIT,
    SEGMENTER,
    guess_language,
    segment,
    segment_all,
)

SAMPLES = Path(__file__).parents[2] / "sample_data" / "pairs.jsonl"
PIECES = (
    "The bridge opened.",
    " It cost 12 million pounds, they said.",
    ' "We came. We saw." She left',
    " Dr. J. K. Smith of the U.S. Army vs. Mr. Brown",
    " e.g. this, etc. and so on",
    "桥在周六重新开放。",
    "“你来吗？”他问。",
    "《你好吗？》是书",
    " . . . ",
    " . . . . ",
    "...",
    "……",
    "\n",
    "\r\n\r\n",
    "\u2028",
    "  ",
    "\t",
    "\x00",
    "\x1f",
    "∯♬ȸ☉&ᓴ&♨",
    "e\u0301\u0301",
    "👩\u200d👩\u200d👧",
    "(",
    ")",
    "[1]",
    ".[12] Next",
    '"',
    "”",
    "\\",
    " 1. One 2. Two 3) Three (a) A b) B",
    "!?",
    " Yahoo! Is",
    "?",
    ".",
    ";",
    ",",
    "word" * 60,
    "字" * 300,
    "x",
)
TEXTS = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=60).map("".join),
    st.text(max_size=400),
    st.text(alphabet=' .!?"\n()[]aA1。”', max_size=1500),
)
LANGUAGES = st.sampled_from(["en", "zh", "de", "xx"])


def cut(text: str, language: str = "en") -> list[str]:
    """The segments as texts."""
    return [text[start:end] for start, end in segment(text, language)]


def trimmed(text: str, language: str = "en") -> list[str]:
    """The segments without the white space at their edges."""
    return [part.strip() for part in cut(text, language)]


@pytest.fixture
def handed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every piece of text that pysbd is asked about, in order."""
    pieces: list[str] = []
    rules = segmentation._rules("en")

    def split(text: str) -> list[str]:
        pieces.append(text)
        return rules.split(text)

    monkeypatch.setattr(segmentation, "_rules", lambda _: replace(rules, split=split))
    return pieces


# exactness --------------------------------------------------------------------------------------


@given(TEXTS, LANGUAGES)
def test_segments_join_to_the_text(text: str, language: str) -> None:
    """In order, they cover every code point once."""
    segments = segment(text, language)
    assert "".join(text[start:end] for start, end in segments) == text
    assert all(start < end for start, end in segments)


@given(TEXTS, LANGUAGES)
def test_white_space_stands_at_the_end(text: str, language: str) -> None:
    """A segment begins with none, but for the first."""
    assert not any(part[0].isspace() for part in cut(text, language)[1:])


@given(TEXTS, LANGUAGES)
def test_a_segment_holds_a_word(text: str, language: str) -> None:
    """No segment is punctuation alone where it could go with another."""
    parts = cut(text, language)
    for before, after in pairwise(parts):
        bare = not all(any(sign.isalnum() for sign in part) for part in (before, after))
        assert not bare or len(before + after) > LIMIT


@given(TEXTS, LANGUAGES)
def test_a_segment_is_short_or_can_not_be_cut(text: str, language: str) -> None:
    """None is longer than the limit unless no white space is in it."""
    for part in cut(text, language):
        assert len(part.rstrip()) <= LIMIT or len(part.split()) == 1 or "\u0301" in part


@given(TEXTS)
def test_no_character_is_cut(text: str) -> None:
    """No segment begins with a mark or a joiner."""
    assert not any(part[0] in "\u0301\u200d" for part in cut(text)[1:])


def test_an_empty_text_has_no_segments() -> None:
    """There is nothing to cover."""
    assert segment("") == ()


@pytest.mark.parametrize("text", [" ", "\n\n", "\x00", "\u0301", "...", "∯"])
def test_a_text_without_words_is_one_segment(text: str) -> None:
    """There is no word to begin another."""
    assert segment(text) == ((0, len(text)),)


def test_text_with_the_placeholders_of_pysbd_is_not_lost() -> None:
    """They are cut like any other sign."""
    assert trimmed("One ∯ two. Three ♬ four. ȸ five ☉. Six.") == [
        "One ∯ two.",
        "Three ♬ four.",
        "ȸ five ☉.",
        "Six.",
    ]


def test_a_sentence_that_pysbd_loses_gives_no_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it makes up is not found, and cuts nothing."""
    rules = segmentation._rules("en")
    made_up = replace(rules, split=lambda _: ["He ran .", "", "never there", "she said ."])
    monkeypatch.setattr(segmentation, "_rules", lambda _: made_up)
    assert trimmed("He ran . then she said . at last") == ["He ran .", "then she said .", "at last"]


# where it cuts ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The quick brown fox. Jumps over a lazy dog. ", [0, 21]),
        ("26 letters.", [0]),
        ("We the people. Of the U.S.A. ", [0, 15]),
        ("The U.S. Constitution. It is great. ", [0, 23]),
    ],
)
def test_a_known_example(text: str, expected: list[int]) -> None:
    """Short texts with abbreviations begin their sentences where a reader would."""
    assert [start for start, _ in segment(text)] == expected


@pytest.mark.parametrize(
    "whole",
    [
        "Dr. Brown met Mr. White and Mrs. Green vs. Prof. Black.",
        "It was J. K. Rowling who wrote it.",
        "The U.S. Army came, e.g. by ship, i.e. slowly.",
        "See No. 5 and Fig. 3 on pp. 12.",
        "It cost 3.5 million, says example.com today.",
        "He works at Yahoo! Inc in the city.",
        "The fox (see above) ran and . . . then stopped.",
        "Is it 5 p.m. or later?",
    ],
)
def test_nothing_is_cut_behind_an_abbreviation(whole: str) -> None:
    """Also where the line goes on for thousands of code points."""
    assert trimmed(whole) == [whole]
    assert set(trimmed(" ".join([whole] * 60))) == {whole}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('He said, "I came. I saw. I won." Then he left.', 4),
        ("She left [3]. They said so.[4] Then it ended.", 3),
        ("It was done. (So they say.) Then came 1932. The war began.", 4),
        ("1. The first item. 2. The second item. 3. The third.", 3),
        ("he went home . she stayed . it rained", 3),
        ("It rose by 12%. That is much.", 2),
        ("He said no. The end.", 2),
        ('"Really?" she asked. "Yes!" He nodded.', 3),
        ("word . . . . The next one", 2),
    ],
)
def test_sentences_are_told_apart(text: str, expected: int) -> None:
    """In quotes and brackets, behind references and numbers, in lists, in lower case."""
    assert len(cut(text)) == expected


def test_a_quotation_is_not_swallowed() -> None:
    """A stray quote does not make one segment of all that follows."""
    text = 'He said: "' + "It was a fine day. We went out to the sea. " * 40
    assert max(map(len, cut(text))) < 60


def test_lines_are_sentences() -> None:
    """A line break ends a sentence, with or without a full stop."""
    assert trimmed("A heading\nThe text\r\n\r\nMore") == ["A heading", "The text", "More"]


def test_hard_wrapped_lines_are_joined() -> None:
    """A break where the next word did not fit is white space; one before a short line is not."""
    lines = [
        "The county paid about two thirds of the cost, and the rest",
        "came from the fund and from a toll on river cruises, which",
        "began in the spring of the year before the works had ended",
        "on the bridge.",
    ]
    assert len(cut("\n".join(lines))) == 1
    assert len(cut("\n".join(line[:25] for line in lines))) == 4


def test_lines_some_of_which_just_fill_the_width_are_no_wrapped_text() -> None:
    """A list keeps its lines where more than one in ten had room for the next word."""
    full, short = "Eggs " * 11 + "milk", "Bread and butter"
    lines = [full, short, full, full, short, full, full, short, full]
    assert len(cut("\n".join(lines))) == len(lines)


# Chinese ----------------------------------------------------------------------------------------


def test_chinese_sentences() -> None:
    """Full-width stops end sentences, with their closing quotes, outside short titles."""
    text = "“你来吗？”他问。《你好吗？》是书。“好。我来。”天黑了！"
    assert cut(text, "zh") == [
        "“你来吗？”",
        "他问。",
        "《你好吗？》是书。",
        "“好。",
        "我来。”",
        "天黑了！",
    ]


def test_straight_quotes_in_chinese() -> None:
    """A straight quote goes with the sentence that it opens or closes."""
    assert cut('他说。"你好。"他走。', "zh") == ["他说。", '"你好。"', "他走。"]


def test_mixed_text() -> None:
    """Each script is cut by its own rules, whatever the language is said to be."""
    text = "这是AI模型。It works well. 对吧?是的!好.他说完了"
    expected = ["这是AI模型。", "It works well. ", "对吧?", "是的!", "好.", "他说完了"]
    assert cut(text, "zh") == cut(text, "en") == expected


def test_the_language_is_guessed_by_its_signs() -> None:
    """A quarter of Chinese signs makes a text Chinese."""
    assert guess_language("桥重新开放 The bridge") == "zh"
    assert guess_language("The bridge is called 桥 in Chinese") == "en"
    assert guess_language("") == guess_language(" \n") == "en"


# cost -------------------------------------------------------------------------------------------


def long_text() -> str:
    """200,000 code points of prose without line breaks."""
    rows = [json.loads(line) for line in SAMPLES.read_text("utf-8").splitlines()]
    sources = [" ".join(row["source"].split()) for row in rows]
    english = [text for text in dict.fromkeys(sources) if guess_language(text) == "en"]
    text = " ".join(english)
    return (text + " ") * (200_000 // len(text) + 1)


def paragraphs(text: str, size: int = 500) -> str:
    """The same words in lines of about `size` code points."""
    lines, line = [], ""
    for word in text.split(" "):
        line += word + " "
        if len(line) >= size:
            lines.append(line)
            line = ""
    return "\n".join([*lines, line])


@pytest.mark.parametrize("change", [str, str.lower, lambda text: text.replace(".", " .").lower()])
def test_one_line_costs_no_more_than_paragraphs(
    handed: list[str], change: Callable[[str], str]
) -> None:
    """Pysbd is handed at most twice as much, and never a piece that it would be slow on."""
    text = change(long_text()[:200_000])
    segment(text)
    alone = sum(map(len, handed))
    longest = max(map(len, handed))
    handed.clear()
    segment(paragraphs(text))
    assert alone <= 2 * sum(map(len, handed))
    assert longest <= LIMIT


def test_what_is_sure_is_not_asked(handed: list[str]) -> None:
    """Plain sentences never reach pysbd."""
    segment("The bridge opened. It cost much. Nobody came! Why? They stayed at home.")
    assert handed == []


@pytest.mark.parametrize(
    "text",
    [
        "a" * 100_000,
        "." * 100_000,
        '".' * 50_000,
        "x.[" + "1" * 100_000,
        "x.[" + "111111 " * 200,
        "字" * 100_000,
        "e" + "\u0301" * 10_000,
        "\x00" * 100_000,
        "\n" * 100_000,
        "《" * 100_000,
        "\\" * 100_000 + '"',
    ],
    ids=lambda text: text[:3].encode("unicode_escape").decode(),
)
def test_hostile_text_never_reaches_pysbd_at_length(handed: list[str], text: str) -> None:
    """What has no boundary stays whole, and what is asked about is short."""
    assert "".join(cut(text)) == text
    assert max(map(len, handed), default=0) <= LIMIT


def test_initials_without_end_are_cut_somewhere() -> None:
    """Behind an initial is the last place to cut, but a limit is a limit."""
    assert max(map(len, cut("A. B. C. " * 500))) <= LIMIT


def test_a_long_unbroken_word_does_not_hide_what_follows() -> None:
    """It is cut at the first boundary behind it."""
    assert trimmed("x" * 1500 + ", then it ended. Yes.") == [
        "x" * 1500 + ",",
        "then it ended.",
        "Yes.",
    ]


def test_clauses_are_where_a_long_sentence_is_cut() -> None:
    """Sentence ends come first, then semicolons, then commas, then white space."""
    clause = "word " * 20
    text = f"{clause}, {clause}; {clause}, {clause}" * 3
    assert all(part.rstrip().endswith((";", "word")) for part in cut(text))
    assert max(map(len, cut("word " * 1000))) <= LIMIT


def test_signs_alone_are_cut_too() -> None:
    """Pieces without a letter go with the one before only as far as the limit."""
    assert max(map(len, cut("?! " * 1000))) <= LIMIT


# around -----------------------------------------------------------------------------------------


def test_the_version_is_that_of_pysbd() -> None:
    """Boundaries are stored under the name of what made them."""
    assert SEGMENTER.startswith(f"pysbd-{version('pysbd')}+")


def test_many_texts_at_once() -> None:
    """A pool is given a function that takes pairs and keeps their order."""
    pairs = [("One. Two is here.", "en"), ("一。二。", "zh"), ("", "en")]
    assert segment_all(pairs) == [segment(text, language) for text, language in pairs]


def test_pysbd_is_loaded_late() -> None:
    """Whoever imports the module for its version pays nothing."""
    program = "import sys, tui_annotate.methods.segmentation; sys.exit('pysbd' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
