"""Persons: who an annotation, an event or an assignment belongs to, and who may do what."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from tui_annotate.domain.errors import InvalidInput, NotAllowed

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
LONGEST_NAME = 100

SETTLED: Final = "adjudicated"
"""The id of the one who owns what review settled: a person of each workspace, nobody's account."""
MAJORITY: Final = "majority"
"""The id of what most of those who read a sample would keep, where an export makes it."""

_SECOND_READER: Final = "~2"


class PersonKind(StrEnum):
    """Where a person comes from: named on this machine, read from a file, or signed in.

    `settled` is review itself; `again` somebody who reads samples a second time.
    """

    LOCAL = "local"
    IMPORTED = "imported"
    ACCOUNT = "account"
    SETTLED = "settled"
    AGAIN = "again"


@dataclass(frozen=True, slots=True)
class Person:
    """`id` never changes and is unique in a store; `name` is what people see and need not be."""

    id: str
    name: str
    kind: PersonKind = PersonKind.LOCAL


def check_name(name: str) -> str:
    """A person's name without white space at its edges.

    Raises:
        InvalidInput: it is empty, longer than 100 code points, or holds a control character.
    """
    trimmed = name.strip()
    if not trimmed or len(trimmed) > LONGEST_NAME or _CONTROL.search(trimmed):
        raise InvalidInput(
            f"{name!r} is not a name",
            f"give 1 to {LONGEST_NAME} characters without control characters",
        )
    return trimmed


def second_reader(person: Person) -> Person:
    """The same person at a second reading, whose work is kept apart from the first."""
    return Person(person.id + _SECOND_READER, f"{person.name} (2nd reading)", PersonKind.AGAIN)


def base_person(person: str) -> str:
    """Whose work it is that stands under a person's id, at whichever reading."""
    return person.removesuffix(_SECOND_READER)


class Role(StrEnum):
    """What somebody is in a team; each may all that the one before may."""

    ANNOTATOR = "annotator"
    REVIEWER = "reviewer"
    ADMIN = "admin"


class Permission(StrEnum):
    """What can be done with the work of an owner, or, where there is none, with the workspace."""

    READ = "read"
    WRITE = "write"
    REVIEW = "review"
    REPORT = "report"
    MANAGE = "manage"


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts. An empty `person` is whoever owns the store's files: the operator."""

    person: str
    role: Role


OPERATOR: Final = Actor("", Role.ADMIN)
"""The owner of the files, who can read them anyhow; all there is before anybody has an account."""

_PERMISSIONS: Final = {
    Role.ANNOTATOR: frozenset[Permission](),
    Role.REVIEWER: frozenset({Permission.READ, Permission.REVIEW, Permission.REPORT}),
    Role.ADMIN: frozenset(
        {Permission.READ, Permission.REVIEW, Permission.REPORT, Permission.MANAGE}
    ),
}


def is_allowed(actor: Actor, verb: Permission, owner: str = "") -> bool:
    """Return whether an actor may do a thing with the work of `owner`; empty: the workspace."""
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
    """Refuses what the policy does not allow.

    Raises:
        NotAllowed: names the role and the verb, never whose work it is.
    """
    if not is_allowed(actor, verb, owner):
        whose = "the work of others" if owner else "this workspace"
        raise NotAllowed(
            f"as {actor.role} you can not {verb} {whose}", "ask an admin of the workspace"
        )


def visible_people(actor: Actor) -> tuple[str, ...] | None:
    """The ids whose work somebody may read; None where it is everybody's.

    What a store gives is narrowed by these before it is read, not filtered afterwards.
    """
    if is_allowed(actor, Permission.READ):
        return None
    return (actor.person, actor.person + _SECOND_READER)
