"""Names that commands and options had before version 1.0. They work until then, with a note.

`ssh session` is not among them: lines of authorized_keys call it, and it keeps its name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import islice
from typing import Any, Final

from typer.exceptions import TyperException

from tui_annotate.cli import output
from tui_annotate.cli.global_options import CommandLine, split_command, split_leading

COMMANDS: Final[Mapping[str, str]] = {
    "annotations": "datasets",
    "annotations delete": "datasets clear",
    "announcements": "messages announcements",
    "assignments promote": "assignments promote-to-gold",
    "assignments recompute": "assignments rescore-gold",
    "assist": "lab assist",
    "bundles": "sync bundles",
    "demo": "init --demo",
    "formats": "datasets formats",
    "judge": "lab judge",
    "keys": "annotate --list-keys",
    "labels normalise": "labels normalize",
    "match": "lab match",
    "models": "lab models",
    "people": "users",
    "people list": "users list --all",
    "pipeline": "lab pipeline",
    "pipeline run": "lab pipeline",
    "position": "lab position",
    "position export-prompts": "lab position build-prompts",
    "pseudonyms": "users pseudonyms",
    "questions": "messages questions",
    "report html": "report",
    "restore": "backup restore",
    "scores": "lab scores",
    "sessions": "users sessions",
    "settings": "lab",
    "settings trust-endpoint": "lab trust-endpoint",
    "snapshots": "audit snapshots",
    "ssh authorized-keys": "users ssh authorized-keys",
    "ssh keys": "users ssh keys",
    "ssh setup": "users ssh setup",
    "users update": "users edit",
    "vectors": "lab vectors",
}
"""The present name by the earlier name; the longest earlier name that fits is meant."""

OPTIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "": {"--pseudonymise": "--pseudonymize"},
    "backup create": {"--vectors": "--include-vectors"},
    "doctor": {"--bundle": "--bug-report"},
    "lab judge sort": {"--k": "--cutoff"},
    "lab models install": {"--yes": "--run"},
    "lab scores import": {"--name": "--score"},
}
"""The present name of an option by its earlier name, by command; "" for all commands."""

_LONGEST_FIRST: Final = sorted(COMMANDS, key=lambda name: len(name.split()), reverse=True)


def replace_earlier_names(arguments: Sequence[str], group: Any) -> list[str]:
    """Return a command line with the present names of its command and options.

    Each earlier name prints a note on standard error.

    Args:
        group: the group of all commands.
    """
    leading, words = split_leading(arguments)
    words = _replace_command(words)
    if words and words[0] not in group.commands and words[0] in group.commands["lab"].commands:
        _print_note(words[0], f"lab {words[0]}")  # the command of a plug-in
        words = ["lab", *words]
    if words[:1] == ["backup"]:
        words = _name_backup_command(words, group.commands["backup"].commands)
    line = split_command(group, words)
    before = words[: len(words) - len(line.rest)]
    return [*leading, *before, *_replace_options(line)]


def _replace_command(words: list[str]) -> list[str]:
    for earlier in _LONGEST_FIRST:
        options, rest = _split_name(words, earlier)
        if rest is not None:
            _print_note(earlier, COMMANDS[earlier])
            return [*COMMANDS[earlier].split(), *options, *rest]
    return words


def _split_name(words: list[str], name: str) -> tuple[list[str], list[str] | None]:
    """Split the name of a command from a command line, which may have global options in between.

    Returns:
        The global options, and the words after the name; None if the line has another command.
    """
    options = list[str]()
    rest = words
    for word in name.split():
        leading, rest = split_leading(rest)
        if rest[:1] != [word]:
            return options, None
        options += leading
        rest = rest[1:]
    return options, rest


def _name_backup_command(words: list[str], commands: Mapping[str, Any]) -> list[str]:
    """Return `backup create DIR` for `backup DIR`, which scripts of earlier versions have.

    `backup` alone, or with options, makes a backup too: a script that runs each night would
    otherwise print the help, and make none.
    """
    rest = words[1:]
    _, after = split_leading(rest)
    if after and (after[0] in commands or after[0] in ("-h", "--help")):
        return words
    _print_note("backup", "backup create")
    return ["backup", "create", *rest]


def _replace_options(line: CommandLine) -> list[str]:
    """Return the words after a command's name with the present names of its options.

    The value of an option, and words after `--`, are no names, whatever they are.
    """
    takes_value = {
        each: one.param_type_name == "option" and not one.is_flag
        for one in line.command.params
        for each in (*one.opts, *one.secondary_opts)
    }
    earlier = {**OPTIONS[""], **OPTIONS.get(" ".join(line.path), {})}
    replaced = list[str]()
    left = iter(line.rest)
    for word in left:
        if word == "--":
            return [*replaced, word, *left]
        option, sign, value = word.partition("=")
        present = earlier.get(option, option)
        if present != option and present in takes_value:
            _print_note(f"option {option}", present)
            option = present
        replaced.append(f"{option}{sign}{value}")
        if takes_value.get(option) and not sign:
            replaced += islice(left, 1)
    return replaced


def add_suggestions(group: Any) -> None:
    """Make a group of commands suggest its names for a misspelt one, present or earlier.

    Typer knows the present names only.
    """
    group.suggest_commands = False
    resolve_command = group.resolve_command

    def resolve_or_suggest(context: Any, arguments: list[str]) -> Any:
        try:
            return resolve_command(context, arguments)
        except TyperException as error:
            path = context.command_path.partition(" ")[2]
            if found := _suggest(arguments[0], path, group.commands):
                names = ", ".join(f"{each!r}" for each in found)
                error.message = f"{error.message.rstrip('.')}. Did you mean {names}?"
            raise

    group.resolve_command = resolve_or_suggest


def _suggest(typed: str, path: str, names: Collection[str]) -> list[str]:
    """Return the present names of the commands whose present or earlier name is similar."""
    present = {**dict(_list_earlier_words(path)), **{name: name for name in names}}
    return list(dict.fromkeys(present[each] for each in get_close_matches(typed, present)))


def _list_earlier_words(path: str) -> Iterator[tuple[str, str]]:
    """Yield the earlier and the present name of the commands in a group, without the group's."""
    for earlier, present in COMMANDS.items():
        group, _, word = earlier.rpartition(" ")
        if path in (group, COMMANDS.get(group)):
            yield word, present.removeprefix(f"{path} ")


def _print_note(earlier: str, present: str) -> None:
    output.print_message(
        f"note: {earlier} is called {present} now; the earlier name works until version 1.0"
    )
