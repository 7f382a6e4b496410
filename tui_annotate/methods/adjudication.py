"""What several people said of one sample, put side by side: where they agree, and what to keep.

Annotations whose claims share a code point belong together, as do those that belong to the same
third one. In such a group, what is said of the same words with the same labels is one rival. All
that is told depends on what was said and by how many, never on the order of people or annotations,
nor on white space at the edges of spans.

Source: a majority vote over units that overlap, as the curation page of INCEpTION merges by a
threshold (INCEpTION user guide, "Curation"); that a tie proposes nothing, and that the silence of
somebody who finished counts as a vote, is our own.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath
from tui_annotate.domain.samples import Sample

Labels = tuple[LabelPath, ...]


class Difference(StrEnum):
    """What people differ in, the gravest first."""

    LABEL = "label"
    ONLY_SOME = "only-some"
    EXTENT = "extent"
    EVIDENCE = "evidence"
    NOTE = "note"


class Standing(StrEnum):
    """How a group stands.

    `agreed`: all who finished said the same of the same words; evidence and notes may differ.
    `nearly`: all said it with the same labels, of other extents. `conflict`: all else.
    """

    AGREED = "agreed"
    NEARLY = "nearly"
    CONFLICT = "conflict"


@dataclass(frozen=True, slots=True)
class Rival:
    """One thing that was said of a place, by one person or several.

    Attributes:
        claim: trimmed, in order; empty where evidence alone was marked.
        labels: each once, sorted.
        evidence: of all of them, united.
        note: the one that most of them wrote; of as many the longest.
        people: who said it, sorted.
        sources: ids of the annotations, sorted.
    """

    claim: tuple[Anchor, ...]
    labels: Labels
    evidence: tuple[Anchor, ...]
    note: str
    people: tuple[str, ...]
    sources: tuple[str, ...]

    @property
    def anchors(self) -> tuple[Anchor, ...]:
        """Claim anchors, then evidence anchors."""
        return self.claim + self.evidence


@dataclass(frozen=True, slots=True)
class Group:
    """What was said of one place.

    Attributes:
        rivals: those of most people first, then as they stand in the text.
        silent: who finished the sample and said nothing here, sorted.
        differences: the gravest first.
        proposal: the rivals that more than half would keep; none where there is no such majority.
    """

    rivals: tuple[Rival, ...]
    silent: tuple[str, ...]
    standing: Standing
    differences: tuple[Difference, ...]
    proposal: tuple[Rival, ...]

    @property
    def sources(self) -> frozenset[str]:
        """Ids of all annotations of the group."""
        return frozenset(name for rival in self.rivals for name in rival.sources)


def groups(sample: Sample, said: Mapping[str, Sequence[Annotation]]) -> tuple[Group, ...]:
    """All that was said of a sample, in reading order.

    Args:
        said: by person, for everybody who finished the sample, also those who marked nothing.
    """
    owned = [(person, _trimmed(one, sample)) for person in sorted(said) for one in said[person]]
    found = [_group(part, frozenset(said)) for part in _connected(owned)]
    return tuple(sorted(found, key=lambda group: min(map(_place, group.rivals))))


def united(anchors: Iterable[Anchor]) -> tuple[Anchor, ...]:
    """The same code points with those that overlap joined, in order."""
    joined: list[Anchor] = []
    for anchor in sorted(set(anchors)):
        last = joined[-1] if joined else None
        if last and last[:2] == anchor[:2] and last.span.overlap(anchor.span):
            joined[-1] = Anchor(*anchor[:2], last.span.union(anchor.span))
        else:
            joined.append(anchor)
    return tuple(joined)


def merged(rivals: Sequence[Rival], *, labels: Labels) -> Rival:
    """Rivals as one: all their words and all their evidence; notes one after the other.

    Args:
        rivals: at least one.
    """
    notes = dict.fromkeys(rival.note for rival in sorted(rivals, key=_place) if rival.note)
    return Rival(
        united(anchor for rival in rivals for anchor in rival.claim),
        labels,
        united(anchor for rival in rivals for anchor in rival.evidence),
        " / ".join(notes),
        tuple(sorted({person for rival in rivals for person in rival.people})),
        tuple(sorted({name for rival in rivals for name in rival.sources})),
    )


# how ---------------------------------------------------------------------------------------------

_Said = tuple[str, Rival]
"""A person, and one annotation of theirs as a rival of its own."""


def _trimmed(annotation: Annotation, sample: Sample) -> Rival:
    return Rival(
        _without_edges(annotation.claim, sample),
        tuple(sorted(set(annotation.labels))),
        united(_without_edges(annotation.evidence, sample)),
        annotation.note.strip(),
        (),
        (annotation.id,),
    )


def _without_edges(anchors: Iterable[Anchor], sample: Sample) -> tuple[Anchor, ...]:
    """Trimmed, each once, in order; what is white space alone stays as it is."""
    trimmed = {
        Anchor(side, index, span.trim(sample.document(side, index).text) or span)
        for side, index, span in anchors
    }
    return tuple(sorted(trimmed))


def _subject(rival: Rival) -> tuple[Anchor, ...]:
    """What it is about: its claim; where it has none, its evidence."""
    return rival.claim or rival.evidence


def _place(rival: Rival) -> tuple[bool, tuple[Anchor, ...], Labels]:
    return not rival.claim, _subject(rival), rival.labels


def _connected(owned: Sequence[_Said]) -> Iterator[list[_Said]]:
    """The annotations in groups whose subjects overlap, directly or through others."""
    leader = list(range(len(owned)))

    def head(at: int) -> int:
        while leader[at] != at:
            leader[at] = leader[leader[at]]
            at = leader[at]
        return at

    reach: tuple[Anchor, int] | None = None  # the anchor that goes furthest so far, and whose
    anchored = [(anchor, at) for at, (_, one) in enumerate(owned) for anchor in _subject(one)]
    for anchor, at in sorted(anchored):
        if reach and reach[0][:2] == anchor[:2] and anchor.span.start < reach[0].span.end:
            leader[head(at)] = head(reach[1])
            if anchor.span.end <= reach[0].span.end:
                continue
        reach = (anchor, at)
    parts: dict[int, list[_Said]] = defaultdict(list)
    for at, one in enumerate(owned):
        parts[head(at)].append(one)
    yield from parts.values()


def _group(part: Sequence[_Said], everybody: frozenset[str]) -> Group:
    alike: dict[tuple[object, ...], list[_Said]] = defaultdict(list)
    for person, one in part:
        alike[_subject(one), one.labels].append((person, one))
    rivals = [_rival(same) for same in alike.values()]
    rivals.sort(key=lambda rival: (-len(rival.people), _place(rival)))
    marking = {person for person, _ in part}
    differences = tuple(_differences(part, rivals, silent=marking != everybody))
    return Group(
        tuple(rivals),
        tuple(sorted(everybody - marking)),
        _standing(rivals, differences, everybody),
        differences,
        tuple(_proposal(rivals, len(everybody))),
    )


def _rival(same: Sequence[_Said]) -> Rival:
    first = same[0][1]
    return Rival(
        first.claim,
        first.labels,
        united(anchor for _, one in same for anchor in one.evidence),
        _note(Counter(one.note for _, one in same if one.note)),
        tuple(sorted({person for person, _ in same})),
        tuple(sorted(one.sources[0] for _, one in same)),
    )


def _note(notes: Counter[str]) -> str:
    return max(notes, key=lambda note: (notes[note], len(note), note), default="")


def _differences(
    part: Sequence[_Said], rivals: Sequence[Rival], *, silent: bool
) -> Iterator[Difference]:
    by_label = _people_by_labels(rivals)
    marking = {person for person, _ in part}
    if any(people != marking for people in by_label.values()):
        yield Difference.LABEL
    if silent:
        yield Difference.ONLY_SOME
    if any(set(rival.people) != by_label[rival.labels] for rival in rivals):
        yield Difference.EXTENT
    if len({one.evidence for _, one in part}) > 1:
        yield Difference.EVIDENCE
    if len({one.note for _, one in part}) > 1:
        yield Difference.NOTE


def _people_by_labels(rivals: Iterable[Rival]) -> dict[Labels, set[str]]:
    found: dict[Labels, set[str]] = defaultdict(set)
    for rival in rivals:
        found[rival.labels].update(rival.people)
    return found


def _standing(
    rivals: Sequence[Rival], differences: Sequence[Difference], everybody: frozenset[str]
) -> Standing:
    if all(len(rival.people) == len(everybody) for rival in rivals):
        return Standing.AGREED
    if Difference.LABEL in differences or Difference.ONLY_SOME in differences:
        return Standing.CONFLICT
    return Standing.NEARLY


def _proposal(rivals: Sequence[Rival], people: int) -> Iterator[Rival]:
    """Labels of more than half of all; of those, the extents that more than half of them gave."""
    by_label = _people_by_labels(rivals)
    for rival in rivals:
        agreeing = len(by_label[rival.labels])
        if 2 * agreeing > people and 2 * len(rival.people) > agreeing:
            yield rival
