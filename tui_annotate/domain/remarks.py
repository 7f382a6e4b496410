"""What people say to one another beside their annotations: talks about a sample, notices to all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tui_annotate.domain.differences import Piece
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.samples import SampleKey

REVIEWERS: Final = "reviewers"
"""The reader of what an annotator writes."""
ALL: Final = "all"
"""The reader of a notice."""
LONGEST: Final = 2000


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that one person said.

    Attributes:
        sample: what it is about; None for a notice.
        author: a person's id; empty for whoever owns the files.
        reader: `REVIEWERS`, `ALL`, or a person's id.
        answers: id of the first remark of its talk; empty for that one itself.
    """

    id: str
    sample: SampleKey | None
    author: str
    reader: str
    answers: str
    text: str
    at: str


@dataclass(frozen=True, slots=True)
class Talk:
    """What an annotator and the reviewers said to each other about a sample, in order."""

    remarks: Sequence[Remark]

    @property
    def id(self) -> str:
        """The id of the first remark."""
        return self.remarks[0].id

    @property
    def person(self) -> str:
        """The annotator who began it."""
        return self.remarks[0].author

    @property
    def waiting(self) -> bool:
        """Whether the annotator said the last word, and a reviewer is to answer."""
        return self.remarks[-1].reader == REVIEWERS


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that is new.

    Attributes:
        title: what it is, in one line.
        lines: what it says: of changed guidelines the lines that came and went, else plain ones.
    """

    title: str
    lines: tuple[Piece, ...]


def checked_text(text: str) -> str:
    """A remark without white space at its edges.

    Raises:
        InvalidInput: it is empty or longer than 2,000 code points.
    """
    trimmed = text.strip()
    if not trimmed or len(trimmed) > LONGEST:
        raise InvalidInput(
            f"a remark of {len(trimmed):,} characters", f"write 1 to {LONGEST:,} characters"
        )
    return trimmed
