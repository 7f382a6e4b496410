"""Shared code of formats that join the source and the summary to one text with entities.

A claim is an entity with the annotation's label. Evidence is an entity with the label `Evidence`; a
relation leads from the claim to the evidence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.samples import Document, Side, fingerprint
from tui_annotate.domain.spans import Span
from tui_annotate.plugins.json_records import Doubt
from tui_annotate.plugins.record_validation import parse_document
from tui_annotate.plugins.traits import RecordTrait

SEPARATOR = "\n\n=== SUMMARY ===\n\n"
_TWO_LINE_ENDS: Final = re.compile(r"(?:\r\n|\r|\n){2}")
_LINE_ENDS_BEFORE: Final = re.compile(r"(?:\r\n|\r|\n){2}\Z")


@dataclass(frozen=True, slots=True)
class JoinedTexts:
    """Source and summary as one text, for formats that annotate a single text."""

    source: str
    summary: str
    separator: str = SEPARATOR

    @property
    def text(self) -> str:
        """The whole text: source, separator and summary."""
        return self.source + self.separator + self.summary

    @property
    def offset(self) -> int:
        """Offset of the summary in the text that joins source and summary, in code points."""
        return len(self.source) + len(self.separator)

    @property
    def lengths(self) -> dict[str, Any]:
        """The fields by which an import finds the parts again, in code points, and a hash."""
        return {
            "source_len": len(self.source),
            "sep_len": len(self.separator),
            "sha256": fingerprint(self.text),
        }

    def documents(self, language: str) -> tuple[Document, ...]:
        """Return both texts; guess an empty language; raise InvalidInput for an invalid text."""
        texts = ((Side.SOURCE, self.source), (Side.SUMMARY, self.summary))
        return tuple(
            parse_document(text, side=side, column=f"text ({side})", language=language)
            for side, text in texts
        )

    def span(self, anchor: Anchor) -> Span:
        """Convert a span of the source or the summary to a span of the text that joins both."""
        shift = 0 if anchor.side is Side.SOURCE else self.offset
        return Span(anchor.span.start + shift, anchor.span.end + shift)

    def anchor(self, span: Span, *, what: str) -> Anchor:
        """Convert a span of the joined text; raise InvalidInput if it is not inside one text."""
        if span.end <= len(self.source):
            return Anchor(Side.SOURCE, 0, span)
        if self.offset <= span.start and span.end <= self.offset + len(self.summary):
            return Anchor(Side.SUMMARY, 0, Span(span.start - self.offset, span.end - self.offset))
        raise InvalidInput(f"{what} {span} is neither inside the source nor inside the summary")


def join_texts(source: str, summary: str) -> JoinedTexts:
    """Join a source and a summary.

    Raises:
        InvalidInput: a text contains the separator, so that they could not be separated again.
    """
    joined = JoinedTexts(source, summary)
    text = joined.text
    end = len(source)
    if text.find(SEPARATOR) != end or text.find(SEPARATOR, end + 1) >= 0:
        raise InvalidInput(
            f"a text contains {SEPARATOR.strip()!r}, which separates source and summary",
            "choose a different format",
        )
    return joined


def split_text(text: str, *, source_len: object = None, sep_len: object = None) -> JoinedTexts:
    """Split a text into source and summary by the lengths in a file, else by the separator.

    Raises:
        InvalidInput: the lengths are invalid, or the separator does not occur exactly once.
    """
    if source_len is not None or sep_len is not None:
        lengths = (source_len, sep_len)
        if not (type(source_len) is int and type(sep_len) is int):
            raise InvalidInput(
                f"the lengths of the source and of the separator, {lengths!r}, are not integers",
                code="lengths-type",
            )
        if source_len < 0 or sep_len < 0 or source_len + sep_len > len(text):
            raise InvalidInput(
                f"the lengths of the source and of the separator, {lengths!r},"
                " do not fit the length of the text",
                code="lengths-outside",
            )
        between = text[source_len : source_len + sep_len]
        return JoinedTexts(text[:source_len], text[source_len + sep_len :], between)
    places = _list_separators(text)
    if len(places) != 1:
        raise InvalidInput(
            f"the separator {SEPARATOR.strip()!r} does not occur exactly once in the text",
            f"put the line {SEPARATOR.strip()} between source and summary, with an empty line"
            " above and below; in JSON, the fields source_len and sep_len can locate the summary",
            code="separator-count",
        )
    (place,) = places
    return JoinedTexts(text[: place.start], text[place.end :], place.of(text))


def _list_separators(text: str) -> list[Span]:
    """Return the separators of a text; their line ends may be those of Windows."""
    title = SEPARATOR.strip()
    found = []
    place = text.find(title)
    while place >= 0:
        end = place + len(title)
        # The plain separator comes first: a carriage return before it belongs to the source.
        whole = Span(place - 2, end + 2) if place >= 2 else None
        if whole is not None and whole.end <= len(text) and whole.of(text) == SEPARATOR:
            found.append(whole)
        else:
            before = _LINE_ENDS_BEFORE.search(text, max(place - 4, 0), place)
            after = _TWO_LINE_ENDS.match(text, end)
            if before and after:
                found.append(Span(before.start(), after.end()))
        place = text.find(title, end)
    return found


UNLABELLED: Final = "Unlabelled"
EVIDENCE: Final = "Evidence"
LINK: Final = "evidence"
PART: Final = "part"
JOINED_TRAITS: Final = (
    RecordTrait.OVERLAP, RecordTrait.BARE, RecordTrait.UNCLAIMED, RecordTrait.META,
    RecordTrait.GROUP, RecordTrait.DATASET,
)  # fmt: skip

RELATIONS_UNCONNECTED: Final = "relations that do not connect two entities"

_Key = TypeVar("_Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Entity:
    """Spans of a text (source and summary joined) that have one label together."""

    label: str
    spans: tuple[Span, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Relation:
    """Directed relation between two entities, given by their indices."""

    kind: str
    start: int
    end: int


@dataclass(slots=True)
class EntityBuilder:
    """Builder of entities from annotations; with `whole`, an entity may have several spans."""

    joined: JoinedTexts
    name: Callable[[LabelPath], str]
    whole: bool
    entities: list[Entity] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)
    _evidence: dict[Span, int] = field(default_factory=dict)

    def add(self, one: Annotation) -> None:
        """Add an annotation as entities and relations; shared evidence becomes one entity."""
        heads, tails = (one.claim, one.evidence) if one.claim else (one.evidence, ())
        names = [self.name(path) for path in one.labels]
        spans = tuple(map(self.joined.span, heads))
        for name in names or [UNLABELLED if one.claim else EVIDENCE]:
            head = self._add(Entity(name, spans if self.whole else spans[:1], one.note))
            if not self.whole:
                for span in spans[1:]:
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
    """An annotation read from linked entities of a file; its id and label path are added later."""

    label: str
    claim: tuple[Anchor, ...]
    evidence: tuple[Anchor, ...]
    note: str

    def annotation(self, key: str, labels: tuple[LabelPath, ...], *, form: str) -> Annotation:
        """Return an annotation of linked spans; a span `Evidence` without a claim gets no label."""
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
    doubts: list[Doubt],
) -> Iterator[AnnotationParts]:
    """Combine entities by their relations; yield annotations in order of their first entities.

    `left_out` counts the relations that are skipped. An entity that is not inside the source or
    inside the summary is skipped; its error is added to `doubts`.
    """
    anchors: dict[int, list[Anchor]] = {}
    for place, entity in enumerate(entities):
        try:
            anchors[place] = _entity_anchors(entity, joined)
        except InvalidInput as error:
            doubts.append(error)
    sides = {place: found[0].side for place, found in anchors.items()}
    links = []
    for one in relations:
        if one.start in sides and one.end in sides:
            links.append((one.start, one.end, (one.kind,) if one.kind else ()))
        else:
            left_out[RELATIONS_UNCONNECTED] += 1
    groups = list(group_linked(sides, links, left_out))
    names = {place: {entities[place].label} for place in sides}
    for place, side in sides.items():
        if side is Side.SOURCE:
            names[place].discard(EVIDENCE)
    notes = {place: entities[place].note for place in sides}
    count_lost_parts(groups, names, notes, left_out=left_out)
    for heads, proofs in groups:
        first = dict.fromkeys(anchor for place in heads for anchor in anchors[place])
        others = dict.fromkeys(anchor for place in proofs for anchor in anchors[place])
        claimed = sides[heads[0]] is Side.SUMMARY
        own_notes = dict.fromkeys(notes[place] for place in heads if notes[place])
        yield AnnotationParts(
            entities[heads[0]].label,
            tuple(first) if claimed else (),
            tuple(others if claimed else first),
            "\n".join(own_notes),
        )


def _entity_anchors(entity: Entity, joined: JoinedTexts) -> list[Anchor]:
    what = f"entity {entity.label!r}"
    anchors = [joined.anchor(span, what=what) for span in entity.spans]
    if len({anchor.side for anchor in anchors}) > 1:
        raise InvalidInput(
            f"{what} has spans in both the source and the summary",
            "make two entities, one in the source and one in the summary, linked by a relation",
        )
    return anchors


def group_linked(
    sides: Mapping[_Key, Side],
    relations: Iterable[tuple[_Key, _Key, Sequence[str]]],
    left_out: Counter[str],
) -> Iterator[tuple[list[_Key], list[_Key]]]:
    """Group spans into annotations by their relations.

    Yields two lists of span keys for each annotation: first the claim spans (or the evidence spans,
    if there is no claim), then the evidence spans that are linked to the claim. Spans of one side
    that relations connect to each other as parts, directly or over other spans, are one group, so
    each span is in an annotation. The first span of a group is the first one in `sides` that is no
    part of another span; in a cycle, the first span.

    Args:
        sides: side of each span, in order of the file.
        relations: (first key, second key, types). With the type `part`, the second span is a
            further span of the first span's annotation.
        left_out: counts the relations that are skipped, and the unknown types of the others.
    """
    neighbors: dict[_Key, list[_Key]] = {}
    targets: set[_Key] = set()
    links: dict[_Key, dict[_Key, None]] = {}
    for start, end, kinds in relations:
        if sides[start] is not sides[end]:
            claim, proof = (start, end) if sides[start] is Side.SUMMARY else (end, start)
            links.setdefault(claim, {})[proof] = None
        elif PART in kinds:
            neighbors.setdefault(start, []).append(end)
            neighbors.setdefault(end, []).append(start)
            targets.add(end)
        else:
            left_out["relations within the source or within the summary"] += 1
            continue
        for kind in kinds:
            if kind not in (PART, LINK):
                left_out[f"types {kind!r} of relations"] += 1
    groups = _connect_parts(sides, neighbors)
    linked = {key for proofs in links.values() for key in proofs}
    for key, group in groups.items():
        first = next((member for member in group if member not in targets), group[0])
        # A group is yielded at its first span: ids of annotations depend on the order.
        if key != first or not linked.isdisjoint(group):
            continue
        proofs = dict.fromkeys(proof for member in group for proof in links.get(member, ()))
        evidence = dict.fromkeys(member for proof in proofs for member in groups[proof])
        yield [first, *(member for member in group if member != first)], [*evidence]


def _connect_parts(
    keys: Iterable[_Key], neighbors: Mapping[_Key, Sequence[_Key]]
) -> dict[_Key, list[_Key]]:
    """Return the group of each key: all keys that lead to it over neighbors, in given order."""
    places = {key: place for place, key in enumerate(keys)}
    groups: dict[_Key, list[_Key]] = {}
    for key in places:
        if key in groups:
            continue
        found = {key}
        waiting = [key]
        while waiting:
            new = set(neighbors.get(waiting.pop(), ())) - found
            found |= new
            waiting += new
        group = sorted(found, key=places.__getitem__)
        groups |= dict.fromkeys(group, group)
    return {key: groups[key] for key in places}


def count_lost_parts(
    groups: Iterable[tuple[Sequence[_Key], Sequence[_Key]]],
    labels: Mapping[_Key, AbstractSet[str]],
    notes: Mapping[_Key, str],
    *,
    left_out: Counter[str],
) -> None:
    """Count labels and notes of spans that the annotations of `group_linked` do not keep.

    An annotation has the labels of its first span, and no notes of its evidence. `labels` is
    without the label `Evidence` of spans in the source. Evidence that several annotations share is
    counted once.
    """
    proofs: dict[_Key, None] = {}
    for heads, evidence in groups:
        proofs |= dict.fromkeys(evidence)
        for key in heads[1:]:
            for label in sorted(labels[key] - labels[heads[0]]):
                left_out[f"labels {label!r} of parts whose first span has another label"] += 1
    for key in proofs:
        for label in sorted(labels[key]):
            left_out[f"labels {label!r} of evidence of a claim"] += 1
        if notes[key]:
            left_out["notes of evidence of a claim"] += 1


def describe_left_out(left_out: Counter[str]) -> list[str]:
    """Return a warning for each kind of skipped data, with its count."""
    return [f"skipped: {count:,} {what}" for what, count in left_out.items()]
