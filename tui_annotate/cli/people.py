"""All people of a workspace, with and without accounts, and the commands that merge them."""

from __future__ import annotations

import shlex
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tui_annotate.cli import options, output
from tui_annotate.cli.options import add_command, argument, open_workspace
from tui_annotate.cli.output import DONE_IN_PART
from tui_annotate.cli.report_parts import (
    Column,
    Columns,
    ResultPart,
    Table,
    flexible_column,
    number_column,
    whole_column,
)
from tui_annotate.domain.people import Permission, PersonKind
from tui_annotate.domain.people_directory import ambiguous_person

if TYPE_CHECKING:
    from tui_annotate.domain.people import Person
    from tui_annotate.storage.log.person_merge import PersonMerge
    from tui_annotate.workspace import Workspace

_NOT_LISTED = {PersonKind.SETTLED, PersonKind.AGAIN}


def register(users: typer.Typer) -> None:
    """Add the commands to the group `users`."""
    add_command(users, merge, "users merge 676f6c64 ana", "users merge gold gold")
    add_command(users, unmerge, "users unmerge 676f6c64")


def show_everyone(space: Workspace, *, as_json: bool) -> None:
    """Print all people of the workspace, with and without accounts, and counts of their work."""
    people = _read_people(space)
    output.show(people, [Table(people, _PEOPLE)], as_json=as_json)


@dataclass(frozen=True, slots=True)
class ListedPerson:
    """A person with their work in all datasets; without an account, `role` is empty."""

    id: str
    name: str
    kind: str
    role: str
    active: bool
    annotations: int
    completed: int


_PEOPLE: Final[Columns[ListedPerson]] = (
    flexible_column("name"),
    Column("kind"),
    Column("role", lambda each: each.role if each.active else f"{each.role}, disabled"),
    number_column("annotations"),
    number_column("completed"),
    whole_column("id"),
)


def merge(
    person: Annotated[str, argument("PERSON", "Name or id of a person without an account.")],
    owner: Annotated[
        str,
        argument("OWNER", "Name, id or e-mail address of the person to whom the work belongs."),
    ],
    *,
    common: options.CommonOptions,
) -> None:
    """Make the work of PERSON the work of OWNER.

    Use this command if both are one person. If PERSON and OWNER are the same imported person,
    `annotate --as NAME` continues the imported work. On a sample with work of both, annotations
    with the same content are stored once, and state, rating and comment of OWNER are kept. `users
    unmerge` undoes the merge.

    Exit code: 0 all work merged, 3 some values of PERSON were not merged.
    """
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        one = space.team.accounts.find_claimable_person(person)
        other = _find_owner(space, one, owner)
        done = space.team.person_merges.merge(one, other)
    if one == other:
        annotate = shlex.join(["tui-annotate", "annotate", "--as", one.name])
        title = f"{one.name} ({one.id}) is a local person; to continue the work: "
        title += output.add_workspace(annotate)
    else:
        title = f"the work of {one.name} ({one.id}) belongs to {other.name}: "
        title += _describe_counts(done)
    _print_merge(title, {"person": one.id, "owner": other.id}, done, as_json=common.as_json)


def unmerge(
    person: Annotated[str, argument("PERSON", "Name or id of a merged person.")],
    *,
    common: options.CommonOptions,
) -> None:
    """Undo `users merge`: give PERSON the merged work back.

    Nothing changes if OWNER changed merged work on a sample after the merge. The working time that
    a merge added to a sample with work of both people stays.
    """
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        one = space.team.person_merges.find(person)
        done = space.team.person_merges.undo(one)
    title = f"{one.name} ({one.id}) owns their work again: {_describe_counts(done)}"
    _print_merge(title, {"person": one.id, "owner": one.id}, done, as_json=common.as_json)


def _find_owner(space: Workspace, person: Person, who: str) -> Person:
    if space.team.members.required():
        return space.team.accounts.find(who).person
    named = [each for each in space.people.all() if each.id != person.id and each.name == who]
    if who == person.id or (who == person.name and not named):
        return person
    if who == person.name and not any(each.kind is PersonKind.LOCAL for each in named):
        raise ambiguous_person(who, [person.id, *(each.id for each in named)], kind="owner")
    owners = space.people.find_named(who)
    if len(owners) == 1 and owners[0].id != person.id:  # also the owner of a merged person's work
        who = owners[0].id
    return space.team.accounts.find_claimable_person(who, without=person.id)


def _describe_counts(done: PersonMerge) -> str:
    annotations = output.many(done.annotations, "annotation")
    return f"{annotations} on {output.many(done.samples, 'sample')}"


def _print_merge(title: str, ids: dict[str, str], done: PersonMerge, *, as_json: bool) -> None:
    output.show(ids | asdict(done), [ResultPart(title)], as_json=as_json)
    for each in done.differences:
        output.print_message(each)
    if done.differences:
        raise typer.Exit(DONE_IN_PART)


def _read_people(space: Workspace) -> list[ListedPerson]:
    accounts = {}
    if space.team.members.required():
        accounts = {each.person.id: each for each in space.team.accounts.all()}
    known = {each.id: each for each in space.people.all() if each.kind not in _NOT_LISTED}
    # A shared store of people has accounts that never opened this workspace.
    known |= {each.person.id: each.person for each in accounts.values()}
    work = space.corpus.progress()
    people = []
    for person in sorted(known.values(), key=lambda each: (each.name.casefold(), each.id)):
        account = accounts.get(person.id)
        own = [each for each in work if each.person == person.id]
        people.append(
            ListedPerson(
                id=person.id,
                name=person.name,
                kind=person.kind.value,
                role=account.role.value if account else "",
                active=account.active if account else True,
                annotations=sum(each.annotations for each in own),
                completed=sum(each.completed for each in own),
            )
        )
    return people
