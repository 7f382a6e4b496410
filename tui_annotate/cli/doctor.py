"""The command `doctor`: what is wrong with workspace or terminal, and the mending line."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import typer

from tui_annotate.cli import output
from tui_annotate.cli.doctor_folder import folder_checks
from tui_annotate.cli.doctor_server import glibc_check, sshd_checks
from tui_annotate.cli.options import JsonOption, WorkspaceOption, examples, find, opened
from tui_annotate.cli.ssh import SESSION
from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.findings import Finding
from tui_annotate.domain.people import Verb, may
from tui_annotate.domain.scores import Run

NARROWEST, LOWEST = 80, 24
STALE: Final = timedelta(days=1)
"""From its begin on, after which nobody waits for the end of a run."""
MOST_RUNS: Final = 3
"""Runs that are named before the rest is counted."""


def register(app: typer.Typer) -> None:
    """Adds this command to the app."""
    app.command(epilog=examples("tui-annotate doctor", "tui-annotate doctor --json"))(doctor)


def doctor(*, as_json: JsonOption = False, workspace: WorkspaceOption = None) -> None:
    """Say what is wrong, and how to mend it.

    Looks at configuration, store, log, permissions, disk, vectors, labels, machines' runs and
    terminal, and where keys are bound at sshd. Exit code 1 if something is wrong; a doubt alone
    does not count.
    """
    checks = [
        configuration_check(),
        *_workspace_checks(workspace),
        *glibc_check(),
        *_embedder_checks(),
        *terminal_checks(os.environ),
    ]
    if as_json:
        output.as_json([asdict(check) for check in checks])
    else:
        output.table(
            [output.Column("what"), output.Column("state"), output.Column("found", whole=True)],
            [(check.what, check.state, check.says) for check in checks],
        )
        for check in checks:
            if check.mend:
                output.line(f"to mend {check.what}: {check.mend}")
    if any(check.state == "wrong" for check in checks):
        raise typer.Exit(1)


def configuration_check() -> Finding:
    """Whether the person's own settings and key map can be used."""
    from tui_annotate.settings import load, user_file
    from tui_annotate.tui.keys.map import key_map

    file = str(user_file())
    try:
        settings = load()
    except TuiAnnotateError as error:  # its message names the file, or the environment
        return Finding("configuration", "wrong", error.message, error.hint)
    try:
        key_map(settings.keys)
    except TuiAnnotateError as error:
        return Finding("configuration", "wrong", f"{file}: {error.message}", error.hint)
    there = file if user_file().exists() else f"as it comes; nothing at {file}"
    return Finding("configuration", "ok", there)


def _workspace_checks(workspace: Path | None) -> Iterator[Finding]:
    try:
        folder = find(workspace)
    except TuiAnnotateError as error:
        yield Finding("workspace", "wrong", error.message, error.hint)
        return
    yield Finding("workspace", "ok", str(folder))
    yield from folder_checks(folder)
    try:
        with opened(folder) as space:
            yield from space.check()
            scores = space.machines.scores
            yield runs_check(len(scores.runs()), scores.unfinished(), now=datetime.now(UTC))
            manages = may(space.actor, Verb.MANAGE)
            lines = space.team.bind.lines(SESSION, folder=str(space.path)) if manages else []
        yield from sshd_checks(folder, lines)
    except TuiAnnotateError as error:
        from tui_annotate.storage.repair import mending

        yield Finding("store", "wrong", error.message, mending(error, folder / "store.sqlite"))


def runs_check(finished: int, unfinished: Sequence[Run], *, now: datetime) -> Finding:
    """How many runs of machines ended, and which others no process is likely to be at any more."""
    says = f"{finished:,} finished, {len(unfinished):,} unfinished"
    left = [each for each in unfinished if now - _begun(each) > STALE]
    if not left:
        return Finding("machines' runs", "ok", says)
    named = [f"{each.kind} {each.maker} of {each.dataset}, {each.at[:10]}" for each in left]
    more = f" and {len(named) - MOST_RUNS:,} more" if len(named) > MOST_RUNS else ""
    old = f"begun more than a day ago: {'; '.join(named[:MOST_RUNS])}{more}"
    mend = "run the same command again: it takes out what the unfinished run left"
    return Finding("machines' runs", "doubt", f"{says}; {old}", mend)


def _begun(run: Run) -> datetime:
    """When a run began; of one that a file brought with no time in it, long ago."""
    try:
        at = datetime.fromisoformat(run.at)
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _embedder_checks() -> Iterator[Finding]:
    """Which vectors ingest can make here; those that are stored need nothing of it."""
    from importlib.util import find_spec

    from tui_annotate.plugins.registry import best_embedder

    here = ["static"] * (find_spec("wordllama") is not None)
    here += ["neural"] * (best_embedder() == "neural")
    if here:
        yield Finding("embedders", "ok", f"ingest can make vectors: {', '.join(here)}")
    else:
        says = "ingest can make no vectors on this platform: new texts are ranked by words alone"
        yield Finding("embedders", "doubt", says)


def terminal_checks(environment: Mapping[str, str]) -> Iterator[Finding]:
    """What the terminal can show: kind, colours, size, encoding, settings in the way."""
    kind = environment.get("TERM", "")
    if not sys.stdout.isatty():
        yield Finding("terminal", "ok", "standard output is none; annotate needs one")
        return
    if kind in {"", "dumb"}:
        yield Finding("terminal", "wrong", f"TERM is {kind!r}", "export TERM=xterm-256color")
    else:
        yield Finding("terminal", "ok", f"{kind}, {_colours(environment)}")
    columns, rows = shutil.get_terminal_size()
    small = columns < NARROWEST or rows < LOWEST
    mend = f"make the window at least {NARROWEST}x{LOWEST}" if small else ""
    yield Finding("size", "doubt" if small else "ok", f"{columns}x{rows}", mend)
    if "utf" not in (sys.stdout.encoding or "").lower():
        says = f"the locale's encoding is {sys.stdout.encoding}"
        yield Finding("encoding", "wrong", says, "export LC_ALL=C.UTF-8")
    odd = sorted(name for name in environment if name.startswith("TEXTUAL"))
    if odd:
        yield Finding("settings", "doubt", f"set: {', '.join(odd)}", f"unset {' '.join(odd)}")


def _colours(environment: Mapping[str, str]) -> str:
    if environment.get("NO_COLOR"):
        return "no colours, as NO_COLOR asks"
    if environment.get("COLORTERM", "") in {"truecolor", "24bit"}:
        return "all colours"
    return "256 colours" if "256" in environment.get("TERM", "") else "16 colours"
