"""Who people are, how they sign in, where they are and what they like."""

from __future__ import annotations

from sqlalchemy import Index
from sqlmodel import Field

from tui_annotate.storage.tables.row import NO_ROWID, Row


class PersonRow(Row, table=True):
    """A person; `kind` is a `PersonKind`."""

    __tablename__ = "people"
    __table_args__ = (Index(None, "kind", "name"),)
    id: str = Field(primary_key=True)
    name: str
    kind: str
    created: str


class AccountRow(Row, table=True):
    """How a person signs in; `hash` is empty before their first password.

    `email` is in lower case. `epoch` grows with each change that ends all sessions. `unix` is the
    name of a user of this machine, empty for none.
    """

    __tablename__ = "accounts"
    __table_args__ = (NO_ROWID,)
    person: str = Field(primary_key=True, foreign_key="people.id")
    email: str = Field(unique=True)
    role: str
    hash: str
    active: bool
    must_change: bool
    epoch: int
    unix: str = Field(index=True)
    created: str
    changed: str


class SessionRow(Row, table=True):
    """Somebody signed in; `token` is the SHA-256 of what they hold, `ended` empty so far."""

    __tablename__ = "sessions"
    __table_args__ = (NO_ROWID,)
    id: str = Field(primary_key=True)
    token: str = Field(unique=True)
    person: str = Field(foreign_key="people.id", index=True)
    means: str
    client: str
    epoch: int
    created: str
    seen: str
    expires: str
    ended: str


class AttemptRow(Row, table=True):
    """Failed sign-ins of an account or a client, as `scope` says; none before `until`."""

    __tablename__ = "attempts"
    __table_args__ = (NO_ROWID,)
    scope: str = Field(primary_key=True)
    failures: int
    last: str
    until: str


class InviteRow(Row, table=True):
    """A code, as its SHA-256, with which a person sets their first password."""

    __tablename__ = "invites"
    __table_args__ = (NO_ROWID,)
    code: str = Field(primary_key=True)
    person: str = Field(foreign_key="people.id", index=True)
    expires: str
    used: str


class KeyRow(Row, table=True):
    """An SSH key that is bound to a person; `line` is the key as OpenSSH writes it."""

    __tablename__ = "ssh_keys"
    __table_args__ = (NO_ROWID,)
    fingerprint: str = Field(primary_key=True)
    person: str = Field(foreign_key="people.id", index=True)
    line: str
    created: str


class PresenceRow(Row, table=True):
    """The process that a person works in, by a random name; another one may take over."""

    __tablename__ = "presences"
    __table_args__ = (NO_ROWID,)
    person: str = Field(primary_key=True, foreign_key="people.id")
    holder: str
    since: str
    seen: str


class PlaceRow(Row, table=True):
    """Where a person was in a sample: JSON, understood by the screen alone."""

    __tablename__ = "places"
    __table_args__ = (Index(None, "person", "updated"), NO_ROWID)
    person: str = Field(primary_key=True, foreign_key="people.id")
    sample_id: int = Field(
        primary_key=True, foreign_key="samples.id", ondelete="CASCADE", index=True
    )
    value: str
    updated: str


class PreferenceRow(Row, table=True):
    """What a person chose: keys, theme, layout; JSON."""

    __tablename__ = "preferences"
    __table_args__ = (NO_ROWID,)
    person: str = Field(primary_key=True, foreign_key="people.id")
    name: str = Field(primary_key=True)
    value: str
