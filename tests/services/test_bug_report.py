"""What a bug report takes over from settings, logs and a workspace, and what it never does."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tui_annotate.services import bug_report
from tui_annotate.services.bug_report.message_templates import REMOVED, MessageTemplates

SECRET = "Qzx"
TEMPLATES = MessageTemplates(['"no vectors found: %s"\n"the position was not saved: %s"'])
PANES, STORE = "tui_annotate.tui.screens.sample.panes", "tui_annotate.tui.store_thread"
LOG = f"""\
2026-11-27 10:00:00,123 INFO {PANES}: no vectors found: {SECRET}
{SECRET} went on
and on
2026-11-27 10:00:01,456 ERROR {STORE}: the position was not saved: KeyError
Traceback (most recent call last):
  File "/opt/{SECRET}/tui_annotate/tui/store_thread.py", line 12, in _run
    raise {SECRET}
  File "/opt/{SECRET}/.venv/lib/python3.11/site-packages/textual/app.py", line 7, in <module>
    {SECRET}()
  File "/usr/lib/python3.11/threading.py", line 9, in run
  File "/opt/{SECRET}/{SECRET}.py", line 9, in {SECRET}
tui_annotate.domain.errors.Conflict: {SECRET}
2026-11-27 10:00:02,000 WARNING {SECRET}: hello
2026-11-27 10:00:03,000 {SECRET} textual: hello
Traceback (most recent call last):
{SECRET}
Traceback (most recent call last):
  File "/opt/tui_annotate/{SECRET}.py", line 9, in run
KeyError: {SECRET}
"""


def test_a_log_keeps_times_places_and_kinds_of_errors() -> None:
    """Levels, loggers, the program's words, frames of known files; no text, no user's path."""
    assert bug_report.clean_log(LOG.splitlines(), TEMPLATES) == [
        f"2026-11-27 10:00:00,123 INFO {PANES}: no vectors found: {REMOVED}",
        REMOVED,
        f"2026-11-27 10:00:01,456 ERROR {STORE}: the position was not saved: {REMOVED}",
        "Traceback (most recent call last):",
        '  File "tui_annotate/tui/store_thread.py", line 12, in _run',
        REMOVED,
        '  File "textual/app.py", line 7, in <module>',
        REMOVED,
        '  File "python3.11/threading.py", line 9, in run',
        REMOVED,
        "tui_annotate.domain.errors.Conflict",
        f"2026-11-27 10:00:02,000 WARNING {REMOVED}: {REMOVED}",
        REMOVED,
        "Traceback (most recent call last):",
        REMOVED,
        "Traceback (most recent call last):",
        REMOVED,
        "KeyError",
    ]


def test_the_end_of_the_newest_log_is_read(tmp_path: Path) -> None:
    """At most so many lines; a folder without a log has none."""
    assert bug_report.read_newest_log(tmp_path / "none") == []
    for name, at in (("app.log", 1), ("app-7.log", 2)):
        lines = (f"{name} {number}" for number in range(bug_report.LOG_LINES + 5))
        (tmp_path / name).write_text("\n".join(lines))
        os.utime(tmp_path / name, (at, at))
    found = bug_report.read_newest_log(tmp_path)
    assert len(found) == bug_report.LOG_LINES
    assert found[-1] == f"app-7.log {bug_report.LOG_LINES + 4}"


@pytest.mark.parametrize(("term", "told"), [("xterm-256color", "xterm-256color"), (SECRET, True)])
def test_the_terminal_is_told(term: str, told: object) -> None:
    """Its type, if it looks like one, its size and encoding."""
    found = bug_report.describe_terminal({"TERM": term}, (80, 24))
    assert (found["term"], found["colorterm"]) == (told, False)
    assert (found["columns"], found["rows"]) == (80, 24)


def test_files_are_counted_by_the_parts_of_a_workspace(tmp_path: Path) -> None:
    """Other files count together, as their names may be anything."""
    (tmp_path / "log").mkdir()
    for name in ("store.sqlite", "log/app.log", f"{SECRET}.txt", f"{SECRET}2.txt"):
        (tmp_path / name).write_bytes(b"12345")
    found = bug_report.measure_folder(tmp_path)
    assert found == {
        "store.sqlite": {"files": 1, "bytes": 5},
        "log": {"files": 1, "bytes": 5},
        "other": {"files": 2, "bytes": 10},
    }


def test_the_program_is_told_with_its_libraries() -> None:
    """Versions that a bug may depend on, and no name of the machine."""
    found = bug_report.describe_program()
    assert found["version"]
    assert found["sqlite"]
    assert os.uname().nodename not in found.values()
