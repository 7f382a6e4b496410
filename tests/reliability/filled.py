"""A workspace with vectors and with the work of two people, and what it holds as one value."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from tests.helpers.folder_cache import build_once
from tests.helpers.stores import claim
from tests.helpers.terminal import ROOT, environment, program
from tui_annotate import workspace
from tui_annotate.domain.samples import SampleKey
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.workspace import Workspace

ORDINARY = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
"""Start of a command by which root obeys the permissions of files."""

PAIRS = ROOT / "sample_data" / "pairs.jsonl"
DATASET = "news"


def make(folder: Path) -> Path:
    """The workspace; equal for all tests of a process."""

    def build(folder: Path) -> None:
        with workspace.create(folder) as space:
            options = ImportOptions(dataset=DATASET, id_column="id", group_column="group")
            space.ingest(PAIRS, options=options, embedder="static")
            for name in ("ana", "bo"):
                annotate(space, name, count=8)

    return build_once(folder, "reliability", build)


def annotate(space: Workspace, name: str, *, count: int) -> None:
    """A person annotates and completes the first samples."""
    person = space.annotate.people.local(name).id
    for key in space.corpus.keys()[:count]:
        made = claim(f"{name}-{key.id}", 0, 9, label="Benign", note=f"note of {name}")
        space.annotate.add(person, key, made, seconds=1)
        space.annotate.finish(person, key, seconds=1)


def contents(space: Workspace) -> list[str]:
    """All samples and all work, as text."""
    return [repr(record) for record in space.records()]


def errors(space: Workspace) -> list[str]:
    """What `doctor` finds wrong in the workspace."""
    return [f"{each.check}: {each.message}" for each in space.check() if each.state == "error"]


def keys(space: Workspace) -> list[SampleKey]:
    """The keys of all samples, as they came."""
    return list(space.corpus.keys())


def checkpoint(folder: Path) -> None:
    """Move everything from the write-ahead log into the store's file."""
    with closing(sqlite3.connect(folder / "store.sqlite")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def run(
    words: str, folder: Path, *, ordinary: bool = False, begin: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    """Run a command of the program in a folder.

    Args:
        ordinary: without root's access to all files.
        begin: words of a command that starts the program.
    """
    start = ORDINARY if ordinary and os.geteuid() == 0 else []
    return subprocess.run(
        [*start, *begin, *program(*words.split())],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
