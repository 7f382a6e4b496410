"""Pseudonyms of users for exports; a secret key gives the same pseudonyms in every export."""

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
from tui_annotate.domain.comments import REVIEWERS, PersonComment
from tui_annotate.domain.errors import Conflict, InvalidInput, NotReady, Unavailable
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
from tui_annotate.plugins.traits import FormatTraits, RecordTrait

_KNOWN_TEXT: Final = """
    annotated_by annotator annotator_email annotator_id annotator_ids annotator_name
    annotator_names annotators approved_by assigned_to assignee checked_by coder coder_id
    completed_by created_by creator email labeled_by labeler labelled_by labeller rater rater_id
    raters reviewed_by reviewer reviewer_id reviewer_name updated_by user_email user_id user_name
    username worker worker_id worker_ids workers
"""
KNOWN: Final = tuple(_KNOWN_TEXT.split())
"""Names of imported columns that contain the names, ids or addresses of people."""
KEY_BYTES: Final = 32
MACHINE: Final = "machine:"
"""Prefix of the ids of models. Models get no pseudonyms, as they are not persons."""

NOBODY: Final = frozenset(
    {SETTLED, MAJORITY, "autojudge", "brat", "doccano", "labelstudio", "pairs", "ragtruth"}
)
"""Ids of annotators that are not persons: an adjudication, a majority vote or an import."""

_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_HALF_LENGTH: Final = 5


@dataclass(slots=True)
class PseudonymReport:
    """Numbers of values that an export with pseudonyms replaced, omitted or left unchanged.

    Attributes:
        texts: number of unchanged texts that users wrote and the format keeps.
        originals: number of omitted original records of other formats.
        columns, changed: number of samples by unchanged, and by changed, column.
        called: datasets and groups that are named like a user; they keep their names.
    """

    people: set[str] = field(default_factory=set)
    texts: int = 0
    originals: int = 0
    columns: Counter[str] = field(default_factory=Counter)
    changed: Counter[str] = field(default_factory=Counter)
    called: set[str] = field(default_factory=set)


class Pseudonyms:
    """Computes pseudonyms of users from a secret key; the same key gives the same pseudonyms."""

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
        """Return the pseudonym that replaces a user id; Conflict if another user has the same."""
        return self._person(person_id).id

    def name(self, person_id: str) -> str:
        """Return the pseudonym of a user's name in tables and pages; Conflict as for `id`."""
        return self._person(person_id).name

    def person(self, person: Person) -> Person:
        """Return a person with pseudonyms for id and name, and a kind that reveals no account."""
        hidden = self._person(person.id)
        kind = person.kind if person.kind in _KEPT_KINDS else PersonKind.IMPORTED
        return replace(hidden, kind=kind)

    def annotation_id(self, annotation_id: str) -> str:
        """Return a pseudonym for an annotation's id, which could reveal imported text."""
        return self._digest("annotation", annotation_id)[:16].hex()

    def find_pseudonym(self, word: str) -> str:
        """Return the pseudonym of a user who is given by id, name or e-mail address."""
        return self.id(word if word in self._ids else self._ids_by_name.get(word) or word)

    def meeting(self, records: Iterable[Record]) -> Iterator[Record]:
        """Yield samples unchanged, and collect the names of users, to replace them later."""
        for record in records:
            self._learn_names(record.people)
            yield record

    def _learn_names(self, people: Iterable[Person]) -> None:
        for person in people:
            if person.id not in self._ids:
                self._ids.add(person.id)
                before = self._ids_by_name.setdefault(person.name, person.id)
                self._ids_by_name[person.name] = person.id if before == person.id else ""

    def record(self, record: Record, *, about: FormatTraits | None = None) -> Record:
        """Return a record with pseudonyms; `report` counts what was changed, kept or omitted.

        `about`: the format that the record is written to, which may not keep all texts of users;
        None for a format that may keep all.
        """
        self._learn_names(record.people)
        report = self.report
        report.texts += _count_texts(record, about)
        columns = SampleColumns(self.find_pseudonym)
        meta = columns.hidden(record.sample.meta)
        report.columns.update(columns.kept)
        report.changed.update(columns.changed)
        if record.sample.imported is not None:
            report.originals += 1
        named = (record.sample.dataset, record.sample.group)
        report.called.update(
            name for name in named if name in self._ids or name in self._ids_by_name
        )
        work = [replace(each, person=self.id(each.person)) for each in record.assignments]
        return replace(
            record,
            sample=replace(record.sample, meta=meta, imported=None),
            annotations=tuple(map(self._hide_annotation, record.annotations)),
            assignments=tuple(sorted(work, key=lambda each: each.person)),
            people=tuple(sorted(map(self.person, record.people), key=lambda each: each.id)),
            questions=tuple(map(self._hide_question, record.questions)),
        )

    def _hide_question(self, comment: PersonComment) -> PersonComment:
        plain = ("", REVIEWERS)
        return replace(
            comment,
            author=comment.author if comment.author in plain else self.id(comment.author),
            reader=comment.reader if comment.reader in plain else self.id(comment.reader),
            annotation=comment.annotation and self.annotation_id(comment.annotation),
        )

    def _hide_annotation(self, owned: OwnedAnnotation) -> OwnedAnnotation:
        one = owned.annotation
        if one.imported is not None:
            self.report.originals += 1
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
            raise Conflict(
                f"two users would both get the pseudonym {word}",
                "create a new key: tui-annotate users pseudonyms new-key",
            )
        self.report.people.add(person_id)
        return word

    def _digest(self, kind: str, name: str) -> bytes:
        return hmac.digest(self._key, f"{kind}\0{name}".encode("utf-8", "surrogatepass"), "sha256")


def _count_texts(record: Record, about: FormatTraits | None) -> int:
    """Count the texts of users in a record: notes, comments and questions that a format keeps."""
    kept = RecordTrait if about is None else about.carried
    annotations = [owned.annotation for owned in record.annotations]
    count = 0
    if RecordTrait.NOTE in kept:
        count += sum(bool(one.note) for one in annotations)
    if RecordTrait.SETTLED in kept:
        count += sum(bool(one.settled and one.settled.note) for one in annotations)
    if RecordTrait.OPINION in kept:
        count += sum(bool(work.comment) for work in record.assignments)
    if about is None or about.carries_questions:
        count += len(record.questions)
    return count


_KEPT_KINDS: Final = frozenset({PersonKind.SETTLED, PersonKind.AGAIN})


_FOLDED_COLUMNS: Final = frozenset(name.replace("_", "") for name in KNOWN)
"""Names of columns that contain user names, in lower case and without `_` or `-`."""
_NOT_LETTERS: Final = re.compile(r"[^a-z0-9]")
_ADDRESS: Final = re.compile(r"\S+@\S+")
_NAMING_FIELDS: Final = ("id", "email", "username", "name", "first_name", "last_name")


class SampleColumns:
    """Replaces user names in the imported columns of a sample by pseudonyms."""

    def __init__(self, meant: Callable[[str], str]) -> None:
        self._resolve = meant
        self._found = 0
        self.changed: list[str] = []
        self.kept: list[str] = []

    def hidden(self, meta: Mapping[str, Any]) -> dict[str, Any]:
        """Return metadata with pseudonyms; `changed` and `kept` get the names of the columns."""
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
        # A column called `email` may also contain the text of an email.
        mail = plain == "email" and not (isinstance(value, str) and _ADDRESS.fullmatch(value))
        return self._hide_nested(value) if mail else self._person(value)

    def _hide_nested(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {name: self._hide_column(name, each) for name, each in value.items()}
        return [self._hide_nested(each) for each in value] if isinstance(value, list) else value

    def _person(self, value: Any) -> Any:
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


BEGIN_ANEW: Final = "tui-annotate users pseudonyms new-key"


@dataclass(slots=True)
class PseudonymKeys:
    """Secret key from which pseudonyms are computed, stored in a private file."""

    path: Path
    remembered: Callable[[], str | None] = lambda: None
    remember: Callable[[str], None] = lambda _: None
    made: bool = False

    def current(self) -> bytes:
        """Return the secret key of the pseudonyms; create the key at the first use.

        Raises:
            NotFound: the key file is missing, although pseudonyms were made before.
            Conflict: the file contains a different key than before.
            InvalidInput: the file does not contain a key.
            Unavailable: the file cannot be read or written.
        """
        before = self.remembered()
        key = self._read_key()
        if key is None and before is not None:
            raise NotReady(
                f"the key of the pseudonyms is missing: {self.path}",
                f"restore the file; or create new pseudonyms for all users: {BEGIN_ANEW}",
            )
        if key is None:
            key = self._make_key()
        if before is None:
            self.remember(mark(key))
        elif before != mark(key):
            raise Conflict(
                f"{self.path} contains a different key than that of the earlier pseudonyms",
                f"restore the earlier key; or create new pseudonyms for all users: {BEGIN_ANEW}",
            )
        return key

    def renew(self) -> None:
        """Create a new key of the pseudonyms, in place of the old; Unavailable if not writable."""
        try:
            self.path.unlink(missing_ok=True)
        except OSError as error:
            raise self._unavailable(error, "written") from error
        self.remember(mark(self._make_key()))

    def open_to_others(self) -> bool:
        """Return whether users other than the owner can read the key of the pseudonyms."""
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
                f"{self.path} does not contain a key for pseudonyms",
                f"restore the file: a key has {2 * KEY_BYTES} hex digits",
                code="not-a-key",
            )
        return key

    def _make_key(self) -> bytes:
        key = secrets.token_bytes(KEY_BYTES)
        try:
            # Another process may create a key at the same time: O_EXCL lets the first one win.
            place = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError as error:
            if (made := self._read_key()) is not None:
                return made
            raise Unavailable(
                f"{self.path} is a link to a missing file",
                "restore the file that it names: it contains the key of the pseudonyms; or delete"
                " the link",
            ) from error
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
            f"{self.path} cannot be {what}: {error.strerror}",
            "ask the workspace owner for access: the file contains the key of the pseudonyms",
        )


def mark(key: bytes) -> str:
    """Return 16 hex digits that identify a key without revealing it."""
    return hmac.digest(key, b"mark", "sha256")[:8].hex()
