"""The command reference and the man pages are what the Typer app says today."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.helpers.pages import load_module

reference: Any = load_module("docs/reference.py")
AGAIN = "write them again: make reference"


def test_the_command_reference_is_current() -> None:
    """The part of the page below the mark."""
    below = reference.PAGE.read_text("utf-8").partition(f"{reference.GENERATED}\n")[2]
    assert below == reference.write_markdown(), AGAIN


def test_the_manuals_are_current() -> None:
    """One file for the program and one for each command of the first level, and no other."""
    files = {file.name: file.read_text("utf-8") for file in reference.MANUALS.glob("*")}
    assert files == reference.write_manuals(), AGAIN


def manual_faults(name: str, text: str) -> Iterator[str]:
    """What is wrong with the text of a manual."""
    for section in ("NAME", "SYNOPSIS", "EXIT STATUS"):
        if f".SH {section}" not in text:
            yield f"{name}: no section {section}"
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("'"):
            yield f"{name}:{number}: begins with a control character: {line!r}"


def test_each_manual_has_the_usual_sections() -> None:
    """Name, synopsis and exit status; no line begins with a stray control character."""
    manuals = reference.write_manuals()
    assert len(manuals) > 20
    assert [fault for item in manuals.items() for fault in manual_faults(*item)] == []


def test_the_schemas_are_current() -> None:
    """One file for each command with --json, and no other."""
    files = {file.name: file.read_text("utf-8") for file in reference.SCHEMAS.glob("*")}
    assert files == reference.write_schemas(), AGAIN
