"""Messages between people: threads on a sample, and announcements to all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.text_diff import DiffPart

REVIEWERS: Final = "reviewers"
"""The reader of a message that an annotator writes."""
ALL: Final = "all"
"""The reader of an announcement."""
LONGEST: Final = 2000


@dataclass(frozen=True, slots=True)
class PersonComment:
    """A message of a person.

    Attributes:
        sample: None for an announcement.
        author: empty for the owner of the files.
        reader: `REVIEWERS`, `ALL`, or a person's id.
        answers: id of the thread's first message, else empty.
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
    """The messages between an annotator and the reviewers about a sample, in order."""

    remarks: Sequence[PersonComment]

    @property
    def id(self) -> str:
        """The id of the first message."""
        return self.remarks[0].id

    @property
    def person(self) -> str:
        """The annotator who began it."""
        return self.remarks[0].author

    @property
    def waiting(self) -> bool:
        """Whether the last message is the annotator's, and a reviewer has to answer."""
        return self.remarks[-1].reader == REVIEWERS


@dataclass(frozen=True, slots=True)
class NewsItem:
    """A news item; the lines of changed guidelines are a diff."""

    title: str
    lines: tuple[DiffPart, ...]


def check_text(text: str) -> str:
    """The text of a message without white space at its edges.

    Raises:
        InvalidInput: it is empty or longer than 2,000 code points.
    """
    trimmed = text.strip()
    if not trimmed or len(trimmed) > LONGEST:
        raise InvalidInput(
            f"a remark of {len(trimmed):,} characters", f"write 1 to {LONGEST:,} characters"
        )
    return trimmed
