"""Letter codes on words, to select words by typing; no code is a prefix of another code.

Words at the cursor have the shortest codes. If words touch, such as Chinese characters, a code
covers every second word; the word after it stays readable, and has the same code with a capital
last letter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span

LETTERS = "asdfghjklqwertyuiopzxcvbnm"
MOST = len(LETTERS) ** 2


def make_codes(count: int) -> tuple[str, ...]:
    """Return up to 676 codes of one or two letters, as many as possible of one, to select words."""
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
    """Words with letter codes, from which the user chooses both ends of a selection.

    Attributes:
        words: words by code, each with the word that touches it, if there is one.
        first: first chosen word; None before the choice.
    """

    side: Side
    words: dict[str, tuple[Span, ...]]
    typed: str = ""
    first: Span | None = field(default=None)

    @classmethod
    def over(cls, side: Side, words: Sequence[tuple[Span, ...]], near: Span) -> WordHints:
        """Give each word a letter code; the words closest to the span `near` get the shortest."""
        ordered = sorted(words, key=lambda pair: (_distance(pair[0], near), pair))
        return cls(side, dict(zip(make_codes(len(ordered)), ordered, strict=False)))

    def shown(self) -> dict[str, Span]:
        """Map the letters still to type to the words whose codes begin with the typed letters."""
        fitting = (item for item in self.words.items() if item[0].startswith(self.typed))
        return {code[len(self.typed) :]: pair[0] for code, pair in fitting}

    @property
    def in_pairs(self) -> bool:
        """Whether some codes select a second word if their last letter is typed as a capital."""
        return any(pair[1:] for pair in self.words.values())

    def type(self, letter: str) -> Span | None:
        """Add a typed letter; return the selected text if all letters of a word are typed.

        The selection is the first chosen word, or the text from the first to the last chosen word.
        The result is None if no code is complete.
        """
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
