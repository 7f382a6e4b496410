"""Prompt templates in English and Chinese; a user's file replaces a built-in template.

A user's file must have all placeholders of the built-in template, so that the model reads all of
the input, and no other ones, which would reach the model unfilled.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

from tui_annotate.domain.did_you_mean import suggest_word
from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.lab.chat.placeholders import (
    check_placeholders,
    fill_placeholders,
    find_placeholders,
)

LANGUAGES: Final = ("en", "zh")
_MAX_CHARACTERS: Final = 100_000


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt template for a judge.

    Attributes:
        language: code of the language of the template, for example `en`.
        text: template with placeholders in braces.
    """

    name: str
    language: str
    text: str

    @property
    def version(self) -> str:
        """First 12 hexadecimal digits of the SHA-256 of the prompt's text; stored with each run."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:12]

    def fill(self, **values: str | int) -> str:
        """Return the prompt with all its placeholders filled; braces in values stay unchanged."""
        return fill_placeholders(self.text, {name: str(value) for name, value in values.items()})


def load_prompt(name: str, *, language: str = "en", folders: Sequence[Path] = ()) -> Prompt:
    """Load a prompt `NAME.LANGUAGE.txt` from the first folder with it, else the built-in one.

    For an unknown language, load the English prompt.

    Raises:
        InvalidInput: a user's file has missing or unknown placeholders, or is not text.
        Unavailable: a user's file cannot be read.
    """
    spoken = language if language in LANGUAGES else LANGUAGES[0]
    ours = built_in_text(name, spoken)
    for folder in folders:
        file = folder / f"{name}.{spoken}.txt"
        if file.is_file():
            return Prompt(name, spoken, _read_template(file, ours))
    return Prompt(name, spoken, ours)


def check_folders(folders: Sequence[Path]) -> None:
    """Check all prompts in a user's folders, before any request is sent.

    Raises:
        InvalidInput, Unavailable: a prompt is invalid or cannot be read; see `load_prompt`.
        InvalidInput: a file is named like a prompt (`NAME.LANGUAGE.txt`), but there is no such one.
    """
    known = {f"{name}.{language}.txt" for name in prompt_names() for language in LANGUAGES}
    for folder in folders:
        for file in sorted(folder.glob("*.??.txt")):
            if file.name not in known:
                raise InvalidInput(
                    f"no built-in prompt has the name of the file {file}",
                    f"{suggest_word(file.name, known)}list the names of the built-in prompts with:"
                    " tui-annotate lab judge export-prompts FOLDER",
                )
        for name in prompt_names():
            for language in LANGUAGES:
                load_prompt(name, language=language, folders=(folder,))


def prompt_names() -> tuple[str, ...]:
    """Return the names of the built-in prompts, sorted, without their languages."""
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
            f"{file} is not UTF-8 text: {error.reason}", "save the file as UTF-8"
        ) from error
    except OSError as error:
        raise Unavailable(
            f"cannot read {file}: {error.strerror}", "check the permissions of the file"
        ) from error
    if len(text) > _MAX_CHARACTERS:
        raise InvalidInput(
            f"prompt {file} has {len(text):,} characters",
            f"shorten the prompt to at most {_MAX_CHARACTERS:,} characters",
        )
    check_placeholders(text, allowed=sorted(find_placeholders(ours)), file=file)
    return text
