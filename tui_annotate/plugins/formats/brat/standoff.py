"""The lines of one standoff file: entities with their fragments, relations, notes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.spans import Span
from tui_annotate.plugins.covered import CODE_POINTS, Quoted, reading
from tui_annotate.plugins.entities import Entity, Relation

_ENTITY = re.compile(r"(\S+) (\d{1,9} \d{1,9}(?:;\d{1,9} \d{1,9})*)")
_RELATION = re.compile(r"(\S+) Arg1:(T\S+) Arg2:(T\S+)\s*")
_FEEDS = re.compile(r"\n+")
_NOTE = re.compile(r"AnnotatorNotes (T\S+)")


class Standoff:
    """What a file says of its text.

    Attributes:
        unit: how its offsets were counted.
        left_out: lines that have no place here, by kind.

    Raises:
        InvalidInput: a line is of the wrong shape, or an entity does not cover what it says.
    """

    def __init__(self, text: str, lines: Iterable[str]) -> None:
        self._types: dict[str, str] = {}
        self._quoted: dict[str, list[Quoted]] = {}
        self._ends: list[tuple[str, str, str]] = []
        self._notes: dict[str, list[str]] = {}
        self.left_out: Counter[str] = Counter()
        for line in lines:
            if line:
                self._line(line)
        flat = [quoted for each in self._quoted.values() for quoted in each]
        read = reading(text, flat)
        self.unit = read.unit if flat else CODE_POINTS
        spans = iter(read.spans)
        self._spans = {
            key: _joined([next(spans) for _ in each], text) for key, each in self._quoted.items()
        }

    def entities(self) -> list[Entity]:
        """In the order of the lines."""
        return [
            Entity(label, self._spans[key], " ".join(self._notes.get(key, ())))
            for key, label in self._types.items()
        ]

    def relations(self) -> list[Relation]:
        """Between entities that are there.

        Raises:
            InvalidInput: one is not.
        """
        places = {key: place for place, key in enumerate(self._types)}
        for kind, start, end in self._ends:
            if start not in places or end not in places or start == end:
                raise InvalidInput(
                    f"the relation {kind} leads from {start} to {end}, no two entities"
                )
        return [Relation(kind, places[start], places[end]) for kind, start, end in self._ends]

    def _line(self, line: str) -> None:
        key, _, rest = line.partition("\t")
        if key.startswith("T"):
            self._entity(key, rest)
        elif key.startswith("R"):
            found = _RELATION.fullmatch(rest)
            if found is None:
                raise InvalidInput(f"{line[:60]!r} is no relation")
            self._ends.append((found[1], found[2], found[3]))
        elif key.startswith("#"):
            about, _, note = rest.partition("\t")
            if found := _NOTE.fullmatch(about):
                self._notes.setdefault(found[1], []).append(note)
            else:
                self.left_out["notes on no entity"] += 1
        else:
            self.left_out[f"lines of kind {key[:1]!r}"] += 1

    def _entity(self, key: str, rest: str) -> None:
        about, _, quote = rest.partition("\t")
        found = _ENTITY.fullmatch(about)
        if found is None or key in self._types:
            raise InvalidInput(f"{key} {about[:60]!r} is no entity, or the second of that name")
        self._types[key] = found[1]
        ends = [tuple(map(int, part.split(" "))) for part in found[2].split(";")]
        place, quoted = 0, []
        for start, end in ends:
            length = max(end - start, 0)
            piece = quote[place : place + length] if len(ends) > 1 else quote
            quoted.append(Quoted(start, end, piece, f"entity {key}"))
            place += length + 1
        if len(ends) > 1 and place - 1 != len(quote):
            raise InvalidInput(f"the fragments of {key} are not as long as {quote[:60]!r}")
        self._quoted[key] = quoted


def _joined(parts: list[Span], text: str) -> tuple[Span, ...]:
    """Fragments with those joined again that a line feed parted."""
    found: list[Span] = []
    for part in parts:
        before = found[-1] if found else None
        if before and _FEEDS.fullmatch(text, before.end, part.start):
            found[-1] = Span(before.start, part.end)
        else:
            found.append(part)
    return tuple(found)
