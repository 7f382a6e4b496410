"""Rating a sample as a whole: the words of its scale are options of the bar, a digit each."""

from __future__ import annotations

from typing import Final

from tui_annotate.tui.draft.effects import Blink, Effects, Rate
from tui_annotate.tui.draft.state import RATING, Draft, Pending

NONE: Final = "not rated"


def ask(draft: Draft) -> Effects:
    """Opens the bar with the scale."""
    if not draft.scale:
        draft.say("samples of this kind are not rated here: ratings = [...] in the settings")
        return [Blink()]
    draft.pending = Pending(RATING)
    return []


def give(draft: Draft, word: str) -> Effects:
    """A digit: the word for the sample; empty takes back what was given."""
    draft.pending = None
    if word == draft.rating:
        draft.say(f"it is {word} already" if word else "it is not rated")
        return []
    return [Rate(word)]


def told(word: str) -> str:
    """What was saved, in words."""
    return f"rated {word} · u undo" if word else "not rated any more · u undo"
