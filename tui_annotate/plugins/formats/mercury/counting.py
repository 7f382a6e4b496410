"""What the spans of a Mercury database were counted in: its documents, or the chunks they name."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.samples import Side
from tui_annotate.plugins.files.json_limits import SURROGATE, check_text
from tui_annotate.plugins.formats.mercury.tables import SIDES, Chunk, Row, Texts

_NOTHING: Final = -1
"""What stands for the start of a span that was not marked."""
_CHUNK_OF: Final = {Side.SOURCE: "src_chunk_id", Side.SUMMARY: "summ_chunk_id"}


def parsed(raw: Any, *, what: str) -> Any:
    """The value of a column that holds JSON.

    Raises:
        InvalidInput: it is none.
    """
    try:
        if not isinstance(raw, str) or SURROGATE.search(raw):
            raise InvalidInput(f"{what} is no text")
        value = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{what} is no JSON: {error}") from error
    check_text(value, raw)
    return value


class Marks:
    """The spans of one annotation by side, as its row gives them.

    Raises:
        InvalidInput: they are no pairs of integers.
    """

    def __init__(self, row: Row) -> None:
        self._what = f"annotation {row['annot_id']!r}"
        spans = parsed(row["annot_spans"], what=f"the spans of {self._what}")
        if not isinstance(spans, dict):
            raise InvalidInput(f"the spans of {self._what} are no object")
        raw = row.get("chunk_ids")
        chunks = parsed(raw, what="chunk_ids") if raw else {}
        if not isinstance(chunks, dict):
            raise InvalidInput(f"chunk_ids of {self._what} are no object")
        self.spans: dict[Side, tuple[int, int]] = {}
        self.chunks: dict[Side, Any] = {}
        for name, span in spans.items():
            side = self._side(name)
            start, end, *told = self._pair(span)
            if start == _NOTHING:
                continue
            self.spans[side] = (start, end)
            self.chunks[side] = told[0] if told else chunks.get(name, row.get(_CHUNK_OF[side]))

    def _side(self, name: str) -> Side:
        if name not in SIDES or SIDES[name] in self.spans:
            raise InvalidInput(f"{self._what} marks {name!r}", f"known: {', '.join(SIDES)}")
        return SIDES[name]

    def _pair(self, span: Any) -> list[int]:
        integers = isinstance(span, list) and all(type(at) is int for at in span)
        if not integers or len(span) not in (2, 3):
            raise InvalidInput(f"{self._what} has the span {span!r}", "write [start, end]")
        return list(span)

    def named(self, side: Side, texts: Texts) -> Chunk | None:
        """The chunk that the annotation names for a side; None where it names none."""
        wanted = self.chunks[side]
        return next((chunk for chunk in texts[side] if chunk.id == wanted), None)


class Counting:
    """Looks at every span of a database before one is taken."""

    def __init__(self) -> None:
        self._told = False
        self._differ = False
        self._in_documents = True
        self._in_chunks = True

    def look(self, marks: Marks, texts: Texts) -> None:
        """Looks at one annotation."""
        for side, (start, end) in marks.spans.items():
            chunk = marks.named(side, texts)
            if chunk is None:
                self._in_chunks &= marks.chunks[side] is None
                continue
            self._told = True
            self._in_chunks &= 0 <= start < end <= len(chunk.text)
            self._in_documents &= start < chunk.end and end > chunk.start
            self._differ |= chunk.start > 0

    def in_chunks(self) -> bool:
        """Whether all spans were counted from where the chunk begins that they name.

        Raises:
            InvalidInput: they may have been, or not; or they fit neither way.
        """
        if not self._told or not self._differ:
            return False
        if self._in_chunks == self._in_documents:
            ways = "both in chunks and in documents" if self._in_chunks else "no way of counting"
            raise InvalidInput(
                f"the spans fit {ways}", "dump it with Mercury, and read the dump, which quotes"
            )
        return self._in_chunks


def shifted(marks: Marks, texts: Texts) -> Iterable[tuple[Side, int, int]]:
    """The spans of an annotation that counted in chunks, in its documents."""
    for side, (start, end) in marks.spans.items():
        chunk = marks.named(side, texts)
        offset = chunk.start if chunk else 0
        yield side, start + offset, end + offset
