"""Unigram scores: overlap of answers with the right answer, and rarity of their words.

Chinese is segmented by jieba and its keywords, English by the rules and stop words of spaCy,
without a model. Source: the unigram scorers of the project Dreamcatcher, formulas 4.1 and 4.2 of
its readme and code, with its epsilon; results were compared with the scores that it published.
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
"""Constant that prevents a division by zero, as in the project Dreamcatcher."""


@dataclass(frozen=True, slots=True)
class AnswerWords:
    """Words of an answer, or of several: the different ones, and all in order with repetitions."""

    found: Collection[str]
    counted: Sequence[str]


def overlap(answer: Sequence[str], words: Collection[str]) -> float:
    """Return the fraction of an answer's words that also occur in another text, in [0, 1)."""
    return sum(word in words for word in answer) / (len(answer) + EPSILON)


def mean_surprises(
    answer: Iterable[str],
    texts: Sequence[AnswerWords],
    *,
    top: int,
    others: Iterable[AnswerWords] = (),
) -> list[float]:
    """Return the mean surprisal of each text's most frequent words; 0 for a text without words.

    The surprisal of a word is -ln(relative frequency). Frequencies are counted over the right
    answer, the texts and the others. The mean is over the `top` (at least 1) smallest values.
    """
    counts = Counter(answer)
    for words in (*texts, *others):
        counts.update(words.counted)
    total = counts.total() + EPSILON
    found = []
    for words in texts:
        lowest = nsmallest(top, (-log(counts[word] / total) for word in words.counted))
        found.append(sum(lowest) / (len(lowest) + EPSILON))
    return found


def best_overlaps(claims: Sequence[Sequence[str]], source: Sequence[Iterable[str]]) -> list[float]:
    """Return the largest fraction of each claim's words that one source sentence contains.

    The result is 0 without source sentences, and 1 for a claim without words, which needs no
    support.
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
    """Scores an answer by its words' overlap with the right answer and by their mean rarity.

    For sentences, the score is the fraction of a summary sentence's words in one source sentence.

    Raises:
        InvalidInput: the number of words to average is below 1.
    """

    name = "unigram"
    low = frozenset({SURPRISE})

    def __init__(self, options: ScorerOptions) -> None:
        if options.top_k < 1:
            raise InvalidInput(f"top-k is {options.top_k}", "pass --top-k of 1 or more")
        self._top = options.top_k
        self._tokenizers = Tokenizers()

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Parameters stored with the scores: how many words are averaged, and library versions."""
        return {"top_k": self._top, **self._tokenizers.libraries()}

    def of_answers(self, questions: Iterable[GeneratedAnswers]) -> Iterator[tuple[Opinion, ...]]:
        """Yield the word overlap and the mean word rarity of the answers to each question."""
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
        """Yield the largest share of each summary sentence's words in one source sentence."""
        for each in samples:
            tokenizer = self._tokenizers.of(each.language)
            claims = [tokenizer.content(text) for text in each.summary]
            source = [tokenizer.content(text) for text in each.source]
            yield (Opinion(name=SENTENCES, values=tuple(best_overlaps(claims, source))),)


INSTALL: Final = "pip install 'tui-annotate[score]'"

_KEYWORDS = 100
"""Maximum number of keywords that are extracted from a Chinese text."""
_COUNTED_KEYWORDS = 20
"""Maximum number of keywords of a Chinese text whose frequencies are counted."""
_MAX_WORDS = 100_000
"""Maximum number of English words in spaCy's cache before the tokenizer is created again."""


class ChineseTokenizer:
    """Tokenizer of Chinese with the library jieba; raises Unavailable if it is not installed."""

    def __init__(self) -> None:
        with _require_package("jieba", "Chinese"), warnings.catch_warnings():
            # Python warns of invalid escapes in the package's source.
            warnings.simplefilter("ignore")
            import jieba
            from jieba.analyse import default_tfidf
        self._tokenizer = jieba.Tokenizer()
        # Otherwise jieba reads and writes a marshalled dictionary in a folder that all users share.
        self._tokenizer.FREQ, self._tokenizer.total = self._tokenizer.gen_pfdict(
            self._tokenizer.get_dict_file()
        )
        self._tokenizer.initialized = True
        self._keywords = copy(default_tfidf)  # a new object would read its table again
        self._keywords.tokenizer = self._tokenizer
        self.versions = {"jieba": version("jieba")}

    def answer_words(self, answer: str) -> Sequence[str]:
        """Return all words of a right answer in order, with repetitions."""
        return list(self._tokenizer.cut(answer))

    def counted(self, answer: str) -> Sequence[str]:
        """Return the most important keywords of a right answer, whose frequencies are counted."""
        return self._extract_keywords(answer)[:_COUNTED_KEYWORDS]

    def words(self, text: str) -> AnswerWords:
        """Return all keywords of a Chinese text, and the most important ones, which are counted."""
        tags = self._extract_keywords(text)
        return AnswerWords(tags, tags[:_COUNTED_KEYWORDS])

    def content(self, text: str) -> Sequence[str]:
        """Return the words of a sentence in lower case, without those of punctuation only."""
        return [word for word in self._tokenizer.cut(text.lower()) if any(map(str.isalnum, word))]

    def _extract_keywords(self, text: str) -> list[str]:
        tags: list[str] = self._keywords.extract_tags(text, topK=_KEYWORDS)
        return tags


class EnglishTokenizer:
    """Tokenizer of English by spaCy's rules, without a model; raises Unavailable without spaCy."""

    def __init__(self) -> None:
        with _require_package("spacy", "English"):
            import spacy
        self._fresh = partial(spacy.blank, "en")
        self._blank = self._fresh()
        self.versions = {"spacy": version("spacy")}

    def answer_words(self, answer: str) -> Sequence[str]:
        """Return all tokens of a right answer in lower case and in order."""
        return [token.lower_ for token in self._tokenize(answer)]

    def counted(self, answer: str) -> Sequence[str]:
        """Split an English answer at spaces, as Dreamcatcher does to count word frequencies."""
        return answer.split(" ")

    def words(self, text: str) -> AnswerWords:
        """Return the words of an English text in lower case: all, and all except stop words."""
        tokens = [(token.lower_, token.is_stop) for token in self._tokenize(text)]
        found = {word for word, _ in tokens}
        return AnswerWords(found, [word for word, stops in tokens if not stops])

    def content(self, text: str) -> Sequence[str]:
        """Return the words of a sentence in lower case, without stop words and punctuation."""
        return [
            token.lower_
            for token in self._tokenize(text)
            if not (token.is_stop or token.is_punct or token.is_space)
        ]

    def _tokenize(self, text: str) -> Any:
        # spaCy keeps each word that it has seen. Its own memory zone, which forgets words
        # after each text, takes as long as the tokenization itself.
        if len(self._blank.vocab) > _MAX_WORDS:
            self._blank = self._fresh()
        return self._blank.tokenizer(text)


@contextmanager
def _require_package(package: str, language: str) -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        raise Unavailable(
            f"unigram scores of {language} need the package {package}, which is not installed",
            INSTALL,
        ) from error


class Tokenizers:
    """Tokenizers by language, each loaded when the first text in its language arrives."""

    def __init__(self) -> None:
        self._loaded: dict[str, ChineseTokenizer | EnglishTokenizer] = {}

    def of(self, language: str) -> ChineseTokenizer | EnglishTokenizer:
        """Return the tokenizer of a language: Chinese for "zh", English for all others."""
        name = "zh" if language == "zh" else "en"
        if name not in self._loaded:
            self._loaded[name] = ChineseTokenizer() if name == "zh" else EnglishTokenizer()
        return self._loaded[name]

    def libraries(self) -> dict[str, str]:
        """Return the version of each library that was used so far, by its name."""
        return {name: at for each in self._loaded.values() for name, at in each.versions.items()}
