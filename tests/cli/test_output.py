"""What commands show: data and talk apart, nothing that could act on a terminal."""

from __future__ import annotations

import io
import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from threading import Event
from types import SimpleNamespace

import pytest
import typer

from tui_annotate.cli import output
from tui_annotate.cli.report_parts import (
    Column,
    Columns,
    Facts,
    Grid,
    MessagePart,
    NotePart,
    Part,
    ResultPart,
    Table,
    Text,
    number_column,
    rare_column,
)
from tui_annotate.domain.errors import Conflict, InvalidInput
from tui_annotate.domain.progress import TaskProgress

HOSTILE = "a\x1b]52;c;!\x07[red]b\u202e\x9b2J\nc"


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Always."""
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """Any terminal of today."""
        return "utf-8"


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Standard output and error as one terminal of 80 columns."""
    stream = Terminal()
    monkeypatch.setattr(output, "sys", SimpleNamespace(stdout=stream, stderr=stream))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    return stream


def harmless(text: str) -> bool:
    """Whether no control but the newline is in a text."""
    return all(each.isprintable() or each == "\n" for each in text)


def test_foreign_text_never_acts_on_a_terminal(terminal: Terminal) -> None:
    """Lines, facts, tables, errors and talk show every control as a picture, and no markup."""
    output.print_line(HOSTILE)
    output.print_message(HOSTILE)
    output.print_facts({"name": HOSTILE})
    output.print_error(Conflict(HOSTILE, HOSTILE))
    output.print_table([Column(HOSTILE)], [(HOSTILE,)])
    written = terminal.getvalue()
    assert harmless(written)
    assert written.count("[red]") >= 6


def test_a_foreign_text_is_exact_for_programs_alone(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a terminal its controls are pictures; it ends with one line end in both."""
    output.print_text(HOSTILE)
    assert harmless(terminal.getvalue())
    pipe = io.StringIO()
    monkeypatch.setattr(output, "sys", SimpleNamespace(stdout=pipe, stderr=pipe))
    output.print_text(HOSTILE)
    output.print_text(f"{HOSTILE}\n")
    assert pipe.getvalue() == f"{HOSTILE}\n" * 2


def test_names_of_files_have_the_time_of_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """UTC, wherever one is: else what was written later could stand before."""
    moment = time.gmtime(0)
    monkeypatch.setattr(time, "gmtime", lambda: moment)
    assert output.file_time_stamp() == "1970-01-01T000000Z"


def test_json_on_a_terminal_is_ascii(terminal: Terminal) -> None:
    """JSON on a terminal escapes all that is not plain ASCII, and is the same value."""
    output.print_json({"text": HOSTILE})
    assert terminal.getvalue().isascii()
    assert harmless(terminal.getvalue())
    assert json.loads(terminal.getvalue()) == {"text": HOSTILE}


def test_json_for_programs_is_exact(capsys: pytest.CaptureFixture[str]) -> None:
    """JSON to a pipe keeps Chinese readable and is the same value."""
    output.print_json({"text": "中文"})
    assert '"中文"' in capsys.readouterr().out


def test_json_has_no_numbers_that_json_does_not_have(capsys: pytest.CaptureFixture[str]) -> None:
    """NaN and infinities are null, also inside of dataclasses; their number is on stderr."""
    progress = TaskProgress("asking", 1, share=float("nan"), seconds=float("inf"))
    output.print_json({"rows": [progress, -float("inf"), 1.5]})
    shown = capsys.readouterr()
    found = json.loads(shown.out)["rows"]
    assert (found[0]["share"], found[0]["seconds"], found[1:]) == (None, None, [None, 1.5])
    assert re.findall(r"\d+", shown.err) == ["3"]
    output.print_json([1.5])
    assert capsys.readouterr().err == ""


def test_an_error_goes_to_stderr_with_its_hint(capsys: pytest.CaptureFixture[str]) -> None:
    """An error is its message and hint on standard error, and nothing else."""
    output.print_error(Conflict("it moved", "look again"))
    shown = capsys.readouterr()
    assert shown.out == ""
    message, hint = shown.err.splitlines()
    assert message.endswith(": it moved")
    assert hint.startswith("  ")
    assert hint.endswith(": look again")


def test_words_that_may_not_be_cut_outlast_those_that_may(terminal: Terminal) -> None:
    """Short columns stay whole where several long ones share what is left."""
    titles = ("name", "address", "role", "state", "user", "seen")
    columns: Columns[str] = [Column(each, flexible=each in {"name", "address"}) for each in titles]
    kept = ("annotator", "no password yet", "annotat", "2026-05-04T12:00")
    output.print_table(columns, [("n" * 100, "a" * 100, *kept)])
    written = terminal.getvalue().splitlines()
    assert max(map(len, written)) <= 80
    assert written[1].endswith("  ".join(kept))
    assert written[1].startswith("nnnnnnnnn…  aaaaaaaaaa…  ")


def test_a_table_for_a_pipe_keeps_wide_lines(capsys: pytest.CaptureFixture[str]) -> None:
    """A table that no terminal limits has room for long cells."""
    output.print_table([Column("n", number=True), Column("text")], [(1, "x" * 120)])
    assert "x" * 120 in capsys.readouterr().out


def test_a_long_name_leaves_room_for_the_rest(terminal: Terminal) -> None:
    """It is cut where a table does not fit; short columns and numbers stay whole."""
    columns: Columns[str] = [
        Column("rank", number=True),
        Column("document"),
        Column("short"),
        Column("text", flexible=True),
    ]
    rows = [(1234567, "key" * 300, "whole name", "It cost 12 million pounds. " * 9)]
    output.print_table(columns, [*rows, (2, "b", "c", "d")])
    head, first, second = terminal.getvalue().splitlines()
    assert head.split() == ["rank", "document", "short", "text"]
    assert "1,234,567" in first
    assert "whole name" in first
    assert "It cost 12 million" in first
    assert len(first) <= 80
    assert second.split() == ["2", "b", "c", "d"]


def test_what_is_whole_is_never_cut(terminal: Terminal) -> None:
    """A fingerprint is there to be copied: others give way, or the line is longer than 80."""
    columns: Columns[str] = [Column("person", flexible=True), Column("key", whole=True)]
    output.print_table(columns, [("a long name of somebody" * 3, "k" * 60), ("b", "k" * 90)])
    _, first, second = terminal.getvalue().splitlines()
    assert first.endswith("k" * 60)
    assert second.endswith("k" * 90)


@dataclass(frozen=True)
class Work:
    """A row of a table."""

    in_progress: int
    skipped: int
    score: float | None = None


def test_a_column_has_its_value_by_name_or_function(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a value, the title names the attribute; a value of None is printed as `-`."""
    rows = [Work(1200, 0, 0.5), Work(1, 0)]
    columns: Columns[Work] = (
        number_column("in progress"),
        number_column("left out", "skipped"),
        number_column("score"),
        Column("sum", lambda row: row.in_progress + row.skipped),
    )
    output.print_parts([Table(rows, columns)])
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == ["in", "progress", "left", "out", "score", "sum"]
    assert lines[1:] == [["1,200", "0", "0.500", "1,200"], ["1", "0", "-", "1"]]


@pytest.mark.parametrize(("skipped", "shown"), [(0, False), (3, True)])
def test_a_rare_column_is_shown_only_with_a_value(
    capsys: pytest.CaptureFixture[str], *, skipped: int, shown: bool
) -> None:
    """One row with a value is enough."""
    rows = [Work(1, 0), Work(2, skipped)]
    columns: Columns[Work] = (number_column("in progress"), rare_column("skipped"))
    output.print_parts([Table(rows, columns)])
    assert ("skipped" in capsys.readouterr().out) is shown


def test_a_table_below_another_needs_rows(capsys: pytest.CaptureFixture[str]) -> None:
    """An empty line separates it; without rows, nothing is printed; any other table has titles."""
    output.print_parts([Grid(["a"], [], below=True)])
    assert capsys.readouterr().out == ""
    output.print_parts([Grid(["a"], []), Grid(["b"], [("c",)], below=True)])
    assert capsys.readouterr().out.split("\n") == ["a", "", "b", "c", ""]


def test_a_report_is_shown_as_json_or_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    """JSON alone is on standard output; its text is not even created."""

    def text() -> Iterator[Part]:
        created.append(True)
        yield "line"
        yield None
        yield Facts({"name": 1})
        yield Text("own words")
        yield ResultPart("done")
        yield lambda: output.print_line("drawn")
        yield NotePart("next")
        yield MessagePart("careful", hint="look")

    created: list[bool] = []
    output.show(Work(1, 2), text(), as_json=True)
    shown = capsys.readouterr()
    assert json.loads(shown.out) == {"in_progress": 1, "skipped": 2, "score": None}
    assert shown.err == ""
    assert not created
    output.show(Work(1, 2), text(), as_json=False)
    shown = capsys.readouterr()
    assert shown.out.splitlines() == ["line", "name  1", "own words", "done", "drawn"]
    assert shown.err.splitlines() == ["next", "careful", "  hint: look"]


def test_quiet_keeps_data_and_warnings(capsys: pytest.CaptureFixture[str]) -> None:
    """Confirmations and next steps are omitted, but not the result of a dry run."""
    output.set_quiet()
    try:
        output.print_parts(["data", ResultPart("done"), NotePart("next"), MessagePart("careful")])
        output.print_parts([ResultPart("would be done", always=True)])
    finally:
        output.reset()
    shown = capsys.readouterr()
    assert shown.out.splitlines() == ["data", "would be done"]
    assert shown.err.splitlines() == ["careful"]


def test_progress_without_a_terminal_is_silent_when_quick(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A short deed without a terminal leaves no lines of progress."""
    with output.show_progress("records") as notify:
        notify(TaskProgress("storing", 1, share=0.5, seconds=1.0))
    assert capsys.readouterr().err == ""


def test_long_progress_without_a_terminal_tells_rate_and_time_left(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long deed without a terminal writes a line now and then."""
    monkeypatch.setattr(output, "PROGRESS_INTERVAL", 0.0)
    with output.show_progress("records") as notify:
        notify(TaskProgress("storing", 1000, share=0.25, seconds=10.0))
        notify(TaskProgress("vectors", 5, share=0.5, seconds=10.0))
    report = [re.findall(r"[\d,.]*\d%?", line) for line in capsys.readouterr().err.splitlines()]
    assert report == [["1,000", "25%", "100", "30"], ["5", "50%", "0.5", "10"]]


@pytest.mark.parametrize("unit", ["replies", "samples"])
def test_one_thing_has_the_word_for_one(
    unit: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Units are told in the plural; of one thing it is the singular."""
    monkeypatch.setattr(output, "PROGRESS_INTERVAL", 0.0)
    with output.show_progress(unit) as notify:
        notify(TaskProgress("asking", 1, seconds=1.0))
        notify(TaskProgress("asking", 2, seconds=1.0))
    one = {"replies": "reply", "samples": "sample"}[unit]
    report = [line.split(",")[0] for line in capsys.readouterr().err.splitlines()]
    assert report == [f"asking: 1 {one}", f"asking: 2 {unit}"]


def test_a_task_that_waits_says_what_for(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """While no progress is reported, the last line is repeated, with what the task waits for."""
    monkeypatch.setattr(output, "PROGRESS_INTERVAL", 0.0)
    monkeypatch.setattr(output, "HEARTBEAT", 0.001)
    printed, repeated = output.print_message, Event()
    lines: list[str] = []

    def print_message(text: str) -> None:
        printed(text)
        lines.append(text)
        if len(lines) == 3:
            repeated.set()

    monkeypatch.setattr(output, "print_message", print_message)
    with output.show_progress("replies") as notify:
        notify(TaskProgress("asking", 7, share=0.5, seconds=1.0, waiting="replies from a\x1bhost"))
        assert repeated.wait(30)
    count = len(lines)
    assert all("7 replies" in line and "replies from a" in line for line in lines)
    with output.show_progress("records") as notify:
        notify(TaskProgress("storing", 1, seconds=1.0))
    assert (len(lines), "waiting" in lines[-1]) == (count + 1, False)
    assert "\x1b" not in capsys.readouterr().err


def test_progress_on_a_terminal_is_a_bar_for_each_phase(terminal: Terminal) -> None:
    """On a terminal each phase has its bar, with share, number and rate."""
    with output.show_progress("records") as notify:
        notify(TaskProgress("storing", 1000, share=0.25, seconds=10.0))
        notify(TaskProgress("vectors", 10, seconds=1.0, waiting="replies from somewhere"))
    shown = terminal.getvalue()
    assert "replies from somewhere" in shown
    assert "storing" in shown
    assert "25%" in shown
    assert "1,000 records" in shown
    assert "vectors" in shown


def test_without_a_terminal_nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A question that nobody can answer is refused, unless it was answered beforehand."""
    monkeypatch.setattr(output, "sys", SimpleNamespace(stdin=io.StringIO(), stderr=io.StringIO()))
    output.ask("sure?", yes=True)
    with pytest.raises(InvalidInput, match=r"sure\?"):
        output.ask("sure?", yes=False)


@pytest.mark.parametrize(("answer", "goes_on"), [("y\n", True), ("no\n", False), ("", False)])
def test_only_a_yes_goes_on(answer: str, goes_on: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Anything but a yes, also nothing, stops the command, and one line states the result."""
    stdin, stderr = Terminal(answer), io.StringIO()
    monkeypatch.setattr(output, "sys", SimpleNamespace(stdin=stdin, stderr=stderr))
    if goes_on:
        output.ask("sure?", yes=False)
    else:
        with pytest.raises(typer.Exit) as left:
            output.ask("sure?", yes=False)
        assert left.value.exit_code == 130
    assert ("nothing was changed" in stderr.getvalue()) is not goes_on
