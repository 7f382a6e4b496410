"""Texts of the screen: catalogues, plural forms, and the function that looks up each text.

A text is a whole phrase with named fields. It is a member of a catalogue, or an entry of a table,
such as the table of actions; `screen_text` looks it up when it is displayed, never at import.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from gettext import NullTranslations
from typing import Final

from tui_annotate.domain.errors import TuiAnnotateError


@dataclass(frozen=True, slots=True)
class Plural:
    """A text with the field `count`, in the forms for one and for all other numbers."""

    one: str
    other: str


class _Language:
    """The translations of the screen's texts; until others are chosen, each text is its own."""

    def __init__(self) -> None:
        self.use(NullTranslations())

    def use(self, translations: NullTranslations) -> None:
        self.translations = translations
        self.found: dict[str, str] = {}  # translations by text: each is looked up once

    def look_up(self, text: str) -> str:
        if not text:  # gettext returns the head of its catalogue
            return ""
        if text not in self.found:
            self.found[text] = self.translations.gettext(text)
        return self.found[text]


_LANGUAGE: Final = _Language()


def use_translations(translations: NullTranslations) -> None:
    """Display all texts by a gettext catalogue, whose message ids are the English texts."""
    _LANGUAGE.use(translations)


class _Commands:
    """How commands in texts are completed; until a function is chosen, they stay as they are."""

    def __init__(self) -> None:
        self.complete: Callable[[str], str] = str

    def complete_text(self, text: str) -> str:
        return self.complete(text) if "tui-annotate " in text else text


_COMMANDS: Final = _Commands()


def use_commands(complete: Callable[[str], str]) -> None:
    """Display texts with commands as a function returns them, for example with the option `-w`."""
    _COMMANDS.complete = complete


def screen_text(text: str | Plural, /, **fields: object) -> str:
    """Return a text of the screen in the language of the screen, with its fields filled in.

    A text without a translation is displayed in English.

    Args:
        fields: values by name; for a `Plural`, `count` is a number, and chooses the form.

    Raises:
        KeyError: a field of the text has no value.
    """
    if isinstance(text, Plural):
        count = fields["count"]
        if not isinstance(count, int):
            raise TypeError(f"count must be a number, not {count!r}")
        found = _LANGUAGE.translations.ngettext(text.one, text.other, count)
    else:
        found = _LANGUAGE.look_up(text)
    return found.format(**fields) if "{" in found else found


class ScreenMessage(Enum):
    """Base of the catalogues of a screen's texts: each member's value is a text, or a plural."""

    def text(self, /, **fields: object) -> str:
        """Return the text in the language of the screen, with fields and whole commands."""
        return _COMMANDS.complete_text(screen_text(self.value, **fields))


def error_texts(error: TuiAnnotateError) -> tuple[str, str]:
    """Return the message and the hint of an error, which may be empty.

    Both are looked up as they are, because they contain values: texts with values stay in English
    unless they were made from a catalogue. `error.code` is the same in each language.
    """
    look_up = _LANGUAGE.translations.gettext
    hint = look_up(error.hint) if error.hint else ""
    return look_up(error.message), _COMMANDS.complete_text(hint)


def describe_error(error: TuiAnnotateError) -> str:
    """Return an error as one line: its message, and its hint if it has one."""
    return " · ".join(filter(None, error_texts(error)))
