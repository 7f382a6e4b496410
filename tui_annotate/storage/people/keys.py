"""SSH keys and the people they are bound to; a key belongs to one person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlalchemy import bindparam, delete, insert, select

from tui_annotate.domain.people import Person, PersonKind
from tui_annotate.domain.ssh_keys import PublicKey
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.columns import PEOPLE, SSH_KEYS
from tui_annotate.storage.database import Database


@dataclass(frozen=True, slots=True)
class BoundKey:
    """A key and whose it is.

    Attributes:
        line: the key as OpenSSH writes it, without a comment.
        created: when it was bound.
    """

    fingerprint: str
    person: Person
    line: str
    created: str


_ALL: Final = (
    select(
        SSH_KEYS.c.fingerprint,
        SSH_KEYS.c.line,
        SSH_KEYS.c.created,
        PEOPLE.c.id,
        PEOPLE.c.name,
        PEOPLE.c.kind,
    )
    .join(PEOPLE, PEOPLE.c.id == SSH_KEYS.c.person)
    .order_by(PEOPLE.c.name, PEOPLE.c.id, SSH_KEYS.c.created, SSH_KEYS.c.fingerprint)
)
_OWNER: Final = select(SSH_KEYS.c.person).where(SSH_KEYS.c.fingerprint == bindparam("fingerprint"))
_REMOVE: Final = delete(SSH_KEYS).where(SSH_KEYS.c.fingerprint == bindparam("fingerprint"))


class KeyStore:
    """The bound keys of a store of people."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> tuple[BoundKey, ...]:
        """Every bound key, by its owner's name, then as they were bound."""
        with self._database.reading() as connection:
            rows = connection.execute(_ALL).all()
        return tuple(
            BoundKey(row[0], Person(row[3], row[4], PersonKind(row[5])), row[1], row[2])
            for row in rows
        )

    def add(self, key: PublicKey, person: str) -> str:
        """Binds a key; one that is bound stays with whom it is bound to.

        Returns:
            The id of the person it is bound to now.

        Raises:
            Conflict: there is no such person.
        """
        name = {"fingerprint": key.fingerprint}
        row = {**name, "person": person, "line": key.line, "created": utc_now()}
        with self._database.writing() as connection:
            owner = connection.execute(_OWNER, name).scalar()
            if owner is None:
                connection.execute(insert(SSH_KEYS), row)
        return str(owner or person)

    def remove(self, fingerprint: str) -> bool:
        """Unbinds a key; whether it was bound."""
        with self._database.writing() as connection:
            return bool(connection.execute(_REMOVE, {"fingerprint": fingerprint}).rowcount)
