"""The signals that rank matches, in words: the choice, what is available, and why not more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from tui_annotate.domain.samples import Side, Signals
from tui_annotate.tui.draft.messages import AnyMessage, Kind, MessageCode, StatusMessage
from tui_annotate.tui.draft.words import HINT, WARNING

if TYPE_CHECKING:
    from tui_annotate.domain.samples import Sample
    from tui_annotate.services.assist.sample import SampleAssist

LOADING: Final = "words only: loading vectors"
"""Shown until the vectors are loaded."""

QUICK_CHARACTERS: Final = 100_000
"""Characters of a sample that are read without being asked: a fifth of a second of a thread."""

_NAMES: Final = {
    Signals.FUSED: "words and vectors together",
    Signals.WORDS: "words alone",
    Signals.VECTORS: "vectors alone",
}
_CHANGES: Final = {
    Signals.FUSED: MessageCode.MATCHES_BY_ALL,
    Signals.WORDS: MessageCode.MATCHES_BY_WORDS,
    Signals.VECTORS: MessageCode.MATCHES_BY_VECTORS,
}


def describe_choice(by: Signals) -> str:
    """A choice for titles; empty for all signals, as that is the usual one."""
    return "" if by is Signals.FUSED else f"by {by}"


class SignalsStatus(NamedTuple):
    """What ranks matches, in words; `limited` where vectors are missing against the choice."""

    text: str = ""
    limited: bool = False


def is_quick(sample: Sample) -> bool:
    """Whether its texts are so short that no progress message is needed."""
    return sum(len(document.text) for document in sample.documents) <= QUICK_CHARACTERS


def describe_signals(
    made: SampleAssist | None, state: str, *, by: Signals, side: Side
) -> SignalsStatus:
    """What ranks the matches of a selection, for people.

    Args:
        state: the signals of the assist, or why there are no others.
    """
    if made is None:
        return SignalsStatus(state, limited=bool(state))
    if by is Signals.WORDS:
        return SignalsStatus(_NAMES[by])
    label = made.vectors.label if made.vectors else ""
    if label and uses_vectors(made, side):
        return SignalsStatus(f"{label} alone" if by is Signals.VECTORS else made.signals)
    lacking = "no vectors" if by is Signals.VECTORS else "words only"
    reason = f"{label} lacks these words" if label else state.partition(": ")[2]
    return SignalsStatus(f"{lacking}: {reason}" if reason else lacking, limited=True)


def uses_vectors(made: SampleAssist, side: Side) -> bool:
    """Whether vectors say anything of a selection on a side."""
    if made.vectors is None or side.other in made.blind:
        return False
    return made.vectors.embedder is not None or side not in made.blind


def describe_change(by: Signals, status: SignalsStatus) -> tuple[AnyMessage, Kind]:
    """What is said when another choice was made; `status` is the one since then."""
    if status.limited and by is Signals.VECTORS:
        return StatusMessage(MessageCode.NO_VECTORS, {"reason": status.text}), WARNING
    return _CHANGES[by], HINT
