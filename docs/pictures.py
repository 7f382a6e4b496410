"""Draws the pictures of the documentation by the app itself: python docs/pictures.py docs/images.

No terminal is needed. The same sources give the same bytes; nothing of this machine is in them.
"""

from __future__ import annotations

import asyncio
import html
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from textual.pilot import Pilot

import tui_annotate
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.services.ingest import VectorOptions
from tui_annotate.tui.app import AnnotateApp
from tui_annotate.tui.theme import detect

PAIRS: Final = Path(__file__).parents[1] / "sample_data" / "pairs.jsonl"
VECTORS: Final = PAIRS.with_name("vectors.parquet")
SAMPLE: Final = "bridge-1"
SIZES: Final[Mapping[str, tuple[int, int]]] = {"annotate": (140, 40), "annotate-80": (80, 24)}
FONTS: Final = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', 'Noto Sans Mono', monospace"
BLANK: Final = "\xa0"
RUN: Final = re.compile(
    r'<text (?P<before>[^>]*?)x="(?P<x>[\d.]+)" (?P<y>y="[\d.]+") '
    r'textLength="(?P<length>[\d.]+)"(?P<after>[^>]*)>(?P<text>[^<]*)</text>'
)
"""A run of text as Rich writes it, its blanks as such that are never joined."""
MOMENT: Final = 0.01  # seconds between two looks at whether the app has come to rest

STEPS: Final[Sequence[tuple[str, ...]]] = (
    ("loved", "families"),
    ("2",),
    ("barge", "pier"),
    ("space", "1"),
    ("15", "pounds"),
    ("space",),
)
"""First and last word of a selection, then keys, in turns: two annotations, and a third in hand."""


async def select(pilot: Pilot[None], app: AnnotateApp, words: Sequence[str]) -> None:
    """Selects from the nearest such word to the other, by the letters that stand on them."""
    draft = app.sample_screen.draft
    await pilot.press("f")
    for word in words:
        if draft is None or draft.hints is None:
            raise SystemExit(f"the app shows no letters to select {word!r} by")
        text = draft.text(draft.side)
        codes = [code for code, span in draft.hints.shown().items() if span.of(text) == word]
        await pilot.press(*codes[0])


async def settle(pilot: Pilot[None], app: AnnotateApp) -> None:
    """Waits until everything given to the store and to the assist is answered."""
    while (
        app.sample_screen.draft is None
        or app.sample_screen.saver.waiting
        or not app.sample_screen.listening_since
    ):
        await pilot.pause(MOMENT)
    await pilot.app.workers.wait_for_complete()
    while app.sample_screen.comparison.comparing:
        await pilot.pause(MOMENT)
    await pilot.pause()


async def drawn(folder: Path, size: tuple[int, int]) -> str:
    """The app after all steps, as SVG."""
    look = detect({"TERM": "xterm-256color"})
    app = AnnotateApp(lambda: tui_annotate.open(folder), person="ana", sample=SAMPLE, look=look)
    async with app.run_test(size=size) as pilot:
        await settle(pilot, app)
        for number, step in enumerate(STEPS):
            if number % 2:
                await pilot.press(*step)
            else:
                await select(pilot, app, step)
            await settle(pilot, app)
        svg = app.export_screenshot(title="tui-annotate")
        app.sample_screen.quit()
    return svg


def trimmed(run: re.Match[str]) -> str:
    """A run of text without its outer blanks, which not every viewer draws, at its own place."""
    text = html.unescape(run["text"])
    kept = text.strip(BLANK)
    cell = float(run["length"]) / len(text)
    start = float(run["x"]) + cell * (len(text) - len(text.lstrip(BLANK)))
    place = f'x="{start:.1f}" {run["y"]} textLength="{cell * len(kept):.1f}"'
    shown = html.escape(kept).replace(BLANK, "&#160;")
    return f"<text {run['before']}{place}{run['after']}>{shown}</text>"


def own(svg: str) -> str:
    """The picture with the fonts of whoever looks at it; it asks nothing of the web."""
    svg = re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    svg = re.sub(r"font-family: [^;]*;", f"font-family: {FONTS};", svg)
    svg = re.sub(r"<!-- .*? -->\s*", "", svg, flags=re.DOTALL)
    svg = RUN.sub(trimmed, svg)
    return re.sub(r"[ \t]+\n", "\n", svg).rstrip() + "\n"


def ingest(folder: Path) -> None:
    """Makes the workspace: a model's vectors without the model, the same everywhere."""
    options = ImportOptions(dataset="news", id_column="id", group_column="group")
    with tui_annotate.create(folder) as space:
        space.ingest(PAIRS, options=options, embedder=VectorOptions(prepared=VECTORS))


def main(target: Path) -> None:
    """Writes all pictures into a folder."""
    target.mkdir(parents=True, exist_ok=True)
    for name, size in SIZES.items():
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place) / "work"
            ingest(folder)
            svg = own(asyncio.run(drawn(folder, size)))
        (target / f"{name}.svg").write_text(svg, "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
