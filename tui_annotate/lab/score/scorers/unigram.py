"""Unigram scores: the words that answers share with the right one, and with one another.

Chinese is cut by jieba and its keywords, English by the rules and stop words of spaCy, without a
model; a library is loaded when it is needed.

Source: the unigram scorers of the project Dreamcatcher, formulas 4.1 and 4.2 of its readme and
code, with its epsilon; results were compared with the scores that the project published.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from functools import partial
from heapq import nsmallest
from importlib.metadata import version
from math import log
from typing import Any, Final

from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.lab.score.ranking import OVERLAP, SURPRISE
from tui_annotate.plugins.scoring import GeneratedAnswers, Opinion, SampleSentences, ScorerOptions

EPSILON: Final = 1e-6
"""What the project adds to each number that it divides by."""


@dataclass(frozen=True, slots=True)
class AnswerWords:
    """The words of an answer: `found` for overlap, `counted` for frequencies."""

    found: Collection[str]
    counted: Sequence[str]


def overlap(answer: Sequence[str], words: Collection[str]) -> float:
    """Return the share of an answer's words that another text has, in [0, 1).

    Of an answer without words, 0.
    """
    return sum(word in words for word in answer) / (len(answer) + EPSILON)


def mean_surprises(
    answer: Iterable[str],
    texts: Sequence[AnswerWords],
    *,
    top: int,
    others: Iterable[AnswerWords] = (),
) -> list[float]:
    """Return how rare the commonest words of each text are; low is typical, 0 without words.

    The mean of the `top` (1 or more) least values of -ln(share of a word), counted over the right
    answer, the texts and the others.
    """
    counts = Counter(answer)
    for words in (*texts, *others):
        counts.update(words.counted)
    total = counts.total() + EPSILON
    return [_mean(nsmallest(top, (-log(counts[word] / total) for word in words.counted)))
            for words in texts]  # fmt: skip


def _mean(values: Sequence[float]) -> float:
    return sum(values) / (len(values) + EPSILON)


def best_overlaps(claims: Sequence[Sequence[str]], source: Sequence[Iterable[str]]) -> list[float]:
    """Return the largest share of each claim's words in one source sentence.

    0 without a source sentence; 1 for a claim without words, which needs no support.
    """
    places: dict[str, list[int]] = {}
    asked = {word for claim in claims for word in claim}
    for place, words in enumerate(source):
        for word in asked.intersection(words):
            places.setdefault(word, []).append(place)
    return [_best_share(claim, places) if claim else 1.0 for claim in claims]


def _best_share(claim: Sequence[str], places: dict[str, list[int]]) -> float:
    hits: Counter[int] = Counter()
    for word in claim:
        hits.update(places.get(word, ()))
    return max(hits.values(), default=0) / (len(claim) + EPSILON)


SENTENCES = "source_overlap"


class UnigramScorer:
    """Overlap with the right answer, and the mean surprise of an answer's commonest words.

    Of sentences: the share of a sentence's words that one sentence of the source has.

    Raises:
        InvalidInput: fewer than one word is to be averaged.
    """

    name = "unigram"
    low = frozenset({SURPRISE})

    def __init__(self, options: ScorerOptions) -> None:
        if options.top_k < 1:
            raise InvalidInput(f"top-k is {options.top_k}", "1 or more")
        self._top = options.top_k
        self._tokenizers = Tokenizers()

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The number of words averaged, and the libraries in use so far."""
        return {"top_k": self._top, **self._tokenizers.libraries()}

    def of_answers(self, questions: Iterable[GeneratedAnswers]) -> Iterator[tuple[Opinion, ...]]:
        """See `Scorer.of_answers`; extras are counted, and get no value."""
        for each in questions:
            tokenizer = self._tokenizers.of(each.language)
            texts = [tokenizer.words(text) for text in each.texts]
            others = [tokenizer.words(text) for text in each.extras]
            asked = tokenizer.answer_words(each.answer)
            rare = mean_surprises(
                tokenizer.counted(each.answer), texts, top=self._top, others=others
            )
            yield (
                Opinion(name=OVERLAP, values=tuple(overlap(asked, words.found) for words in texts)),
                Opinion(name=SURPRISE, values=tuple(rare)),
            )

    def of_sentences(self, samples: Iterable[SampleSentences]) -> Iterator[tuple[Opinion, ...]]:
        """See `SentenceScorer.of_sentences`."""
        for each in samples:
            tokenizer = self._tokenizers.of(each.language)
            claims = [tokenizer.content(text) for text in each.summary]
            source = [tokenizer.content(text) for text in each.source]
            yield (Opinion(name=SENTENCES, values=tuple(best_overlaps(claims, source))),)


INSTALL: Final = "pip install 'tui-annotate[score]'"

_KEYWORDS, _COUNTED_KEYWORDS = 100, 20
"""Keywords of an answer in which words are looked for, and those that are counted."""
_MAX_WORDS = 100_000
"""Words of English that are kept; with more, it begins anew."""


class ChineseTokenizer:
    """Chinese by jieba: the keywords of an answer are its content words.

    Raises:
        Unavailable: jieba is not installed.
    """

    def __init__(self) -> None:
        with _require_package("jieba", "Chinese"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its sources hold escapes that Python warns of
            import jieba
            from jieba.analyse import default_tfidf
        self._tokenizer = jieba.Tokenizer()
        # Else it would read, and write, a marshalled dictionary in the folder that all users share.
        self._tokenizer.FREQ, self._tokenizer.total = self._tokenizer.gen_pfdict(
            self._tokenizer.get_dict_file()
        )
        self._tokenizer.initialized = True
        self._keywords = copy(default_tfidf)  # a new one would read its table once more
        self._keywords.tokenizer = self._tokenizer
        self.versions = {"jieba": version("jieba")}

    def answer_words(self, answer: str) -> Sequence[str]:
        """Return all words and punctuation."""
        return list(self._tokenizer.cut(answer))

    def counted(self, answer: str) -> Sequence[str]:
        """Return the keywords, each once."""
        return self._extract_keywords(answer)[:_COUNTED_KEYWORDS]

    def words(self, text: str) -> AnswerWords:
        """Return the keywords, each once."""
        tags = self._extract_keywords(text)
        return AnswerWords(tags, tags[:_COUNTED_KEYWORDS])

    def content(self, text: str) -> Sequence[str]:
        """Return the words without punctuation."""
        return [word for word in self._tokenizer.cut(text.lower()) if any(map(str.isalnum, word))]

    def _extract_keywords(self, text: str) -> list[str]:
        tags: list[str] = self._keywords.extract_tags(text, topK=_KEYWORDS)
        return tags


class EnglishTokenizer:
    """English by the rules of spaCy, without a model.

    Raises:
        Unavailable: spaCy is not installed.
    """

    def __init__(self) -> None:
        with _require_package("spacy", "English"):
            import spacy
        self._fresh = partial(spacy.blank, "en")
        self._blank = self._fresh()
        self.versions = {"spacy": version("spacy")}

    def answer_words(self, answer: str) -> Sequence[str]:
        """Return all words and punctuation in lower case."""
        return [token.lower_ for token in self._tokenize(answer)]

    def counted(self, answer: str) -> Sequence[str]:
        """Return the parts between blanks, as published."""
        return answer.split(" ")

    def words(self, text: str) -> AnswerWords:
        """Return words in lower case; the counted ones without stop words."""
        tokens = [(token.lower_, token.is_stop) for token in self._tokenize(text)]
        found = {word for word, _ in tokens}
        return AnswerWords(found, [word for word, stops in tokens if not stops])

    def content(self, text: str) -> Sequence[str]:
        """Return words in lower case without stop words and punctuation."""
        return [
            token.lower_
            for token in self._tokenize(text)
            if not (token.is_stop or token.is_punct or token.is_space)
        ]

    def _tokenize(self, text: str) -> Any:
        # It keeps each word that it met. A zone of spaCy's that forgets them after each text takes
        # as long as the cutting itself.
        if len(self._blank.vocab) > _MAX_WORDS:
            self._blank = self._fresh()
        return self._blank.tokenizer(text)


@contextmanager
def _require_package(package: str, language: str) -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        raise Unavailable(
            f"unigram scores of {language} need the package {package}, which is missing", INSTALL
        ) from error


class Tokenizers:
    """The languages, each loaded when the first text of it comes."""

    def __init__(self) -> None:
        self._loaded: dict[str, ChineseTokenizer | EnglishTokenizer] = {}

    def of(self, language: str) -> ChineseTokenizer | EnglishTokenizer:
        """Return the tokenizer of a language; all but Chinese are cut as English."""
        name = "zh" if language == "zh" else "en"
        if name not in self._loaded:
            self._loaded[name] = ChineseTokenizer() if name == "zh" else EnglishTokenizer()
        return self._loaded[name]

    def libraries(self) -> dict[str, str]:
        """Return those that were needed so far, with their versions."""
        return {name: at for each in self._loaded.values() for name, at in each.versions.items()}
