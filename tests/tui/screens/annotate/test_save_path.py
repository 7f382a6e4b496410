"""The map in CONTRIBUTING names the files that a digit key passes on its way to "saved"."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import attrgetter
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from tests.tui.screens.annotate_app import Person, make_workspace, open_app
from tui_annotate.domain import event_builders
from tui_annotate.editor import save_results
from tui_annotate.editor.effects import Save
from tui_annotate.storage.log import write_plans
from tui_annotate.tui.store_thread import StoreThread

ROOT = Path(__file__).parents[4]
PACKAGE = ROOT / "tui_annotate"
MOST_FILES = 12

# A file is on the way if it stands on the stack at one of the moments at which the save is passed
# on: what was only asked for a value, and what paints, has returned by then.
MOMENTS: tuple[Callable[..., Any], ...] = (
    Save.__init__,  # the draft asks for it
    StoreThread._submit,  # the screen hands it to the store's thread
    event_builders.add,  # the store's thread makes an event of it
    write_plans.write_planned_events,  # and writes the event
    save_results.apply_saved,  # the draft shows what came back
)


class StackRecorder:
    """Notes the product's files on the stack at each moment, outermost first."""

    def __init__(self) -> None:
        self.seen: dict[CodeType, None] = {}
        self.files: dict[str, None] = {}
        self._moments = {moment.__code__ for moment in MOMENTS}

    def __call__(self, frame: FrameType, event: str, arg: object) -> None:
        """The interpreter's hook, in each thread that is watched."""
        del arg
        if event != "call" or frame.f_code not in self._moments or frame.f_code in self.seen:
            return
        self.seen[frame.f_code] = None
        self.files |= dict.fromkeys(reversed(list(_files(frame))))


def _files(frame: FrameType | None) -> Iterator[str]:
    while frame is not None:
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(PACKAGE):
            yield path.relative_to(PACKAGE).with_suffix("").as_posix()
        frame = frame.f_back


@contextmanager
def recorded(person: Person) -> Iterator[StackRecorder]:
    """Watch the thread of the screen and that of the store."""
    recorder, store = StackRecorder(), person.screen.saver._thread
    before = sys.getprofile()
    store.submit(sys.setprofile, recorder).result()
    sys.setprofile(recorder)
    try:
        yield recorder
    finally:
        sys.setprofile(before)
        store.submit(sys.setprofile, None).result()


def read_map() -> str:
    """Return the section on the path of a save."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    found = re.search(r"^### The path of a save\n(.*?)(?=^### )", text, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[1]


async def test_a_digit_passes_the_files_of_the_map(tmp_path: Path) -> None:
    """In the order in which they are entered first, and not many."""
    async with open_app(make_workspace(tmp_path / "work")) as person:
        with recorded(person) as recorder:
            await person.press("1")
        assert len(person.annotations) == 1
        for name in re.findall(r"`draft\.([a-z_.]+)`", read_map()):
            attrgetter(name)(person.screen.draft)  # exists
    assert len(recorder.seen) == len(MOMENTS)
    steps = re.findall(r"^\d+\. `([a-z_/]+)`:", read_map(), re.MULTILINE)
    assert list(recorder.files) == steps
    assert len(recorder.files) <= MOST_FILES
