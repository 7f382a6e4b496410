"""The forms and messages of the sign-in flow: titles, texts, fields and choices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from tui_annotate.domain.people import Person
from tui_annotate.editor.screen_message import ScreenMessage

GO: Final = "go"
"""The main choice of a form; Enter in a field makes this choice once all fields are filled."""

CODE, BACK, LEAVE = "code", "back", "leave"

_MOST_IDS: Final = 6

Values = Mapping[str, str]
"""The values of a form's fields by name; a ticked box is "yes", an unticked box is empty."""


class SignInMessage(ScreenMessage):
    REFUSED = "✗ {error}"
    TOO_MANY_ATTEMPTS = "✗ too many attempts: wait {seconds} s; your input is kept"
    TRY_AGAIN = "Press Enter to try again"
    WAIT = "Please wait…"

    CODE_LEAD = "Set your own password with the code that you received. The code works once."
    ADMIN_SET_LEAD = (
        "{name}, your password was set by an admin. Choose a password that only you know."
    )
    CHANGE_LEAD = "{name}, your other sessions end. Sign in there with the new password."
    SAME_PERSON_LEAD = (
        "The workspace has imported work by a person named {name}. Is this your work?"
        " To change the answer later, see: tui-annotate people merge --help"
    )
    NAMESAKES_LEAD = (
        "{count} imported people are named {name}, with the ids {ids}. To continue the work of one"
        " of them, quit and run the next command with the person's id in place of ID: tui-annotate"
        " people merge ID ID"
    )
    TAKEOVER_LEAD = "You have another session, open since {since}. Work saved there is also here."
    TAKEN_OVER_LEAD = (
        "Another session replaced this one at {since}."
        " Your last action is not saved, but this session keeps it."
    )
    JUST_OPENED = "Just opened. Press the key again when you have read this."
    LOCKED = "{name} · no key pressed for {minutes} · all work is saved"
    SESSION_ENDED = "{name} · {error}"
    LAST_ACTION_WAITS = "Your last action is not saved. Repeat it after you sign in again."

    SIGNED_IN_AGAIN = "Signed in again · your last action is not saved: repeat it"
    CHANGED = "Password changed"


class FieldContent(NamedTuple):
    """An input field of a form."""

    field: str
    name: str
    value: str = ""
    secret: bool = False


class FormContent(NamedTuple):
    """Content of a form: title, introduction, fields and choices.

    Attributes:
        choices: (choice, shown words) of each choice; the first choice is `GO`.
        tick: (key of the value, shown words) of the tick box; None if there is none.
        over: whether the screen below stays visible around the form.
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
    FieldContent("again", "repeat password", secret=True),
)
_OLD_PASSWORD: Final = FieldContent("old", "current password", secret=True)
_STAY: Final = ("stay", "stay signed in on this computer")


def sign_in_form(where: str, *, email: str = "", can_stay_signed_in: bool) -> FormContent:
    return FormContent(
        "Sign in",
        [where],
        [FieldContent("email", "e-mail", email), _PASSWORD],
        [(GO, "sign in"), (CODE, "I have a code")],
        tick=_STAY if can_stay_signed_in else None,
    )


def invite_code_form(*, can_stay_signed_in: bool) -> FormContent:
    return FormContent(
        "I have a code",
        [SignInMessage.CODE_LEAD.text()],
        [FieldContent("code", "code"), *_TWICE],
        [(GO, "set password and sign in"), (BACK, "back")],
        tick=_STAY if can_stay_signed_in else None,
        back=True,
    )


def first_password_form(name: str, *, old: bool) -> FormContent:
    """Build the form to replace a password that an admin set; `old` asks for the old one, too."""
    return FormContent(
        "Choose your own password",
        [SignInMessage.ADMIN_SET_LEAD.text(name=name)],
        [*([_OLD_PASSWORD] if old else []), *_TWICE],
        [(GO, "change password and continue")],
    )


def password_form(name: str) -> FormContent:
    return FormContent(
        "Change your password",
        [SignInMessage.CHANGE_LEAD.text(name=name)],
        [_OLD_PASSWORD, *_TWICE],
        [(GO, "change password"), (BACK, "back")],
        back=True,
    )


def same_person_form(people: Sequence[Person]) -> FormContent:
    """Build the form about imported work under the user's name; several people give no choice."""
    name, ids = people[0].name, ", ".join(person.id for person in people[:_MOST_IDS])
    if len(people) > 1:
        ids += ", ..." if len(people) > _MOST_IDS else ""
        lead = SignInMessage.NAMESAKES_LEAD.text(name=name, count=len(people), ids=ids)
        return FormContent(
            "Imported work", [lead], [], [(GO, "continue without imported annotations")]
        )
    choices = [(GO, "yes, continue this work"), (BACK, "no, another person did this work")]
    return FormContent(
        "Imported work", [SignInMessage.SAME_PERSON_LEAD.text(name=name)], [], choices
    )


def place(since: str, *, working: bool) -> FormContent:
    """Build the form to take over the user's other session, which began at `since`."""
    lead = SignInMessage.TAKEN_OVER_LEAD if working else SignInMessage.TAKEOVER_LEAD
    choices = [(GO, "take over"), (LEAVE, "quit")]
    return FormContent("Another session", [lead.text(since=since)], [], choices, over=working)


def build_password_again_form(title: str, lead: Sequence[str], *, known: bool) -> FormContent:
    """Build the form to sign in again; a user who is `known` needs no password."""
    choices = [(GO, "continue"), (LEAVE, "sign out and quit")]
    return FormContent(title, lead, [] if known else [_PASSWORD], choices)
