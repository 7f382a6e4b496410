"""Suggestions as a file has them, held against texts and labels; what does not fit is a Problem."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath, well_made
from tui_annotate.domain.errors import InvalidInput, NotFound, TuiAnnotateError
from tui_annotate.domain.labels import JOINER, LabelTree
from tui_annotate.domain.provenance import share
from tui_annotate.domain.records import Problem
from tui_annotate.domain.samples import Document, Sample, SampleKey, Side
from tui_annotate.domain.suggestions import Suggestion, proposed
from tui_annotate.methods.quoting import located
from tui_annotate.plugins.admission import covered, described, identifier
from tui_annotate.plugins.files.json_values import json_values
from tui_annotate.storage.codec import storable
from tui_annotate.storage.corpus.store import CorpusStore

_FIELDS: Final = frozenset(
    {
        "dataset", "sample", "maker", "label", "labels", "quote", "start", "end", "evidence",
        "reason", "score",
    }
)  # fmt: skip
_PLACE: Final = frozenset({"quote", "start", "end", "document"})
_FORM: Final = "docs/suggestions.md has the form"
_SHOWN: Final = 60
_SAMPLES: Final = 100  # lines of one sample mostly stand together


@dataclass(frozen=True)
class Reading:
    """What a file is read with.

    Attributes:
        labels_of: the label set in force in a dataset.
        dataset, maker: of lines that name none.
    """

    corpus: CorpusStore
    labels_of: Callable[[str], LabelTree]
    dataset: str
    maker: str

    def read(self, path: Path) -> Iterator[tuple[SampleKey, Suggestion] | Problem]:
        """The suggestions of a file in order; a Problem, with file and line, for each wrong one.

        Raises:
            NotFound, InvalidInput, Unavailable: the file can not be opened.
        """
        sample_of = lru_cache(_SAMPLES)(self._sample)
        for value in json_values(path):
            if isinstance(value, Problem):
                yield value
                continue
            try:
                yield self._suggestion(value.value, sample_of)
            except TuiAnnotateError as error:
                yield Problem(value.where, error.message, error.hint)

    def _suggestion(
        self, value: Any, sample_of: Callable[[str, str], Sample]
    ) -> tuple[SampleKey, Suggestion]:
        if not isinstance(value, dict):
            raise InvalidInput(f"a suggestion is {described(value)}, not an object", _FORM)
        _only(value, _FIELDS)
        named = "dataset" in value
        dataset = identifier(value["dataset"], what="dataset") if named else self.dataset
        sample = sample_of(dataset, identifier(value.get("sample"), what="sample"))
        made = Suggestion(
            id="",
            maker=storable(identifier(value.get("maker", self.maker), what="maker"), "maker"),
            run="",
            claim=tuple(_claim(value, sample)),
            evidence=tuple(_evidence(value, sample)),
            labels=self._labels(sample.dataset, value),
            note=storable(_word(value, "reason").strip(), "reason"),
            score=_score(value),
        )
        # Held to the rules of work by hand, so that it can be taken.
        whole = well_made(Annotation("x", made.claim, made.evidence, made.labels), sample)
        self.labels_of(sample.dataset).check(whole)
        return sample.key, proposed(sample.key, made)

    def _sample(self, dataset: str, name: str) -> Sample:
        key = SampleKey(dataset, name) if dataset else self.corpus.find(name)
        if name not in (key.id, str(key)):
            raise NotFound(f"there is no sample {name!r}", f"if {str(key)!r} is it, write so")
        return self.corpus.sample(key).sample

    def _labels(self, dataset: str, value: Mapping[str, Any]) -> tuple[LabelPath, ...]:
        told = value.get("labels", [value["label"]] if "label" in value else [])
        if not isinstance(told, list) or ("label" in value and "labels" in value):
            raise InvalidInput("give 'label', or 'labels' as a list", _FORM)
        paths = []
        for each in told:
            if isinstance(each, list) and all(isinstance(part, str) for part in each):
                paths.append(JOINER.join(each))
            elif isinstance(each, str):
                paths.append(each)
            else:
                raise InvalidInput(f"a label is {described(each)}, not text", _FORM)
        return tuple(path for name in paths for path in self.labelled(dataset, name))

    def labelled(self, dataset: str, name: str) -> tuple[LabelPath, ...]:
        """The label of a name as a dataset has it; nothing for an empty one.

        Raises:
            InvalidInput: the label set has none of that name.
        """
        if not name:
            return ()
        tree = self.labels_of(dataset)
        path = tuple(name.split(JOINER))
        if tree.find(path) is None:
            there = ", ".join(JOINER.join(each.path) for each in tree.walk())
            raise InvalidInput(f"no label {name!r} in the set", f"the set has: {there}")
        return (path,)


def _claim(value: Mapping[str, Any], sample: Sample) -> Iterator[Anchor]:
    if any(name in value for name in ("quote", "start", "end")):
        yield _anchor(value, sample, Side.SUMMARY)


def _evidence(value: Mapping[str, Any], sample: Sample) -> Iterator[Anchor]:
    told = value.get("evidence", [])
    for each in told if isinstance(told, list) else [told]:
        place = {"quote": each} if isinstance(each, str) else each
        if not isinstance(place, dict):
            raise InvalidInput(f"evidence is {described(place)}, not a quote or an object", _FORM)
        _only(place, _PLACE)
        yield _anchor(place, sample, Side.SOURCE)


def _anchor(value: Mapping[str, Any], sample: Sample, side: Side) -> Anchor:
    """Where a quote stands, or offsets lie: in the document that is named, else in the first."""
    documents = sample.side(side)
    named = value.get("document") if side is Side.SOURCE else None
    chosen = [
        (index, each)
        for index, each in enumerate(documents)
        if named is None or named in (each.key, index)
    ]
    if not chosen:
        there = ", ".join(repr(each.key) for each in documents)
        raise NotFound(f"the {side} side has no document {named!r}", f"there are: {there}")
    quote, start, end = (value.get(name) for name in ("quote", "start", "end"))
    if quote is not None and not isinstance(quote, str):
        raise InvalidInput(f"the quote is {described(quote)}, not text", _FORM)
    if end is not None:
        index, document = _one(chosen, side)
        return Anchor(side, index, covered(document.text, start, end, quote=quote, what="span"))
    if quote is None or not (start is None or type(start) is int):
        raise InvalidInput("a place is a quote, or start and end", _FORM)
    for index, document in chosen:
        if (span := located(quote, document.text, near=start)) is not None:
            return Anchor(side, index, span)
    short = quote if len(quote) <= _SHOWN else f"{quote[: _SHOWN - 1]}…"
    raise InvalidInput(f"{short!r} does not stand in the {side} of {sample.key}", "quote exactly")


def _one(chosen: list[tuple[int, Document]], side: Side) -> tuple[int, Document]:
    if len(chosen) > 1:
        raise InvalidInput(f"the {side} side has {len(chosen)} documents", "name one: 'document'")
    return chosen[0]


def _score(value: Mapping[str, Any]) -> float | None:
    try:
        return share(value.get("score"))
    except ValueError as error:
        raise InvalidInput(str(error), "give a number from 0 to 1, or none") from error


def _word(value: Mapping[str, Any], name: str) -> str:
    word = value.get(name) or ""
    if not isinstance(word, str):
        raise InvalidInput(f"{name!r} is {described(word)}, not text", _FORM)
    return word


def _only(value: Mapping[str, Any], known: frozenset[str]) -> None:
    if more := sorted(map(str, value.keys() - known)):
        there = ", ".join(sorted(known))
        raise InvalidInput(f"no field {more[0]!r} is known", f"there are: {there}")
