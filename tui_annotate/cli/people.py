"""The command `people list`: list all people of a workspace, with and without accounts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from tui_annotate.cli import options, output
from tui_annotate.cli.help_format import TEAM
from tui_annotate.cli.options import add_command, add_group, open_workspace
from tui_annotate.domain.people import Permission, PersonKind

if TYPE_CHECKING:
    from tui_annotate.workspace import Workspace

_NOT_LISTED = {PersonKind.SETTLED, PersonKind.AGAIN}


def register(app: typer.Typer) -> None:
    group = add_group(app, "people", "List the people of the workspace.", panel=TEAM)
    add_command(group, list_people, "people list", "people list --json", name="list")


def list_people(*, common: options.CommonOptions) -> None:
    """List all people of the workspace, with and without accounts.

    The kind of a person is local (a name used on this machine), imported (a name in an imported
    file) or account. The numbers count annotations and completed samples in all datasets.
    """
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        people = _read_people(space)
    output.print_table_or_json(
        people,
        [
            output.flexible_column("name"),
            "kind",
            "role",
            output.number_column("annotations"),
            output.number_column("completed"),
            output.whole_column("id"),
        ],
        [
            (
                each["name"],
                each["kind"],
                each["role"] if each["active"] else f"{each['role']}, disabled",
                each["annotations"],
                each["done"],
                each["id"],
            )
            for each in people
        ],
        as_json=common.as_json,
    )


def _read_people(space: Workspace) -> list[dict[str, Any]]:
    accounts = {}
    if space.team.members.required():
        accounts = {each.person.id: each for each in space.team.accounts.all()}
    known = {each.id: each for each in space.people.all() if each.kind not in _NOT_LISTED}
    # A shared store of people has accounts that never opened this workspace.
    known |= {each.person.id: each.person for each in accounts.values()}
    work = space.corpus.progress()
    people = []
    for person in sorted(known.values(), key=lambda each: (each.name.casefold(), each.id)):
        account, own = accounts.get(person.id), [each for each in work if each.person == person.id]
        people.append(
            {
                "id": person.id,
                "name": person.name,
                "kind": person.kind.value,
                "role": account.role.value if account else "",
                "active": account.active if account else True,
                "annotations": sum(each.annotations for each in own),
                "done": sum(each.done for each in own),
            }
        )
    return people
