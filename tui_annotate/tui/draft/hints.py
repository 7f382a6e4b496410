"""Letters on words: short codes, none the beginning of another, shortest at the cursor.

Of words that touch, as Chinese characters do, every second one has a code and hides behind it;
the next one stays to be read, and is typed as the same code with a capital at its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span

LETTERS = "asdfghjklqwertyuiopzxcvbnm"
MOST = len(LETTERS) ** 2


def codes(count: int) -> tuple[str, ...]:
    """`count` different codes of one or two letters, the shortest first; at most 676.

    As many single letters as the count allows: the fewest letters that begin pairs are kept back.
    """
    count = min(count, MOST)
    size = len(LETTERS)
    prefixes = 0
    while size - prefixes + prefixes * size < count:
        prefixes += 1
    single = LETTERS[: size - prefixes]
    pairs = (first + second for first in LETTERS[size - prefixes :] for second in LETTERS)
    return tuple([*single, *pairs][:count])


@dataclass
class Hints:
    """Words that wait for their letters.

    Attributes:
        words: by code, each with the one behind that touches it, if there is one.
        typed: letters of a code so far.
        first: the first word, once chosen; the next one chosen ends the selection.
    """

    side: Side
    words: dict[str, tuple[Span, ...]]
    typed: str = ""
    first: Span | None = field(default=None)

    @classmethod
    def over(cls, side: Side, words: Sequence[tuple[Span, ...]], near: Span) -> Hints:
        """Codes for words; those inside `near` get the shortest, then those nearest to it.

        Inside, reading order, so that the letters of one sentence keep their places.
        """
        ordered = sorted(words, key=lambda pair: (_distance(pair[0], near), pair))
        return cls(side, dict(zip(codes(len(ordered)), ordered, strict=False)))

    def shown(self) -> dict[str, Span]:
        """What is left to type, with the word it hides: codes that begin with what was typed."""
        typed = self.typed
        return {
            code[len(typed) :]: pair[0]
            for code, pair in self.words.items()
            if code.startswith(typed)
        }

    def ways(self) -> dict[Span, str]:
        """Every word with what is typed for it."""
        first = {pair[0]: code for code, pair in self.words.items()}
        return first | {
            pair[1]: code[:-1] + code[-1].upper() for code, pair in self.words.items() if pair[1:]
        }

    @property
    def in_pairs(self) -> bool:
        """Whether some word is reached by a capital alone."""
        return any(pair[1:] for pair in self.words.values())

    def type(self, letter: str) -> Span | None:
        """Takes one letter; the selection so far, None while a code is open or nothing fits."""
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
