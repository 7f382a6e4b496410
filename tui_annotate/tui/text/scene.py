"""All that lies on one document, for `painter` to paint; it decides nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tui_annotate.domain.samples import Match
from tui_annotate.domain.spans import Span
from tui_annotate.tui.text.layers import Mark, SpanLayer


@dataclass
class Scene:
    """All that lies on one document.

    Attributes:
        focused_match: the rank of the match that keys act on; 0 for none.
        former: what was evidence before, in other samples; a sign in the gutter, the text is plain.
        shared: words of the focused match that the selection has as well.
        conflicts: what may contradict the other text.
        lacking: words that the other text has nowhere.
        tags: what hangs behind the code point at an offset, made harmless; no part of the text.
        focused_tag: of these the part that keys are at: the offset, and an extent in what hangs
            there; None for none.
        focused_hit: the number of the search hit that keys act on, from 1; 0 for none.
        sentence: the one under the cursor; None while something is selected.
        cursor: the character under it; None where no cursor is drawn.
        active: keys go to this document.
    """

    matches: SpanLayer[Match] = field(default_factory=SpanLayer)
    focused_match: int = 0
    marks: SpanLayer[Mark] = field(default_factory=SpanLayer)
    evidence: SpanLayer[None] = field(default_factory=SpanLayer)
    former: SpanLayer[None] = field(default_factory=SpanLayer)
    shared: SpanLayer[None] = field(default_factory=SpanLayer)
    conflicts: SpanLayer[None] = field(default_factory=SpanLayer)
    lacking: SpanLayer[None] = field(default_factory=SpanLayer)
    hits: SpanLayer[int] = field(default_factory=SpanLayer)
    tags: Mapping[int, str] = field(default_factory=dict)
    focused_tag: tuple[int, Span] | None = None
    focused_hit: int = 0
    hints: SpanLayer[str] = field(default_factory=SpanLayer)
    selection: Span | None = None
    sentence: Span | None = None
    cursor: Span | None = None
    active: bool = False
