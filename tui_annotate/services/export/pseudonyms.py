"""Pseudonyms: for each person a word that says nothing, the same in every export with one key."""

from __future__ import annotations

import hmac
import os
import re
import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from tui_annotate.domain.adjudication import Adjudication
from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.errors import Conflict, InvalidInput, NotFound, Unavailable
from tui_annotate.domain.people import (
    LONGEST_NAME,
    MAJORITY,
    SETTLED,
    Person,
    PersonKind,
    base_person,
    second_reader,
)
from tui_annotate.domain.records import OwnedAnnotation, Record

KNOWN: Final = (
    "annotated_by", "annotator", "annotator_email", "annotator_id", "annotator_ids",
    "annotator_name", "annotator_names", "annotators", "approved_by", "assigned_to", "assignee",
    "checked_by", "coder", "coder_id", "completed_by", "created_by", "creator", "email",
    "labeled_by", "labeler", "labelled_by", "labeller", "rater", "rater_id", "raters",
    "reviewed_by", "reviewer", "reviewer_id", "reviewer_name", "updated_by", "user_email",
    "user_id", "user_name", "username", "worker", "worker_id", "worker_ids", "workers",
)  # fmt: skip
KEY_BYTES: Final = 32
MACHINE: Final = "machine:"
"""Before the name of what is no person: who made a machine's annotations."""

NOBODY: Final = frozenset(
    {SETTLED, MAJORITY, "autojudge", "brat", "doccano", "labelstudio", "ragtruth"}
)
"""Ids that are nobody: review, the majority, the work in formats that name no annotator."""

_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_HALF_LENGTH: Final = 5
"""Signs of each half of a pseudonym: ten make 50 bits."""


@dataclass(slots=True)
class PseudonymReport:
    """Effects on the records of an export.

    Attributes:
        texts, originals: number of unchanged texts of people, and of omitted foreign records.
        columns, changed: number of samples by kept or changed column.
        called: datasets and groups named like a person, which keep their names.
    """

    people: set[str] = field(default_factory=set)
    texts: int = 0
    originals: int = 0
    columns: Counter[str] = field(default_factory=Counter)
    changed: Counter[str] = field(default_factory=Counter)
    called: set[str] = field(default_factory=set)


class Pseudonyms:
    """Pseudonyms made with a secret key of 32 bytes; key and id give the same pseudonym again.

    `people` are names known in advance; `addresses` maps other names to ids.
    """

    def __init__(
        self, key: bytes, people: Iterable[Person] = (), addresses: Mapping[str, str] | None = None
    ) -> None:
        self._key = key
        self._ids: set[str] = set()
        self._ids_by_name: dict[str, str] = dict(addresses or {})
        self._learn_names(people)
        self._made: dict[str, Person] = {}
        self._ids_by_word: dict[str, str] = {}
        self.report = PseudonymReport()

    def id(self, person_id: str) -> str:
        """Return the pseudonym of a person's id.

        Raises:
            Conflict: the word is another person's as well.
        """
        return self._person(person_id).id

    def name(self, person_id: str) -> str:
        """Return the pseudonym for figures and pages; raises as `id`."""
        return self._person(person_id).name

    def person(self, person: Person) -> Person:
        """Return the pseudonymous person; whether they had an account is hidden."""
        hidden = self._person(person.id)
        kind = person.kind if person.kind in _KEPT_KINDS else PersonKind.IMPORTED
        return replace(hidden, kind=kind)

    def annotation_id(self, annotation_id: str) -> str:
        """Hide an annotation's id, as one made from an imported row reveals its words."""
        return self._digest("annotation", annotation_id)[:16].hex()

    def find_pseudonym(self, word: str) -> str:
        """Return the pseudonym of somebody whom a column names by id, name or address.

        A name that several have is none of theirs.
        """
        return self.id(word if word in self._ids else self._ids_by_name.get(word) or word)

    def meeting(self, records: Iterable[Record]) -> Iterator[Record]:
        """Yield the records unchanged, and learn names before people are left out."""
        for record in records:
            self._learn_names(record.people)
            yield record

    def _learn_names(self, people: Iterable[Person]) -> None:
        for person in people:
            if person.id not in self._ids:
                self._ids.add(person.id)
                before = self._ids_by_name.setdefault(person.name, person.id)
                self._ids_by_name[person.name] = person.id if before == person.id else ""

    def record(self, record: Record) -> Record:
        """Return a record without names of people, except in texts that people wrote."""
        self._learn_names(record.people)
        report = self.report
        columns = SampleColumns(self.find_pseudonym)
        meta = columns.hidden(record.sample.meta)
        report.columns.update(columns.kept)
        report.changed.update(columns.changed)
        report.originals += record.sample.imported is not None
        named = (record.sample.dataset, record.sample.group)
        report.called.update(
            name for name in named if name in self._ids or name in self._ids_by_name
        )
        work = [replace(each, person=self.id(each.person)) for each in record.assignments]
        report.texts += sum(bool(each.comment) for each in work)
        return replace(
            record,
            sample=replace(record.sample, meta=meta, imported=None),
            annotations=tuple(map(self._hide_annotation, record.annotations)),
            assignments=tuple(sorted(work, key=lambda each: each.person)),
            people=tuple(sorted(map(self.person, record.people), key=lambda each: each.id)),
        )

    def _hide_annotation(self, owned: OwnedAnnotation) -> OwnedAnnotation:
        one = owned.annotation
        self.report.texts += bool(one.note) + bool(one.settled and one.settled.note)
        self.report.originals += one.imported is not None
        hidden: Annotation = replace(
            one,
            id=self.annotation_id(one.id),
            imported=None,
            settled=self._hide_adjudication(one.settled) if one.settled else None,
        )
        return OwnedAnnotation(self.id(owned.person), hidden)

    def _hide_adjudication(self, settled: Adjudication) -> Adjudication:
        sources = sorted(map(self.annotation_id, settled.sources))
        return replace(settled, by=settled.by and self.id(settled.by), sources=tuple(sources))

    def _person(self, person_id: str) -> Person:
        found = self._made.get(person_id)
        if found is None:
            first = base_person(person_id)
            unnamed = first in NOBODY or first.startswith(MACHINE)
            word = first if unnamed else self._make_word(first)
            plain = Person(word, word.removeprefix(MACHINE))
            found = self._made[person_id] = plain if first == person_id else second_reader(plain)
        return found

    def _make_word(self, person_id: str) -> str:
        number = int.from_bytes(self._digest("person", person_id)[:8])
        signs = "".join(_ALPHABET[number >> 5 * place & 31] for place in range(2 * _HALF_LENGTH))
        word = f"person-{signs[:_HALF_LENGTH]}-{signs[_HALF_LENGTH:]}"
        if self._ids_by_word.setdefault(word, person_id) != person_id:
            raise Conflict(f"two people would both be {word}", "make another key")
        self.report.people.add(person_id)
        return word

    def _digest(self, kind: str, name: str) -> bytes:
        return hmac.digest(self._key, f"{kind}\0{name}".encode("utf-8", "surrogatepass"), "sha256")


_KEPT_KINDS: Final = frozenset({PersonKind.SETTLED, PersonKind.AGAIN})


_FOLDED_COLUMNS: Final = frozenset(name.replace("_", "") for name in KNOWN)
"""Names of columns in which people are named, however they are spelt: `workerId`, `Worker-ID`."""
_NOT_LETTERS: Final = re.compile(r"[^a-z0-9]")
_ADDRESS: Final = re.compile(r"\S+@\S+")
_NAMING_FIELDS: Final = ("id", "email", "username", "name", "first_name", "last_name")
"""Of a column that names a person in several fields, those that name them, the best first."""


class SampleColumns:
    """The columns of one sample: those `changed` as they named a person, and those `kept`."""

    def __init__(self, meant: Callable[[str], str]) -> None:
        self._resolve = meant
        self._found = 0
        self.changed: list[str] = []
        self.kept: list[str] = []

    def hidden(self, meta: Mapping[str, Any]) -> dict[str, Any]:
        """Return the columns with pseudonyms in those that are known, at any depth."""
        hidden = {}
        for name, value in meta.items():
            before = self._found
            hidden[name] = self._hide_column(name, value)
            (self.kept if self._found == before else self.changed).append(name)
        return hidden

    def _hide_column(self, name: str, value: Any) -> Any:
        plain = _NOT_LETTERS.sub("", name.lower())
        if plain not in _FOLDED_COLUMNS:
            return self._hide_nested(value)
        # A column called `email` may as well hold what somebody wrote in one.
        mail = plain == "email" and not (isinstance(value, str) and _ADDRESS.fullmatch(value))
        return self._hide_nested(value) if mail else self._person(value)

    def _hide_nested(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {name: self._hide_column(name, each) for name, each in value.items()}
        return [self._hide_nested(each) for each in value] if isinstance(value, list) else value

    def _person(self, value: Any) -> Any:
        """Return the pseudonym of a value; a text too long for a name stays."""
        if isinstance(value, Mapping):
            words = [value[name] for name in _NAMING_FIELDS if value.get(name)]
            return self._person(words[0]) if words else self._hide_nested(value)
        if isinstance(value, list):
            return [self._person(each) for each in value]
        if isinstance(value, bool) or not isinstance(value, int | str):
            return value
        word = str(value)
        if not word.strip() or len(word) > LONGEST_NAME or "\n" in word:
            return value
        self._found += 1
        return self._resolve(word)


BEGIN_ANEW: Final = "tui-annotate pseudonyms new-key"


@dataclass(slots=True)
class PseudonymKeys:
    """The key in a file, for its owner alone; `made` is whether this object created it.

    `remembered` and `remember` load and store the key's fingerprint.
    """

    path: Path
    remembered: Callable[[], str | None] = lambda: None
    remember: Callable[[str], None] = lambda _: None
    made: bool = False

    def current(self) -> bytes:
        """Return the key; create it at the first use.

        Raises:
            NotFound: the file of a former key is missing.
            Conflict: the file holds another key than before.
            InvalidInput: the file holds no key.
            Unavailable: the file can not be read or written.
        """
        before, key = self.remembered(), self._read_key()
        if key is None and before is not None:
            raise NotFound(
                f"the key of the pseudonyms is not at {self.path}",
                f"put it back; or give everybody another word from now on: {BEGIN_ANEW}",
            )
        if key is None:
            key = self._make_key()
        if before is None:
            self.remember(mark(key))
        elif before != mark(key):
            raise Conflict(
                f"{self.path} holds another key than the pseudonyms were made with",
                f"put that one back; or give everybody another word from now on: {BEGIN_ANEW}",
            )
        return key

    def renew(self) -> None:
        """Replace the key, or create one.

        Raises:
            Unavailable: the file can not be written.
        """
        try:
            self.path.unlink(missing_ok=True)
        except OSError as error:
            raise self._unavailable(error, "written") from error
        self.remember(mark(self._make_key()))

    def open_to_others(self) -> bool:
        """Whether anybody but the file's owner may read it."""
        return self.path.exists() and bool(self.path.stat().st_mode & 0o077)

    def _read_key(self) -> bytes | None:
        try:
            text = self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._unavailable(error, "read") from error
        try:
            key = bytes.fromhex(text.decode("ascii"))
        except ValueError:
            key = b""
        if len(key) != KEY_BYTES:
            raise InvalidInput(
                f"{self.path} holds no key of pseudonyms",
                f"one is {2 * KEY_BYTES} hex digits",
                code="not-a-key",
            )
        return key

    def _make_key(self) -> bytes:
        key = secrets.token_bytes(KEY_BYTES)
        try:
            # Another process may make one at this moment: then that one is in force.
            place = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return self._read_key() or self._make_key()
        except OSError as error:
            raise self._unavailable(error, "written") from error
        with os.fdopen(place, "wb") as file:
            file.write(f"{key.hex()}\n".encode())
            file.flush()
            os.fsync(file.fileno())
        self.made = True
        return key

    def _unavailable(self, error: OSError, what: str) -> Unavailable:
        return Unavailable(
            f"{self.path} can not be {what}: {error.strerror}",
            "it holds the key of the pseudonyms, for whoever owns the workspace",
        )


def mark(key: bytes) -> str:
    """Return the fingerprint of a key."""
    return hmac.digest(key, b"mark", "sha256")[:8].hex()
