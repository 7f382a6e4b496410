"""Commands about pseudonyms, and what an export tells of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tui_annotate.cli import output
from tui_annotate.cli.options import JsonOption, WorkspaceOption, YesOption, examples, opened
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import Verb

if TYPE_CHECKING:
    from tui_annotate.services.export.pseudonyms import Pseudonyms
    from tui_annotate.workspace import Workspace

PseudonymiseOption = Annotated[
    bool, typer.Option("--pseudonymise", help="Put a word that says nothing for each person.")
]
KeyOption = Annotated[
    Path | None,
    typer.Option(
        "--key",
        metavar="FILE",
        help="The key by which --pseudonymise makes its words; made if it is not there.",
        show_default=False,
    ),
]
_SHOWN = 12


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    pseudonyms = typer.Typer(help="Words that stand for people in exports.", no_args_is_help=True)
    pseudonyms.command("list", epilog=examples("tui-annotate pseudonyms list --json"))(
        list_pseudonyms
    )
    pseudonyms.command(epilog=examples("tui-annotate pseudonyms new-key --yes"))(new_key)
    app.add_typer(pseudonyms, name="pseudonyms")


def list_pseudonyms(*, as_json: JsonOption = False, workspace: WorkspaceOption = None) -> None:
    """List people with the words that stand for them in exports."""
    with opened(workspace, needs=Verb.MANAGE) as space:
        people = space.team.naming.everybody()
    if as_json:
        output.as_json(
            [{"id": one.id, "name": one.name, "pseudonym": word} for one, word in people]
        )
        return
    output.table(
        [output.Column("name", flexible=True), output.Column("pseudonym"), output.Column("id")],
        [(one.name, word, one.id) for one, word in people],
    )


def new_key(*, yes: YesOption = False, workspace: WorkspaceOption = None) -> None:
    """Make a new key: everybody has another word from now on.

    The key before is gone.
    """
    with opened(workspace, needs=Verb.MANAGE) as space:
        output.ask("nobody can be followed from earlier exports to later ones?", yes=yes)
        output.say(f"a new key lies in {space.team.naming.renew()}")


def of_workspace(space: Workspace, *, wanted: bool) -> Pseudonyms | None:
    """The pseudonyms of an export; a key that is made for it is told."""
    if not wanted:
        return None
    keys = space.team.naming.keys()
    new = not keys.path.exists()
    names = space.team.naming.names()
    if new:
        output.say(f"the key of the pseudonyms was made: {keys.path}; keep it, and keep it apart")
    _warn(keys.path, open_to_others=keys.open_to_others())
    return names


def of_file(key: Path | None, *, wanted: bool) -> Pseudonyms | None:
    """The pseudonyms of a conversion.

    Raises:
        InvalidInput: they are wanted and no key is named, or the other way round.
    """
    if wanted != (key is not None):
        missing = "--key FILE, which makes the words" if wanted else "--pseudonymise"
        raise InvalidInput("--pseudonymise and --key go together", f"give also {missing}")
    if key is None:
        return None
    from tui_annotate.services.export.keys import Keys
    from tui_annotate.services.export.pseudonyms import Pseudonyms

    keys = Keys(key)
    names = Pseudonyms(keys.current())
    if keys.made:
        output.say(f"the key of the pseudonyms was made: {key}; keep it, and keep it apart")
    _warn(key, open_to_others=keys.open_to_others())
    return names


def _warn(path: Path, *, open_to_others: bool) -> None:
    if open_to_others:
        output.say(f"others on this machine can read {path}: chmod 600")


def tell(names: Pseudonyms | None) -> None:
    """Says whom an export does not name, and what of it may name people all the same."""
    if names is None:
        return
    told = names.told
    people = output.many(len(told.people), "person", "people")
    output.say(f"  pseudonyms for {people}{_listed(told.changed, ', also in ')}")
    if told.originals:
        kept = "records as they were read, which may name people"
        output.say(f"  left out: {told.originals:,} {kept}")
    if told.called:
        output.say(f"  called as people are, and kept so: {', '.join(sorted(told.called))}")
    if told.texts:
        output.say(f"  notes and comments kept as written: {told.texts:,}")
    if told.columns:
        output.say(f"  kept as they came:{_listed(told.columns, ' ')}; do they name anybody?")


def _listed(columns: Counter[str], before: str) -> str:
    if not columns:
        return ""
    shown = ", ".join(name for name, _ in columns.most_common(_SHOWN))
    more = f" and {len(columns) - _SHOWN:,} more" if len(columns) > _SHOWN else ""
    return f"{before}columns {shown}{more}"
