"""The page on servers names commands and options that there are."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.house.test_commands import commands
from tui_annotate.cli.arrangement import Part, arrangement
from tui_annotate.cli.commands import app

PAGE = (Path(__file__).parents[2] / "docs" / "server.md").read_text("utf-8")
FENCED = re.findall(r"^```console\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
CALL = re.compile(r"(?:^[#$] |\| |/bin/)tui(?:-annotate)? (?=[a-z])(.*)", re.MULTILINE)
CALLS = sorted({call for block in FENCED for call in CALL.findall(block)})


def test_the_page_shows_calls() -> None:
    """Enough of them that the pattern still finds what is there."""
    assert len(CALLS) > 15


@pytest.mark.parametrize("call", CALLS)
def test_each_call_is_one_that_there_is(call: str) -> None:
    """The command exists, and each option that the page gives it."""
    line = re.split(r" [<>|&] | && |[>`]", call)[0].rstrip("'")
    words = shlex.split(line, comments=True)
    names = [each for each in commands() if tuple(words[: len(each)]) == each]
    assert names, f"there is no command: {line}"
    command = max(names, key=len)
    shown = CliRunner().invoke(app, [*command, "--help"], env={"COLUMNS": "200"}).output
    options = [word for word in words[len(command) :] if word.startswith("-") and word != "-"]
    assert [option for option in options if not re.search(rf"{option}\b", shown)] == []


def test_what_people_copy_is_what_setup_prints() -> None:
    """The lines for a client, and the account, as `ssh setup` has them."""
    printed = arrangement("annotate", Path("/srv/annotation/news"), ["python"], on_screen=False)
    client = printed[Part.CLIENT].split("\n")[1:6]
    assert "\n".join(client) in PAGE
    assert printed[Part.ACCOUNT].split("\n")[1] in PAGE
