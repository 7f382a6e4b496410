"""Translates hints of importers to the options of the running command.

Importers do not know the command that runs: their hints name the options of `ingest`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

_RENAMED: Final = {"--offsets": "--read-offsets"}
"""Options of `ingest` that have another name in a command, because the name means other files."""
ADD_LABELS: Final = "or add them to labels.yaml (then: tui-annotate labels check)"
"""End of a hint on labels that the label set lacks."""

_COMMAND: Final = re.compile(r"(\btui-annotate [^;]*)")
_OPTION: Final = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
_ENDS_IN_OPTIONS: Final = re.compile(r": (?P<options>--[a-z][a-z-]+ [^;]+)$")


@dataclass(frozen=True, slots=True)
class RunningCommand:
    """The command that runs.

    Attributes:
        arguments: command line without the program's name.
        options: long names of the command's options; empty if they are not known.
        import_options: long names of the options of `ingest`.
    """

    arguments: Sequence[str] = ()
    options: Collection[str] = ()
    import_options: Collection[str] = ()

    def adapt_hint(self, hint: str) -> str:
        """Return a hint with the names that this command has for the options of `ingest`.

        If the command lacks an option, the hint also names the command that has the option. Whole
        commands in the hint stay as they are.
        """
        if not self.options:
            return hint
        parts = _COMMAND.split(hint)  # a whole command is at each odd index
        own = [part if index % 2 else self._rename(part) for index, part in enumerate(parts)]
        lacking = dict.fromkeys(
            name
            for part in own[::2]
            for name in _OPTION.findall(part)
            if name in self.import_options and name not in self.options
        )
        if not lacking:
            return "".join(own)
        verb = "is an option" if len(lacking) == 1 else "are options"
        return f"{''.join(own)} ({', '.join(lacking)} {verb} of tui-annotate ingest)"

    def _rename(self, text: str) -> str:
        for name, new in _RENAMED.items():
            if new in self.options:
                text = re.sub(rf"(?<![\w-]){name}(?![\w-])", new, text)
        return text

    def complete_hint(self, hint: str) -> str:
        """Return an error's hint; options at its end become the whole command with them.

        A hint with several alternatives stays as it is: none of them is the whole command.
        """
        found = _ENDS_IN_OPTIONS.search(hint)
        if found is None or hint.count(": --") > 1 or not self.arguments:
            return hint
        try:
            words = shlex.split(found["options"])
        except ValueError:  # prose that follows an option, with an apostrophe
            return hint
        are_options = all(word in self.options for word in words[::2]) and len(words) % 2 == 0
        return hint[: found.start("options")] + self.repeat(words) if are_options else hint

    def repeat(self, options: Sequence[str]) -> str:
        """Return the command line with further options, quoted for a shell.

        Options replace those of the same name that the command line has.
        """
        words = list(self.arguments)
        end = words.index("--") if "--" in words else len(words)
        before = words[:end]
        after = words[end:]
        for name in options[::2]:
            while name in before:
                place = before.index(name)
                del before[place : place + 2]
            before = [word for word in before if not word.startswith(f"{name}=")]
        return shlex.join(["tui-annotate", *before, *options, *after])
