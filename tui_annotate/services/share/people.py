"""Whom an admin means by a name; without accounts a new name makes a person, as signing in does."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass

from tui_annotate.domain.errors import Conflict, InvalidInput, NotFound
from tui_annotate.domain.people import Person, PersonKind, checked_name
from tui_annotate.storage.people.store import PeopleStore

_WORKS = (PersonKind.LOCAL, PersonKind.ACCOUNT)


@dataclass(frozen=True, slots=True)
class Names:
    """People by what they are called.

    Attributes:
        member: whose account is meant by a name; None where people need no accounts.
        disabled: ids of those whose account lets them in no more.
    """

    people: PeopleStore
    member: Callable[[str], Person | None]
    disabled: Callable[[], Collection[str]]

    def takers(self, names: Sequence[str], *, keep: bool) -> list[Person]:
        """Those who are to get work, once each, in their order.

        Args:
            keep: who is new here is stored.

        Raises:
            NotFound: people need accounts, and nobody has one of a name.
            InvalidInput: several people have a name, or it is no name.
            Conflict: somebody's account is disabled.
        """
        found = [self._taker(name, keep=keep) for name in names]
        return list({person.id: person for person in found}.values())

    def _taker(self, name: str, *, keep: bool) -> Person:
        if member := self.member(name):
            if member.id in self.disabled():
                raise Conflict(
                    f"the account of {name!r} is disabled", "tui-annotate users enable WHO"
                )
            if keep:
                self.people.keep(member)
            return member
        if known := self._known(name):
            return known
        return self.people.local(name) if keep else Person(f"new: {name}", checked_name(name))

    def giver(self, name: str) -> Person:
        """Whose work is meant, also of somebody who can not sign in any more.

        Raises:
            NotFound: there is nobody of that name.
            InvalidInput: several people have it.
        """
        if known := self._known(name):
            return known
        with suppress(NotFound):
            if member := self.member(name):
                return member
        there = ", ".join(each.name for each in self.workers()) or "nobody yet"
        raise NotFound(f"there is nobody named {name!r}", f"known: {there}")

    def _known(self, name: str) -> Person | None:
        everybody = [each for each in self.people.all() if each.kind in _WORKS]
        found = [each for each in everybody if each.id == name]
        found = found or [each for each in everybody if each.name == name]
        if len(found) > 1:
            ids = ", ".join(each.id for each in found)
            raise InvalidInput(f"{name!r} is the name of several people", f"give an id: {ids}")
        return found[0] if found else None

    def all(self) -> dict[str, str]:
        """Names by id."""
        return {each.id: each.name for each in self.people.all()}

    def workers(self) -> list[Person]:
        """Everybody who can have work: those with accounts that are active, where there are any."""
        known = [each for each in self.people.all() if each.kind in _WORKS]
        members = [each for each in known if each.kind is PersonKind.ACCOUNT]
        disabled = self.disabled()
        return [each for each in members or known if each.id not in disabled]
