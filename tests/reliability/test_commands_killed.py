"""Commands that are killed in the middle, or that run while others write: all or nothing."""

from __future__ import annotations

import random
import subprocess
import threading
import time
from pathlib import Path
from typing import Final

import pytest

from tests.helpers.effort import by_effort
from tests.helpers.terminal import environment, program
from tests.reliability import filled
from tui_annotate import workspace

ROUNDS: Final = by_effort(push=3, full=5, torture=350)
COMMANDS: Final = {
    "delete": "datasets delete news -w work --yes --delete-annotations",
    "replace": "datasets replace news changed.jsonl -w work --delete-annotations --id-column id"
    " --group-column group",
    "backup": "backup create -w work copy",
    "snapshot": "audit snapshots create one -w work",
    "rebuild": "lab vectors rebuild -w work --embedder static",
    "export": "export -w work --to native -o out.jsonl",
}
CONTINUED: Final = {"delete", "replace"}
"""Commands that change a dataset in short transactions; the same command completes the change."""


def start(words: str, folder: Path) -> subprocess.Popen[bytes]:
    """Start a command of the program in a folder."""
    return subprocess.Popen(
        program(*words.split()),
        cwd=folder,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=(folder / "stderr").open("w"),
    )


def state(folder: Path) -> tuple[int, list[str]]:
    """The number of samples, and all work; the store, the log and the labels are sound."""
    with workspace.open(folder) as space:
        found = [each for each in filled.errors(space) if not each.startswith("vectors")]
        assert found == []
        return len(filled.keys(space)), filled.contents(space)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_killed_command_did_all_or_nothing(tmp_path: Path, name: str) -> None:
    """After each kill the store is as before or as after, or the same command completes it."""
    luck = random.Random(name)
    took = 0.0
    for number in range(ROUNDS + 1):
        place = tmp_path / str(number)
        folder = filled.make(place / "work")
        lines = filled.PAIRS.read_text("utf-8").splitlines()
        (place / "changed.jsonl").write_text("\n".join(lines[:-3]) + "\n", "utf-8")
        before = state(folder)
        began = time.monotonic()
        process = start(COMMANDS[name], place)
        if number:  # the first run is not killed: it shows how long a run takes
            try:
                process.wait(luck.random() * took)
            except subprocess.TimeoutExpired:
                process.kill()
        code = process.wait(120)
        took = took or time.monotonic() - began
        after = state(folder)
        if code == 0:
            done = after
        assert number or code == 0, (place / "stderr").read_text("utf-8")
        assert code or after == done, f"round {number}: reported as done"
        if name in CONTINUED and after not in (before, done):
            assert set(after[1]) <= {*before[1], *done[1]}, f"round {number}: a sample in between"
            assert start(COMMANDS[name], place).wait(120) == 0
            after = state(folder)
        assert after in (before, done), f"round {number}"


def test_a_backup_while_others_write_is_one_moment(tmp_path: Path) -> None:
    """Each copy is sound, and holds a beginning of each stream of events."""
    folder = filled.make(tmp_path / "work")
    ended = threading.Event()

    def write() -> None:
        with workspace.open(folder) as space:
            for number in range(1000):
                filled.annotate(space, f"writer{number}", count=2)
                if ended.is_set():
                    return

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(ROUNDS):
            done = start(f"backup create -w work copy{number}", tmp_path).wait(120)
            assert done == 0
    finally:
        ended.set()
        writer.join()
    with workspace.open(folder) as space:
        known = {stream: space.log.events(*stream) for stream in space.log.streams()}
    for number in range(ROUNDS):
        restored = tmp_path / f"restored{number}"
        assert start(f"backup restore copy{number} restored{number}", tmp_path).wait(120) == 0
        with workspace.open(restored) as space:
            assert filled.errors(space) == []
            for stream in space.log.streams():
                events = space.log.events(*stream)
                assert [event.id for event in events] == [
                    event.id for event in known[stream][: len(events)]
                ]
