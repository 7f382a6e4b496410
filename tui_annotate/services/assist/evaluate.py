"""How well the assist finds what people chose, in records with spans on both sides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.domain.records import Problem, Record
from tui_annotate.domain.samples import Document, Segment
from tui_annotate.methods import bootstrap
from tui_annotate.methods.evaluation import FIGURES, KINDS, Figures, figures, gains
from tui_annotate.methods.segmentation import SEGMENTER
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import Embedder, ImportOptions
from tui_annotate.services.assist.choices import Choice, choices
from tui_annotate.services.assist.embedded import DocumentVectors, document_vectors, joined
from tui_annotate.services.assist.sample import SampleAssist, prepared

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_AT_ONCE = 512
"""Segments that are embedded together, about: many, as batches of like lengths are quick; few, to
tell every few seconds how far a slow model is."""
_LANGUAGES = ("en", "zh")
"""Languages that are told of, also where nothing is in them."""

_Name = tuple[str, str]
"""A document as it is segmented and embedded: its hash and its language."""
Told = Callable[[str, int, float], None]
"""Takes the model, the texts that have its vectors, and their share of all, in [0, 1]."""
_Ranks = Mapping[str, Sequence[int | None]]


def evaluate(
    files: Sequence[Path],
    *,
    min_segments: int = 1,
    embedder: str = "auto",
    compare: Sequence[str] = (),
    told: Told = lambda *_: None,
) -> dict[str, Any]:
    """The figures over Mercury dumps, taken together; JSON values as docs/json.md says.

    The order of files and of their records does not matter.

    Args:
        min_segments: queries count whose searched texts have so many non-blank segments.
        embedder: a name, which a colon and a model may follow; "none" for words alone; "auto" for
            the best that can be had.
        compare: other embedders, each told beside the first on the same queries.
        told: called as vectors are made.

    Raises:
        NotFound, Unavailable: a file can not be opened; a named embedder can not be had.
        InvalidInput: a record can not be taken; the message gives its place.
    """
    chosen = [_embedder(name) for name in dict.fromkeys([embedder, *compare])]
    asked = choices(_records(files), least=min_segments)
    ranks = [_ranks(asked, each, told) for each in chosen]
    parts = {
        direction: _parts(own, [found[direction] for found in ranks])
        for direction, own in asked.items()
    }
    first, *others = [_told(parts, at, each) for at, each in enumerate(chosen)]
    return first | {
        "segmenter": SEGMENTER,
        "min_segments": min_segments,
        "sources": {direction: own[""].sources for direction, own in parts.items()},
        "bootstrap": {"level": bootstrap.LEVEL, "draws": bootstrap.DRAWS, "seed": bootstrap.SEED},
        "compared": others,
        "differences": [
            {"embedder": other["embedder"], "against": first["embedder"]} | _differences(parts, at)
            for at, other in enumerate(others, 1)
        ],
    }


def evaluate_records(
    records: Iterable[Record], *, min_segments: int = 1, embedder: Embedder | None = None
) -> dict[str, Figures]:
    """By direction, how high the segments stand that people chose.

    A query is a distinct (texts, claim span, evidence span), trimmed; every segment is ranked.
    """
    ranks = _ranks(choices(records, least=min_segments), embedder, lambda *_: None)
    return {direction: figures(found) for direction, found in ranks.items()}


@dataclass(frozen=True, slots=True)
class _Part:
    """Some queries of a direction, and what each embedder found of them.

    Attributes:
        gains: (queries, embedders, figures).
        means: (draws, embedders, figures) of the bootstrap; None where there are too few sources.
    """

    sources: int
    gains: NDArray[np.float64]
    means: NDArray[np.float64] | None

    @classmethod
    def of(cls, sources: Sequence[str], found: NDArray[np.float64]) -> Self:
        return cls(len(set(sources)), found, bootstrap.resampled(found, sources))

    def figures(self, at: int) -> dict[str, Any]:
        count = len(self.gains)
        means = self.gains[:, at].mean(axis=0) if count else [0.0] * len(FIGURES)
        return asdict(Figures(count, *map(float, means)))

    def intervals(self, at: int) -> dict[str, list[float]] | None:
        if self.means is None:
            return None
        columns = zip(FIGURES, self.means[:, at].T, strict=True)
        return {name: [*bootstrap.interval(column)] for name, column in columns}

    def difference(self, at: int) -> dict[str, Any]:
        """Of an embedder, less the first."""
        told: dict[str, Any] = {"queries": len(self.gains), "sources": self.sources}
        own, first = self.figures(at), self.figures(0)
        for place, name in enumerate(FIGURES):
            between = None
            if self.means is not None:
                between = bootstrap.interval(self.means[:, at, place] - self.means[:, 0, place])
            told[name] = {
                "difference": own[name] - first[name],
                "interval": [*between] if between else None,
                "excludes_zero": bool(between and between.excludes_zero),
            }
        return told


def _parts(asked: Sequence[Choice], ranks: Sequence[Sequence[int | None]]) -> dict[str, _Part]:
    """All queries of a direction, by the name "", and those of each kind."""
    import numpy as np

    found = np.stack([gains(own) for own in ranks], axis=1)
    sources = [each.source for each in asked]
    kinds = [each.kinds for each in asked]
    languages = sorted({own[-1] for own in kinds} - {*_LANGUAGES})
    parts = {"": _Part.of(sources, found)}
    for name in (*chain.from_iterable(KINDS), *_LANGUAGES, *languages):
        at = [place for place, own in enumerate(kinds) if name in own]
        parts[name] = _Part.of([sources[place] for place in at], found[at])
    return parts


def _told(
    parts: Mapping[str, Mapping[str, _Part]], at: int, embedder: Embedder | None
) -> dict[str, Any]:
    """What one embedder found."""
    return {
        **{direction: own[""].figures(at) for direction, own in parts.items()},
        "embedder": f"{embedder.name} {embedder.version}" if embedder else "none",
        "model": embedder.label if embedder else "",
        "intervals": {direction: own[""].intervals(at) for direction, own in parts.items()},
        "slices": {
            direction: {
                name: part.figures(at) | {"sources": part.sources, "intervals": part.intervals(at)}
                for name, part in own.items()
                if name
            }
            for direction, own in parts.items()
        },
    }


def _differences(parts: Mapping[str, Mapping[str, _Part]], at: int) -> dict[str, Any]:
    whole = {direction: own[""].difference(at) for direction, own in parts.items()}
    slices = {
        direction: {name: part.difference(at) for name, part in own.items() if name}
        for direction, own in parts.items()
    }
    return {**whole, "slices": slices}


def _ranks(asked: Mapping[str, Sequence[Choice]], embedder: Embedder | None, told: Told) -> _Ranks:
    """By direction, the rank of the first hit of each query."""
    ranks: dict[str, list[int | None]] = {name: [None] * len(own) for name, own in asked.items()}
    samples: dict[tuple[str, ...], list[tuple[str, int]]] = {}
    for direction, own in asked.items():
        for at, choice in enumerate(own):
            samples.setdefault(choice.texts, []).append((direction, at))
    # In the order of the hashes, sources first: summaries of one source are neighbours.
    groups = [samples[texts] for texts in sorted(samples)]
    opened = _opened([asked[direction][at] for (direction, at), *_ in groups], embedder, told)
    for places, ready in zip(groups, opened, strict=True):
        for direction, at in places:
            choice = asked[direction][at]
            found = ready.match(choice.selected, top=None)
            ranks[direction][at] = choice.rank((match.document, match.span) for match in found)
    return ranks


def _opened(
    some: Sequence[Choice], embedder: Embedder | None, told: Told
) -> Iterator[SampleAssist]:
    """The samples of some choices, ready; each document is embedded once, in large batches."""
    if embedder is None:
        yield from (prepared(each.sample, each.segments) for each in some)
        return
    waiting = Counter(name for each in some for name, _ in _documents(each))
    made: dict[_Name, DocumentVectors] = {}
    done = 0
    told(embedder.label, done, 0.0)
    for at, each in enumerate(some):
        names = [name for name, _ in _documents(each)]
        if not made.keys() >= {*names}:
            new = _batch(some[at:], made)
            vectors = document_vectors([*new.values()], embedder)
            made.update(zip(new, vectors, strict=True))
            done += len(new)
            told(embedder.label, done, done / len(waiting))
        own = joined(each.sample, [made[name] for name in names], embedder)
        yield prepared(each.sample, each.segments, own)
        waiting.subtract(names)
        for name in names:
            if not waiting[name]:
                made.pop(name, None)


def _batch(
    some: Sequence[Choice], made: Mapping[_Name, DocumentVectors]
) -> dict[_Name, Sequence[str]]:
    """The segments' texts of the next documents that are not made yet."""
    new: dict[_Name, Sequence[str]] = {}
    size = 0
    for each in some:
        for name, (document, cut) in _documents(each):
            if name not in made and name not in new:
                new[name] = [document.text[own.start : own.end] for own in cut]
                size += len(cut)
        if size >= _AT_ONCE:
            break
    return new


def _documents(choice: Choice) -> Iterator[tuple[_Name, tuple[Document, Sequence[Segment]]]]:
    for document, cut in zip(choice.sample.documents, choice.segments, strict=True):
        yield (document.sha256, document.language), (document, cut)


def _embedder(name: str) -> Embedder | None:
    """An embedder by name; the best that can be had for "auto", None for words alone."""
    if name == "none":
        return None
    if name != "auto":
        kind = name.partition(":")[0]
        if kind in registry.names("embedders") and registry.has_cost(kind):
            raise InvalidInput(
                f"{name!r} asks an endpoint, which an evaluation never does",
                "name static, neural, neural:FOLDER or none",
            )
        return registry.load_embedder(name)
    for each in dict.fromkeys([registry.best_embedder(), "static"]):
        try:
            return registry.load_embedder(each)
        except Unavailable:
            continue
    return None


def _records(files: Sequence[Path]) -> Iterator[Record]:
    importer = registry.load("importers", "mercury")
    for file in files:
        for item in importer.read(file, ImportOptions()):
            if isinstance(item, Record):
                yield item
            elif item.refused:
                raise _refused(item)


def _refused(problem: Problem) -> InvalidInput:
    return InvalidInput(str(problem), problem.hint or "mend the file, or leave the record out")
