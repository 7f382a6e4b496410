"""Somebody at a terminal who acts at random, and remembers what the screen called saved."""

from __future__ import annotations

import random
import re
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import cycle
from typing import Final

from tests.end_to_end.example import LoggedAction, awake
from tests.helpers.terminal import Terminal

HOME, BACKSPACE = "\x1b[H", "\x7f"
VERBS: Final = {"saved": "add", "deleted": "remove", "skipped": "skip", "flagged": "flag"}
BACK: Final = VERBS | {"the annotation": "add", "the deletion": "remove"}
SHOWN: Final = re.compile(
    r"^ [✓!·✗] (?:(?P<verb>saved|deleted) (?P<label>\w+) · u undo"
    r"|sample \S+ is (?P<state>skipped|flagged) · u undo"
    r"|(?P<back>taken back|done again): (?P<what>the annotation|the deletion|skipped|flagged)"
    r"(?: [^·]*· (?:u undo|U redo)|, in )"
    r"|(?P<none>nothing to|no annotations|. says|this is|a walks|all samples))",
    re.MULTILINE,
)
"""What the draft line says after a key: that something is saved, or that there is nothing to do.

The words are matched to their end: a kill may leave half of them on the screen.
"""


@dataclass
class Annotator:
    """Somebody who presses keys at random, and notes what the screen says is saved."""

    terminal: Terminal
    random: random.Random
    told: list[LoggedAction] = field(default_factory=list)
    arriving: bool = False

    def keys(self) -> str:
        """The keys of some action; those that label move somewhere first."""
        sentence = "j" * self.random.randrange(5)
        return self.random.choices(
            (f"{sentence}.{self.random.randint(1, 4)}", "u", "U", "ax", "s", "!1"),
            (10, 4, 2, 2, 1, 1),
        )[0]

    def ready(self) -> None:
        """Clears what the draft line said, so that the next words are news.

        Keys that come before a sample's first frame are dropped, so they are pressed until they do.
        An undone claim comes back as a selection, which moving may shrink to a blank: Backspace
        drops it.
        """
        if self.arriving:
            awake(self.terminal)
            self.arriving = False
        moves = cycle((f"{HOME}l", f"{BACKSPACE}{HOME}l"))
        while "save:" not in self.terminal.text:
            self.terminal.press(next(moves))
            with suppress(AssertionError):
                self.terminal.wait("save:", patience=1)
            assert self.terminal.alive

    def act(self) -> None:
        """One action, and what the screen says of it."""
        self.ready()
        self.terminal.press(self.keys())
        self.hear()

    def hear(self) -> None:
        """Waits for what the screen says of an action, and keeps it."""
        self.note(self.terminal.wait(lambda screen: bool(SHOWN.search(screen))))

    def note(self, screen: str) -> None:
        """Keeps what a screen says is saved."""
        found = SHOWN.search(screen)
        self.arriving = bool(found and not found["label"])  # another sample may come
        if found and (deed := _deed(found)):
            self.told.append(deed)

    def die(self) -> None:
        """Begins one more action, and kills the app somewhere in it."""
        self.ready()
        self.terminal.press(self.keys())
        self.killed_after(self.random.randrange(4000))
        self.note(self.terminal.text)

    def killed_after(self, size: int) -> None:
        """Kills the app once it has written so many bytes more, or is silent for a moment."""
        enough = len(self.terminal.raw) + size
        while len(self.terminal.raw) < enough and self.terminal.read(self.random.random() / 20):
            pass
        self.terminal.kill()
        while self.terminal.read():
            pass


def _deed(found: re.Match[str]) -> LoggedAction | None:
    if found["none"]:
        return None
    if found["back"]:
        return ("undo" if found["back"] == "taken back" else "redo", BACK[found["what"]])
    verb = VERBS[found["verb"] or found["state"]]
    return verb, found["label"] or ""
