"""Descriptions of the matching mode (words, vectors or both), and why vectors are missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from tui_annotate.domain.samples import Side, Signals
from tui_annotate.editor.messages import AnyMessage, Kind, MessageCode, StatusMessage
from tui_annotate.editor.screen_message import ScreenMessage
from tui_annotate.editor.words import HINT, WARNING

if TYPE_CHECKING:
    from tui_annotate.domain.errors import VectorsPending
    from tui_annotate.domain.samples import Sample
    from tui_annotate.services.assist.sample import SampleAssist


class SignalMessage(ScreenMessage):
    """Texts about the matching mode, and about vectors that are missing."""

    CHOSEN_WORDS = "words only"
    CHOSEN_VECTORS = "meaning only"
    CHOSEN_BOTH = "words and meaning"
    WORDS_ONLY = "words only: {reason}"
    WORDS_ONLY_NO_REASON = "words only"
    WORDS_ONLY_SO_FAR = "words only: {percent} % of vectors so far"
    NO_VECTORS_NO_REASON = "no vectors"
    NO_ASSIST = "no assist: {reason}"
    LOADING_VECTORS = "words only: loading vectors"
    UNKNOWN_WORDS = "words unknown to the model"
    SEARCHING = "searching"
    SEE_LOG = "{error}, see the log"
    BY_WORDS = "words only"
    BY_VECTORS = "meaning only"


QUICK_CHARACTERS: Final = 100_000
"""Maximum characters of a sample whose summary and source are compared automatically."""

_CHANGES: Final = {
    Signals.FUSED: MessageCode.MATCHES_BY_ALL,
    Signals.WORDS: MessageCode.MATCHES_BY_WORDS,
    Signals.VECTORS: MessageCode.MATCHES_BY_VECTORS,
}


def describe_choice(by: Signals) -> str:
    """Describe the matching mode for display; empty for the default (words and vectors)."""
    if by is Signals.FUSED:
        return ""
    if by is Signals.WORDS:
        return SignalMessage.BY_WORDS.text()
    return SignalMessage.BY_VECTORS.text()


def describe_pending(error: VectorsPending) -> str:
    """Return that only words are matched so far, with the progress of the vectors."""
    return SignalMessage.WORDS_ONLY_SO_FAR.text(percent=error.percent)


class SignalsStatus(NamedTuple):
    """Description of the matching mode in use.

    Attributes:
        limited: whether vectors are missing.
        searching: whether no matches can be known yet, because the search is being prepared.
    """

    text: str = ""
    limited: bool = False
    searching: bool = False


def is_quick(sample: Sample) -> bool:
    """Return whether a sample's texts are so short that no progress message is needed."""
    return sum(len(document.text) for document in sample.documents) <= QUICK_CHARACTERS


def describe_signals(
    made: SampleAssist | None, state: str, *, by: Signals, side: Side
) -> SignalsStatus:
    """Describe the matching mode for a selection: words, vectors, or both."""
    if made is None:
        searching = state == SignalMessage.SEARCHING.text()
        return SignalsStatus(state, limited=bool(state), searching=searching)
    if by is Signals.WORDS:
        return SignalsStatus(SignalMessage.CHOSEN_WORDS.text())
    label = made.vectors.label if made.vectors else ""
    if label and uses_vectors(made, side):
        if by is Signals.VECTORS:
            return SignalsStatus(SignalMessage.CHOSEN_VECTORS.text())
        # The name of the model is for the records: annotators need to know what is compared.
        _, semicolon, limits = made.signals.partition(";")
        return SignalsStatus(f"{SignalMessage.CHOSEN_BOTH.text()}{semicolon}{limits}")
    unknown = SignalMessage.UNKNOWN_WORDS.text()
    words_only = SignalMessage.WORDS_ONLY_NO_REASON.text()
    if label:
        state = SignalMessage.WORDS_ONLY.text(reason=unknown)
    elif not state.startswith(words_only):
        state = words_only
    if by is Signals.VECTORS:
        state = state.replace(words_only, SignalMessage.NO_VECTORS_NO_REASON.text(), 1)
    return SignalsStatus(state, limited=True)


def uses_vectors(made: SampleAssist, side: Side) -> bool:
    """Return whether vectors compare the text of a side with the text on the other side."""
    if made.vectors is None or side.other in made.blind:
        return False
    return made.vectors.embedder is not None or side not in made.blind


def describe_change(by: Signals, status: SignalsStatus) -> tuple[AnyMessage, Kind]:
    """Return the message about a new matching mode, and its kind, such as `hint`."""
    if status.limited and by is Signals.VECTORS:
        return StatusMessage(MessageCode.NO_VECTORS, {"reason": status.text}), WARNING
    return _CHANGES[by], HINT
