"""Names that commands and options had before version 1.0. They work until then, with a notice.

`ssh session` is not among them: lines of authorized_keys call it, and it keeps its name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tui_annotate.cli import output
from tui_annotate.cli.global_options import split_leading

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

_MOST_WORDS = max(len(name.split()) for name in COMMANDS)


def replace_earlier_names(arguments: Sequence[str], group: Any) -> list[str]:
    """Return a command line with the present names of its command and options.

    Each earlier name prints a notice on standard error.

    Args:
        group: the group of all commands.
    """
    leading, words = split_leading(arguments)
    words = _replace_command(words)
    if words[:1] == ["backup"]:
        words = _name_backup_command(words, group.commands["backup"].commands)
    command = _find_name(group, words)
    known = {**OPTIONS[""], **OPTIONS.get(command, {})}
    replaced = [*leading, *command.split()]
    rest = iter(words[len(command.split()) :])
    for word in rest:
        if word == "--":
            replaced += [word, *rest]
            break
        name, sign, value = word.partition("=")
        if name in known:
            _print_notice(f"option {name}", known[name])
            name = known[name]
        replaced.append(f"{name}{sign}{value}")
    return replaced


def _replace_command(words: list[str]) -> list[str]:
    for count in range(_MOST_WORDS, 0, -1):
        earlier = " ".join(words[:count])
        if len(words) >= count and earlier in COMMANDS:
            _print_notice(earlier, COMMANDS[earlier])
            return [*COMMANDS[earlier].split(), *words[count:]]
    return words


def _name_backup_command(words: list[str], commands: Mapping[str, Any]) -> list[str]:
    """Return `backup create DIR` for `backup DIR`, which scripts of earlier versions have.

    `backup` alone, or with options, makes a backup too: a script that runs each night would
    otherwise print the help, and make none.
    """
    rest = words[1:]
    _, after = split_leading(rest)
    if after and (after[0] in commands or after[0] in ("-h", "--help")):
        return words
    _print_notice("backup", "backup create")
    return ["backup", "create", *rest]


def _find_name(group: Any, words: Sequence[str]) -> str:
    """Return the name of the command that the first words of a command line are."""
    name = list[str]()
    command = group
    for word in words:
        if word not in getattr(command, "commands", {}):
            break
        command = command.commands[word]
        name.append(word)
    return " ".join(name)


def _print_notice(earlier: str, present: str) -> None:
    output.print_message(
        f"note: {earlier} is called {present} now; the earlier name works until version 1.0"
    )
