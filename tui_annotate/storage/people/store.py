"""People of a workspace, their last positions and their preferences; not their work."""

from __future__ import annotations

import re
import shlex
import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, TypedDict

from sqlalchemy import Connection, bindparam, select, text, update

from tui_annotate.domain.errors import InvalidInput, NotFound, ReadOnly
from tui_annotate.domain.keyword_names import check_keywords
from tui_annotate.domain.people import (
    DELETED_DOMAIN,
    Permission,
    Person,
    PersonKind,
    check_name,
    require_permission,
    second_reader,
    visible_people,
)
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.similar_names import check_new_name, find_similar_names
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.codec import check_storable, from_json, replace_unstorable, to_json
from tui_annotate.storage.columns import ACCOUNTS, PEOPLE, PLACES, PREFERENCES, SAMPLES, SETTINGS
from tui_annotate.storage.database import Store
from tui_annotate.storage.second_readings import is_hidden
from tui_annotate.storage.statements import SAMPLE_KEY, add_missing, sample_row, upsert

_UNNAMED_KINDS: Final = frozenset({PersonKind.SETTLED, PersonKind.AGAIN})
_KEEP: Final = add_missing(PEOPLE)
_PREFER: Final = upsert(PREFERENCES, "person", "name")
_PLACE: Final = upsert(PLACES, "person", "sample_id")
_OTHERS: Final = "other people"
"""Name of the preference that lists imported people with the user's name who are not the user."""
_SHORTEST_ID_START: Final = 3
"""Minimum number of characters of a name that may be meant as the start of a person's id."""
_MERGES: Final = "merged-people"
"""Setting that stores a dict from the id of each merged person to the `Merge`."""
BUNDLE_SETTING: Final = "bundle"
"""Setting of a bundle's working folder: ids of the home workspace and of the bundle's owner."""
BUNDLE_MERGES_SETTING: Final = "bundle-merged-people"
"""Setting of a bundle's working folder: ids of people merged into the owner, as a JSON list."""
_SETTING: Final = upsert(SETTINGS, "name")
_STORED: Final = select(PEOPLE.c.id).where(PEOPLE.c.id == bindparam("id"))
_LOCAL: Final = select(PEOPLE.c.id).where(
    PEOPLE.c.kind == PersonKind.LOCAL.value, PEOPLE.c.name == bindparam("name")
)
_LOCAL_ID: Final = select(PEOPLE.c.name).where(
    PEOPLE.c.kind == PersonKind.LOCAL.value, PEOPLE.c.id == bindparam("id")
)
_MERGED: Final = select(PEOPLE.c.id).where(
    PEOPLE.c.kind == PersonKind.MERGED.value, PEOPLE.c.name == bindparam("name")
)
_PLACE_OF: Final = text(
    "SELECT p.value FROM places p JOIN samples s ON s.id = p.sample_id"
    " JOIN datasets d ON d.id = s.dataset_id"
    " WHERE p.person = :person AND d.name = :dataset AND s.external = :sample"
)


def add_person(connection: Connection, person: Person) -> None:
    """Store a person unless stored; InvalidInput if the id is empty, or cannot be stored."""
    if not person.id:
        raise InvalidInput(f"{person.name!r} has no id", "give every person in the file an id")
    check_storable(person.id, "a person's id")
    values = {
        "name": replace_unstorable(person.name),
        "kind": person.kind.value,
        "created": utc_now(),
    }
    connection.execute(_KEEP, {"id": person.id, **values})


def save_person(connection: Connection, person: Person) -> None:
    """Store or update a person, and the second reader's name; InvalidInput as `add_person`."""
    add_person(connection, person)
    values = {"name": replace_unstorable(person.name), "kind": person.kind.value}
    connection.execute(update(PEOPLE).where(PEOPLE.c.id == person.id).values(values))
    second = second_reader(person)
    named = update(PEOPLE).where(PEOPLE.c.id == second.id, PEOPLE.c.kind == second.kind.value)
    connection.execute(named.values(name=replace_unstorable(second.name)))


class Merge(TypedDict):
    """Merge of a person into the person with the id `into`.

    `kind` is the first person's kind before the merge. `batch` names the merge's events; it is
    empty if the person only became local (`into`: the own id).
    """

    into: str
    kind: str
    batch: str


_ADDRESS: Final = re.compile(r"\S+@\S+")
"""Id of an imported person that is an e-mail address."""


def read_merges(connection: Connection) -> dict[str, Merge]:
    """Return the merges of people by the id of the merged person."""
    return dict(from_json(_read_setting(connection, _MERGES) or "{}"))


def write_merges(connection: Connection, merges: Mapping[str, Merge]) -> None:
    """Store which people were merged into which others, by the ids of the merged."""
    connection.execute(_SETTING, {"name": _MERGES, "value": to_json(dict(merges))})


def _read_setting(connection: Connection, name: str) -> str | None:
    return connection.execute(select(SETTINGS.c.value).where(SETTINGS.c.name == name)).scalar()


def find_bundle_owner(connection: Connection) -> str | None:
    """Return the id of the person whose bundle is annotated here; None in other workspaces."""
    value = _read_setting(connection, BUNDLE_SETTING)
    return value.partition(" ")[2] if value else None


def find_namesake(connection: Connection, person: Person) -> str | None:
    """Return the id of the local person of the same name, if `person` is not stored."""
    if connection.execute(_STORED, {"id": person.id}).first():
        return None
    return next(iter(find_local_ids(connection, person.name)), None)


def find_local_ids(connection: Connection, name: str) -> Sequence[str]:
    """Return a list of at most one id: the person who has no account and works under a name."""
    return connection.execute(_LOCAL, {"name": name}).scalars().all()


def find_owner(merges: Mapping[str, Merge], person_id: str) -> str:
    """Return the id of the person to whom a person's work belongs after all merges."""
    merge = merges.get(person_id)
    if merge is None or merge["into"] == person_id:
        return person_id
    return find_owner(merges, merge["into"])


def find_merged_ids(connection: Connection, people: Collection[str]) -> set[str]:
    """Return the ids of people and of all people who were merged into these people."""
    merges = read_merges(connection)
    found = {*people} | {each for each in merges if find_owner(merges, each) in people}
    if find_bundle_owner(connection) in people:
        found |= set(from_json(_read_setting(connection, BUNDLE_MERGES_SETTING) or "[]"))
    return found


def match_id(name: str, people: Iterable[Person]) -> list[Person]:
    """Return the person whose id a name is, in any case, or begins; empty if several match."""
    folded = name.casefold()
    known = [each for each in people if each.id.casefold().startswith(folded)]
    whole = [each for each in known if each.id.casefold() == folded]
    found = whole or (known if len(name) >= _SHORTEST_ID_START else [])
    return found if len(found) == 1 else []


@check_keywords
class PeopleStore(Store):
    """Access to the people of a workspace by id; only the names of local people are unique.

    Raises:
        NotAllowed: every method about positions and preferences, if they belong to another person.
    """

    def local(self, name: str) -> Person:
        """Return the person without an account who has the given name, or create this person.

        The name of a merged person is a name of the person who owns the work.

        If the store cannot be written, it is read-only from then on, and a new person is not
        stored.

        The id of a local person means this person.

        Raises:
            InvalidInput: the name is not valid, is the id of another person, or looks like the name
                of another person.
            NotAllowed: the actor may not manage the workspace.
        """
        require_permission(self._actor, Permission.MANAGE)
        name = check_name(name)
        known = self.find_local(name)
        if known is not None:
            return known
        self.check_new_local(name)
        new = Person(uuid.uuid4().hex, name)
        try:
            with self._database.writing() as connection:
                found = connection.execute(_LOCAL, {"name": name}).scalar()
                new = Person(found, name) if found else new
                add_person(connection, new)
        except ReadOnly as error:
            self._database.stop_writing(error)
        return new

    def check_new_local(self, name: str) -> str:
        """Return the name of a new local person as it will be stored.

        Raises:
            InvalidInput: the name is not valid, is the id of a person, or looks like another name.
        """
        name = check_new_name(name)
        people = [each for each in self.all() if each.kind not in _UNNAMED_KINDS]
        for each in people:
            if each.id == name and each.name != name:
                hint = f"give the name {each.name!r}"
                if each.kind is PersonKind.IMPORTED:
                    own_id = shlex.quote(each.id)
                    hint = (
                        f"to continue the imported work of {each.name!r}, run: tui-annotate users"
                        f" merge {own_id} {own_id}; then give the name {each.name!r}"
                    )
                message = f"{name!r} is the id of {each.name!r}, not a name"
                raise InvalidInput(message, hint, code="name-is-id")
        # The login name of an annotator may differ from a name in a file by its case alone.
        compared = [
            each.name
            for each in people
            if each.kind is not PersonKind.IMPORTED or each.name.casefold() != name.casefold()
        ]
        if similar := find_similar_names(name, compared):
            raise InvalidInput(
                f"the name {name!r} looks like the name {similar[0]!r} of another person",
                f"for the existing person, give the name {similar[0]!r}; for a new person, choose a"
                " name that looks different",
                code="name-similar",
            )
        return name

    def find_local(self, name: str) -> Person | None:
        """Return the person who works under a name without an account; None if there is none.

        Without such a name, the id of a local person means this person.
        """
        with self._database.reading() as connection:
            if found := connection.execute(_LOCAL, {"name": name}).scalar():
                return Person(found, name)
            merged = connection.execute(_MERGED, {"name": name}).scalars().all()
            owners = {find_owner(read_merges(connection), each) for each in merged}
            named = connection.execute(_LOCAL_ID, {"id": name}).scalar()
        if len(owners) == 1:
            return self.person(owners.pop())
        return Person(name, named) if named and not owners else None

    def find_namesakes(self, name: str) -> tuple[Person, ...]:
        """Return imported people with a user's name, except those known to be other people.

        The case of the names does not matter. If no one has the name, it may be the id of one
        imported person in another case, or the start of the id.
        """
        local = self.find_local(name)
        others = self.preferences(local.id).get(_OTHERS, []) if local else []
        return tuple(each for each in self._find_imported(name) if each.id not in others)

    def _find_imported(self, name: str) -> list[Person]:
        folded = name.casefold()
        people = [each for each in self.all() if each.kind is PersonKind.IMPORTED]
        named = [each for each in people if each.name.casefold() == folded]
        is_id = any(each.id == name for each in people)  # refused as a name: `check_new_local`
        return named if named or is_id else match_id(name, people)

    def keep_apart(self, name: str) -> Person:
        """Record that a local person is none of the imported people of the same name."""
        local = self.local(name)
        same = [each.id for each in self._find_imported(name)]
        self.keep_preference(local.id, _OTHERS, same)
        return local

    def imported(self, person_id: str, name: str) -> Person:
        """Return a person that a file names by id, created if needed; errors as for `local`."""
        require_permission(self._actor, Permission.MANAGE)
        with self._database.writing() as connection:
            add_person(connection, Person(person_id, name or person_id, PersonKind.IMPORTED))
        return self.person(person_id)

    def keep(self, person: Person) -> None:
        """Store or update a person, whose account may be in a shared database of people."""
        with self._database.reading() as connection:
            query = select(PEOPLE.c.name, PEOPLE.c.kind).where(PEOPLE.c.id == person.id)
            if connection.execute(query).first() == (person.name, person.kind.value):
                return
        with self._database.writing() as connection:
            save_person(connection, person)

    def accounts(self) -> bool:
        """Return whether the workspace has accounts, so that users must sign in."""
        with self._database.reading() as connection:
            return connection.execute(select(ACCOUNTS.c.person).limit(1)).first() is not None

    def person(self, person_id: str) -> Person:
        """Return the person with an id; NotFound for an unknown id."""
        query = select(PEOPLE.c.name, PEOPLE.c.kind).where(PEOPLE.c.id == person_id)
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        if row is None:
            raise NotFound(
                f"there is no person with the id {person_id!r}",
                "list all people with: tui-annotate status",
            )
        return Person(person_id, row[0], PersonKind(row[1]))

    def has_second_reading(self, person_id: str) -> bool:
        """Return whether samples were assigned to a person for a second time."""
        again = second_reader(Person(person_id, "")).id
        query = select(PEOPLE.c.id).where(PEOPLE.c.id == again)
        with self._database.reading() as connection:
            return connection.execute(query).first() is not None

    def all(self) -> tuple[Person, ...]:
        """Return the people of all kinds, by name and id."""
        query = select(PEOPLE.c.id, PEOPLE.c.name, PEOPLE.c.kind)
        with self._database.reading() as connection:
            rows = connection.execute(query.order_by(PEOPLE.c.name, PEOPLE.c.id)).all()
        return tuple(Person(row[0], row[1], PersonKind(row[2])) for row in rows)

    def names(self) -> dict[str, str]:
        """Return the name of each person whose work the actor may read, by the person's id.

        An annotation or assignment has the id; several people may have the same name.
        """
        return {each.id: each.name for each in self.seen()}

    def seen(self) -> tuple[Person, ...]:
        """Return the people whose work the actor may read, sorted by name, then id."""
        ids = visible_people(self._actor)
        return tuple(each for each in self.all() if ids is None or each.id in ids)

    def merged_ids(self, person: str) -> set[str]:
        """Return the ids of a person and of all people who were merged into this person."""
        require_permission(self._actor, Permission.READ, person)
        with self._database.reading() as connection:
            return find_merged_ids(connection, [person])

    def imported_addresses(self) -> dict[str, str]:
        """Return the e-mail address of imported people by the id of the person who owns their work.

        It has the people whose work the actor may read, without users who were deleted with their
        address; of several addresses, the first one.
        """
        forgotten = select(ACCOUNTS.c.person).where(ACCOUNTS.c.email.endswith(DELETED_DOMAIN))
        with self._database.reading() as connection:
            merges = read_merges(connection)
            hidden = set(connection.execute(forgotten).scalars())
        ids = visible_people(self._actor)
        found: dict[str, str] = {}
        for merged in sorted(merges):
            owner = find_owner(merges, merged)
            readable = owner not in hidden and (ids is None or owner in ids)
            if readable and _ADDRESS.fullmatch(merged):
                found.setdefault(owner, merged)
        return found

    def find_owner(self, person: Person) -> Person:
        """Return the person who owns the work of a person after all merges."""
        with self._database.reading() as connection:
            owner = find_owner(read_merges(connection), person.id)
        return person if owner == person.id else self.person(owner)

    def find_named(self, who: str) -> list[Person]:
        """Return the people with an id or a name.

        An id or a name of merged people alone means the people who own their work.
        """
        named = [each for each in self.all() if who in (each.id, each.name)]
        return self.replace_merged(named)

    def replace_merged(self, people: Collection[Person]) -> list[Person]:
        """Return those people who are not merged; if all are, the owners of their work."""
        if own := [each for each in people if each.kind is not PersonKind.MERGED]:
            return own
        return [*{owner.id: owner for owner in map(self.find_owner, people)}.values()]

    def preferences(self, person: str) -> dict[str, Any]:
        """Return a person's preferences by name; empty for none."""
        require_permission(self._actor, Permission.READ, person)
        query = select(PREFERENCES.c.name, PREFERENCES.c.value)
        with self._database.reading() as connection:
            rows = connection.execute(query.where(PREFERENCES.c.person == person)).all()
        return {name: from_json(value) for name, value in rows}

    def keep_preference(self, person: str, name: str, value: Any) -> None:
        """Store a person's preference, whose value JSON can represent."""
        require_permission(self._actor, Permission.WRITE, person)
        row = {"person": person, "name": name, "value": to_json(value)}
        with self._database.writing() as connection:
            connection.execute(_PREFER, row)

    def place(self, person: str, key: SampleKey) -> dict[str, Any]:
        """Return a person's last position in a sample.

        Empty if the sample was never opened, and for a first reading that the person must not see.
        """
        require_permission(self._actor, Permission.READ, person)
        with self._database.reading() as connection:
            scope = {"person": person, "dataset": key.dataset, "sample": key.id}
            found = connection.execute(_PLACE_OF, scope).scalar()
            if found and is_hidden(connection, person, key):
                return {}
        return dict(from_json(found)) if found else {}

    def keep_place(self, person: str, key: SampleKey, place: Mapping[str, Any]) -> None:
        """Store a person's position in a sample, now the last opened one; NotFound if unknown."""
        require_permission(self._actor, Permission.WRITE, person)
        with self._database.writing() as connection:
            row = {"person": person, "sample_id": sample_row(connection, key)}
            row |= {"value": to_json(dict(place)), "updated": utc_now()}
            connection.execute(_PLACE, row)

    def last_place(self, person: str) -> SampleKey | None:
        """Return the sample on which a person was last; None for none."""
        require_permission(self._actor, Permission.READ, person)
        query = (
            SAMPLE_KEY.join(PLACES, PLACES.c.sample_id == SAMPLES.c.id)
            .where(PLACES.c.person == person)
            .order_by(PLACES.c.updated.desc())
            .limit(1)
        )
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        return SampleKey(*row) if row else None
