"""Commands about pseudonyms, and what an export tells of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tui_annotate.cli import options, output
from tui_annotate.cli.options import add_command, add_group, flag, open_workspace, option
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import Permission

if TYPE_CHECKING:
    from tui_annotate.services.export.pseudonyms import PseudonymKeys, Pseudonyms
    from tui_annotate.workspace import Workspace

PseudonymiseOption = Annotated[
    bool, flag("--pseudonymise", "Put a word that says nothing for each person.")
]
KeyOption = Annotated[
    Path | None,
    option(
        "--pseudonym-key",
        "FILE",
        "Key file of --pseudonymise for files without a workspace; created if missing.",
    ),
]
_MOST_COLUMNS = 12


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    pseudonyms = add_group(app, "pseudonyms", "Words that stand for people in exports.")
    add_command(pseudonyms, list_pseudonyms, "pseudonyms list --json", name="list")
    add_command(pseudonyms, new_key, "pseudonyms new-key --yes")


def list_pseudonyms(*, common: options.CommonOptions) -> None:
    """List people with the words that stand for them in exports."""
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        people = space.team.pseudonyms.list_people()
    output.print_table_or_json(
        [{"id": one.id, "name": one.name, "pseudonym": word} for one, word in people],
        [output.flexible_column("name"), "pseudonym", "id"],
        [(one.name, word, one.id) for one, word in people],
        as_json=common.as_json,
    )


def new_key(*, yes: options.YesOption = False, workspace: options.WorkspaceOption = None) -> None:
    """Make a new key: everybody has another word from now on.

    The key before is gone.
    """
    with open_workspace(workspace, needs=Permission.MANAGE) as space:
        output.ask("nobody can be followed from earlier exports to later ones?", yes=yes)
        output.print_message(f"a new key lies in {space.team.pseudonyms.renew()}")


def load_pseudonyms(space: Workspace, *, wanted: bool) -> Pseudonyms | None:
    """The pseudonyms of an export; a key that is made for it is told."""
    if not wanted:
        return None
    keys = space.team.pseudonyms.keys()
    new = not keys.path.exists()
    names = space.team.pseudonyms.names()
    _print_key(keys, new=new)
    return names


def load_pseudonyms_of_file(key: Path | None, *, wanted: bool) -> Pseudonyms | None:
    """Return the pseudonyms of a conversion; None if they are not wanted.

    Raises:
        InvalidInput: only one of `--pseudonymise` and `--pseudonym-key` is given.
    """
    if wanted != (key is not None):
        missing = "--pseudonym-key FILE" if wanted else "--pseudonymise"
        raise InvalidInput(
            "--pseudonymise and --pseudonym-key require each other", f"add {missing}"
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
            f"the key of the pseudonyms was made: {keys.path}; keep it, and keep it apart"
        )
    if keys.open_to_others():
        output.print_message(f"others on this machine can read {keys.path}: chmod 600")


def print_pseudonyms(names: Pseudonyms | None) -> None:
    """Says whom an export does not name, and what of it may name people all the same."""
    if names is None:
        return
    changes = names.report
    people = output.many(len(changes.people), "person", "people")
    output.print_message(f"  pseudonyms for {people}{_list_columns(changes.changed, ', also in ')}")
    if changes.originals:
        kept = "original imported records, which may name people"
        output.print_message(f"  left out: {changes.originals:,} {kept}")
    if changes.called:
        output.print_message(
            f"  called as people are, and kept so: {', '.join(sorted(changes.called))}"
        )
    if changes.texts:
        output.print_message(f"  notes and comments kept as written: {changes.texts:,}")
    if changes.columns:
        output.print_message(
            f"  kept as they came:{_list_columns(changes.columns, ' ')}; do they name anybody?"
        )


def _list_columns(columns: Counter[str], before: str) -> str:
    names = [name for name, _ in columns.most_common()]
    shown = output.join_names(names, most=_MOST_COLUMNS)
    return f"{before}columns {shown}" if columns else ""
