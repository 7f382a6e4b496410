"""Accounts: how people sign in to a workspace, and what stands in them; no secret is shown."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import Actor, Person, Role

LONGEST_EMAIL: Final = 254

_EMAIL: Final = re.compile(
    r"[^\s@\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+@[^\s@\x00-\x1f\x7f-\x9f\ud800-\udfff]+"
)
_UNIX: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,31}\$?")


@dataclass(frozen=True, slots=True)
class Account:
    """How a person signs in.

    Attributes:
        hash: of the password; empty before the first one.
        epoch: grows when all sessions end.
        unix: this person's user of the machine; may be empty.
    """

    person: Person
    email: str
    role: Role = Role.ANNOTATOR
    hash: str = field(default="", repr=False)
    active: bool = True
    must_change: bool = False
    epoch: int = 0
    unix: str = ""
    created: str = ""
    changed: str = ""

    @property
    def actor(self) -> Actor:
        """Who acts once they are signed in."""
        return Actor(self.person.id, self.role)


def normalize_email(email: str) -> str:
    """An address as it is stored and compared.

    Raises:
        InvalidInput: it is none.
    """
    made = email.strip().lower()
    if len(made) > LONGEST_EMAIL or not _EMAIL.fullmatch(made):
        raise InvalidInput(f"{email!r} is no e-mail address", "write it as ana@example.org")
    return made


def check_unix_user(name: str) -> str:
    """The name of a user of a machine; an empty one stays empty.

    Raises:
        InvalidInput: it is none.
    """
    if name and not _UNIX.fullmatch(name):
        raise InvalidInput(
            f"{name!r} is no user name", "write it as id -un prints it", code="user-name"
        )
    return name


def parse_role(role: str) -> Role:
    """A role by its name.

    Raises:
        InvalidInput: there is none.
    """
    try:
        return Role(role)
    except ValueError as error:
        known = ", ".join(Role)
        raise InvalidInput(f"{role!r} is no role", f"write one of: {known}") from error
