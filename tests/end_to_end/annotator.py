"""An annotator at a terminal who acts at random, and records what the screen called saved."""

from __future__ import annotations

import random
import re
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import cycle
from typing import Final

from tests.end_to_end.example import LoggedAction
from tests.end_to_end.screen_states import READY, wait_for_keys
from tests.helpers.terminal import Terminal

HOME, BACKSPACE = "\x1b[H", "\x7f"
VERBS: Final = {"Saved:": "add", "Deleted": "remove", "skipped": "skip", "flagged": "flag"}
BACK: Final = {"annotation": "add", "deletion": "remove", "skipping": "skip", "flagging": "flag"}
LAST: Final = {"s": "skip", "!1": "flag"}
"""Keys after which another message is shown if no sample is left."""
SHOWN: Final = re.compile(
    r"^ [✓!·✗] (?:(?P<verb>Saved:|Deleted) (?P<label>\w+) · u undo"
    r"|Sample \S+ (?P<state>skipped|flagged) · u undo"
    r"|(?P<back>Undid|Redid): (?P<what>annotation|deletion|skipping|flagging)"
    r"(?: [^·]*· (?:u undo|U redo)|, in )"
    r"|(?P<none>Nothing to|No annotations|Annotation . of|. labels|This is|Press a|All samples))",
    re.MULTILINE,
)
"""What the draft line says after a key: that something is saved, or that there is nothing to do.

The words are matched to their end: a kill may leave half of them on the screen.
"""


@dataclass
class Annotator:
    """Presses keys at random, and records what the screen says is saved."""

    terminal: Terminal
    random: random.Random
    saved_actions: list[LoggedAction] = field(default_factory=list)
    keys: str = ""
    arriving: bool = True  # the first sample has only just opened

    def random_keys(self) -> str:
        """The keys of some action; those that label move somewhere first."""
        sentence = "j" * self.random.randrange(5)
        return self.random.choices(
            (f"{sentence}.{self.random.randint(1, 4)}", "u", "U", "ax", "s", "!1"),
            (10, 4, 2, 2, 1, 1),
        )[0]

    def clear_message(self) -> None:
        """Clear the message in the draft line, so that the next one is of the next action.

        Keys that come before a sample's first frame are dropped, so they are pressed until they
        act.
        An undone claim comes back as a selection, which moving may shrink to a blank: Backspace
        drops it.
        """
        if self.arriving:
            wait_for_keys(self.terminal)
            self.arriving = False
        moves = cycle((f"{HOME}l", f"{BACKSPACE}{HOME}l"))
        while READY not in self.terminal.text:
            self.terminal.press(next(moves))
            with suppress(AssertionError):
                self.terminal.wait(READY, patience=1)
            assert self.terminal.alive

    def act(self) -> None:
        """Do one action, and record what the screen says of it."""
        self.clear_message()
        self.keys = self.random_keys()
        self.terminal.press(self.keys)
        self.wait_for_answer()

    def wait_for_answer(self) -> None:
        """Wait for what the screen says of an action, and record it."""
        self.record_answer(self.terminal.wait(lambda screen: bool(SHOWN.search(screen))))

    def record_answer(self, screen: str) -> None:
        """Record what a screen says is saved."""
        found = SHOWN.search(screen)
        self.arriving = bool(found and not found["label"])  # another sample may come
        if found and (action := _parse_action(found, self.keys)):
            self.saved_actions.append(action)

    def die_in_action(self) -> None:
        """Begin one more action, and kill the app somewhere in it."""
        self.clear_message()
        self.keys = self.random_keys()
        self.terminal.press(self.keys)
        self.kill_after(self.random.randrange(4000))
        self.record_answer(self.terminal.text)

    def kill_after(self, size: int) -> None:
        """Kill the app once it has written so many bytes more, or is silent for a moment."""
        enough = len(self.terminal.raw) + size
        while len(self.terminal.raw) < enough and self.terminal.read(self.random.random() / 20):
            pass
        self.terminal.kill()
        while self.terminal.read():
            pass


def _parse_action(found: re.Match[str], keys: str) -> LoggedAction | None:
    if found["none"] == "All samples" and keys in LAST:  # the last one that was not completed
        return LAST[keys], ""
    if found["none"]:
        return None
    if found["back"]:
        return ("undo" if found["back"] == "Undid" else "redo", BACK[found["what"]])
    verb = VERBS[found["verb"] or found["state"]]
    return verb, found["label"] or ""
