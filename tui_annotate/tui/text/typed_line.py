"""One line that is being typed: its text, the place in it, and the part that fits a row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len, get_character_cell_size

DOT: Final = "•"
"""What stands for a character that nobody is to read."""

_BOX: Final = "▫"
_UNSURE: Final = ("\U0001f1e6", "\U0001f3ff")  # flags and skin tones lie here, with few others


@dataclass(slots=True)
class TypedLine:
    """`at` is the place of the cursor, from 0 to the length of `text`."""

    text: str = ""
    at: int = 0
    secret: bool = False

    def insert(self, text: str) -> None:
        """Puts text where the cursor is, which moves behind it."""
        self.text = self.text[: self.at] + text + self.text[self.at :]
        self.at += len(text)

    def go(self, at: int) -> None:
        """Moves the cursor, not beyond an end."""
        self.at = max(0, min(at, len(self.text)))

    def cut(self, start: int, end: int) -> None:
        """Deletes a part; the cursor stands where it was."""
        self.text = self.text[: max(start, 0)] + self.text[end:]
        self.go(start)

    def edit(self, key: str) -> bool:
        """Does what a key means in a line; False where it means nothing there."""
        deed = _DEEDS.get(key)
        if deed:
            deed(self)
        return deed is not None

    def window(self, cells: int) -> tuple[str, str, str]:
        """(before, at, behind) the cursor, as much as fits; dots for what is secret."""
        drawn = [DOT if self.secret else _drawn(character) for character in self.text]
        under = drawn[self.at] if self.at < len(drawn) else " "
        before, behind = drawn[: self.at], drawn[self.at + 1 :]
        room = cells - cell_len(under)
        while before and sum(map(cell_len, before)) > room:
            del before[0]
        room -= sum(map(cell_len, before))
        while behind and sum(map(cell_len, behind)) > room:
            del behind[-1]
        return "".join(before), under, "".join(behind)


def _drawn(character: str) -> str:
    unsure = get_character_cell_size(character) == 0 or _UNSURE[0] <= character <= _UNSURE[1]
    return _BOX if unsure else character


def _word(line: TypedLine) -> int:
    """Where the word before the cursor begins."""
    return line.text[: line.at].rstrip().rfind(" ") + 1


_DEEDS: Final[Mapping[str, Callable[[TypedLine], None]]] = {
    "left": lambda line: line.go(line.at - 1),
    "right": lambda line: line.go(line.at + 1),
    "home": lambda line: line.go(0),
    "ctrl+a": lambda line: line.go(0),
    "end": lambda line: line.go(len(line.text)),
    "ctrl+e": lambda line: line.go(len(line.text)),
    "backspace": lambda line: line.cut(line.at - 1, line.at) if line.at else None,
    "delete": lambda line: line.cut(line.at, line.at + 1),
    "ctrl+d": lambda line: line.cut(line.at, line.at + 1),
    "ctrl+u": lambda line: line.cut(0, line.at),
    "ctrl+w": lambda line: line.cut(_word(line), line.at),
}
