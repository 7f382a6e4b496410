"""A program with two document panes and three keys: what the panes cost without an app around.

`python -m benchmarks.two_panes en|zh`: `l` moves the cursor, `s` goes to the next sentence and
lights five others up, `d` turns a page.
"""

from __future__ import annotations

import random
import re
import sys
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal

from tui_annotate.domain.samples import Match, Segment
from tui_annotate.tui.theme import themes
from tui_annotate.tui.widgets.document_pane import DocumentPane, Mark

MEGABYTE = 1_000_000
READY = "two panes are ready"
_ENGLISH = "council approved plan Monday after long debate will cost four million an old bridge"
_CHINESE = "桥梁将于六月重新开放市长说报告指出裂缝最早于二年三月被发现工程师认为费用会继续上升"


def document(language: str, size: int = MEGABYTE) -> tuple[str, tuple[Segment, ...]]:
    """A text of about `size` bytes, the same every time, and its sentences."""
    luck = random.Random(7)
    sentences: list[str] = []
    length = 0
    while length < size:
        if language == "zh":
            sentence = "".join(luck.choices(_CHINESE, k=luck.randint(8, 40))) + "。"
        else:
            sentence = (
                " ".join(luck.choices(_ENGLISH.split(), k=luck.randint(5, 30))).capitalize() + ". "
            )
        sentence += "\n" * (luck.random() < 0.15)
        sentences.append(sentence)
        length += len(sentence.encode())
    text = "".join(sentences)
    ends = [found.end() for found in re.finditer(r"[.。] ?\n?", text)]
    return text, tuple(map(Segment, [0, *ends[:-1]], ends))


class TwoPanes(App[None]):
    """Two documents side by side: the longer one lit up from the shorter one."""

    ENABLE_COMMAND_PALETTE = False
    CSS = "#source { width: 3fr; } #summary { width: 2fr; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        ("l", "cursor", "Cursor"),
        ("s", "sentence", "Sentence"),
        ("d", "page", "Page"),
    ]

    def __init__(self, language: str) -> None:
        super().__init__()
        for theme in themes():
            self.register_theme(theme)
        self.theme = "dark"
        self.source, self.summary = DocumentPane(id="source"), DocumentPane(id="summary")
        self.text, self.segments = document(language)
        self.turn = 0

    def compose(self) -> ComposeResult:
        """The panes."""
        yield Horizontal(self.source, self.summary)

    def on_mount(self) -> None:
        """Load a megabyte on both sides, and sixty annotations."""
        self.source.load(self.text, self.segments)
        self.summary.load(self.text, self.segments)
        spans = [segment.span for segment in self.segments[:60]]
        self.source.set_marks([Mark(span, "A", number) for number, span in enumerate(spans[::2])])
        self.summary.focus()
        self.title = READY

    def action_cursor(self) -> None:
        """One character on."""
        self.summary.move("char", 1)

    def action_sentence(self) -> None:
        """One sentence on, and five new matches, the best first."""
        self.summary.move("sentence", 1)
        self.turn += 1
        chosen = range(self.turn % 4, self.turn % 4 + 20, 4)
        self.source.set_matches(
            [
                Match(0, index, self.segments[index].span, 0.9 - 0.15 * rank, rank + 1)
                for rank, index in enumerate(chosen)
            ],
            focused=1,
        )

    def action_page(self) -> None:
        """One page on."""
        self.source.move("page", 1)


if __name__ == "__main__":
    TwoPanes(sys.argv[1]).run()
