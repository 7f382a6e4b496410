"""What people said of an item, put on its sample: spans where their texts are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import InvalidInput, InvalidSpan
from tui_annotate.domain.items import PASSAGE
from tui_annotate.domain.nouns import many
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
_COUNTED = "the offsets were counted in another unit or in another text"
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
    places: list[str] = []
    for words in said:
        try:
            found, doubts = _annotations(record.sample, words, offsets)
        except InvalidInput as error:
            problems.append(problem(words.where, error))
            continue
        annotations += found
        works.append(Assignment(words.person, State.DONE, words.rating, words.comment))
        places.append(words.where)
        problems += (Problem(words.where, *doubt, refused=False) for doubt in doubts)
    people = tuple(Person(work.person, work.person, PersonKind.IMPORTED) for work in works)
    where = _where(places, works) or record.where
    yield Record(record.sample, tuple(annotations), tuple(works), people, where)
    yield from problems


def _where(places: Sequence[str], works: Sequence[Assignment]) -> str:
    """Where it was said; of several, who said it there."""
    if len(places) == 1:
        return places[0]
    told = zip(places, works, strict=True)
    return ", ".join(f"{place} ({work.person})" for place, work in told)


def _annotations(
    sample: Sample, words: Words, offsets: str
) -> tuple[list[Owned], list[tuple[str, str]]]:
    """An annotation for each span that can be had; of all others (message, hint)."""
    found: list[Owned] = []
    doubts: list[tuple[str, str]] = []
    blank = 0
    for name, spans in words.spans.items():
        side = _SIDES[name]
        if not spans:
            continue
        if not sample.side(side):
            doubts.append((f"{many(len(spans), 'span')} left out: the {name} is not there", ""))
            continue
        text = sample.document(side).text
        fitting, others = counted(text, spans, offsets=offsets)
        doubts += ((_strayed(each, name), _COUNTED) for each in others)
        for span in fitting:
            trimmed = span.trim(text)
            if trimmed is None:
                blank += 1
            else:
                annotation = _annotation(sample, words.person, Anchor(side, 0, trimmed))
                found.append(Owned(words.person, annotation))
    if blank:
        doubts.append((f"{many(blank, 'span')} of white space alone left out", ""))
    return list(dict.fromkeys(found)), doubts


def _strayed(span: Sequence[Any], name: str) -> str:
    start, end, quote = span
    told = "outside of its text" if quote is None else f"not where its text is, {quote!r:.60}"
    return f"span {start}:{end} of the {name} is left out: it is {told}"


def _annotation(sample: Sample, person: str, anchor: Anchor) -> Annotation:
    """A mark of its own: the same id whenever the same comes in."""
    side, _, span = anchor
    key = made_id((sample.dataset, sample.id), 0, [person, side.value, span.start, span.end])
    claim, evidence = ((anchor,), ()) if side is Side.SUMMARY else ((), (anchor,))
    return Annotation(key, claim, evidence, labels=(PASSAGE,), origin=f"imported:{FORMAT}")


def counted(
    text: str, spans: Sequence[Any], *, offsets: str = ""
) -> tuple[list[Span], list[Sequence[Any]]]:
    """The spans of a text in code points, by the way of counting that fits most of their quotes.

    Args:
        spans: (start, end, quote); the quote may lack white space at its edges, or be None.
        offsets: the way; empty to try both.

    Returns:
        Those that fit; and those that do not, as they came.

    Raises:
        InvalidInput: two ways fit as many, and not the same.
    """
    ways = [_read(text, spans, way) for way in (CODEPOINT, UTF16) if offsets in ("", way)]
    fewest = min(found.count(None) for found in ways)
    best = [found for found in ways if found.count(None) == fewest]
    if best[0] != best[-1]:
        raise InvalidInput(
            f"the spans fit as code points and as UTF-16 units{', some each' if fewest else ''}",
            "say which it is with --offsets codepoint or --offsets utf16",
        )
    others = [told for told, span in zip(spans, best[0], strict=True) if span is None]
    return [span for span in best[0] if span is not None], others


def _read(text: str, spans: Sequence[Any], way: str) -> list[Span | None]:
    """The spans as one way has them; None where it has none."""
    to_code_points = utf16_map(text).to_code_points if way == UTF16 else int
    found: list[Span | None] = []
    for start, end, quote in spans:
        try:
            span = Span(to_code_points(start), to_code_points(end))
            covered = span.of(text)
        except InvalidSpan:
            found.append(None)
            continue
        fits = quote is None or _bare(covered) == _bare(quote)
        found.append(span if fits else None)
    return found


def _bare(text: str) -> str:
    return text.strip().strip(_EDGES).strip()
