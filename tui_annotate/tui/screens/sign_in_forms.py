"""The forms and messages of the sign-in flow: titles, texts, fields and choices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from tui_annotate.domain.people import Person
from tui_annotate.editor.screen_message import Plural, ScreenMessage

GO: Final = "go"
"""The main choice of a form; Enter in a field makes this choice once all fields are filled."""

CODE = "code"
BACK = "back"
LEAVE = "leave"
"""Further choices: sign in with a code, go back, and quit or sign out."""

_MOST_IDS: Final = 6

Values = Mapping[str, str]
"""The values of a form's fields by name; a ticked box is "yes", an unticked box is empty."""


class SignInMessage(ScreenMessage):
    """Texts of the sign-in forms."""

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
        " To change the answer later, see: tui-annotate users merge --help"
    )
    NAMESAKES_LEAD = (
        "{count} imported people are named {name}, with the ids {ids}. To continue the work of one"
        " of them, quit and run the next command with the person's id in place of ID: tui-annotate"
        " users merge ID ID"
    )
    TAKEOVER_LEAD = "You have another session, open since {since}. Work saved there is also here."
    TAKEN_OVER_LEAD = (
        "Another session replaced this one at {since}."
        " Your last action is not saved, but this session keeps it."
    )
    JUST_OPENED = "Just opened. Press the key again when you have read this."
    LOCKED = Plural(
        "{name} · no key pressed for {count:,} minute · all work is saved",
        "{name} · no key pressed for {count:,} minutes · all work is saved",
    )
    SESSION_ENDED = "{name} · {error}"
    LAST_ACTION_WAITS = "Your last action is not saved. Repeat it after you sign in again."

    SIGNED_IN_AGAIN = "Signed in again · your last action is not saved: repeat it"
    CHANGED = "Password changed"

    # titles
    SIGN_IN = "Sign in"
    SIGN_IN_AGAIN = "Sign in again"
    HAVE_CODE = "I have a code"
    FIRST_PASSWORD = "Choose your own password"
    CHANGE_PASSWORD = "Change your password"
    IMPORTED_WORK = "Imported work"
    OTHER_SESSION = "Another session"
    SCREEN_LOCKED = "Locked"

    # fields
    EMAIL = "e-mail"
    PASSWORD = "password"
    CODE = "code"
    OLD_PASSWORD = "current password"
    NEW_PASSWORD = "new password"
    REPEAT_PASSWORD = "repeat password"
    STAY = "stay signed in on this computer"

    # choices
    TO_SIGN_IN = "sign in"
    SET_PASSWORD = "set password and sign in"
    CHANGE_AND_CONTINUE = "change password and continue"
    CHANGE = "change password"
    WITHOUT_IMPORTED = "continue without imported annotations"
    SAME_PERSON = "yes, continue this work"
    OTHER_PERSON = "no, another person did this work"
    TAKE_OVER = "take over"
    CONTINUE = "continue"
    SIGN_OUT = "sign out and quit"
    BACK = "back"
    QUIT = "quit"

    # errors
    PASSWORDS_DIFFER = "the two new passwords differ"
    TYPE_TWICE = "type the new password twice"


class FieldContent(NamedTuple):
    """An input field of a form."""

    field: str
    name: ScreenMessage
    value: str = ""
    secret: bool = False


class FormContent(NamedTuple):
    """Content of a form: title, introduction, fields and choices.

    Attributes:
        choices: (choice, shown text) of each choice; the first choice is `GO`.
        tick: (key of the value, shown text) of the tick box; None if there is none.
        over: whether the screen below stays visible around the form.
    """

    title: ScreenMessage
    lead: Sequence[str]
    fields: Sequence[FieldContent] = ()
    choices: Sequence[tuple[str, ScreenMessage]] = ()
    tick: tuple[str, ScreenMessage] | None = None
    back: bool = False
    over: bool = False


_PASSWORD: Final = FieldContent("password", SignInMessage.PASSWORD, secret=True)
_TWICE: Final = (
    FieldContent("new", SignInMessage.NEW_PASSWORD, secret=True),
    FieldContent("again", SignInMessage.REPEAT_PASSWORD, secret=True),
)
_OLD_PASSWORD: Final = FieldContent("old", SignInMessage.OLD_PASSWORD, secret=True)
_STAY: Final = ("stay", SignInMessage.STAY)


def sign_in_form(where: str, *, email: str = "", can_stay_signed_in: bool) -> FormContent:
    """Build the form for e-mail and password; `where` names the workspace."""
    return FormContent(
        SignInMessage.SIGN_IN,
        [where],
        [FieldContent("email", SignInMessage.EMAIL, email), _PASSWORD],
        [(GO, SignInMessage.TO_SIGN_IN), (CODE, SignInMessage.HAVE_CODE)],
        tick=_STAY if can_stay_signed_in else None,
    )


def invite_code_form(*, can_stay_signed_in: bool) -> FormContent:
    """Build the form to set the first password with a code that an admin sent."""
    return FormContent(
        SignInMessage.HAVE_CODE,
        [SignInMessage.CODE_LEAD.text()],
        [FieldContent("code", SignInMessage.CODE), *_TWICE],
        [(GO, SignInMessage.SET_PASSWORD), (BACK, SignInMessage.BACK)],
        tick=_STAY if can_stay_signed_in else None,
        back=True,
    )


def first_password_form(name: str, *, old: bool) -> FormContent:
    """Build the form to replace a password that an admin set; `old` asks for the old one, too."""
    return FormContent(
        SignInMessage.FIRST_PASSWORD,
        [SignInMessage.ADMIN_SET_LEAD.text(name=name)],
        [_OLD_PASSWORD, *_TWICE] if old else [*_TWICE],
        [(GO, SignInMessage.CHANGE_AND_CONTINUE)],
    )


def password_form(name: str) -> FormContent:
    """Build the form to change the password of a signed-in user."""
    return FormContent(
        SignInMessage.CHANGE_PASSWORD,
        [SignInMessage.CHANGE_LEAD.text(name=name)],
        [_OLD_PASSWORD, *_TWICE],
        [(GO, SignInMessage.CHANGE), (BACK, SignInMessage.BACK)],
        back=True,
    )


def same_person_form(people: Sequence[Person]) -> FormContent:
    """Build the form about imported work under the user's name; several people give no choice."""
    name = people[0].name
    ids = ", ".join(person.id for person in people[:_MOST_IDS])
    if len(people) > 1:
        if len(people) > _MOST_IDS:
            ids += ", ..."
        lead = SignInMessage.NAMESAKES_LEAD.text(name=name, count=len(people), ids=ids)
        return FormContent(
            SignInMessage.IMPORTED_WORK, [lead], [], [(GO, SignInMessage.WITHOUT_IMPORTED)]
        )
    choices = [(GO, SignInMessage.SAME_PERSON), (BACK, SignInMessage.OTHER_PERSON)]
    lead = SignInMessage.SAME_PERSON_LEAD.text(name=name)
    return FormContent(SignInMessage.IMPORTED_WORK, [lead], [], choices)


def place(since: str, *, working: bool) -> FormContent:
    """Build the form to take over the user's other session, which began at `since`."""
    lead = SignInMessage.TAKEN_OVER_LEAD if working else SignInMessage.TAKEOVER_LEAD
    choices = [(GO, SignInMessage.TAKE_OVER), (LEAVE, SignInMessage.QUIT)]
    return FormContent(
        SignInMessage.OTHER_SESSION, [lead.text(since=since)], [], choices, over=working
    )


def build_password_again_form(
    title: SignInMessage, lead: Sequence[str], *, known: bool
) -> FormContent:
    """Build the form to sign in again; a user who is `known` needs no password."""
    choices = [(GO, SignInMessage.CONTINUE), (LEAVE, SignInMessage.SIGN_OUT)]
    return FormContent(title, lead, [] if known else [_PASSWORD], choices)
