"""The commands `users pseudonyms`, and the messages that an export with pseudonyms prints."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypedDict

import typer

from tui_annotate.cli import options, output
from tui_annotate.cli.options import add_command, add_group, flag, open_workspace, option
from tui_annotate.cli.report_parts import Column, Columns, NotePart, Table, flexible_column
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import Permission
from tui_annotate.plugins.traits import RecordTrait

if TYPE_CHECKING:
    from tui_annotate.domain.people import Person
    from tui_annotate.services.export.pseudonyms import PseudonymKeys, Pseudonyms
    from tui_annotate.workspace import Workspace

PseudonymizeOption = Annotated[
    bool, flag("--pseudonymize", "Replace the name and id of each person with a pseudonym.")
]
KeyOption = Annotated[
    Path | None,
    option(
        "--pseudonym-key",
        "FILE",
        "File with the key for --pseudonymize, if the input is a file. A missing file is created.",
    ),
]
_MOST_COLUMNS = 12


class PrintedPseudonym(TypedDict):
    """A person with the pseudonym in exports."""

    id: str
    name: str
    pseudonym: str


class CreatedKey(TypedDict):
    """The file with the key of pseudonyms."""

    key: Path


def register(users: typer.Typer) -> None:
    pseudonyms = add_group(users, "pseudonyms", "Manage pseudonyms for exports.")
    add_command(pseudonyms, list_pseudonyms, "users pseudonyms list --json", name="list")
    add_command(pseudonyms, new_key, "users pseudonyms new-key --yes")


def list_pseudonyms(*, common: options.CommonOptions) -> None:
    """List people with their pseudonyms."""
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        people = space.team.pseudonyms.list_people()
    values = [PrintedPseudonym(id=one.id, name=one.name, pseudonym=word) for one, word in people]
    output.show(values, [Table(people, _PEOPLE)], as_json=common.as_json)


_PEOPLE: Final[Columns[tuple[Person, str]]] = (
    flexible_column("name", lambda each: each[0].name),
    Column("pseudonym", lambda each: each[1]),
    Column("id", lambda each: each[0].id),
)


def new_key(*, yes: options.YesOption = False, common: options.CommonOptions) -> None:
    """Replace all pseudonyms by creating a new key.

    Pseudonyms are computed from a key. The old key is deleted, so a person has different pseudonyms
    in earlier and later exports.
    """
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        output.ask(
            "replace all pseudonyms, and delete the key that they are computed from?", yes=yes
        )
        file = space.team.pseudonyms.renew()
    note = NotePart(f"created a new key: {file}")
    output.show(CreatedKey(key=file), [note], as_json=common.as_json)


def load_pseudonyms(space: Workspace, *, wanted: bool) -> Pseudonyms | None:
    """Return the pseudonyms for an export, None if not `wanted`; report a new key."""
    if not wanted:
        return None
    keys = space.team.pseudonyms.keys()
    new = not keys.path.exists()
    names = space.team.pseudonyms.names()
    _print_key(keys, new=new)
    return names


def load_pseudonyms_of_file(key: Path | None, *, wanted: bool) -> Pseudonyms | None:
    """Return the pseudonyms for a conversion of a file; None without `--pseudonymize`.

    Raises:
        InvalidInput: only one of `--pseudonymize` and `--pseudonym-key` is given.
    """
    if wanted != (key is not None):
        missing = "--pseudonym-key FILE" if wanted else "--pseudonymize"
        raise InvalidInput(
            "--pseudonymize and --pseudonym-key can only be used together", f"add {missing}"
        )
    if key is None:
        return None
    from tui_annotate.services.export.pseudonyms import PseudonymKeys, Pseudonyms

    keys = PseudonymKeys(key)
    names = Pseudonyms(keys.current())
    _print_key(keys, new=keys.made)
    return names


def _print_key(keys: PseudonymKeys, *, new: bool) -> None:
    if new:
        output.print_message(
            f"created the key file of the pseudonyms: {keys.path}; do not publish this file"
        )
    if keys.open_to_others():
        output.print_message(
            f"warning: other users of this machine can read {keys.path}; fix it with chmod 600"
        )


def print_pseudonyms(names: Pseudonyms | None) -> None:
    """Print how many people got pseudonyms, and which exported values may still name people."""
    if names is None:
        return
    changes = names.report
    people = output.many(len(changes.people), "person", "people")
    also = _list_columns(changes.changed, ", also in ")
    output.print_message(f"pseudonyms replace the names of {people}{also}")
    if changes.originals:
        output.print_message(
            f"left out, because they may name people: {changes.originals:,} {RecordTrait.IMPORTED}"
        )
    if changes.called:
        called = ", ".join(sorted(changes.called))
        output.print_message(f"exported values that are the same as names of people: {called}")
    if changes.texts:
        output.print_message(
            f"notes and comments are exported unchanged ({changes.texts:,}): check them for names"
            " of people"
        )
    if changes.columns:
        output.print_message(
            f"exported unchanged: {_list_columns(changes.columns, '')}; check them for names of"
            " people"
        )


def _list_columns(columns: Counter[str], before: str) -> str:
    names = [name for name, _ in columns.most_common()]
    shown = output.join_names(names, most=_MOST_COLUMNS)
    return f"{before}columns {shown}" if columns else ""
