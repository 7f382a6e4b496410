"""What all tables share: names for keys and indexes, so that migrations find them."""

from __future__ import annotations

from typing import ClassVar, Final

from sqlalchemy import MetaData
from sqlmodel import SQLModel

_NAMES: Final = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}
NO_ROWID: Final = {"sqlite_with_rowid": False}


class Row(SQLModel):
    """A row of a table of ours; other users of SQLModel keep their own metadata."""

    metadata: ClassVar[MetaData] = MetaData(naming_convention=_NAMES)
