"""From a key to the last byte of its frame: the app in a real terminal, a megabyte on both sides.

The last byte is the one after which nothing came for a while; keys are pressed one after the other.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory

from benchmarks.report import Row
from benchmarks.synthetic import SyntheticEmbedder
from benchmarks.workspaces import FIRST, chinese, prose, workspace_from
from tests.helpers.terminal import Terminal, program
from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.samples import Side
from tui_annotate.domain.scores import RunKind, ScoreRun
from tui_annotate.domain.spans import Span
from tui_annotate.domain.suggestions import Suggestion, with_id
from tui_annotate.workspace import open as open_workspace

CURSOR = "\x1b[C"
KEYS = {
    CURSOR: "cursor",
    "\x1b[B": "next sentence, its matches",
    "v": "select a word or drop it, its matches",
    "\x1b[6~": "page",
}
WALK = {CURSOR: KEYS[CURSOR], "c": "next suggestion, its matches"}
SUGGESTED = 200
ASKING = {key: what for key, what in KEYS.items() if "matches" in what}
LOADING = "loading vectors"  # what the screen says until the assist has them
LANGUAGES = {"en": "English", "zh": "Chinese"}
MEGABYTE = 1_000_000
PRESSES = 100
QUIET = 0.04  # seconds without a byte that end a frame; Textual paints at most every 0.017
FIRST_FRAME = 2.0  # the same, at the start


@dataclass(frozen=True, slots=True)
class Frames:
    """What the presses of one key cost.

    Attributes:
        waits: milliseconds from the key to the last byte of its frame, one a press.
        sizes: bytes written, one a press.
        cpu: milliseconds of processor time a press.
    """

    waits: list[float]
    sizes: list[int]
    cpu: float

    @property
    def slowest(self) -> float:
        """The 95th percentile of the waits."""
        return quantiles(self.waits, n=20)[-1]


def frame(terminal: Terminal, key: str) -> tuple[float, int]:
    """Press a key; milliseconds until the last byte of what it painted, and the bytes."""
    pressed = last = time.perf_counter()
    terminal.press(key)
    size = 0
    while new := terminal.read(QUIET if size else 1.0):
        last = time.perf_counter()
        size += len(new)
    return (last - pressed) * 1000, size


def frames(terminal: Terminal, key: str) -> Frames:
    """Press a key many times."""
    before = terminal.cpu()
    measured = [frame(terminal, key) for _ in range(PRESSES)]
    cpu = (terminal.cpu() - before) / PRESSES * 1000
    return Frames([wait for wait, _ in measured], [size for _, size in measured], cpu)


def rows() -> list[Row]:
    """The figures of every key in both languages, and of those that ask for matches with tokens."""
    with TemporaryDirectory() as folder:
        static, neural = Path(folder) / "static", Path(folder) / "neural"
        workspace_from(static, _pairs(), id_column="id")
        workspace_from(neural, _pairs(), id_column="id", embedder=SyntheticEmbedder())
        measured = [*_pressed(static, KEYS), *_pressed(neural, ASKING, ", vectors of tokens")]
        _suggest(static)
        return [*measured, *_pressed(static, WALK, f", {SUGGESTED} suggestions", only="en")]


def _suggest(workspace: Path) -> None:
    """A machine proposes to mark words in all of the summary, each with evidence far away."""
    with open_workspace(workspace) as space:
        key, made = space.corpus.find("en"), []
        about = ScoreRun(id="said", kind=RunKind.SUGGEST, maker="judge:none", dataset=key.dataset)
        for at in range(0, MEGABYTE - 5000, MEGABYTE // SUGGESTED)[:SUGGESTED]:
            span = Span(at + 1, at + 40)
            anchors = [(Anchor(side, 0, span),) for side in (Side.SUMMARY, Side.SOURCE)]
            one = Suggestion(
                id="", maker=about.maker, run=about.id, claim=anchors[0], evidence=anchors[1],
                labels=(("Unwanted", "Intrinsic"),), note="it says something else", score=0.5,
            )  # fmt: skip
            made.append((key, with_id(key, one)))
        space.machines.suggestions.add(about, made)


def _pairs() -> Iterator[dict[str, str]]:
    for language, text in {"en": prose, "zh": chinese}.items():
        yield {"id": language, "source": text(MEGABYTE, 1), "summary": text(MEGABYTE, 2)}


def _pressed(
    workspace: Path, keys: Mapping[str, str], how: str = "", *, only: str = ""
) -> Iterator[Row]:
    env = {
        "TUI_ANNOTATE_STATE": str(workspace.parent),
        "TUI_ANNOTATE_CONFIG": str(workspace.parent / "none.toml"),
    }
    for language, name in LANGUAGES.items():
        if only and language != only:
            continue
        command = program("annotate", "-w", str(workspace), "--sample", language)
        with Terminal(command, env=env, columns=120, rows=40) as terminal:
            terminal.wait_bytes(FIRST.encode())
            terminal.wait(lambda screen: "words" in screen and LOADING not in screen)
            while terminal.read(FIRST_FRAME):
                pass
            for key, what in keys.items():
                yield from _rows(f"{what}, {name}, 1 MB{how}", frames(terminal, key), key)


def _rows(what: str, measured: Frames, key: str) -> list[Row]:
    return [
        Row(f"key to frame, p50: {what}", median(measured.waits), unit="ms"),
        Row(f"key to frame, p95: {what}", measured.slowest, 16.0, "ms"),
        Row(f"processor a key: {what}", measured.cpu, unit="ms"),
        Row(
            f"bytes a key: {what}",
            median(measured.sizes),
            1000.0 if key == CURSOR else None,
            "bytes",
        ),
    ]
