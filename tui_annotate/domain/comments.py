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
"""The recipients of an announcement: all annotators."""
LONGEST: Final = 2000


@dataclass(frozen=True, slots=True)
class PersonComment:
    """A message that a user wrote.

    Attributes:
        sample: the sample that the message is about; None for an announcement.
        author: a person's id; empty for the operator, who owns the workspace's files.
        reader: `REVIEWERS`, `ALL`, or a person's id.
        answers: id of the thread's first message; empty for a first message.
    """

    id: str
    sample: SampleKey | None
    author: str
    reader: str
    answers: str
    text: str
    at: str


@dataclass(frozen=True, slots=True)
class CommentThread:
    """A thread: the messages between an annotator and the reviewers about a sample, in order."""

    remarks: Sequence[PersonComment]

    @property
    def id(self) -> str:
        """The thread's id, which is the id of its first message."""
        return self.remarks[0].id

    @property
    def person(self) -> str:
        """The id of the annotator who began the thread."""
        return self.remarks[0].author

    @property
    def waiting(self) -> bool:
        """Whether the thread waits for a reviewer: the annotator wrote its last message."""
        return self.remarks[-1].reader == REVIEWERS


@dataclass(frozen=True, slots=True)
class NewsItem:
    """A news item for a user at the start of a session; changed guidelines are shown as a diff."""

    title: str
    lines: tuple[DiffPart, ...]


def check_text(text: str) -> str:
    """Return the text of a message without white space at its ends.

    Raises:
        InvalidInput: the text is empty or longer than 2,000 code points.
    """
    trimmed = text.strip()
    if not trimmed or len(trimmed) > LONGEST:
        raise InvalidInput(
            f"the message has {len(trimmed):,} characters", f"write 1 to {LONGEST:,} characters"
        )
    return trimmed
