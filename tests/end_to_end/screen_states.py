"""States of the screens, each by the words that show it: a change of wording is one edit here."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from tests.helpers.terminal import PATIENCE, Terminal
from tui_annotate.editor.messages import LineText, MessageCode
from tui_annotate.tui import frame_guard
from tui_annotate.tui.screens.review.rows import ReviewMessage
from tui_annotate.tui.screens.sample.signals import SignalMessage
from tui_annotate.tui.screens.sign_in_forms import SignInMessage

ENTER, QUIT = "\r", "\x11"

READY: Final = LineText.SAVES.value.partition("}")[2].partition("{")[0].strip()
"""The draft line: a digit saves what is selected, or the sentence under the cursor."""

FIRST_SENTENCE: Final = f"{READY} sentence 1"
SAVED: Final = "✓ saved"
NOT_SAVED: Final = MessageCode.NOT_SAVED.value.format(reason="").rstrip(": ")
REFUSED: Final = f"✗ {NOT_SAVED}"
CLAIM_NOT_SAVED: Final = MessageCode.CLAIM_NOT_SAVED.value.partition(":")[0]
CAN_UNDO: Final = "· u undo"
UNDONE: Final = MessageCode.TAKEN_BACK.value.format(what="").rstrip(": ")
CONFLICT: Final = MessageCode.CHANGED_DIGIT_SAVES.value.format(changed="").lstrip(" ·")
"""The store changed since the sample was read; the same key saves all the same."""

NEW_NAME: Final = MessageCode.NEW_NAME.value.partition("{")[0]
"""A name that is new in a workspace of other people."""

NO_ANNOTATIONS: Final = "no annotations yet"
EMPTY_WORKSPACE: Final = "No samples assigned to you"
WITH_VECTORS: Final = SignalMessage.CHOSEN_BOTH.value
"""Signals of the matches; the sentence vectors have been read."""

NOT_SUSPENDED: Final = "Not suspended"
NOTE_LINE: Final = "Note on A"
PALETTE: Final = "Search for an action"
QUEUE: Final = "QUEUE"
READ_ONLY: Final = "read-only"
"""The viewer, and a workspace on a disk that takes no data: nothing can be changed."""
SAVES_NOTHING: Final = MessageCode.READ_ONLY.value.format(reason="").rstrip()
_HELP: Final = "Keys "

# signing in and sessions
SIGN_IN: Final = "as has no effect"
WRONG_PASSWORD: Final = "wrong e-mail address or password"
CHANGE_PASSWORD: Final = "your password was set by"
PASSWORDS_DIFFER: Final = "the two new passwords differ"
HAVE_CODE: Final = "I have a code"
CODE_FORM: Final = "repeat password"
OLD_PASSWORD: Final = "current password"
SIGN_IN_AGAIN: Final = "Sign in again"
AT_WORK_ELSEWHERE: Final = "You have another session"
"""The same person has another session, which this one may replace."""
TAKEN_OVER: Final = "Another session replaced this one at"
"""Another session has replaced this one."""
JUST_OPENED: Final = SignInMessage.JUST_OPENED.value.partition(".")[0]
LAST_NOT_SAVED: Final = "last action is not saved"
"""A takeover, or the end of the session, refused what was done last."""


def saved(label: str) -> str:
    """What the draft line shows once an annotation of this label is stored."""
    return f"Saved: {label}"


def annotation_count(count: int) -> str:
    """The number of annotations in the title of the list; also the beginning of a longer number."""
    return f"{count} annotation{'s' if count != 1 else ''}"


def position(at: int, total: int) -> str:
    """The place of the sample in the queue."""
    return f"{at}/{total}"


def review_position(at: int, total: int) -> str:
    """The title of the position that a reviewer looks at."""
    return ReviewMessage.POSITION.text(number=at, count=total)


def wait_for_ready(terminal: Terminal, *, patience: float = PATIENCE) -> str:
    """Wait until a digit would save something, for some seconds; return the screen."""
    terminal.wait(lambda screen: READY in screen or NEW_NAME in screen, patience=patience)
    if NEW_NAME in terminal.text:
        terminal.press("\x1b[H")  # the next key ends the message
    return terminal.wait(READY, patience=patience)


def wait_for_sample(terminal: Terminal, state: str = READY) -> None:
    """Wait until a sample is on screen and takes every key."""
    if state == READY:
        wait_for_ready(terminal)
    terminal.wait(state)
    wait_for_keys(terminal)


def wait_for_keys(terminal: Terminal) -> None:
    """Wait until a sample that is on screen takes every key.

    Some actions are not done by a key that comes before the first frame, or behind a refused save.
    The help is opened by such a key too, so it shows that the keys behind it are taken. It is asked
    for again only where its key was lost; a second "?" in the open help turns its page alone.
    """
    while _HELP not in terminal.text:
        terminal.press("?")
        with suppress(AssertionError):
            terminal.wait(_HELP, patience=10)
        assert terminal.alive
    while _HELP in terminal.text:
        terminal.press("q")
        with suppress(AssertionError):
            terminal.wait(lambda screen: _HELP not in screen, patience=20)
        assert terminal.alive


def take_over(terminal: Terminal) -> None:
    """Press Enter in the form that another session opened, until the form is gone.

    Enter that comes before a person can have read the form is refused, as it may have been meant
    for the sample below. How soon this test presses depends on how busy the machine is.
    """
    terminal.press(ENTER)
    screen = terminal.wait(lambda screen: TAKEN_OVER not in screen or JUST_OPENED in screen)
    if TAKEN_OVER in screen:
        terminal.read_for(2 * frame_guard.UNREPORTED_TIME)
        terminal.press(ENTER)
        terminal.wait(lambda screen: TAKEN_OVER not in screen)


def wait_for_saved(terminal: Terminal, label: str = "") -> str:
    """Wait until an annotation is stored, of a label or of any; return the screen."""
    return terminal.wait(saved(label) if label else SAVED)


def run_command(terminal: Terminal, typed: str, name: str) -> None:
    """Run a command of the palette by a part of its name.

    The list still changes while the search follows the keys. Enter runs its first command, so it is
    pressed once the wanted one is the first.
    """
    terminal.press(":")
    terminal.wait(PALETTE)
    terminal.press(typed)
    terminal.wait(lambda screen: name in _first_listed_command(screen))
    terminal.press(ENTER)


def _first_listed_command(screen: str) -> str:
    """The row under the upper edge of the lower box; empty where there is no second box."""
    _, _, listed = screen.partition("╭")[2].partition("╭")
    return listed.split("\n")[1] if listed else ""


def quit_app(terminal: Terminal, *, code: int = 0) -> None:
    """Quit, and wait until the program ends, by default without an error."""
    terminal.press(QUIT)
    assert terminal.end() == code, terminal.text
