"""Prompts: files of ours in English and Chinese, each of which a user's own may stand in for.

`{question}` and the like are places that are filled; other braces are text. A file that lacks a
place which ours has is refused: what it should have shown the model would be missing.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

from tui_annotate.domain.errors import InvalidInput, Unavailable

LANGUAGES: Final = ("en", "zh")
_PLACE: Final = re.compile(r"\{([a-z_]+)\}")
_LONGEST: Final = 100_000
"""Code points of a user's file."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A text with places.

    Attributes:
        name: of its file, before `.LANGUAGE.txt`.
        language: "en" or "zh".
        version: twelve digits of the text's SHA-256, for the record of a run.
    """

    name: str
    language: str
    text: str
    version: str = field(init=False)

    def __post_init__(self) -> None:
        version = hashlib.sha256(self.text.encode()).hexdigest()[:12]
        object.__setattr__(self, "version", version)

    def filled(self, **values: str | int) -> str:
        """The text with each place filled; what is put in is not looked at again.

        Raises:
            KeyError: a place of the text has no value.
        """
        return _PLACE.sub(lambda place: str(values[place.group(1)]), self.text)


def load(name: str, *, language: str = "en", folders: Sequence[Path] = ()) -> Prompt:
    """The first file `NAME.LANGUAGE.txt` of the folders, else ours.

    Args:
        language: one that we have no text in counts as English.
        folders: of a user; they need not exist.

    Raises:
        InvalidInput: a user's file lacks a place, has one that is unknown, or is no text.
        Unavailable: it can not be read.
    """
    spoken = language if language in LANGUAGES else LANGUAGES[0]
    ours = built_in(name, spoken)
    for folder in folders:
        file = folder / f"{name}.{spoken}.txt"
        if file.is_file():
            return Prompt(name, spoken, _checked(file, ours))
    return Prompt(name, spoken, ours)


def names() -> tuple[str, ...]:
    """The names of our prompts, in alphabetical order."""
    there = files("tui_annotate.plugins.judges") / "templates"
    found = {file.name.partition(".")[0] for file in there.iterdir() if file.name.endswith(".txt")}
    return tuple(sorted(found))


@cache
def built_in(name: str, language: str) -> str:
    """Our text of a prompt, without the line feed at its end."""
    there = files("tui_annotate.plugins.judges") / "templates" / f"{name}.{language}.txt"
    return there.read_text("utf-8").rstrip("\n")


def _checked(file: Path, ours: str) -> str:
    try:
        text = file.read_text("utf-8").rstrip("\n")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{file} is no UTF-8 text: {error.reason}", "save it as UTF-8"
        ) from error
    except OSError as error:
        raise Unavailable(f"{file} can not be read: {error.strerror}", "check its mode") from error
    if len(text) > _LONGEST:
        raise InvalidInput(f"{file} has {len(text):,} characters", f"at most {_LONGEST:,}")
    wanted, there = set(_PLACE.findall(ours)), set(_PLACE.findall(text))
    if lacking := sorted(wanted - there):
        told = ", ".join(f"{{{name}}}" for name in lacking)
        raise InvalidInput(f"{file} lacks {told}", "write it where the model should read it")
    if unknown := sorted(there - wanted):
        told = ", ".join(f"{{{name}}}" for name in unknown)
        places = ", ".join(f"{{{name}}}" for name in sorted(wanted))
        raise InvalidInput(f"{file} has {told}, which nothing fills", f"there are: {places}")
    return text
