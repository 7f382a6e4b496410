"""Finds names of people that look alike, such as names with letters of different alphabets."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import MAJORITY, SECOND_READER_NAME, SETTLED, check_name

_JOINERS: Final = "\u200c\u200d"
"""Zero-width joiners, which Persian and Indic names need between letters."""
_INVISIBLE: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff]"
    f"|(?<![^\x00-\x7f])[{_JOINERS}]|[{_JOINERS}](?![^\x00-\x7f])"
)
_IGNORABLE: Final = re.compile(f"{_INVISIBLE.pattern}|[{_JOINERS}\ufe00-\ufe0f]")
# Cyrillic and Greek letters by the Latin letter that most fonts draw in the same way.
_CAPITALS: Final = str.maketrans(
    "АВЕЅІЈКМНОРСТУХԚԜҮΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "ABESIJKMHOPCTYXQWYABEZHIKMNOPTYX",
)
_SMALL_LETTERS: Final = str.maketrans(
    "аеѕіјорсухԛԝһԁԍνορυαιχօսոհıɡɑ",
    "aesijopcyxqwhdgvopuaixounhiga",
)


def name_skeleton(name: str) -> str:
    """Return a text that is equal for names that look alike, whatever their case and alphabet."""
    plain = _IGNORABLE.sub("", unicodedata.normalize("NFKC", name)).translate(_CAPITALS)
    folded = unicodedata.normalize("NFKC", plain.casefold()).translate(_SMALL_LETTERS)
    return " ".join(folded.split())


_SECOND_READER_SKELETON: Final = name_skeleton(SECOND_READER_NAME)
_PROGRAM_SKELETONS: Final = frozenset(map(name_skeleton, (SETTLED, MAJORITY)))


def find_similar_names(name: str, known: Iterable[str]) -> list[str]:
    """Return the known names that look like a name, but differ from it, in the given order."""
    skeleton = name_skeleton(name)
    return [each for each in known if each != name and name_skeleton(each) == skeleton]


def check_new_name(name: str) -> str:
    """Return the stripped name of a new person.

    Names that are stored already may break the rules for new names.

    Raises:
        InvalidInput: as `check_name`; or the name has invisible characters, or looks like a name
            that the program gives to second readings, adjudications or majority votes.
    """
    made = check_name(name)
    if found := _INVISIBLE.search(made):
        code = f"U+{ord(found[0]):04X}"
        raise InvalidInput(
            f"the name {made!r} contains the invisible character {code}",
            f"type the name again without it: {_IGNORABLE.sub('', made)}",
        )
    skeleton = name_skeleton(made)
    if skeleton.endswith(_SECOND_READER_SKELETON):
        raise InvalidInput(
            f"the name {made!r} looks like the name of a second reading",
            f"choose a name that does not end in {SECOND_READER_NAME!r}; for the person who reads a"
            " second time, give the name without this end",
            code="name-reserved",
        )
    if skeleton in _PROGRAM_SKELETONS:
        raise InvalidInput(
            f"the program itself uses the name {made!r}, so no person can have it",
            "choose another name",
            code="name-reserved",
        )
    return made
