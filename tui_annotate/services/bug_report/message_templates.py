"""Removes names, paths, texts and addresses from the program's own messages, for a bug report.

A message is compared with the texts in the program's source. What remains is only words of the
program and numbers; all other parts of a message are replaced by `REMOVED`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator
from typing import Final

REMOVED: Final = "[removed]"

_Template = tuple[str, ...]

_LONGEST: Final = 400
"""Maximum length, in characters, of a program text; longer texts are ignored."""
_LEAST_WORDS: Final = 2
"""Minimum number of words of a program text; a shorter text could match a person's name."""
_LEAST_NESTED: Final = 3
"""Minimum number of words of a message's inserted value that may be a message of its own."""
_PLACEHOLDER: Final = re.compile(r"%[-#0-9.]*[sdrfi]|\{[a-z_]*\}")
_SEPARATORS: Final = ("; ", ": ")
_WORD: Final = re.compile(r"[A-Za-z]{2,}")
_NUMBER: Final = re.compile(r"\d[\d.,]*")
_COUNT: Final = re.compile(r"(\d[\d.,]*) ([a-z]+)")


class MessageTemplates:
    """The texts in the program's source; a message is compared with them to mask its values.

    Args:
        private: values that are removed even if they are numbers, for example people's names; None
            to remove all numbers.
    """

    def __init__(self, sources: Iterable[str], *, private: Collection[str] | None = ()) -> None:
        found = {each for source in sources for each in _templates(source)}
        self._nouns = {parts[0] for parts in found if len(parts) == 1 and parts[0].isalpha()}
        enough = (parts for parts in found if _count_words(parts) >= _LEAST_WORDS)
        # The most specific template first: it keeps the most words.
        self._templates = sorted(enough, key=lambda parts: (-sum(map(len, parts)), parts))
        self._private = None if private is None else frozenset(private)

    def mask(self, message: str) -> str:
        """Replace the names, paths and quoted texts in a message by `REMOVED`."""
        for parts in self._templates:
            values = _match(parts, message)
            if values is not None:
                masked = [*map(self._mask_value, values), ""]
                pairs = zip(parts, masked, strict=True)
                return "".join(f"{part}{value}" for part, value in pairs)
        for separator in _SEPARATORS:  # a message may consist of several texts
            if separator in message:
                return separator.join(map(self.mask, message.split(separator)))
        return self._mask_number(message)

    def _mask_value(self, value: str) -> str:
        if len(value.split()) >= _LEAST_NESTED:
            return self.mask(value)
        return self._mask_number(value)

    def _mask_number(self, value: str) -> str:
        if not value:
            return ""
        if self._private is None:
            return REMOVED
        if _NUMBER.fullmatch(value) and value not in self._private:
            return value
        if (found := _COUNT.fullmatch(value)) and found[1] not in self._private:
            noun = found[2]
            return value if {noun, noun.removesuffix("s")} & self._nouns else REMOVED
        return REMOVED


def _templates(source: str) -> Iterator[_Template]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            yield tuple(_parts_of_f_string(node))
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and 0 < len(node.value) <= _LONGEST
        ):
            yield tuple(_PLACEHOLDER.split(node.value))


def _parts_of_f_string(node: ast.JoinedStr) -> Iterator[str]:
    part = ""
    for each in node.values:
        if isinstance(each, ast.Constant):
            part += str(each.value)
        else:
            yield part
            part = ""
    yield part


def _count_words(parts: _Template) -> int:
    return sum(len(_WORD.findall(part)) for part in parts)


def _match(parts: _Template, message: str) -> list[str] | None:
    if len(parts) == 1:
        return [] if message == parts[0] else None
    first, *inner, last = parts
    at = len(first)
    end = len(message) - len(last)
    if at > end or not message.startswith(first) or not message.endswith(last):
        return None
    values = []
    for part in inner:
        place = message.find(part, at, end)
        if place < 0:
            return None
        values.append(message[at:place])
        at = place + len(part)
    return [*values, message[at:end]]
