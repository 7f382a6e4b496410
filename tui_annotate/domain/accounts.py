"""Accounts of a workspace: e-mail address, role, password hash; secrets are never displayed."""

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
    """An account with which a person signs in to a workspace.

    Attributes:
        epoch: counter that is increased to end all sessions of the account.
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
        return Actor(self.person.id, self.role)


def normalize_email(email: str) -> str:
    """Return an e-mail address as stored: stripped, in lower case; InvalidInput if invalid."""
    made = email.strip().lower()
    if len(made) > LONGEST_EMAIL or not _EMAIL.fullmatch(made):
        raise InvalidInput(
            f"{email!r} is not an e-mail address", "write an address such as ana@example.org"
        )
    return made


def check_unix_user(name: str) -> str:
    """Return a Unix user name unchanged if it is valid or empty; InvalidInput otherwise."""
    if name and not _UNIX.fullmatch(name):
        raise InvalidInput(
            f"{name!r} is not a Unix user name",
            "write the name that the shell command id -un prints",
            code="user-name",
        )
    return name


def parse_role(role: str) -> Role:
    """Return the role with a given name, such as `annotator`; InvalidInput for another name."""
    try:
        return Role(role)
    except ValueError as error:
        known = ", ".join(Role)
        raise InvalidInput(f"{role!r} is not a role", f"write one of: {known}") from error
