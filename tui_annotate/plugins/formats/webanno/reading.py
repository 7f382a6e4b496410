"""A collection of web annotations, as we write them, to a record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum
from typing import Any, TypeVar

from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import InvalidInput, InvalidSpan, NotFound
from tui_annotate.domain.people import Person, PersonKind
from tui_annotate.domain.records import Owned, Record
from tui_annotate.domain.samples import Document, Kind, Request, Sample, Side
from tui_annotate.domain.spans import Span
from tui_annotate.plugins.admission import document, identifier
from tui_annotate.plugins.formats.webanno.names import (
    CLAIM,
    EVIDENCE,
    FORMAT,
    HASH,
    REQUEST,
    SIDES,
    named,
)
from tui_annotate.plugins.formats.webanno.values import (
    Fields,
    mapping,
    name_of,
    number,
    objects,
    seconds,
    word,
)
from tui_annotate.plugins.recounting import Said, recounted

_Word = TypeVar("_Word", bound=StrEnum)


class CollectionReader:
    """One collection.

    Args:
        dataset: replaces the collection's where it is not empty.

    Attributes:
        doubts: about it, once it is read.

    Raises:
        InvalidInput: it is none of ours, or a text is not the one that its hash says.
    """

    def __init__(self, fields: Fields, *, dataset: str, language: str) -> None:
        if fields.get("type") != "AnnotationCollection":
            raise InvalidInput(f"the type is {str(fields.get('type'))[:40]!r}, no collection")
        self._fields = fields
        self.doubts: list[str] = []
        self._people: dict[str, Person] = {}
        self._sample = _sample(fields, dataset, language)

    def record(self, where: str) -> Record:
        """The sample with what was said of it.

        Raises:
            InvalidInput: something is missing, of the wrong kind, or does not fit the texts.
        """
        items = objects(mapping(self._fields, "first"), "items")
        work = [item for item in items if "tui:state" in item]
        said = [item for item in items if "tui:state" not in item]
        made = [self._said(item) for item in said]
        found, self.doubts = recounted([each for _, each in made], self._sample)
        annotations = tuple(map(Owned, (person for person, _ in made), found))
        assignments = tuple(map(self._assignment, work))
        if len({each.person for each in assignments}) < len(assignments):
            raise InvalidInput("somebody has two states on one sample")
        people = tuple(self._people.values())
        return Record(self._sample, annotations, assignments, people, where)

    def _creator(self, item: Fields) -> str:
        fields = mapping(item, "creator")
        key = identifier(named(fields.get("id"), "person"), what="id of a person")
        kind = _among(PersonKind, fields.get("tui:kind", PersonKind.IMPORTED.value), "tui:kind")
        self._people.setdefault(key, Person(key, word(fields, "name") or key, kind))
        return key

    def _said(self, item: Fields) -> tuple[str, Said]:
        key = identifier(named(item.get("id"), "annotation"), what="id of an annotation")
        targets = objects(item, "target")
        bodies = objects(item, "body")
        notes = [word(body, "value") for body in bodies if body.get("purpose") == "commenting"]
        claim = list(self._anchors(targets, CLAIM, key))
        evidence = list(self._anchors(targets, EVIDENCE, key))
        annotation = Annotation(
            key,
            tuple(anchor for anchor, _ in claim),
            tuple(anchor for anchor, _ in evidence),
            labels=tuple(_path(each) for each in bodies if each.get("purpose") == "classifying"),
            note="\n".join(notes),
            origin=word(item, "tui:origin") or f"imported:{FORMAT}",
            version=number(item, "tui:version") if "tui:version" in item else 1,
            label_set=word(item, "tui:labels"),
            guidelines=word(item, "tui:guidelines"),
            created=word(item, "created"),
            updated=word(item, "modified"),
        )
        quotes = [quote for _, quote in (*claim, *evidence)]
        return self._creator(item), Said(annotation, quotes, f"annotation {key}")

    def _anchors(
        self, targets: list[dict[str, Any]], role: str, key: str
    ) -> Iterator[tuple[Anchor, str | None]]:
        for target in targets:
            told = target.get("tui:role")
            if told not in (CLAIM, EVIDENCE):
                raise InvalidInput(f"a target of annotation {key} has the role {told!r}")
            if told != role:
                continue
            side = SIDES[role]
            index = number(target, "tui:index") if "tui:index" in target else 0
            what = f"{role} of annotation {key}"
            try:
                text = self._sample.document(side, index)
            except NotFound as error:
                raise InvalidInput(f"{what}: {error.message}") from error
            if target.get("source") != HASH + text.sha256:
                raise InvalidInput(f"{what} is about another text than the sample has")
            span, quote = _span(target, what)
            yield Anchor(side, index, span), quote

    def _assignment(self, item: Fields) -> Assignment:
        told = {body.get("purpose"): word(body, "value") for body in objects(item, "body")}
        return Assignment(
            self._creator(item),
            _among(State, item.get("tui:state"), "tui:state"),
            rating=told.get("assessing", ""),
            comment=told.get("commenting", ""),
            seconds=seconds(item, "tui:seconds"),
            updated=word(item, "modified"),
        )


def _span(target: Fields, what: str) -> tuple[Span, str | None]:
    """The span as it was counted, and what it is said to cover."""
    selectors = {str(each.get("type")): each for each in objects(target, "selector")}
    place = selectors.get("TextPositionSelector")
    if place is None:
        raise InvalidInput(f"{what} has no position", "a TextPositionSelector is needed")
    quoting = selectors.get("TextQuoteSelector", {})
    try:
        span = Span(number(place, "start"), number(place, "end"))
    except InvalidSpan as error:
        raise InvalidSpan(f"{what}: {error.message}", error.hint) from error
    return span, word(quoting, "exact") if "exact" in quoting else None


def _path(body: Fields) -> LabelPath:
    path = body.get("tui:path")
    if not isinstance(path, list) or not path or not all(isinstance(each, str) for each in path):
        raise InvalidInput(f"label {str(path)[:40]!r} is no list of names")
    return tuple(path)


def _among(kind: type[_Word], value: Any, name: str) -> _Word:
    if value not in list(kind):
        raise InvalidInput(f"{name} is {str(value)[:40]!r}", ", ".join(kind))
    return kind(value)


def _sample(fields: Fields, dataset: str, language: str) -> Sample:
    documents = [_document(each, language) for each in objects(fields, "tui:documents")]
    if not documents or sum(each.side is Side.SUMMARY for each in documents) > 1:
        raise InvalidInput("the sample has no documents, or several summaries")
    request = mapping(fields, "tui:request")
    return Sample(
        identifier(dataset or fields.get("tui:dataset"), what="dataset"),
        identifier(fields.get("tui:sample"), what="id"),
        tuple(sorted(documents, key=lambda each: each.side is Side.SUMMARY)),
        kind=_among(Kind, fields.get("tui:kind", Kind.PAIR.value), "tui:kind"),
        group=name_of(fields, "tui:group"),
        request=Request(**{name: word(request, f"tui:{name}") for name in REQUEST}),
        meta=mapping(fields, "tui:meta"),
    )


def _document(fields: Fields, language: str) -> Document:
    side = _among(Side, fields.get("tui:side"), "tui:side")
    told = language or name_of(fields, "language")
    plain = document(fields.get("value"), side=side, column=f"{side} text", language=told)
    if fields.get("id") != HASH + plain.sha256:
        raise InvalidInput(
            f"the {side} text has the SHA-256 {plain.sha256[:12]}..., the file another",
            "the text was changed after it was written",
        )
    return replace(plain, key=name_of(fields, "tui:key"), title=word(fields, "tui:title"))
