"""What people said of an item, put on its sample: spans where their texts are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import InvalidInput, InvalidSpan
from tui_annotate.domain.items import PASSAGE
from tui_annotate.domain.offsets import utf16_map
from tui_annotate.domain.people import Person, PersonKind
from tui_annotate.domain.records import Owned, Problem, Record
from tui_annotate.domain.samples import Sample, Side
from tui_annotate.domain.spans import Span
from tui_annotate.plugins.admission import problem
from tui_annotate.plugins.formats.autojudge.names import FORMAT
from tui_annotate.plugins.imported import made_id
from tui_annotate.plugins.protocols import CODEPOINT, UTF16

_SIDES = {"report": Side.SUMMARY, "document": Side.SOURCE}
_EDGES = "\ufeff"
"""What other programs take for white space as well."""


class Words(NamedTuple):
    """What one person said: as `Judged` has it, and where."""

    person: str
    where: str
    rating: str
    comment: str
    spans: Mapping[str, list[Any]]


def told(record: Record, said: Iterable[Words], *, offsets: str = "") -> Iterator[Record | Problem]:
    """The record with all that was said, then what of it could not be taken.

    Args:
        offsets: what spans are counted in; empty for what their texts show.
    """
    annotations: list[Owned] = []
    works: list[Assignment] = []
    problems: list[Problem] = []
    for words in said:
        try:
            found, blank = _annotations(record.sample, words, offsets)
        except InvalidInput as error:
            problems.append(problem(words.where, error))
            continue
        annotations += found
        works.append(Assignment(words.person, State.DONE, words.rating, words.comment))
        if blank:
            message = f"{blank} spans of white space alone are left out"
            problems.append(Problem(words.where, message, refused=False))
    people = tuple(Person(work.person, work.person, PersonKind.IMPORTED) for work in works)
    yield Record(record.sample, tuple(annotations), tuple(works), people, record.where)
    yield from problems


def _annotations(sample: Sample, words: Words, offsets: str) -> tuple[list[Owned], int]:
    """An annotation for each span, and how many spans were blank."""
    found: list[Owned] = []
    blank = 0
    for name, spans in words.spans.items():
        side = _SIDES[name]
        if not spans:
            continue
        if not sample.side(side):
            raise InvalidInput(f"there are spans in the {name}, which is not there")
        text = sample.document(side).text
        for span in counted(text, spans, offsets=offsets):
            trimmed = span.trim(text)
            if trimmed is None:
                blank += 1
            else:
                annotation = _annotation(sample, words.person, Anchor(side, 0, trimmed))
                found.append(Owned(words.person, annotation))
    return list(dict.fromkeys(found)), blank


def _annotation(sample: Sample, person: str, anchor: Anchor) -> Annotation:
    """A mark of its own: the same id whenever the same comes in."""
    side, _, span = anchor
    key = made_id((sample.dataset, sample.id), 0, [person, side.value, span.start, span.end])
    claim, evidence = ((anchor,), ()) if side is Side.SUMMARY else ((), (anchor,))
    return Annotation(key, claim, evidence, labels=(PASSAGE,), origin=f"imported:{FORMAT}")


def counted(text: str, spans: Sequence[Any], *, offsets: str = "") -> list[Span]:
    """The spans of a text in code points: the one way of counting that fits all their quotes.

    Args:
        spans: (start, end, quote); the quote may lack white space at its edges, or be None.
        offsets: the way; empty to try both.

    Raises:
        InvalidInput: none fits, or both do and differ.
    """
    found = [
        fitting
        for way in (CODEPOINT, UTF16)
        if offsets in ("", way) and (fitting := _read(text, spans, way)) is not None
    ]
    if not found:
        start, end, quote = spans[0]
        raise InvalidInput(
            f"the spans are not where their texts are, {start}:{end} {quote!r:.60} among them",
            "the offsets were counted in another unit or in another text",
        )
    if found[0] != found[-1]:
        raise InvalidInput(
            "the spans fit as code points and as UTF-16 units",
            "say which it is with --offsets codepoint or --offsets utf16",
        )
    return found[0]


def _read(text: str, spans: Sequence[Any], way: str) -> list[Span] | None:
    to_code_points = utf16_map(text).to_code_points if way == UTF16 else int
    found = []
    for start, end, quote in spans:
        try:
            span = Span(to_code_points(start), to_code_points(end))
            covered = span.of(text)
        except InvalidSpan:
            return None
        if quote is not None and _bare(covered) != _bare(quote):
            return None
        found.append(span)
    return found


def _bare(text: str) -> str:
    return text.strip().strip(_EDGES).strip()
