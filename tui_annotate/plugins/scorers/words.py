"""Words of Chinese and English as the published unigram scores cut them; loads what is needed.

Source: the unigram scorers of the project Dreamcatcher; Chinese by jieba and its keywords, English
by spaCy's rules and stop words, without a model.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from functools import cached_property, partial
from importlib.metadata import version
from typing import Any, Final, Protocol

from tui_annotate.domain.errors import Unavailable
from tui_annotate.methods.overlap import Words

INSTALL: Final = "pip install 'tui-annotate[score]'"

_FOUND, _COUNTED = 100, 20
"""Keywords of an answer in which words are looked for, and those that are counted."""
_MOST_WORDS = 100_000
"""Words of English that are kept; with more, it begins anew."""


class Language(Protocol):
    """How the texts of a language become words.

    Attributes:
        versions: of what cuts them, by its name.
    """

    versions: dict[str, str]

    def looked_for(self, answer: str) -> Sequence[str]:
        """The words of the right answer that others are asked for, with repeats."""
        ...

    def counted(self, answer: str) -> Sequence[str]:
        """The words of the right answer as they are counted."""
        ...

    def words(self, text: str) -> Words:
        """The words of an answer."""
        ...

    def content(self, text: str) -> Sequence[str]:
        """The words of a sentence that say something, with repeats."""
        ...


class Chinese:
    """By jieba: an answer's keywords are its words of two signs or more that say something.

    Raises:
        Unavailable: jieba is not installed.
    """

    def __init__(self) -> None:
        with _needed("jieba", "Chinese"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its sources hold escapes that Python warns of
            import jieba
            from jieba.analyse import default_tfidf
        self._cutter = jieba.Tokenizer()
        # Else it would read, and write, a marshalled dictionary in the folder that all users share.
        self._cutter.FREQ, self._cutter.total = self._cutter.gen_pfdict(
            self._cutter.get_dict_file()
        )
        self._cutter.initialized = True
        self._keywords = copy(default_tfidf)  # a new one would read its table once more
        self._keywords.tokenizer = self._cutter
        self.versions = {"jieba": version("jieba")}

    def looked_for(self, answer: str) -> Sequence[str]:
        """All of its words and signs."""
        return list(self._cutter.cut(answer))

    def counted(self, answer: str) -> Sequence[str]:
        """Its keywords, each once."""
        return self._tags(answer)[:_COUNTED]

    def words(self, text: str) -> Words:
        """Its keywords, each once."""
        tags = self._tags(text)
        return Words(tags, tags[:_COUNTED])

    def content(self, text: str) -> Sequence[str]:
        """Its words that are no punctuation."""
        return [word for word in self._cutter.cut(text.lower()) if any(map(str.isalnum, word))]

    def _tags(self, text: str) -> list[str]:
        tags: list[str] = self._keywords.extract_tags(text, topK=_FOUND)
        return tags


class English:
    """By spaCy's rules, without a model.

    Raises:
        Unavailable: spaCy is not installed.
    """

    def __init__(self) -> None:
        with _needed("spacy", "English"):
            import spacy
        self._fresh = partial(spacy.blank, "en")
        self._language = self._fresh()
        self.versions = {"spacy": version("spacy")}

    def looked_for(self, answer: str) -> Sequence[str]:
        """All of its words and signs in lower case."""
        return [token.lower_ for token in self._cut(answer)]

    def counted(self, answer: str) -> Sequence[str]:
        """What stands between its blanks, as it stands: so it was published."""
        return answer.split(" ")

    def words(self, text: str) -> Words:
        """All of them in lower case; those that are counted without stop words, with repeats."""
        tokens = [(token.lower_, token.is_stop) for token in self._cut(text)]
        found = {word for word, _ in tokens}
        return Words(found, [word for word, stops in tokens if not stops])

    def content(self, text: str) -> Sequence[str]:
        """Its words in lower case, without stop words and punctuation."""
        return [
            token.lower_
            for token in self._cut(text)
            if not (token.is_stop or token.is_punct or token.is_space)
        ]

    def _cut(self, text: str) -> Any:
        # It keeps each word that it met. A zone of spaCy's that forgets them after each text takes
        # as long as the cutting itself.
        if len(self._language.vocab) > _MOST_WORDS:
            self._language = self._fresh()
        return self._language.tokenizer(text)


@contextmanager
def _needed(package: str, language: str) -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        raise Unavailable(
            f"unigram scores of {language} need the package {package}, which is missing", INSTALL
        ) from error


class Cutters:
    """The languages, each loaded when the first text of it comes."""

    def of(self, language: str) -> Language:
        """What cuts texts of a language; all but Chinese are cut as English.

        Raises:
            Unavailable: its library is not installed.
        """
        return self._chinese if language == "zh" else self._english

    def libraries(self) -> dict[str, str]:
        """Those that were needed so far, with their versions."""
        loaded = [self.__dict__.get(name) for name in ("_chinese", "_english")]
        return {name: at for each in loaded if each for name, at in each.versions.items()}

    @cached_property
    def _chinese(self) -> Chinese:
        return Chinese()

    @cached_property
    def _english(self) -> English:
        return English()
