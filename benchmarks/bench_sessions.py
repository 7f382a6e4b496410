"""Thirty people at work at once, each in a session as sshd begins it, with pauses as people make.

Their starts are spread over a minute. What each screen called saved is held against the log, and
every key is timed until the last byte of its frame. Some minutes long.
"""

from __future__ import annotations

import multiprocessing
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory

import tui_annotate
from benchmarks.bench_keys import frame
from benchmarks.bench_memory import pss
from benchmarks.report import Row
from benchmarks.workspaces import workspace_of
from tests.end_to_end import example
from tests.end_to_end.annotator import Annotator
from tests.end_to_end.example import LoggedAction
from tests.helpers.terminal import Terminal
from tui_annotate.services.authentication.account_management import NewAccount

SESSIONS = 30
SPREAD = 60.0  # seconds over which they begin
LONG = 150.0  # seconds from the first start to the last action
SAMPLES, LENGTH = 40, 20_000
BETWEEN_KEYS = 0.35  # seconds, on average
READING = (3.0, 9.0)  # seconds before an action
QUIT = "\x11"
PHRASE = "five small green boats"
TOGETHER = 20.0  # seconds before the end in which memory is taken, as all of them are there
READY = 8.0  # seconds in which the processes that press the keys come up


@dataclass(frozen=True)
class Seat:
    """Who works where, and from when to when (by the monotonic clock)."""

    person: str
    workspace: Path
    number: int
    begins: float
    ends: float


@dataclass
class Day:
    """What came of a session.

    Attributes:
        began: seconds from the start to a sample that can be worked on.
        waits: milliseconds from a key to the last byte of its frame.
        told: what the screen called saved.
        memory: proportional share of the process, in MB, with all the others there.
        refused: why the session was; empty where it was not.
    """

    began: float = 0.0
    waits: list[float] = field(default_factory=list)
    saved_actions: list[LoggedAction] = field(default_factory=list)
    memory: float = 0.0
    refused: str = ""


def spent(seat: Seat) -> Day:
    """A session from its beginning to its end; it runs in a process of its own."""
    day, luck = Day(), random.Random(seat.number)
    time.sleep(max(0.0, seat.begins - time.monotonic()))
    command = [sys.executable, "-I", "-m", "tui_annotate", "ssh", "session", seat.person]
    env = {"HOME": str(seat.workspace.parent)}
    with Terminal([*command, "-w", str(seat.workspace)], env=env) as terminal:
        annotator = Annotator(terminal, luck, day.saved_actions)
        try:
            terminal.wait("save:")
            day.began = time.monotonic() - seat.begins
            annotator.clear_message()
            while time.monotonic() < seat.ends:
                _act(annotator, luck, day)
                if not day.memory and time.monotonic() > seat.ends - TOGETHER:
                    day.memory = pss(terminal.pid)
            terminal.press(QUIT)
            if code := terminal.end():
                day.refused = f"it ended with {code}: {terminal.text.strip()}"
        except AssertionError as error:
            day.refused = str(error)
    return day


def _act(annotator: Annotator, luck: random.Random, day: Day) -> None:
    """Reads a while, presses the keys of an action one by one, waits for what is said of it."""
    _rest(annotator.terminal, luck.uniform(*READING))
    keys = annotator.random_keys()
    for key in keys:
        wait, size = frame(annotator.terminal, key)
        if size:
            day.waits.append(wait)
        _rest(annotator.terminal, luck.expovariate(1 / BETWEEN_KEYS))
    annotator.wait_for_answer()
    annotator.clear_message()


def _rest(terminal: Terminal, seconds: float) -> None:
    """Presses nothing for a while; what is drawn meanwhile is read."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        terminal.read(left)


def rows() -> list[Row]:
    """What came of all sessions, and of the store afterwards; nothing without Linux's figures."""
    if not Path("/proc/self/smaps_rollup").exists():
        return []
    with TemporaryDirectory() as folder:
        workspace = Path(folder) / "work"
        workspace_of(workspace, samples=SAMPLES, length=LENGTH)
        people = _people(workspace)
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload([__name__])
        begins = time.monotonic() + READY
        seats = [
            Seat(person, workspace, number, begins + SPREAD * number / SESSIONS, begins + LONG)
            for number, person in enumerate(people)
        ]
        with context.Pool(SESSIONS) as pool:
            days = pool.map(spent, seats, chunksize=1)
        with tui_annotate.open(workspace) as space:
            stored = [example.logged_actions(space, person) for person in people]
            wrong = example.find_store_errors(space)
    return _rows(days, stored, wrong)


def _people(workspace: Path) -> list[str]:
    with tui_annotate.open(workspace) as space:
        news = [
            NewAccount(f"p{number}", f"p{number}@example.org", password=PHRASE)
            for number in range(SESSIONS)
        ]
        return [space.team.accounts.add(new).person.id for new in news]


def _rows(
    days: Sequence[Day], stored: Sequence[Sequence[LoggedAction]], wrong: Sequence[str]
) -> list[Row]:
    for reason in chain((day.refused for day in days), wrong):
        if reason:
            sys.stderr.write(f"{reason}\n")
    waits = list(chain.from_iterable(day.waits for day in days))
    lost = sum(list(log) != day.saved_actions for day, log in zip(days, stored, strict=True))
    who = f"{len(days)} sessions at once"
    return [
        Row(f"{who}: refused or ended by an error", sum(bool(day.refused) for day in days), 0),
        Row(f"{who}: whose log is not what was shown as saved", lost, 0),
        Row(f"{who}: findings of store and log afterwards", len(wrong), 0),
        Row(f"{who}: actions shown as saved", sum(len(day.saved_actions) for day in days)),
        Row(f"{who}: key to frame, p50", median(waits), unit="ms"),
        Row(f"{who}: key to frame, p95", quantiles(waits, n=20)[-1], 100, "ms"),
        Row(
            f"{who}: start to a sample to work on, median", median(d.began for d in days), unit="s"
        ),
        Row(f"{who}: the same, the slowest", max(day.began for day in days), unit="s"),
        Row(f"{who}: memory (PSS) of each, the largest", max(d.memory for d in days), 200, "MB"),
    ]
