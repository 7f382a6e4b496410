"""The forms of the sign-in flow as values: titles, texts, fields and choices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

GO: Final = "go"
"""The choice that Enter in a field makes, once all fields are filled."""

CODE, BACK, LEAVE = "code", "back", "leave"

Values = Mapping[str, str]
"""The values of the fields, by name; a ticked box is "yes", else empty."""


class FieldContent(NamedTuple):
    """Something to type."""

    field: str
    name: str
    value: str = ""
    secret: bool = False


class FormContent(NamedTuple):
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
    fields: Sequence[FieldContent] = ()
    choices: Sequence[tuple[str, str]] = ()
    tick: tuple[str, str] | None = None
    back: bool = False
    over: bool = False


_PASSWORD: Final = FieldContent("password", "password", secret=True)
_TWICE: Final = (
    FieldContent("new", "new password", secret=True),
    FieldContent("again", "once more", secret=True),
)
_STAY: Final = ("stay", "stay signed in on this computer")


def sign_in_form(where: str, *, email: str = "", can_stay_signed_in: bool) -> FormContent:
    """Sign in; `where` names the workspace."""
    return FormContent(
        "Sign in",
        [where],
        [FieldContent("email", "e-mail", email), _PASSWORD],
        [(GO, "sign in"), (CODE, "I have a code")],
        tick=_STAY if can_stay_signed_in else None,
    )


def invite_code_form(*, can_stay_signed_in: bool) -> FormContent:
    """Redeem an invitation code."""
    return FormContent(
        "I have a code",
        ["With the code that you were given you set your own password; it works once."],
        [FieldContent("code", "code"), *_TWICE],
        [(GO, "set the password, sign in"), (BACK, "back")],
        tick=_STAY if can_stay_signed_in else None,
        back=True,
    )


def first_password_form(name: str, *, old: bool) -> FormContent:
    """Change a password that an admin set; `old`: it has to be typed once more."""
    return FormContent(
        "A password of your own",
        [f"{name}, your password was set by somebody else. Choose one that only you know."],
        [*([FieldContent("old", "password so far", secret=True)] if old else []), *_TWICE],
        [(GO, "change it, go on")],
    )


def password_form(name: str) -> FormContent:
    """Change one's own password."""
    return FormContent(
        "Change the password",
        [f"{name}, wherever else you are signed in, you will be asked for the new password."],
        [FieldContent("old", "password so far", secret=True), *_TWICE],
        [(GO, "change it"), (BACK, "back")],
        back=True,
    )


def place(since: str, *, working: bool) -> FormContent:
    """Take over a session in another process; `working`: this session was active before."""
    lead = (
        f"You went on elsewhere at {since}. What you did here last is not saved; it stays here."
        if working
        else f"You are at work elsewhere since {since}. What is saved there is here as well."
    )
    return FormContent(
        "At work elsewhere", [lead], [], [(GO, "take over"), (LEAVE, "leave")], over=working
    )


def build_password_again_form(title: str, lead: Sequence[str], *, known: bool) -> FormContent:
    """Sign in again; no password is asked for where the machine knows the person."""
    choices = [(GO, "go on"), (LEAVE, "sign out and leave")]
    return FormContent(title, lead, [] if known else [_PASSWORD], choices)
