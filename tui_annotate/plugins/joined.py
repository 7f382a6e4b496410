"""Two texts in formats that hold one: a source, a separator, a summary; and back."""

from __future__ import annotations

from dataclasses import dataclass

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span

SEPARATOR = "\n\n=== SUMMARY ===\n\n"


@dataclass(frozen=True, slots=True)
class Joined:
    """A source and a summary as one text.

    Attributes:
        separator: what stands between them.
    """

    source: str
    summary: str
    separator: str = SEPARATOR

    @property
    def text(self) -> str:
        """All of it."""
        return self.source + self.separator + self.summary

    @property
    def offset(self) -> int:
        """Where the summary begins."""
        return len(self.source) + len(self.separator)

    def span(self, anchor: Anchor) -> Span:
        """An anchor as a span of the whole text."""
        shift = 0 if anchor.side is Side.SOURCE else self.offset
        return Span(anchor.span.start + shift, anchor.span.end + shift)

    def anchor(self, span: Span, *, what: str) -> Anchor:
        """A span of the whole text as an anchor.

        Raises:
            InvalidInput: it is not inside one of the two.
        """
        if span.end <= len(self.source):
            return Anchor(Side.SOURCE, 0, span)
        if self.offset <= span.start and span.end <= self.offset + len(self.summary):
            return Anchor(Side.SUMMARY, 0, Span(span.start - self.offset, span.end - self.offset))
        raise InvalidInput(f"{what} {span} is not inside one of the two texts")


def join(source: str, summary: str) -> Joined:
    """Two texts as one.

    Raises:
        InvalidInput: the separator stands elsewhere too, so that they could not be told apart.
    """
    joined = Joined(source, summary)
    text, place = joined.text, len(source)
    if text.find(SEPARATOR) != place or text.find(SEPARATOR, place + 1) >= 0:
        raise InvalidInput(
            f"a text holds {SEPARATOR.strip()!r} as the separator does", "choose another format"
        )
    return joined


def part(text: str, *, source_len: object = None, sep_len: object = None) -> Joined:
    """The two texts again, by their lengths where the file gives them, else by the separator.

    Raises:
        InvalidInput: the lengths are none, or the separator is not there once.
    """
    if source_len is not None or sep_len is not None:
        lengths = (source_len, sep_len)
        if not (type(source_len) is int and type(sep_len) is int):
            raise InvalidInput(f"the lengths {lengths!r} are no integers")
        if source_len < 0 or sep_len < 0 or source_len + sep_len > len(text):
            raise InvalidInput(f"the lengths {lengths!r} are not inside the text")
        between = text[source_len : source_len + sep_len]
        return Joined(text[:source_len], text[source_len + sep_len :], between)
    source, found, summary = text.partition(SEPARATOR)
    if not found or SEPARATOR in text[len(source) + 1 :]:
        raise InvalidInput(
            f"the text is not parted once by {SEPARATOR.strip()!r}",
            "source_len and sep_len can say where the summary begins",
        )
    return Joined(source, summary)
