"""Draws the pictures of the documentation: the app itself, on the example data, at work.

`python docs/pictures.py docs/images`; the same data gives the same pictures.
"""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import tui_annotate
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.tui.app import AnnotateApp
from tui_annotate.workspace import Workspace

ROOT = Path(__file__).parents[1]
SIZE = (120, 34)
# "was loved ... families" is saved without evidence; "15 million pounds" is being worked on.
STEPS = (
    ["down", "w", "w", "v", *["w"] * 7, "2"],
    ["home", *["w"] * 17, "v", "w", "w"],
    ["space"],
)


async def _drawn(workspace: Path) -> str:
    def opened() -> Workspace:
        return tui_annotate.open(workspace)

    app = AnnotateApp(opened, person="ana", sample="bridge-1")
    async with app.run_test(size=SIZE) as pilot:
        await pilot.app.workers.wait_for_complete()
        await pilot.pause(2)
        for keys in STEPS:
            await pilot.press(*keys)
            await pilot.pause(1)  # the assist answers from a thread
        return app.export_screenshot(title="tui-annotate")


def main() -> None:
    """Draws all pictures into the folder that is named."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as made:
        place = Path(made) / "workspace"
        options = ImportOptions(dataset="news", id_column="id", group_column="group")
        with tui_annotate.create(place) as workspace:
            workspace.ingest(ROOT / "sample_data" / "pairs.jsonl", options=options)
        drawn = asyncio.run(_drawn(place))
    # A picture fetches nothing: the reader's own fixed-width font will do.
    plain = re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL)
    (folder / "annotate.svg").write_text(plain, "utf-8")


if __name__ == "__main__":
    main()
