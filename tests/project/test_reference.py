"""The command reference and the man pages are what the Typer app says today."""

from __future__ import annotations

from typing import Any

import pytest

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


@pytest.mark.parametrize("name", sorted(reference.write_manuals()))
def test_a_manual_has_the_usual_sections(name: str) -> None:
    """Name, synopsis and exit status; no line begins with a stray control character."""
    text = reference.write_manuals()[name]
    assert all(f".SH {each}" in text for each in ("NAME", "SYNOPSIS", "EXIT STATUS"))
    assert not [line for line in text.splitlines() if line.startswith("'")]
