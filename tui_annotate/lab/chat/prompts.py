"""Prompts in English and Chinese; a user's file replaces a built-in prompt.

`{question}` and the like are slots; other braces are text. A user's file must have all slots of the
built-in prompt, so that the model sees everything.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

from tui_annotate.domain.errors import InvalidInput, Unavailable

LANGUAGES: Final = ("en", "zh")
_SLOT: Final = re.compile(r"\{([a-z_]+)\}")
_MAX_CHARACTERS: Final = 100_000


@dataclass(frozen=True, slots=True)
class Prompt:
    """A text with slots.

    Attributes:
        name: of its file, before `.LANGUAGE.txt`.
    """

    name: str
    language: str
    text: str

    @property
    def version(self) -> str:
        """Twelve digits of the text's SHA-256, for the record of a run."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:12]

    def fill(self, **values: str | int) -> str:
        """Return the text with each slot filled; slots in values stay as they are.

        Raises:
            KeyError: a place of the text has no value.
        """
        return _SLOT.sub(lambda place: str(values[place.group(1)]), self.text)


def load_prompt(name: str, *, language: str = "en", folders: Sequence[Path] = ()) -> Prompt:
    """Load the first file `NAME.LANGUAGE.txt` of the folders, else the built-in prompt.

    An unknown language counts as English.

    Raises:
        InvalidInput: a user's file has missing or unknown placeholders, or is no text.
        Unavailable: it can not be read.
    """
    spoken = language if language in LANGUAGES else LANGUAGES[0]
    ours = built_in_text(name, spoken)
    for folder in folders:
        file = folder / f"{name}.{spoken}.txt"
        if file.is_file():
            return Prompt(name, spoken, _read_template(file, ours))
    return Prompt(name, spoken, ours)


def prompt_names() -> tuple[str, ...]:
    """Return the names of the built-in prompts, sorted."""
    there = files("tui_annotate.lab.chat") / "templates"
    found = {file.name.partition(".")[0] for file in there.iterdir() if file.name.endswith(".txt")}
    return tuple(sorted(found))


@cache
def built_in_text(name: str, language: str) -> str:
    """Return the text of a built-in prompt, without its final line feed."""
    there = files("tui_annotate.lab.chat") / "templates" / f"{name}.{language}.txt"
    return there.read_text("utf-8").rstrip("\n")


def _read_template(file: Path, ours: str) -> str:
    try:
        text = file.read_text("utf-8").rstrip("\n")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{file} is no UTF-8 text: {error.reason}", "save it as UTF-8"
        ) from error
    except OSError as error:
        raise Unavailable(f"{file} can not be read: {error.strerror}", "check its mode") from error
    if len(text) > _MAX_CHARACTERS:
        raise InvalidInput(f"{file} has {len(text):,} characters", f"at most {_MAX_CHARACTERS:,}")
    expected, found = set(_SLOT.findall(ours)), set(_SLOT.findall(text))
    if lacking := sorted(expected - found):
        slots = ", ".join(f"{{{name}}}" for name in lacking)
        raise InvalidInput(f"{file} lacks {slots}", "write it where the model should read it")
    if unknown := sorted(found - expected):
        slots = ", ".join(f"{{{name}}}" for name in unknown)
        places = ", ".join(f"{{{name}}}" for name in sorted(expected))
        raise InvalidInput(f"{file} has {slots}, which nothing fills", f"there are: {places}")
    return text
