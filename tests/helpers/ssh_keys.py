"""SSH keys for tests, and people with accounts to bind them to."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

from sqlalchemy import insert

from tui_annotate.domain.people import Person, PersonKind
from tui_annotate.storage.columns import ACCOUNTS
from tui_annotate.storage.database import Database
from tui_annotate.storage.people.store import add_person

# Nobody knows what would unlock these: they are numbers, no halves of a pair.
KEYS: Final = tuple(f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{'A' * 42}{end}" for end in "BCD")


def account(database: Database, name: str, *, address: str = "", role: str = "annotator") -> Person:
    """Somebody with an account; their id is their name, twice."""
    person = Person(name * 2, name, PersonKind.ACCOUNT)
    row = {
        "person": person.id,
        "email": address or f"{name}@example.org",
        "role": role,
        "hash": "",
        "active": True,
        "must_change": False,
        "epoch": 0,
        "unix": "",
        "created": "",
        "changed": "",
    }
    with database.writing() as connection:
        add_person(connection, person)
        connection.execute(insert(ACCOUNTS), row)
    return person


def generated(folder: Path, name: str) -> Path:
    """A new pair of keys, as ssh-keygen makes it; the private one's file."""
    file = folder / name
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", f"{name}@desk", "-f", str(file)]
    subprocess.run(command, check=True, capture_output=True)
    return file
