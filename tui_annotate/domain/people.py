"""People who own annotations, events and assignments; their roles and permissions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from tui_annotate.domain.errors import InvalidInput, NotAllowed

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
LONGEST_NAME = 100

SETTLED: Final = "adjudicated"
"""Person id of all adjudicated annotations; no account has this id."""
DELETED_DOMAIN: Final = "@deleted.invalid"
"""Domain of the e-mail addresses of deleted users, to which no mail can be sent."""
MAJORITY: Final = "majority"
"""Person id of annotations that an export makes by majority vote; no real person."""

_SECOND_READER: Final = "~2"
SECOND_READER_NAME: Final = "(2nd reading)"
"""End of the displayed name of each second reading; no new person's name may end like this."""


class PersonKind(StrEnum):
    """The origin of a person: named on this machine, imported from a file, or with an account.

    `settled` is the owner of adjudicated annotations; `again` a person's second reading; the work
    of a `merged` person belongs to another person.
    """

    LOCAL = "local"
    IMPORTED = "imported"
    ACCOUNT = "account"
    SETTLED = "settled"
    AGAIN = "again"
    MERGED = "merged"


@dataclass(frozen=True, slots=True)
class Person:
    """A person who owns work; `id` is permanent and unique, `name` is displayed and not unique."""

    id: str
    name: str
    kind: PersonKind = PersonKind.LOCAL


def check_name(name: str) -> str:
    """Return a stripped name; InvalidInput if empty, over 100 code points, or with controls."""
    trimmed = name.strip()
    if not trimmed or len(trimmed) > LONGEST_NAME or _CONTROL.search(trimmed):
        raise InvalidInput(
            f"{name!r} is not a name",
            f"give a name of 1 to {LONGEST_NAME} characters without control characters",
            code="not-a-name",
        )
    return trimmed


def second_reader(person: Person) -> Person:
    """Return the id and name under which a person's second annotation of samples is stored."""
    return Person(
        person.id + _SECOND_READER, f"{person.name} {SECOND_READER_NAME}", PersonKind.AGAIN
    )


def base_person(person: str) -> str:
    """Return a person's id without the suffix that marks a second annotation of samples."""
    return person.removesuffix(_SECOND_READER)


class Role(StrEnum):
    """A user's role in a team; each role has all permissions of the previous role."""

    ANNOTATOR = "annotator"
    REVIEWER = "reviewer"
    ADMIN = "admin"


class Permission(StrEnum):
    """A kind of action on a person's work or on the workspace; each role permits some kinds."""

    READ = "read"
    WRITE = "write"
    REVIEW = "review"
    REPORT = "report"
    MANAGE = "manage"


@dataclass(frozen=True, slots=True)
class Actor:
    """The current user, as `require_permission` checks it: a person and their role."""

    person: str
    role: Role


OPERATOR: Final = Actor("", Role.ADMIN)
"""The owner of the workspace's files, and the only user before accounts exist."""

_PERMISSIONS: Final = {
    Role.ANNOTATOR: frozenset[Permission](),
    Role.REVIEWER: frozenset({Permission.READ, Permission.REVIEW, Permission.REPORT}),
    Role.ADMIN: frozenset(
        {Permission.READ, Permission.REVIEW, Permission.REPORT, Permission.MANAGE}
    ),
}


def is_allowed(actor: Actor, verb: Permission, owner: str = "") -> bool:
    """Return whether an actor may act on the work of `owner` (empty: on the workspace)."""
    if actor == OPERATOR:
        return True
    if owner == SETTLED:
        return Permission.REVIEW in _PERMISSIONS[actor.role] and verb in (
            Permission.READ,
            Permission.WRITE,
        )
    if owner and base_person(owner) == actor.person:
        return verb in (Permission.READ, Permission.WRITE, Permission.REPORT)
    return verb in _PERMISSIONS[actor.role]


def require_permission(actor: Actor, verb: Permission, owner: str = "") -> None:
    """Check that an actor may act on one person's work; `owner` is empty for the whole workspace.

    Raises:
        NotAllowed: the message names the role and the permission, never the owner.
    """
    if not is_allowed(actor, verb, owner):
        raise NotAllowed(
            f"the role {actor.role} does not permit you to {verb} the work of other people"
            if owner
            else f"the role {actor.role} does not permit you to {verb} this workspace",
            "ask an admin of the workspace for help",
            code="role-lacks-permission",
        )


def visible_people(actor: Actor) -> tuple[str, ...] | None:
    """Return the ids of the people whose work an actor can read; None if the actor can read all.

    Database queries are restricted to these ids; their results are not filtered.
    """
    if is_allowed(actor, Permission.READ):
        return None
    return (actor.person, actor.person + _SECOND_READER)
