"""Messages between users: threads on a sample, and announcements to all annotators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.text_diff import DiffPart

REVIEWERS: Final = "reviewers"
"""The recipients of a message from an annotator: all reviewers."""
ALL: Final = "all"
LONGEST: Final = 2000


@dataclass(frozen=True, slots=True)
class PersonComment:
    """A message from one user to others, about a sample or to all annotators.

    Attributes:
        sample: the sample that the message is about; None for an announcement.
        reader: `REVIEWERS`, `ALL`, or a person's id.
        answers: id of the thread's first message; empty for a first message.
        annotation: id of the annotation that an annotator asks about; empty for the whole sample,
            and in replies. The annotation may have been deleted since.
    """

    id: str
    sample: SampleKey | None
    author: str
    reader: str
    answers: str
    text: str
    at: str
    annotation: str = ""


@dataclass(frozen=True, slots=True)
class CommentThread:
    """The messages between an annotator and the reviewers, in order of time.

    They are about one sample, or about one annotation of the annotator.
    """

    remarks: Sequence[PersonComment]

    @property
    def id(self) -> str:
        return self.remarks[0].id

    @property
    def person(self) -> str:
        """The id of the annotator who began the conversation."""
        return self.remarks[0].author

    @property
    def annotation(self) -> str:
        """The id of the annotation that the thread is about; empty for the whole sample."""
        return self.remarks[0].annotation

    @property
    def waiting(self) -> bool:
        return self.remarks[-1].reader == REVIEWERS


@dataclass(frozen=True, slots=True)
class NewsItem:
    """A news item shown at the start of a session, such as changed lines of the guidelines."""

    title: str
    lines: tuple[DiffPart, ...]


def check_text(text: str) -> str:
    """Return a stripped message; InvalidInput if it is empty or has over 2,000 code points."""
    trimmed = text.strip()
    if not trimmed or len(trimmed) > LONGEST:
        raise InvalidInput(
            f"the message has {len(trimmed):,} characters", f"write 1 to {LONGEST:,} characters"
        )
    return trimmed
