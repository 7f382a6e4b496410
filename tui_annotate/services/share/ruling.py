"""The rules by which datasets are worked on, what is taken back, and how it all stands."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property

from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.handouts import Escalation, Pool, Practice
from tui_annotate.domain.people import SETTLED, Actor, Person, Verb, require
from tui_annotate.services.share.people import Names
from tui_annotate.services.share.report import Dealt, InForce, Shown, dealt, got
from tui_annotate.services.share.showing import shown
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.storage.shares import recall, rules, standing
from tui_annotate.storage.shares.allotments import Allotted
from tui_annotate.storage.shares.recall import Undone
from tui_annotate.storage.shares.store import ShareStore, Sharing


class _Tried(Exception):
    """Takes a transaction back that was only tried."""


@dataclass(frozen=True)
class Ruling:
    """What admins do with the work of a workspace but for shares.

    Attributes:
        member: whose account is meant by a name or an address; None where people need no
            accounts, and a new name makes a person.
        disabled: as in `Names`.

    Raises:
        NotAllowed: where the actor does not manage the workspace.
    """

    store: ShareStore
    people: PeopleStore
    member: Callable[[str], Person | None]
    actor: Actor
    disabled: Callable[[], Collection[str]] = tuple

    def __post_init__(self) -> None:
        require(self.actor, Verb.MANAGE)

    @cached_property
    def names(self) -> Names:
        """Whom a name means."""
        return Names(self.people, self.member, self.disabled)

    def meant(self, to: Sequence[str], *, dry_run: bool) -> list[Person]:
        """The people who are named.

        Raises:
            InvalidInput: nobody is.
            NotFound: there is nobody of a name.
            Conflict: somebody's account is disabled.
        """
        if not to:
            raise InvalidInput("nobody is named", "name people: --to NAME, several times")
        return self.names.takers(to, keep=not dry_run)

    def practice(
        self, dataset: str, to: Sequence[str], *, gold: str = "", dry_run: bool = False
    ) -> Dealt:
        """A dataset with known answers comes before all else for these people.

        Args:
            to: as `give`; where empty, everybody who can have work.
            gold: whose answers are right: a person's, those of an origin, or what review settled,
                which is what is meant where it is empty.

        Raises:
            NotFound, InvalidInput: as `give`; or there are no such answers.
            Conflict: the dataset is handed out for real work.
        """
        rule = self._gold(gold)
        people = self.meant(to, dry_run=dry_run) if to else self.names.workers()
        people = [each for each in people if each.id != rule.person]
        with self.store.reading() if dry_run else self.store.writing(self.actor.person) as store:
            room = store.room(dataset)
            if not store.known(room.dataset_id, rule):
                raise NotFound(
                    f"no answers of {gold or SETTLED!r} are in dataset {dataset!r}",
                    "whose answers are right: --gold NAME, or --gold imported",
                )
            told = [
                got(each.id, each.name, own, had=len(room.items) - len(own))
                for each in people
                for own in ([i for i in room.items if i.key not in room.has.get(each.id, ())],)
            ]
            number = 0
            if not dry_run:
                rows = [Allotted(each.id, i.place, True) for each in people for i in room.items]  # noqa: FBT003  a tuple's third
                ids = [each.id for each in people]
                number = rules.set_practice(store, dataset, rule, rows=rows, to=ids)
        return replace(dealt(told, room.items, short=0), handout=number)

    def _gold(self, gold: str) -> Practice:
        everybody = {each.id: each.name for each in self.people.all()}
        meant = [who for who, name in everybody.items() if gold in (who, name)]
        if len(meant) > 1:
            ids = ", ".join(meant)
            raise InvalidInput(f"{gold!r} is the name of several people", f"give an id: {ids}")
        if not gold or gold == SETTLED:
            return Practice(person=SETTLED)
        return Practice(person=meant[0]) if meant else Practice(origin=gold)

    def pool(self, dataset: str, pool: Pool, *, dry_run: bool = False) -> InForce:
        """People draw the samples of a dataset, until each sample has as many as the rule says.

        Raises:
            NotFound: there is no such dataset.
            Conflict: it is for practice.
        """
        with self._changing(dry_run=dry_run) as store:
            number = rules.set_pool(store, dataset, pool)
            ruled = InForce(number, standing.waiting(store.connection, dataset, pool))
        return replace(ruled, handout=0) if dry_run else ruled

    def escalate(
        self,
        dataset: str,
        rule: Escalation | None = None,
        *,
        now: bool = False,
        dry_run: bool = False,
    ) -> InForce:
        """People are added where others disagree.

        Args:
            rule: None where the one that is in force stays.
            now: also where people disagreed before.

        Raises:
            NotFound: there is no such dataset, or `now` and it has no such rule.
        """
        with self._changing(dry_run=dry_run) as store:
            number = rules.set_escalation(store, dataset, rule) if rule else 0
            added, waiting = 0, 0
            if now:
                added, waiting = rules.escalate_now(store, dataset, disabled=self.disabled)
        return InForce(0 if dry_run else number, waiting, added)

    @contextmanager
    def _changing(self, *, dry_run: bool) -> Iterator[Sharing]:
        """A transaction that is done in full, and of which a dry run leaves nothing."""
        with suppress(_Tried), self.store.writing(self.actor.person) as store:
            yield store
            if dry_run:
                raise _Tried

    # all of it ---------------------------------------------------------------------------------

    def undo(self, number: int = 0, *, begun: bool = False) -> Undone:
        """Takes a handout back with the rule that it made; the last that holds, where 0.

        Args:
            begun: also what was begun; what was done stays in the store.

        Raises:
            NotFound: there is no such handout, or none that holds.
            Conflict: it was taken back already.
        """
        with self.store.writing(self.actor.person) as store:
            return recall.undo(store, number, begun=begun)

    def show(self, dataset: str = "") -> Shown:
        """All that is handed out, or what is of one dataset.

        Raises:
            NotFound: there is no such dataset, and nothing of it was ever handed out.
        """
        with self.store.reading() as store:
            found = shown(store, self.names.all(), dataset=dataset)
            if dataset and not found.handouts:
                store.dataset_row(dataset)
        return found
