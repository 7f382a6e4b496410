"""Formats that hold one text: source, separator and summary joined, annotations as entities.

A claim is an entity under its label; evidence is one called `Evidence`, to which a relation leads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.samples import Document, Side, fingerprint
from tui_annotate.domain.spans import Span
from tui_annotate.plugins.record_validation import parse_document
from tui_annotate.plugins.traits import RecordTrait

SEPARATOR = "\n\n=== SUMMARY ===\n\n"


@dataclass(frozen=True, slots=True)
class JoinedTexts:
    """A source and a summary as one text."""

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

    @property
    def lengths(self) -> dict[str, Any]:
        """The fields of a file by which `split_text` finds the texts, and the hash of all."""
        return {
            "source_len": len(self.source),
            "sep_len": len(self.separator),
            "sha256": fingerprint(self.text),
        }

    def documents(self, language: str) -> tuple[Document, ...]:
        """The two texts; an empty language is guessed.

        Raises:
            InvalidInput: one of them can not be a document.
        """
        texts = ((Side.SOURCE, self.source), (Side.SUMMARY, self.summary))
        return tuple(
            parse_document(text, side=side, column=f"text ({side})", language=language)
            for side, text in texts
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
        InvalidInput: the separator is in one of them, so that they could not be split again.
    """
    joined = JoinedTexts(source, summary)
    text, place = joined.text, len(source)
    if text.find(SEPARATOR) != place or text.find(SEPARATOR, place + 1) >= 0:
        raise InvalidInput(
            f"a text holds {SEPARATOR.strip()!r} as the separator does", "choose another format"
        )
    return joined


def split_text(text: str, *, source_len: object = None, sep_len: object = None) -> JoinedTexts:
    """Split by the lengths where the file gives them, else by the separator.

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


UNLABELLED: Final = "Unlabelled"
EVIDENCE: Final = "Evidence"
LINK: Final = "evidence"
PART: Final = "part"
"""Kinds of relations: from a claim to its evidence, and to its further spans."""
JOINED_TRAITS: Final = (
    RecordTrait.OVERLAP, RecordTrait.BARE, RecordTrait.UNCLAIMED, RecordTrait.META,
    RecordTrait.GROUP, RecordTrait.DATASET,
)  # fmt: skip

_Key = TypeVar("_Key", bound=Hashable)


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
    name: Callable[[LabelPath], str]
    whole: bool
    entities: list[Entity] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)
    _evidence: dict[Span, int] = field(default_factory=dict)

    def add(self, one: Annotation) -> None:
        """Split an annotation; evidence that is there already is related to, not repeated."""
        heads, tails = (one.claim, one.evidence) if one.claim else (one.evidence, ())
        names = [self.name(path) for path in one.labels]
        spans = tuple(map(self.joined.span, heads))
        for name in names or [UNLABELLED if one.claim else EVIDENCE]:
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
    """What entities and relations make together: one annotation but for its id and label path."""

    label: str
    claim: tuple[Anchor, ...]
    evidence: tuple[Anchor, ...]
    note: str

    def annotation(self, key: str, labels: tuple[LabelPath, ...], *, form: str) -> Annotation:
        """The annotation that a file of this format holds; evidence alone has no label."""
        unlabelled = not self.claim and self.label == EVIDENCE
        return Annotation(
            key,
            self.claim,
            self.evidence,
            labels=() if unlabelled else labels,
            note=self.note,
            origin=f"imported:{form}",
        )


def link_entities(
    joined: JoinedTexts,
    entities: Sequence[Entity],
    relations: Iterable[Relation],
    *,
    left_out: Counter[str],
) -> Iterator[AnnotationParts]:
    """Yield what entities and relations make, in the order of first entities; see `group_linked`.

    Raises:
        InvalidInput: an entity is not inside one of the two texts.
    """
    anchors = [_entity_anchors(entity, joined) for entity in entities]
    sides = {place: found[0].side for place, found in enumerate(anchors)}
    links = ((one.start, one.end, one.kind == PART) for one in relations)
    for heads, proofs in group_linked(sides, links, left_out):
        first = dict.fromkeys(anchor for place in heads for anchor in anchors[place])
        others = dict.fromkeys(anchor for place in proofs for anchor in anchors[place])
        claimed = sides[heads[0]] is Side.SUMMARY
        yield AnnotationParts(
            entities[heads[0]].label,
            tuple(first) if claimed else (),
            tuple(others if claimed else first),
            entities[heads[0]].note,
        )


def _entity_anchors(entity: Entity, joined: JoinedTexts) -> list[Anchor]:
    what = f"{entity.label!r}"
    anchors = [joined.anchor(span, what=what) for span in entity.spans]
    if len({anchor.side for anchor in anchors}) > 1:
        raise InvalidInput(f"{what} has spans in both texts", "make it two, with a relation")
    return anchors


def group_linked(
    sides: Mapping[_Key, Side], relations: Iterable[tuple[_Key, _Key, bool]], left_out: Counter[str]
) -> Iterator[tuple[list[_Key], list[_Key]]]:
    """Yield the keys of each annotation's own spans and of its evidence, by first keys.

    Args:
        sides: the text of each span, by key.
        relations: two keys, and whether the second is a further span of the first's annotation.
        left_out: counts relations that mean nothing here.
    """
    parts: dict[_Key, list[_Key]] = {}
    links: dict[_Key, dict[_Key, None]] = {}
    for start, end, is_part in relations:
        if sides[start] is not sides[end]:
            claim, proof = (start, end) if sides[start] is Side.SUMMARY else (end, start)
            links.setdefault(claim, {})[proof] = None
        elif is_part:
            parts.setdefault(start, []).append(end)
        else:
            left_out["relations inside one text"] += 1
    linked = {key for ends in (*parts.values(), *links.values()) for key in ends}
    for key in sides:
        if key not in linked or key in links:
            yield [key, *parts.get(key, ())], [*links.get(key, ())]


def describe_left_out(left_out: Counter[str]) -> list[str]:
    """What was left out of a record, as doubts."""
    return [f"left out: {count:,} {what}" for what, count in left_out.items()]
