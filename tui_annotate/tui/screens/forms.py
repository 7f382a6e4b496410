"""What the pages of the reception say and ask, as values; nothing is done here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

GO: Final = "go"
"""The choice that Enter in a field stands for, once all fields are filled."""

CODE, BACK, LEAVE = "code", "back", "leave"

Values = Mapping[str, str]
"""What stands in the fields, by name; a tick is "yes" or nothing."""


class Field(NamedTuple):
    """Something to type."""

    field: str
    name: str
    value: str = ""
    secret: bool = False


class Form(NamedTuple):
    """What a page says and asks.

    Attributes:
        lead: what it is about, a paragraph each.
        choices: (choice, words) each; the first is `GO`.
        tick: (name of the value, words); None for none.
        back: Escape is the choice `BACK`.
        over: what is under the page stays in sight around it.
    """

    title: str
    lead: Sequence[str]
    fields: Sequence[Field] = ()
    choices: Sequence[tuple[str, str]] = ()
    tick: tuple[str, str] | None = None
    back: bool = False
    over: bool = False


_PASSWORD: Final = Field("password", "password", secret=True)
_TWICE: Final = (
    Field("new", "new password", secret=True),
    Field("again", "once more", secret=True),
)
_STAY: Final = ("stay", "stay signed in on this computer")


def sign_in(where: str, *, email: str = "", may_stay: bool) -> Form:
    """Who somebody is; `where` names the workspace."""
    return Form(
        "Sign in",
        [where],
        [Field("email", "e-mail", email), _PASSWORD],
        [(GO, "sign in"), (CODE, "I have a code")],
        tick=_STAY if may_stay else None,
    )


def code(*, may_stay: bool) -> Form:
    """Somebody comes for the first time."""
    return Form(
        "I have a code",
        ["With the code that you were given you set your own password; it works once."],
        [Field("code", "code"), *_TWICE],
        [(GO, "set the password, sign in"), (BACK, "back")],
        tick=_STAY if may_stay else None,
        back=True,
    )


def first_password(name: str, *, old: bool) -> Form:
    """A password that somebody else set is to be changed; `old`: it has to be typed once more."""
    return Form(
        "A password of your own",
        [f"{name}, your password was set by somebody else. Choose one that only you know."],
        [*([Field("old", "password so far", secret=True)] if old else []), *_TWICE],
        [(GO, "change it, go on")],
    )


def password(name: str) -> Form:
    """Somebody wants another password."""
    return Form(
        "Change the password",
        [f"{name}, wherever else you are signed in, you will be asked for the new password."],
        [Field("old", "password so far", secret=True), *_TWICE],
        [(GO, "change it"), (BACK, "back")],
        back=True,
    )


def place(since: str, *, working: bool) -> Form:
    """Somebody is at work in another process; `working`: they were here before."""
    lead = (
        f"You went on elsewhere at {since}. What you did here last is not saved; it stays here."
        if working
        else f"You are at work elsewhere since {since}. What is saved there is here as well."
    )
    return Form(
        "At work elsewhere", [lead], [], [(GO, "take over"), (LEAVE, "leave")], over=working
    )


def again(title: str, lead: Sequence[str], *, known: bool) -> Form:
    """Whoever is in shows that it is still they; nothing is asked where the machine knows them."""
    choices = [(GO, "go on"), (LEAVE, "sign out and leave")]
    return Form(title, lead, [] if known else [_PASSWORD], choices)
