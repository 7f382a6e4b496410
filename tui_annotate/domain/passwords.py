"""Rules for new passwords: long enough, not common, not the owner's name or e-mail address.

Passwords are normalized to NFC, so that the same key presses match on every machine.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from tui_annotate.domain.errors import InvalidInput

SHORTEST: Final = 8
LONGEST: Final = 1024
_HINT: Final = "choose a few unrelated words as the password"

_KEYBOARD_ROWS: Final = (
    "qwertyuiop",
    "asdfghjkl",
    "zxcvbnm",
    "qwertzuiop",
    "yxcvbnm",
    "azertyuiop",
    "qsdfghjklm",
    "wxcvbn",
    "abcdefghijklmnopqrstuvwxyz",
    "01234567890",
    "1q2w3e4r5t6y7u8i9o0p",
    "1qaz2wsx3edc4rfv5tgb6yhn",
    "qazwsxedcrfvtgbyhnujm",
    "qweasdzxc",
    "zaq12wsx",
    "qwer1234asdf",
    "0987654321",
)
"""Keyboard rows and sequences; a password made only of parts of these is rejected."""

_COMMON_WORDS_TEXT: Final = """
    abcd access account admin administrator alexander amanda america andrea andrew angel angels
    annotate annotation annotator anthony apple april arsenal arthur ashley august austin autumn
    babygirl backup bailey banana barcelona barney baseball basketball batman beautiful bigdaddy
    bigdog blahblah blessed bonjour boomer booboo brandon brandy britney buster butterfly calvin
    canada captain carlos changeit changeme charles charlie cheese chelsea chester chicago
    chicken chocolate chris christian christmas coffee computer contact cookie corvette cowboy
    cowboys creative crystal dallas daniel danielle database december default demo destiny
    diablo diamond dolphin donald dragon eagles edward elephant elizabeth email enter everton
    facebook falcon family february ferrari firewall fishing flower flowers football forever
    formula freedom friday friend friends gandalf garfield george ginger google guest guitar
    gunner hannah harley hello helloworld heather hockey hotdog house hunter iloveu
    iloveyou infinity internet jackson january jasmine jason jasper jennifer jessica jesus
    johnny jonathan jordan joseph joshua juice july june junior justice justin killer kitten
    knight labels lakers lauren legend letmein letme liverpool login london loveme lovely lovers
    loveyou maggie manager manchester marina marlboro martin martina master matrix matthew
    maverick maxwell melissa mercedes mercury merlin michael michelle mickey midnight miller
    minecraft monday money monica monkey monster morgan mother mountain mustang naruto nathan
    newpass newpassword newyork nicholas nicole nikita nintendo nothing november october
    office oliver orange owner pass passcode passphrase passport passw password patrick patricia
    peaches peanut people pepper phoenix phpbb player please pokemon police porsche power prince
    princess private public purple qwerty rabbit rachel racing raiders rainbow ranger rangers
    rebecca redsox reset richard robert rocket root rosebud russia samantha samsung sandra
    saturday scooter scorpion secret security september server service shadow shannon shelby
    sierra silver simple skippy slayer smokey snoopy soccer sophie spanky sparky spider
    spiderman spring stars starwars steelers steven student success summary summer sunday
    sunflower sunshine super superman superuser support swordfish sydney system target taylor
    teacher temp temporary tennis test tester testing testpass testuser thomas thunder thursday
    tiger tigger timothy today tomorrow training trustme trustno tuesday turtle united user
    username vampire victor victoria victory viking vincent volleyball warrior webmaster
    wednesday welcome whatever william willow windows winner winston winter wizard wolfpack
    woaini workspace xavier yankees yellow yourpassword zaqwsx zxcvbn azerty motdepasse soleil
    doudou loulou marseille passwort hallo geheim schatz fussball contrasena hola teamo estrella
    senha amor brasil parola ciao juventus wachtwoord welkom haslo losenord salasana parool
    heslo sifre parole mima
"""
_COMMON_WORDS: Final = frozenset(_COMMON_WORDS_TEXT.split())

_LOOKALIKES: Final = str.maketrans("@4301!$57", "aaeoiisst")
_EDGES: Final = re.compile(r"^[\W\d_]+|[\W\d_]+$")
_MOST_ADDED: Final = 6
"""A password is common if it is a common word plus at most this many other characters."""
_LONGEST_REPEATED: Final = 4
"""A password is weak if it only repeats a part of at most this many characters."""
_SHORTEST_WALK: Final = 4
"""Minimum length, in characters, of a keyboard sequence that is recognized in a password."""


def normalise_password(password: str) -> str:
    """Return a password in NFC, the form that is checked and hashed."""
    return unicodedata.normalize("NFC", password)


def check_password(password: str, *, own: Sequence[str] = ()) -> str:
    """Check a new password and return it in NFC; `own` holds the person's name and e-mail address.

    Raises:
        InvalidInput: the password is too short, too long, common or personal; messages never
            quote it.
    """
    made = normalise_password(password)
    if not SHORTEST <= len(made) <= LONGEST:
        raise InvalidInput(
            f"the password has {len(made)} characters",
            f"choose {SHORTEST} to {LONGEST} characters",
        )
    if any("\ud800" <= character <= "\udfff" for character in made):
        raise InvalidInput("the password contains half a character", "type the password again")
    if is_common(made):
        raise InvalidInput("the password is too common", _HINT, code="password-common")
    if _is_own_name(made, own):
        raise InvalidInput(
            "the password is your own name or e-mail address", _HINT, code="password-own-name"
        )
    return made


def is_common(password: str) -> bool:
    """Return whether a password is a common one, or a variant such as `P@ssw0rd1`."""
    plain = password.casefold().replace(" ", "")
    if _is_repeated(plain) or _is_keyboard_walk(plain):
        return True
    return any(stem in _COMMON_WORDS or _is_keyboard_walk(stem) for stem in _stems(plain))


def _stems(plain: str) -> set[str]:
    """Return words from which a password may be made, to compare them with common passwords.

    Digits and marks at both ends are removed, look-alikes (`@`, `0`) become letters, and a word
    that is written twice is also returned once.
    """
    bare = _EDGES.sub("", plain)
    seen = plain.translate(_LOOKALIKES)
    found = {bare, bare.translate(_LOOKALIKES), seen, _EDGES.sub("", seen)}
    found = {
        stem
        for stem in found
        if len(plain) - len(stem) <= _MOST_ADDED or _is_keyboard_walk(plain.removeprefix(stem))
    }
    return found | {stem[: len(stem) // 2] for stem in found if stem == stem[: len(stem) // 2] * 2}


def _is_repeated(plain: str) -> bool:
    sizes = range(1, min(_LONGEST_REPEATED, len(plain) // 2) + 1)
    return not plain or any(plain == (plain[:size] * len(plain))[: len(plain)] for size in sizes)


def _is_keyboard_walk(plain: str) -> bool:
    at = 0
    while at < len(plain):
        end = at + _SHORTEST_WALK
        if not _is_part_of_row(plain[at:end]) or end > len(plain):
            return False
        while end < len(plain) and _is_part_of_row(plain[at : end + 1]):
            end += 1
        at = end
    return bool(plain)


def _is_part_of_row(part: str) -> bool:
    return any(part in row or part in row[::-1] for row in _KEYBOARD_ROWS)


def _is_own_name(password: str, own: Sequence[str]) -> bool:
    names = {name.casefold().replace(" ", "") for name in own if name}
    names |= {name.partition("@")[0] for name in names}
    plain = normalise_password(password).casefold().replace(" ", "")
    bare = _EDGES.sub("", plain)
    return plain in names or (bare != "" and bare in {_EDGES.sub("", name) for name in names})
