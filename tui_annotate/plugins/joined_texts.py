"""Formats that hold one text: source, separator and summary joined, annotations as entities.

A claim is an entity under its label; evidence is one called `Evidence`, to which a relation leads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.samples import Document, Side
from tui_annotate.domain.spans import Span
from tui_annotate.plugins.record_validation import document

SEPARATOR = "\n\n=== SUMMARY ===\n\n"


@dataclass(frozen=True, slots=True)
class JoinedTexts:
    """A source and a summary as one text. `separator`: what stands between them."""

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

    def documents(self, language: str) -> tuple[Document, Document]:
        """The two texts; an empty language is guessed.

        Raises:
            InvalidInput: one of them can not be a document.
        """
        source, summary = Side.SOURCE, Side.SUMMARY
        return (
            document(self.source, side=source, column=f"text ({source})", language=language),
            document(self.summary, side=summary, column=f"text ({summary})", language=language),
        )

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


def join_texts(source: str, summary: str) -> JoinedTexts:
    """Two texts as one.

    Raises:
        InvalidInput: the separator stands elsewhere too, so that they could not be told apart.
    """
    joined = JoinedTexts(source, summary)
    text, place = joined.text, len(source)
    if text.find(SEPARATOR) != place or text.find(SEPARATOR, place + 1) >= 0:
        raise InvalidInput(
            f"a text holds {SEPARATOR.strip()!r} as the separator does", "choose another format"
        )
    return joined


def split_text(text: str, *, source_len: object = None, sep_len: object = None) -> JoinedTexts:
    """The two texts again, by their lengths where the file gives them, else by the separator.

    Raises:
        InvalidInput: the lengths are none, or the separator is not there once.
    """
    if source_len is not None or sep_len is not None:
        lengths = (source_len, sep_len)
        if not (type(source_len) is int and type(sep_len) is int):
            raise InvalidInput(f"the lengths {lengths!r} are no integers", code="lengths-type")
        if source_len < 0 or sep_len < 0 or source_len + sep_len > len(text):
            raise InvalidInput(
                f"the lengths {lengths!r} are not inside the text", code="lengths-outside"
            )
        between = text[source_len : source_len + sep_len]
        return JoinedTexts(text[:source_len], text[source_len + sep_len :], between)
    source, found, summary = text.partition(SEPARATOR)
    if not found or SEPARATOR in text[len(source) + 1 :]:
        raise InvalidInput(
            f"the text is not parted once by {SEPARATOR.strip()!r}",
            "source_len and sep_len can say where the summary begins",
            code="separator-count",
        )
    return JoinedTexts(source, summary)


EVIDENCE: Final = "Evidence"
LINK: Final = "evidence"
PART: Final = "part"
"""Kinds of relations: from a claim to its evidence, and to its further spans."""

Naming = Callable[[LabelPath | None], str]
"""The one word for a label; None asks for that of an annotation without any."""


@dataclass(frozen=True, slots=True)
class Entity:
    """Spans of the whole text under one label, in order."""

    label: str
    spans: tuple[Span, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Relation:
    """From one entity to another, by their places in the list."""

    kind: str
    start: int
    end: int


@dataclass(slots=True)
class EntityBuilder:
    """Splits annotations into entities of one label; `whole` allows several spans in one."""

    joined: JoinedTexts
    name: Naming
    whole: bool
    entities: list[Entity] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)
    _evidence: dict[Span, int] = field(default_factory=dict)

    def add(self, one: Annotation) -> None:
        """Takes one apart; evidence that is there already is related to, not repeated."""
        heads, tails = (one.claim, one.evidence) if one.claim else (one.evidence, ())
        names = [self.name(path) for path in one.labels]
        spans = tuple(map(self.joined.span, heads))
        for name in names or [self.name(None) if one.claim else EVIDENCE]:
            head = self._add(Entity(name, spans if self.whole else spans[:1], one.note))
            for span in () if self.whole else spans[1:]:
                self.relations.append(Relation(PART, head, self._add(Entity(name, (span,)))))
            for span in map(self.joined.span, tails):
                if span not in self._evidence:
                    self._evidence[span] = self._add(Entity(EVIDENCE, (span,)))
                self.relations.append(Relation(LINK, head, self._evidence[span]))

    def _add(self, entity: Entity) -> int:
        self.entities.append(entity)
        return len(self.entities) - 1


@dataclass(frozen=True, slots=True)
class AnnotationParts:
    """What entities and relations make together: one annotation but for its id and label."""

    label: str
    claim: tuple[Anchor, ...]
    evidence: tuple[Anchor, ...]
    note: str


@dataclass(slots=True)
class LinkedEntities:
    """Entities and relations put together. `left_out`: what has no place here, by kind."""

    joined: JoinedTexts
    entities: Sequence[Entity]
    relations: Iterable[Relation]
    left_out: Counter[str] = field(default_factory=Counter)

    def annotations(self) -> Iterator[AnnotationParts]:
        """In the order of their first entities.

        Raises:
            InvalidInput: an entity is not inside one of the two texts.
        """
        anchors = [self._anchors(entity) for entity in self.entities]
        parts: dict[int, list[int]] = {}
        links: dict[int, dict[int, None]] = {}
        for relation in self.relations:
            sides = [anchors[place][0].side for place in (relation.start, relation.end)]
            if sides[0] is sides[1] and relation.kind == PART:
                parts.setdefault(relation.start, []).append(relation.end)
            elif sides[0] is sides[1]:
                self.left_out["relations inside one text"] += 1
            else:
                ends = relation.start, relation.end
                claim, proof = ends if sides[0] is Side.SUMMARY else reversed(ends)
                links.setdefault(claim, {})[proof] = None
        taken = {place for ends in (*parts.values(), *links.values()) for place in ends}
        for place, entity in enumerate(self.entities):
            if place in taken and place not in links:
                continue
            heads = [*anchors[place], *(a for end in parts.get(place, ()) for a in anchors[end])]
            proofs = [anchor for end in links.get(place, ()) for anchor in anchors[end]]
            claimed = heads[0].side is Side.SUMMARY
            yield AnnotationParts(
                entity.label,
                tuple(dict.fromkeys(heads)) if claimed else (),
                tuple(dict.fromkeys(proofs if claimed else heads)),
                entity.note,
            )

    def doubts(self) -> list[str]:
        """What was left out, in words."""
        return [f"left out: {count:,} {what}" for what, count in self.left_out.items()]

    def _anchors(self, entity: Entity) -> tuple[Anchor, ...]:
        what = f"{entity.label!r}"
        anchors = tuple(self.joined.anchor(span, what=what) for span in entity.spans)
        if len({anchor.side for anchor in anchors}) > 1:
            raise InvalidInput(f"{what} has spans in both texts", "make it two, with a relation")
        return anchors
