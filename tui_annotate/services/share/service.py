"""Handing out samples: a share, a top-up, somebody else's open ones, one's own a second time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tui_annotate.domain import sharing
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.handouts import HandoutKind
from tui_annotate.domain.people import Person, PersonKind, again
from tui_annotate.domain.sharing import Item, Outcome, Sorting, Taker, Wish
from tui_annotate.services.share.report import Dealt, dealt, got
from tui_annotate.services.share.ruling import Ruling
from tui_annotate.storage.shares import recall
from tui_annotate.storage.shares.allotments import Allotted
from tui_annotate.storage.shares.store import Held, Room, Sharing

Deal = Callable[[Room], Outcome]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A handout that is asked for.

    Attributes:
        deal: gives who gets what.
        request: as it is written down.
        score: the field of `meta` that samples are sorted by; empty for none.
    """

    kind: HandoutKind
    dataset: str
    people: Sequence[Person]
    deal: Deal
    request: Mapping[str, Any]
    score: str = ""


class Share(Ruling):
    """What admins do with the work of a workspace; see `Ruling`."""

    # shares ------------------------------------------------------------------------------------

    def give(
        self,
        dataset: str,
        to: Sequence[str],
        wish: Wish,
        *,
        ids: Collection[str] = (),
        score: str = "",
        dry_run: bool = False,
    ) -> Dealt:
        """Hands out a share of a dataset, or of the samples that are named.

        Args:
            to: names or ids of people.
            ids: of samples.
            score: the field of the samples' `meta` to sort by.

        Raises:
            NotFound: there is no such dataset, sample or person.
            InvalidInput: nobody is named, or no sample has a number in the field.
            Conflict: the dataset is for practice.
        """
        people = self.meant(to, dry_run=dry_run)
        request = {**_told(wish, people, score), **({"ids": sorted(ids)} if ids else {})}

        def deal(room: Room) -> Outcome:
            return sharing.give(_named(room, ids), _takers(room, people), wish)

        asked = _Asked(HandoutKind.GIVE, dataset, people, deal, request, score)
        return self._do(asked, dry_run=dry_run)

    def top_up(
        self,
        dataset: str,
        to: Sequence[str],
        wish: Wish,
        *,
        number: int,
        score: str = "",
        dry_run: bool = False,
    ) -> Dealt:
        """Brings people up to a number of open samples each.

        Args:
            to: as `give`; where empty, all who have something of the dataset.

        Raises:
            NotFound, InvalidInput, Conflict: as `give`.
        """
        people = self.meant(to, dry_run=dry_run) if to else self._at_work(dataset)
        request = {**_told(wish, people, score), "open": number}

        def deal(room: Room) -> Outcome:
            return sharing.top_up(room.items, _takers(room, people), wish, to=number)

        asked = _Asked(HandoutKind.TOP_UP, dataset, people, deal, request, score)
        return self._do(asked, dry_run=dry_run)

    def _at_work(self, dataset: str) -> list[Person]:
        with self.store.reading() as store:
            has = store.room(dataset).has
        people = [each for each in self.names.workers() if has.get(each.id)]
        if not people:
            raise InvalidInput(f"nobody has anything of {dataset!r}", "name people: --to NAME")
        return people

    def _do(self, asked: _Asked, *, dry_run: bool) -> Dealt:
        if dry_run:
            with self.store.reading() as store:
                return self._dealt(store, asked)[0]
        with self.store.writing(self.actor.person) as store:
            told, rows = self._dealt(store, asked)
            if not rows:
                return told
            for each in asked.people:
                if each.kind is PersonKind.AGAIN:
                    store.keep(each)
            number = store.apply(asked.kind, asked.dataset, rows=rows, request=asked.request)
        return replace(told, handout=number)

    def _dealt(self, store: Sharing, asked: _Asked) -> tuple[Dealt, list[Allotted]]:
        room = store.room(asked.dataset, score=asked.score)
        if asked.score and all(item.score is None for item in room.items):
            raise InvalidInput(
                f"no sample of {asked.dataset!r} has a number named {asked.score!r} in its meta",
                "the field of a column is named as the column",
            )
        outcome = asked.deal(room)
        people = [
            got(each.id, each.name, outcome.given[each.id], had=len(room.has.get(each.id, ())))
            for each in asked.people
        ]
        items = [item for own in outcome.given.values() for item in own]
        rows = [Allotted(who, item.place) for who, own in outcome.given.items() for item in own]
        return dealt(people, items, short=outcome.short), rows

    # others' and own ---------------------------------------------------------------------------

    def move(
        self, person: str, to: Sequence[str], *, begun: bool = False, dry_run: bool = False
    ) -> Dealt:
        """Moves somebody's open samples to others, evenly; without others, back for all to draw.

        Practice and second readings stay.

        Args:
            begun: also those that were begun; what was done stays in the store.

        Raises:
            NotFound: there is nobody of a name.
            InvalidInput: nobody else is named.
            Conflict: a sample is of a dataset that nobody draws from, and nobody is named.
        """
        giver = self.names.giver(person)
        people = [each for each in self.meant(to, dry_run=dry_run) if each != giver] if to else []
        if to and not people:
            raise InvalidInput(f"{giver.name!r} has them already", "name others: --to NAME")
        with self.store.reading() if dry_run else self.store.writing(self.actor.person) as store:
            held = [
                each
                for each in store.held(person=giver.id)
                if not each.finished and not each.allotted.practice and (begun or not each.begun)
            ]
            outcome = _moved(store, held, people)
            items = [item for own in outcome.given.values() for item in own]
            items = items if people else _items(store, held)
            number = 0
            if not dry_run and held:
                number = _move(store, held, outcome, giver=giver, people=people)
        told = [got(each.id, each.name, outcome.given[each.id], had=0) for each in people]
        return replace(dealt(told, items, short=outcome.short), handout=number)

    def repeat(
        self, dataset: str, to: Sequence[str], wish: Wish, *, dry_run: bool = False
    ) -> Dealt:
        """Lets people read a share of their own samples a second time, apart from the first.

        Raises:
            NotFound, InvalidInput: as `give`.
        """
        people = self.meant(to, dry_run=dry_run) if to else self._at_work(dataset)
        seconds = [again(each) for each in people]
        with self.store.reading() as store:
            has = {each.id: {one.key for one in store.held(person=each.id)} for each in seconds}

        def deal(room: Room) -> Outcome:
            given = {}
            for each, second in zip(people, seconds, strict=True):
                mine = room.has.get(each.id, frozenset()) - has[second.id]
                own = [item for item in room.items if item.key in mine]
                given[second.id] = sharing.again(own, wish, person=each.id)
            return Outcome(given)

        request = {"to": [each.id for each in people], "share": wish.share, "seed": wish.seed}
        asked = _Asked(HandoutKind.REPEAT, dataset, seconds, deal, request)
        return self._do(asked, dry_run=dry_run)


def _told(wish: Wish, people: Sequence[Person], score: str) -> dict[str, Any]:
    asked: dict[str, Any] = {
        "to": [each.id for each in people],
        "share": wish.share,
        "overlap": wish.overlap,
        "order": wish.sorting.value,
        "seed": wish.seed,
    }
    if wish.sorting is Sorting.SCORE:
        asked |= {"score": score, "descending": wish.descending}
    return asked


def _takers(room: Room, people: Sequence[Person]) -> list[Taker]:
    return [
        Taker(each.id, room.has.get(each.id, frozenset()), room.open.get(each.id, 0))
        for each in people
    ]


def _named(room: Room, ids: Collection[str]) -> list[Item]:
    """The samples of some ids; all where none is given."""
    if not ids:
        return list(room.items)
    items = {item.key.id: item for item in room.items}
    missing = sorted(set(ids) - items.keys())
    if missing:
        raise NotFound(
            f"dataset {room.dataset!r} has no sample {missing[0]!r}",
            f"{len(missing)} of the ids are not there; see: tui-annotate dataset show NAME",
        )
    return [items[each] for each in dict.fromkeys(ids)]


def _items(store: Sharing, held: Sequence[Held]) -> list[Item]:
    """Samples that somebody has, in the order in which they walk them."""
    rooms = [store.room(name) for name in sorted({each.key.dataset for each in held})]
    known = {item.key: item for room in rooms for item in room.items}
    return [replace(known[each.key], place=at) for at, each in enumerate(held)]


def _moved(store: Sharing, held: Sequence[Held], people: Sequence[Person]) -> Outcome:
    """Who gets what of somebody's samples: evenly, nobody one that they have."""
    if not people:
        return Outcome({})
    takers = [
        Taker(each.id, frozenset(one.key for one in store.held(person=each.id))) for each in people
    ]
    items = _items(store, held)
    need = {item.key: 1 for item in items}
    return sharing.spread(items, takers, need=need, together=True, seed="1")


def _move(
    store: Sharing,
    held: Sequence[Held],
    outcome: Outcome,
    *,
    giver: Person,
    people: Sequence[Person],
) -> int:
    if not people:
        recall.put_back(store, held)
        return 0
    by_key = {each.key: each for each in held}
    given = {
        who: [by_key[item.key] for item in sorted(own, key=lambda item: item.place)]
        for who, own in outcome.given.items()
    }
    if not any(given.values()):
        return 0
    return recall.move(store, given, giver=giver, to=[each.id for each in people])
