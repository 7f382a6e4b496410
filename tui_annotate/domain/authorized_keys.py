"""The file `authorized_keys` of OpenSSH: lines that bind a key to a command, and where they stand.

Lines of others are kept as they are; what sshd would understand otherwise than meant is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tui_annotate.domain.errors import Conflict, InvalidInput
from tui_annotate.domain.ssh_keys import begins_with_key
from tui_annotate.domain.visible import visible_line


def authorized_line(key: str, *, command: str, name: str) -> str:
    """A line of `authorized_keys` with which a key can do one thing alone.

    Args:
        key: `PublicKey.line`.
        command: a line for a shell, its words quoted.
        name: whose key it is, for whoever reads the file.

    Raises:
        InvalidInput: the command holds a control character, or can not be quoted.
    """
    if command != visible_line(command) or command.endswith("\\"):
        raise InvalidInput(
            f"{command!r} can not stand in authorized_keys",
            "choose a folder with a name of plain characters",
        )
    # Within the quotes OpenSSH knows one escape, that of a quotation mark.
    quoted = command.replace('"', '\\"')
    return f'restrict,pty,command="{quoted}" {key} {visible_line(name)}'


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of `authorized_keys` as sshd understands it.

    Attributes:
        options: by their names in lower case; the value is empty for those without one.
        key: `PublicKey.line`; empty where the line holds none that is known.
    """

    options: Mapping[str, str]
    key: str


def parse_entry(line: str) -> Entry | None:
    """What a line of `authorized_keys` says; None for an empty one and for a comment."""
    line = line.strip()
    if not line or line.startswith("#"):
        return None
    options: Mapping[str, str] = {}
    if not begins_with_key(line):
        options, line = _options(line)
    kind, _, rest = line.partition(" ")
    return Entry(options, f"{kind} {rest.split(' ')[0]}" if begins_with_key(line) else "")


_OPTION: Final = re.compile(r'([A-Za-z0-9-]+)(?:="((?:\\"|[^"])*)")?')


def _options(line: str) -> tuple[dict[str, str], str]:
    """The options at the beginning of a line, and what follows them."""
    found: dict[str, str] = {}
    at = 0
    while option := _OPTION.match(line, at):
        found[option[1].lower()] = (option[2] or "").replace('\\"', '"')
        at = option.end() + line.startswith(",", option.end())
    return found, line[at:].strip()


def with_lines(text: str, lines: Sequence[str], *, of: str) -> str:
    """The file with our lines in place of those that were ours before; the rest stays as it is.

    Args:
        text: what the file holds; empty where there is none.
        lines: as `authorized_line` makes them.
        of: what tells our lines from those of another workspace: its folder.

    Raises:
        Conflict: a key of ours stands among the lines of others, where sshd would find it first, or
            the marks around our lines are damaged.
    """
    begin, end = f"# tui-annotate begins: {of}", f"# tui-annotate ends: {of}"
    there = text.removesuffix("\n").split("\n") if text else []
    marks = [at for at, line in enumerate(there) if line in (begin, end)]
    if [there[at] for at in marks] not in ([], [begin, end]):
        raise Conflict(
            f"line {marks[0] + 1} begins or ends our lines, and its counterpart is not there",
            f"remove the lines of {of} and do it again",
        )
    first, last = (marks[0], marks[1] + 1) if marks else (len(there), len(there))
    ours = {entry.key for entry in map(parse_entry, lines) if entry}
    for number, line in enumerate(there, 1):
        entry = None if first < number <= last else parse_entry(line)
        if entry and entry.key in ours:
            raise Conflict(
                f"line {number} has a key of ours, and sshd would take that line",
                f"remove line {number}, or the key from the workspace",
            )
    block = [begin, *lines, end] if lines else []
    whole = [*there[:first], *block, *there[last:]]
    return "".join(f"{line}\n" for line in whole)
