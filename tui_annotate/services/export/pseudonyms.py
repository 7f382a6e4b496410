"""Pseudonyms: for each person a word that says nothing, the same in every export with one key."""

from __future__ import annotations

import hmac
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.errors import Conflict
from tui_annotate.domain.people import MAJORITY, SETTLED, Person, PersonKind, again, reader
from tui_annotate.domain.records import Owned, Record
from tui_annotate.domain.settlements import Settled
from tui_annotate.services.export.named_columns import Columns

KEY_BYTES: Final = 32
MACHINE: Final = "machine:"
"""Before the name of what is no person: who made a machine's annotations."""

NOBODY: Final = frozenset(
    {SETTLED, MAJORITY, "autojudge", "brat", "doccano", "labelstudio", "ragtruth"}
)
"""Ids that are nobody: review, the majority, the work in formats that name no annotator."""

_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_HALF: Final = 5
"""Signs of each half of a pseudonym: ten make 50 bits."""


@dataclass(slots=True)
class Told:
    """What was done to the records of an export.

    Attributes:
        people: ids that got a pseudonym.
        texts: notes, comments and reasons, which are as they were written.
        originals: samples and annotations that go out without their record as it was read.
        columns: samples by the column of theirs that is kept, though it may hold a name.
        changed: samples by the column of theirs in which somebody was named.
        called: datasets and groups that are called as somebody is, and go out so.
    """

    people: set[str] = field(default_factory=set)
    texts: int = 0
    originals: int = 0
    columns: Counter[str] = field(default_factory=Counter)
    changed: Counter[str] = field(default_factory=Counter)
    called: set[str] = field(default_factory=set)


class Pseudonyms:
    """Words for people, made with a key; whoever has the key and an id finds the word again.

    Args:
        key: 32 bytes that nobody can guess.
        people: whose names are known before any record is met.
        addresses: what people are called elsewhere, with their ids.
    """

    def __init__(
        self,
        key: bytes,
        people: Iterable[Person] = (),
        addresses: Mapping[str, str] | None = None,
    ) -> None:
        self._key = key
        self._ids: set[str] = set()
        self._named: dict[str, str] = dict(addresses or {})
        self._meet(people)
        self._made: dict[str, Person] = {}
        self._owners: dict[str, str] = {}
        self.told = Told()

    def id(self, person_id: str) -> str:
        """What stands for a person's id.

        Raises:
            Conflict: the word is another person's as well.
        """
        return self._person(person_id).id

    def name(self, person_id: str) -> str:
        """What stands for a person's name, in figures and on pages; raises as `id`."""
        return self._person(person_id).name

    def person(self, person: Person) -> Person:
        """The person as exports tell of them; whether they had an account is not told."""
        hidden = self._person(person.id)
        kind = person.kind if person.kind in _TOLD_KINDS else PersonKind.IMPORTED
        return replace(hidden, kind=kind)

    def annotation_id(self, annotation_id: str) -> str:
        """What stands for an annotation's id: one made from an imported row tells of its words."""
        return self._digest("annotation", annotation_id)[:16].hex()

    def meant(self, word: str) -> str:
        """What stands for somebody whom a column names by id, name or address.

        A name that several have is none of theirs.
        """
        return self.id(word if word in self._ids else self._named.get(word) or word)

    def meeting(self, records: Iterable[Record]) -> Iterator[Record]:
        """The records as they are, once it is known who is in each: before people are left out."""
        for record in records:
            self._meet(record.people)
            yield record

    def _meet(self, people: Iterable[Person]) -> None:
        for person in people:
            if person.id not in self._ids:
                self._ids.add(person.id)
                before = self._named.setdefault(person.name, person.id)
                self._named[person.name] = person.id if before == person.id else ""

    def record(self, record: Record) -> Record:
        """A record in which nobody is named, but in what people wrote."""
        self._meet(record.people)
        told, people = self.told, sorted(map(self.person, record.people), key=_by_id)
        columns = Columns(self.meant)
        meta = columns.hidden(record.sample.meta)
        told.columns.update(columns.kept)
        told.changed.update(columns.changed)
        told.originals += record.sample.imported is not None
        named = (record.sample.dataset, record.sample.group)
        told.called.update(name for name in named if name in self._ids or name in self._named)
        work = [replace(each, person=self.id(each.person)) for each in record.assignments]
        told.texts += sum(bool(each.comment) for each in work)
        return replace(
            record,
            sample=replace(record.sample, meta=meta, imported=None),
            annotations=tuple(map(self._owned, record.annotations)),
            assignments=tuple(sorted(work, key=lambda each: each.person)),
            people=tuple(people),
        )

    def _owned(self, owned: Owned) -> Owned:
        one = owned.annotation
        self.told.texts += bool(one.note) + bool(one.settled and one.settled.note)
        self.told.originals += one.imported is not None
        hidden: Annotation = replace(
            one,
            id=self.annotation_id(one.id),
            imported=None,
            settled=self._settled(one.settled) if one.settled else None,
        )
        return Owned(self.id(owned.person), hidden)

    def _settled(self, settled: Settled) -> Settled:
        sources = sorted(map(self.annotation_id, settled.sources))
        return replace(settled, by=settled.by and self.id(settled.by), sources=tuple(sources))

    def _person(self, person_id: str) -> Person:
        """With id and name, at whichever reading."""
        found = self._made.get(person_id)
        if found is None:
            first = reader(person_id)
            word = first if _is_nobody(first) else self._word(first)
            plain = Person(word, word.removeprefix(MACHINE))
            found = self._made[person_id] = plain if first == person_id else again(plain)
        return found

    def _word(self, person_id: str) -> str:
        number = int.from_bytes(self._digest("person", person_id)[:8])
        signs = "".join(_ALPHABET[number >> 5 * place & 31] for place in range(2 * _HALF))
        word = f"person-{signs[:_HALF]}-{signs[_HALF:]}"
        if self._owners.setdefault(word, person_id) != person_id:
            raise Conflict(f"two people would both be {word}", "make another key")
        self.told.people.add(person_id)
        return word

    def _digest(self, kind: str, name: str) -> bytes:
        return hmac.digest(self._key, f"{kind}\0{name}".encode("utf-8", "surrogatepass"), "sha256")


_TOLD_KINDS: Final = frozenset({PersonKind.SETTLED, PersonKind.AGAIN})


def pseudonymised(records: Iterable[Record], names: Pseudonyms) -> Iterator[Record]:
    """Records in which pseudonyms stand for people; what was left and kept is told in `names`.

    Ids of annotations change with them, originals as they were read are left out, known columns
    that name people are changed; texts that people wrote stay.

    Raises:
        Conflict: two people would have one pseudonym.
    """
    return map(names.record, records)


def _is_nobody(person_id: str) -> bool:
    return person_id in NOBODY or person_id.startswith(MACHINE)


def _by_id(person: Person) -> str:
    return person.id
