"""Commands that messages and hints name exist, with their options."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tests.project.test_terms import PACKAGE, ROOT, texts_of_module
from tui_annotate.cli.commands import find_command, option_names, place_global_options, program
from tui_annotate.cli.hints import RunningCommand

CALL = re.compile(r"tui-annotate((?: (?:--?[a-z][a-z-]*|[a-z][a-z-]*))+)")
OPTION = re.compile(r"^--?[a-z]")
ANY_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")


def calls() -> Iterator[tuple[str, list[str]]]:
    """(place, words after the program's name) of each command in a string of the package."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for text in texts_of_module(path.read_text("utf-8")):
            for found in CALL.finditer(text.words):
                yield f"{path.relative_to(ROOT)}:{text.line}", found.group(1).split()


def fault(words: list[str]) -> str:
    """What is wrong with the words of a call; empty if the command and its options exist."""
    command: Any = program()
    words = place_global_options(command, words)
    name: list[str] = []
    while words and hasattr(command, "commands") and words[0] in command.commands:
        command = command.commands[words[0]]
        name.append(words.pop(0))
    if not name and words and not OPTION.match(words[0]):
        return f"there is no command {words[0]!r}"
    if name and words and hasattr(command, "commands") and not OPTION.match(words[0]):
        return f"there is no command {' '.join([*name, words[0]])!r}"
    known = {"-h", "--help"} | {each for one in command.params for each in one.opts}
    unknown = [each for each in words if OPTION.match(each) and each not in known]
    return f"{' '.join(name)} has no option {', '.join(unknown)}" if unknown else ""


def test_every_command_of_a_message_exists() -> None:
    """Texts that are no commands, such as `tui-annotate is`, are on the list."""
    prose = {
        "store",
        "--shell",
        "begins",
        "command",
        "did",
        "ended",
        "ends",
        "is",
        "needs",
        "of",
        "that",
    }
    wrong = [
        f"{place}: tui-annotate {' '.join(words)}: {why}"
        for place, words in calls()
        if words[0] not in prose and (why := fault(list(words)))
    ]
    assert wrong == []
    assert len(list(calls())) > 100


def test_every_option_of_a_message_exists() -> None:
    """An option that no command has, outside of commands of other programs, is a fault."""
    other_programs = {
        "--help",
        "--disabled-password",
        "--gecos",
        "--shell",
        "--force-reinstall",
        "--no-deps",
    }
    known = set(all_options(program()))
    wrong = [
        f"{path.relative_to(ROOT)}:{text.line}: {option}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for text in texts_of_module(path.read_text("utf-8"))
        for option in ANY_OPTION.findall(text.words)
        if option not in known | other_programs
    ]
    assert wrong == []
    assert len(known) > 100


def test_a_hint_of_an_importer_names_only_options_of_the_running_command() -> None:
    """Another name of the option, or the command that has it, stands in the hint."""
    importing = option_names(find_command(program(), ["ingest"]))
    hints = {
        text.words
        for layer in ("plugins", "services", "workspace")
        for path in sorted((PACKAGE / layer).rglob("*.py"))
        for text in texts_of_module(path.read_text("utf-8"))
        if {*ANY_OPTION.findall(CALL.sub("", text.words))} & importing
    }
    wrong = []
    for words in READERS:
        own = option_names(find_command(program(), words))
        running = RunningCommand(words, own, importing)
        for hint in hints:
            adapted = running.adapt_hint(hint)
            foreign = {
                option
                for option in ANY_OPTION.findall(re.sub(r"tui-annotate [^;]*", "", adapted))
                if option in importing and option not in own
            }
            if foreign and not adapted.endswith(" of tui-annotate ingest)"):
                wrong.append(f"{' '.join(words)}: {adapted}")
            if "--read-offsets" in own and "--offsets" in hint:
                assert "--read-offsets" in adapted
    assert wrong == []
    assert len(hints) > 10


def test_every_command_that_imports_tables_states_the_unit_of_offsets() -> None:
    """The hint of an ambiguous unit names an option that each of them has."""
    for words in READERS:
        own = option_names(find_command(program(), words))
        assert {"--source-column", "--from"} <= own
        assert {"--offsets", "--read-offsets"} & own


READERS = (
    ["ingest"],
    ["convert"],
    ["annotate"],
    ["view"],
    ["report"],
    ["datasets", "replace"],
)
"""The commands that import or view files in any format."""


def all_options(command: Any) -> Iterator[str]:
    """The options of a command and of all commands below it."""
    for each in command.params:
        yield from (*each.opts, *each.secondary_opts)
    for each in getattr(command, "commands", {}).values():
        yield from all_options(each)
