"""Annotations as entities of one text with relations between them, and back.

A claim is an entity under its label; evidence is one called `Evidence`, to which a relation leads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span
from tui_annotate.plugins.joined import Joined

EVIDENCE: Final = "Evidence"
LINK: Final = "evidence"
PART: Final = "part"
"""Kinds of relations: from a claim to its evidence, and to its further spans."""

Naming = Callable[[LabelPath | None], str]
"""The one word for a label; None asks for that of an annotation without any."""


@dataclass(frozen=True, slots=True)
class Entity:
    """Spans of the whole text under one label.

    Attributes:
        spans: in order; several where the format has discontinuous entities.
    """

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
class Apart:
    """Annotations taken apart; an annotation of several labels gives an entity for each.

    Attributes:
        whole: whether an entity may have several spans; else they are related as parts.
    """

    joined: Joined
    name: Naming
    whole: bool
    entities: list[Entity] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)
    _proofs: dict[Span, int] = field(default_factory=dict)

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
                if span not in self._proofs:
                    self._proofs[span] = self._add(Entity(EVIDENCE, (span,)))
                self.relations.append(Relation(LINK, head, self._proofs[span]))

    def _add(self, entity: Entity) -> int:
        self.entities.append(entity)
        return len(self.entities) - 1


@dataclass(frozen=True, slots=True)
class Whole:
    """What entities and relations make together: one annotation but for its id and label."""

    label: str
    claim: tuple[Anchor, ...]
    evidence: tuple[Anchor, ...]
    note: str


@dataclass(slots=True)
class Together:
    """Entities and relations put together.

    Attributes:
        left_out: what has no place here, by kind.
    """

    joined: Joined
    entities: Sequence[Entity]
    relations: Iterable[Relation]
    left_out: Counter[str] = field(default_factory=Counter)

    def annotations(self) -> Iterator[Whole]:
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
            yield Whole(
                entity.label,
                tuple(dict.fromkeys(heads)) if claimed else (),
                tuple(dict.fromkeys(proofs if claimed else heads)),
                entity.note,
            )

    def _anchors(self, entity: Entity) -> tuple[Anchor, ...]:
        what = f"{entity.label!r}"
        anchors = tuple(self.joined.anchor(span, what=what) for span in entity.spans)
        if len({anchor.side for anchor in anchors}) > 1:
            raise InvalidInput(f"{what} has spans in both texts", "make it two, with a relation")
        return anchors
