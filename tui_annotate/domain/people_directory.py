"""Finds which person a user means by an id or a name."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from tui_annotate.domain.did_you_mean import suggest_word
from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.people import Person


def match_people(who: str, people: Collection[Person]) -> list[Person]:
    """Return the person whose id is `who`; else all people whose name is `who`."""
    by_id = [each for each in people if each.id == who]
    return by_id or [each for each in people if each.name == who]


def find_person(
    who: str, people: Collection[Person], *, advice: str, kind: str = "person"
) -> Person:
    """Return the one person who matches an id or a name.

    Args:
        advice: the hint if no person matches.
        kind: what errors call one of the people, such as "merged person".

    Raises:
        NotFound: no person matches, or several people have the name.
    """
    found = match_people(who, people)
    if not found:
        raise unknown_person(who, [each.name for each in people], advice=advice, kind=kind)
    if len(found) > 1:
        raise ambiguous_person(who, [each.id for each in found], kind=kind)
    return found[0]


def unknown_person(
    who: str, known: Iterable[str], *, advice: str, kind: str = "person"
) -> NotFound:
    """Return the error for a name that no person has; the hint names the most similar name."""
    return NotFound(f"unknown {kind} {who!r}", f"{suggest_word(who, known)}{advice}")


def ambiguous_person(
    who: str, keys: Iterable[str], *, kind: str = "person", key: str = "id"
) -> NotFound:
    """Return the error for a name of several people; the hint lists their unique keys."""
    return NotFound(
        f"several people have the name {who!r}",
        f"give the {key} of one {kind}: {', '.join(keys)}",
    )
