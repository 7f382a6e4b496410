"""Walks through the screens of a real terminal, by keys and by the words that then stand there."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Final

from tests.helpers.terminal import Terminal

PICTURE: Final = "\u241b"  # what an escape looks like once it is harmless

Step = tuple[str, str]
"""Keys, and words of our own that the screen then shows; with "-" in front: shows no more."""


def shows(words: str, screen: str) -> bool:
    """Whether the words of a step hold for a screen."""
    return words[1:] not in screen if words.startswith("-") else words in screen


def walk(terminal: Terminal, steps: Iterable[Step]) -> int:
    """Presses the keys of each step, waits for its words; on how many screens escapes showed."""
    pictures = 0
    for keys, words in steps:
        terminal.press(keys)
        terminal.wait(partial(shows, words))
        pictures += PICTURE in terminal.text
    return pictures
