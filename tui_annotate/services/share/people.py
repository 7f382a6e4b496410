"""Whom an admin means by a name; without accounts a new name makes a person, as signing in does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.people import Person, PersonKind, checked_name
from tui_annotate.storage.people import PeopleStore

_WORKS = (PersonKind.LOCAL, PersonKind.ACCOUNT)


@dataclass(frozen=True, slots=True)
class Names:
    """People by what they are called.

    Attributes:
        closed: whether people need accounts.
    """

    people: PeopleStore
    closed: Callable[[], bool]

    def meant(self, names: Sequence[str], *, make: bool = False, keep: bool = True) -> list[Person]:
        """The people of some names or ids, once each, in their order.

        Args:
            make: a name that is new makes a person, where people need no account.
            keep: such a person is stored.

        Raises:
            NotFound: there is nobody of a name.
            InvalidInput: several people have a name.
        """
        found = [self._known(name) or self._new(name, make=make, keep=keep) for name in names]
        return list({person.id: person for person in found}.values())

    def _known(self, name: str) -> Person | None:
        everybody = self.workers()
        found = [each for each in everybody if each.id == name]
        found = found or [each for each in everybody if each.name == name]
        if len(found) > 1:
            ids = ", ".join(each.id for each in found)
            raise InvalidInput(f"{name!r} is the name of several people", f"give an id: {ids}")
        return found[0] if found else None

    def _new(self, name: str, *, make: bool, keep: bool) -> Person:
        if make and not self.closed():
            return self.people.local(name) if keep else Person(f"new: {name}", checked_name(name))
        everybody = self.workers()
        known = ", ".join(each.name for each in everybody) or "nobody yet"
        raise NotFound(f"there is nobody named {name!r}", f"there is: {known}")

    def all(self) -> dict[str, str]:
        """Names by id."""
        return {each.id: each.name for each in self.people.all()}

    def workers(self) -> list[Person]:
        """Everybody who can have work."""
        return [each for each in self.people.all() if each.kind in _WORKS]
