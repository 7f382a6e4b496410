"""The questions that a reviewer is asked, and the answers to choose from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tui_annotate.domain.adjudication import OpenKind, RejectionReason
from tui_annotate.editor.screen_message import ScreenMessage

# Kinds of `PendingQuestion` in review.
REFUSING = "refuse"  # why is a candidate rejected?
LEAVING = "rest"  # why does a conflict or rating stay undecided?
CONFIRMING = "confirm"  # is the sample completed although something else is open?
REOPENING = "reopen"  # whose work is reopened?


class AnswerText(ScreenMessage):
    """Answers to the questions in review."""

    SLIP = "annotator's slip"
    GUIDELINE = "guideline gap"
    AMBIGUOUS = "ambiguous text"
    KEEP = "keep the decision"
    NO_COMMENT = "no final comment"
    NO_ANSWER = "no answer"
    EVERYONE = "the sample, for everyone"


WHY: Final[Mapping[RejectionReason, AnswerText]] = {
    RejectionReason.SLIP: AnswerText.SLIP,
    RejectionReason.GUIDELINE: AnswerText.GUIDELINE,
    RejectionReason.AMBIGUOUS: AnswerText.AMBIGUOUS,
}

CONFIRMATIONS: Final[Mapping[OpenKind, AnswerText]] = {
    OpenKind.CHANGED: AnswerText.KEEP,
    OpenKind.COMMENTS: AnswerText.NO_COMMENT,
    OpenKind.QUESTIONS: AnswerText.NO_ANSWER,
}


def describe_reason(reason: str) -> str:
    """Return a stored reason for a rejection in the language of the screen; empty if unknown."""
    known = next((text for each, text in WHY.items() if each == reason), None)
    return known.text() if known else ""
