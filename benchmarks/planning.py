"""The fewest keys an expert needs to a span, as far as the app's own cursor and hints know them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Final

from tests.editor.draft_samples import typed_codes
from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span
from tui_annotate.editor.hints import WordHints
from tui_annotate.tui.text.cursor import TextCursor

Keys = tuple[str, ...]
Place = tuple[int, int | None]

_MOVING: Final = {
    "down": ("sentence", 1), "up": ("sentence", -1), "right": ("char", 1), "left": ("char", -1),
    "w": ("word", 1), "b": ("word", -1), "home": ("start", -1), "end": ("end", 1),
}  # fmt: skip
_REACH: Final = {"left": 12, "right": 12, "w": 120, "b": 120}
"""Code points over which one counts out characters and words; further off one jumps."""
_MOST: Final = 40
"""Keys; nobody presses more for a span."""


@dataclass(frozen=True, slots=True)
class Goal:
    """Where the keys are to lead.

    Attributes:
        span: to be selected, or to be the sentence under the cursor, without white space.
        moved: the cursor has to move, as digits sleep where it stands.
    """

    span: Span
    moved: bool = False


class Planner:
    """Plans keys on one side of a sample; the cursor is a copy, moved as the keys move the app's.

    Args:
        cursor: of the side's text, with nothing selected, for this alone.
        pairs: the words on screen, as letters can be put on them.
    """

    def __init__(self, cursor: TextCursor, side: Side, pairs: Sequence[tuple[Span, ...]]) -> None:
        self._cursor = cursor
        self._side = side
        self._pairs = pairs
        self._words = [word for pair in pairs for word in pair]

    def shortest(self, goal: Goal) -> Keys | None:
        """The fewest keys found from where the cursor is; None where none lead to the goal."""
        number = count()
        edge = [(len(keys), next(number), keys, place) for keys, place in self._starts(goal)]
        heapify(edge)
        seen: set[Place] = set()
        while edge:
            cost, _, keys, place = heappop(edge)
            if self._reached(place, goal, began=not keys):
                return keys
            if place in seen or cost == _MOST:
                continue
            seen.add(place)
            for key, there in self._steps(place, goal):
                if there not in seen:
                    heappush(edge, (cost + 1, next(number), (*keys, key), there))
        return None

    # jumps

    def _starts(self, goal: Goal) -> list[tuple[Keys, Place]]:
        """Worth to begin with: nothing, sentences up to the goal's, and letters from either."""
        here = self._here()
        places: list[tuple[Keys, Place]] = [((), here)]
        if walked := self._walked(here, goal.span.start):
            places.append(walked)
        lettered = [
            (keys + more, at) for keys, place in places for more, at in self._lettered(place, goal)
        ]
        return places + lettered

    def _walked(self, place: Place, offset: int) -> tuple[Keys, Place] | None:
        """To the sentence that holds an offset; none where it is there already, or can not be."""
        cursor = self._at(place)
        wanted = cursor.sentences.index(offset)
        keys: list[str] = []
        while cursor.segment != wanted:
            key, step = ("down", 1) if cursor.segment < wanted else ("up", -1)
            before = cursor.offset
            cursor.move("sentence", step)
            if cursor.offset == before:
                return None
            keys.append(key)
        return (tuple(keys), self._here()) if keys else None

    def _lettered(self, place: Place, goal: Goal) -> Iterator[tuple[Keys, Place]]:
        near = self._sentence(place) or Span(place[0], place[0] + 1)
        hints = WordHints.over(self._side, self._pairs, near)
        codes = typed_codes(hints)
        for first in self._around(goal.span.start):
            for last in self._around(goal.span.end - 1):
                if first not in codes or last not in codes or last < first:
                    continue
                second = ("enter",) if first == last else tuple(codes[last])
                self._at(place).select(first.union(last))
                yield ("f", *codes[first], *second), self._here()

    def _around(self, offset: int) -> list[Span]:
        """The word at an offset, else those on both sides of it."""
        before = [word for word in self._words if word.start <= offset][-1:]
        inside = [word for word in before if offset < word.end]
        return inside or before + [word for word in self._words if word.start > offset][:1]

    # single keys

    def _steps(self, place: Place, goal: Goal) -> Iterator[tuple[str, Place]]:
        """Keys and where they lead, moves only where they come nearer to one of the goal's ends."""
        far = _distance(place, goal)
        for key in _MOVING:
            if far > _REACH.get(key, far):
                continue
            there = self._pressed(place, key)
            if _distance(there, goal) < far:
                yield key, there
        for key in ("full_stop", "v", *(["o"] if place[1] is not None else [])):
            yield key, self._pressed(place, key)

    def _pressed(self, place: Place, key: str) -> Place:
        cursor = self._at(place)
        selecting = cursor.selection is not None
        if key in _MOVING:
            unit, step = _MOVING[key]
            cursor.move(unit, step, extend=selecting)
        elif key == "full_stop":
            cursor.grow(1)
        elif key == "o":
            cursor.swap_ends()
        elif selecting:
            cursor.select(None)
        else:
            cursor.select_word()
        return self._here()

    def _reached(self, place: Place, goal: Goal, *, began: bool) -> bool:
        cursor = self._at(place)
        if cursor.selection is not None:
            return cursor.selection.trim(cursor.text) == goal.span
        return not (began and goal.moved) and self._sentence(place) == goal.span

    # the cursor

    def _sentence(self, place: Place) -> Span | None:
        """The sentence under the cursor, trimmed."""
        cursor = self._at(place)
        return cursor.sentences.trimmed(cursor.segment)

    def _at(self, place: Place) -> TextCursor:
        self._cursor.place(place[0])
        self._cursor.anchor = place[1]
        return self._cursor

    def _here(self) -> Place:
        return self._cursor.offset, self._cursor.anchor


def _distance(place: Place, goal: Goal) -> int:
    """Code points from the cursor to the nearer end of the goal that nothing stands on yet."""
    ends = {goal.span.start, goal.span.end - 1}
    left = ends - {place[1]} or ends
    return min(abs(place[0] - end) for end in left)
