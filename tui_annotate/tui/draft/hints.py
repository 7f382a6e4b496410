"""Letters on words: codes, none a prefix of another, shortest at the cursor.

Of words that touch, such as Chinese characters, every second one is covered by a code; the next
stays readable, and is typed as the same code with a capital at its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span

LETTERS = "asdfghjklqwertyuiopzxcvbnm"
MOST = len(LETTERS) ** 2


def make_codes(count: int) -> tuple[str, ...]:
    """`count` codes of one or two letters, at most 676, as many of one letter as possible first."""
    count = min(count, MOST)
    size = len(LETTERS)
    prefixes = 0
    while size - prefixes + prefixes * size < count:
        prefixes += 1
    single = LETTERS[: size - prefixes]
    pairs = (first + second for first in LETTERS[size - prefixes :] for second in LETTERS)
    return tuple([*single, *pairs][:count])


@dataclass
class WordHints:
    """Words with letters, of which the user chooses the first and the last of a selection.

    Attributes:
        words: by code, each with the word that touches it, if there is one.
        typed: typed letters of a code.
        first: the first chosen word; None before.
    """

    side: Side
    words: dict[str, tuple[Span, ...]]
    typed: str = ""
    first: Span | None = field(default=None)

    @classmethod
    def over(cls, side: Side, words: Sequence[tuple[Span, ...]], near: Span) -> WordHints:
        """Codes for words, the shortest for those inside `near` in reading order, then nearest."""
        ordered = sorted(words, key=lambda pair: (_distance(pair[0], near), pair))
        return cls(side, dict(zip(make_codes(len(ordered)), ordered, strict=False)))

    def shown(self) -> dict[str, Span]:
        """The words whose codes begin with the typed letters, by the letters that are left."""
        fitting = (item for item in self.words.items() if item[0].startswith(self.typed))
        return {code[len(self.typed) :]: pair[0] for code, pair in fitting}

    @property
    def in_pairs(self) -> bool:
        """Whether some words are typed with a capital."""
        return any(pair[1:] for pair in self.words.values())

    def type(self, letter: str) -> Span | None:
        """Take a letter; the selection so far, None while a code is incomplete or nothing fits."""
        code = self.typed + letter.lower()
        pair = self.words.get(code)
        if pair is None:
            if any(known.startswith(code) for known in self.words):
                self.typed = code
            return None
        self.typed = ""
        word = pair[-1 if letter.isupper() else 0]
        if self.first is None:
            self.first = word
            return word
        return self.first.union(word)


def _distance(word: Span, near: Span) -> int:
    return max(0, near.start - word.start, word.end - near.end)
