"""Groups overlapping annotations of one sample for review, and proposes those of the majority.

Annotations with overlapping claims are in one group, also if they overlap only through a third one.
In a group, annotations of the same words with the same labels form one candidate annotation.
Results depend only on the annotations and their counts, never on the order of people or annotations
or on white space at the ends of spans. `find_decision` returns the reviewer's decision on a group.

Source: majority vote over overlapping units, as the curation page of INCEpTION merges by a
threshold (INCEpTION user guide, "Curation"). Two rules are our own: a tie proposes nothing, and an
annotator who completed the sample without an annotation counts as a vote against.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tui_annotate.domain.annotations import REJECTED, Anchor, Annotation, LabelPath
from tui_annotate.domain.samples import Sample

Labels = tuple[LabelPath, ...]


class DifferenceKind(StrEnum):
    """The kinds of differences between overlapping annotations, most serious first."""

    LABEL = "label"
    ONLY_SOME = "only-some"
    EXTENT = "extent"
    EVIDENCE = "evidence"
    NOTE = "note"


class GroupStatus(StrEnum):
    """How far annotators agree on the spans and labels of overlapping annotations.

    Attributes:
        AGREED: all who completed the sample marked the same words with the same labels.
        NEARLY: all used the same labels, but marked different spans.
        CONFLICT: any other case.
    """

    AGREED = "agreed"
    NEARLY = "nearly"
    CONFLICT = "conflict"


@dataclass(frozen=True, slots=True)
class CandidateAnnotation:
    """An annotation under review, with all annotators who chose the same spans and labels.

    All tuples are sorted.

    Attributes:
        note: most frequent note; among equally frequent notes, the longest.
    """

    claim: tuple[Anchor, ...]
    labels: Labels
    evidence: tuple[Anchor, ...]
    note: str
    people: tuple[str, ...]
    sources: tuple[str, ...]

    @property
    def anchors(self) -> tuple[Anchor, ...]:
        return self.claim + self.evidence


@dataclass(frozen=True, slots=True)
class CandidateGroup:
    """Overlapping annotations of several annotators, those with the most annotators first.

    Attributes:
        silent: sorted ids of annotators who completed the sample without a candidate here.
        proposal: candidates that a majority supports; may be empty.
    """

    candidates: tuple[CandidateAnnotation, ...]
    silent: tuple[str, ...]
    status: GroupStatus
    differences: tuple[DifferenceKind, ...]
    proposal: tuple[CandidateAnnotation, ...]

    @property
    def sources(self) -> frozenset[str]:
        """Ids of all annotations of the group."""
        return frozenset(name for candidate in self.candidates for name in candidate.sources)

    @property
    def anchors(self) -> tuple[Anchor, ...]:
        """The words of all candidates, by which they overlap."""
        return tuple(anchor for candidate in self.candidates for anchor in _subject(candidate))


def group_candidates(
    sample: Sample, said: Mapping[str, Sequence[Annotation]]
) -> tuple[CandidateGroup, ...]:
    """Group the overlapping annotations of everyone who completed a sample, in reading order."""
    owned = [
        (person, _to_candidate(one, sample)) for person in sorted(said) for one in said[person]
    ]
    found = [_build_group(part, frozenset(said)) for part in _group_overlapping(owned)]
    return tuple(sorted(found, key=lambda group: min(map(_sort_key, group.candidates))))


def unite_anchors(anchors: Iterable[Anchor]) -> tuple[Anchor, ...]:
    """Merge overlapping spans of the same document; return disjoint spans in order."""
    joined: list[Anchor] = []
    for anchor in sorted(set(anchors)):
        last = joined[-1] if joined else None
        if last and last[:2] == anchor[:2] and last.span.overlap(anchor.span):
            joined[-1] = Anchor(*anchor[:2], last.span.union(anchor.span))
        else:
            joined.append(anchor)
    return tuple(joined)


def merge_candidates(
    candidates: Sequence[CandidateAnnotation], *, labels: Labels
) -> CandidateAnnotation:
    """Merge candidates into one with the given labels.

    Overlapping spans are united. Different notes are joined by ` / `, in the reading order of their
    candidates.
    """
    notes = dict.fromkeys(
        candidate.note for candidate in sorted(candidates, key=_sort_key) if candidate.note
    )
    people = {person for candidate in candidates for person in candidate.people}
    sources = {name for candidate in candidates for name in candidate.sources}
    return CandidateAnnotation(
        claim=unite_anchors(anchor for each in candidates for anchor in each.claim),
        labels=labels,
        evidence=unite_anchors(anchor for each in candidates for anchor in each.evidence),
        note=" / ".join(notes),
        people=tuple(sorted(people)),
        sources=tuple(sorted(sources)),
    )


# grouping ----------------------------------------------------------------------------------------

_OwnedCandidate = tuple[str, CandidateAnnotation]


def _to_candidate(annotation: Annotation, sample: Sample) -> CandidateAnnotation:
    return CandidateAnnotation(
        claim=_trim_anchors(annotation.claim, sample),
        labels=tuple(sorted(set(annotation.labels))),
        evidence=unite_anchors(_trim_anchors(annotation.evidence, sample)),
        note=annotation.note.strip(),
        people=(),
        sources=(annotation.id,),
    )


def _trim_anchors(anchors: Iterable[Anchor], sample: Sample) -> tuple[Anchor, ...]:
    trimmed = {
        Anchor(side, index, span.trim(sample.document(side, index).text) or span)
        for side, index, span in anchors
    }
    return tuple(sorted(trimmed))


def _subject(candidate: CandidateAnnotation) -> tuple[Anchor, ...]:
    return candidate.claim or candidate.evidence


def _sort_key(candidate: CandidateAnnotation) -> tuple[bool, tuple[Anchor, ...], Labels]:
    return not candidate.claim, _subject(candidate), candidate.labels


def _group_overlapping(owned: Sequence[_OwnedCandidate]) -> Iterator[list[_OwnedCandidate]]:
    # Union-find over anchors in order: linear after sorting, and independent of the input order.
    leader = list(range(len(owned)))

    def head(at: int) -> int:
        while leader[at] != at:
            leader[at] = leader[leader[at]]
            at = leader[at]
        return at

    reach: tuple[Anchor, int] | None = None  # anchor with the largest end, its annotation
    anchored = [(anchor, at) for at, (_, one) in enumerate(owned) for anchor in _subject(one)]
    for anchor, at in sorted(anchored):
        if reach and reach[0][:2] == anchor[:2] and anchor.span.start < reach[0].span.end:
            leader[head(at)] = head(reach[1])
            if anchor.span.end <= reach[0].span.end:
                continue
        reach = (anchor, at)
    parts: dict[int, list[_OwnedCandidate]] = defaultdict(list)
    for at, one in enumerate(owned):
        parts[head(at)].append(one)
    yield from parts.values()


def _build_group(part: Sequence[_OwnedCandidate], everybody: frozenset[str]) -> CandidateGroup:
    alike: dict[tuple[object, ...], list[_OwnedCandidate]] = defaultdict(list)
    for person, one in part:
        alike[_subject(one), one.labels].append((person, one))
    candidates = [_build_candidate(same) for same in alike.values()]
    candidates.sort(key=lambda candidate: (-len(candidate.people), _sort_key(candidate)))
    marking = {person for person, _ in part}
    differences = tuple(_find_differences(part, candidates, silent=marking != everybody))
    return CandidateGroup(
        candidates=tuple(candidates),
        silent=tuple(sorted(everybody - marking)),
        status=_status_of(candidates, differences, everybody),
        differences=differences,
        proposal=tuple(_propose(candidates, len(everybody))),
    )


def _build_candidate(same: Sequence[_OwnedCandidate]) -> CandidateAnnotation:
    first = same[0][1]
    notes = Counter(one.note for _, one in same if one.note)
    return CandidateAnnotation(
        claim=first.claim,
        labels=first.labels,
        evidence=unite_anchors(anchor for _, one in same for anchor in one.evidence),
        note=max(notes, key=lambda note: (notes[note], len(note), note), default=""),
        people=tuple(sorted({person for person, _ in same})),
        sources=tuple(sorted(one.sources[0] for _, one in same)),
    )


def _find_differences(
    part: Sequence[_OwnedCandidate], candidates: Sequence[CandidateAnnotation], *, silent: bool
) -> Iterator[DifferenceKind]:
    by_label = _people_by_labels(candidates)
    marking = {person for person, _ in part}
    if any(people != marking for people in by_label.values()):
        yield DifferenceKind.LABEL
    if silent:
        yield DifferenceKind.ONLY_SOME
    if any(set(candidate.people) != by_label[candidate.labels] for candidate in candidates):
        yield DifferenceKind.EXTENT
    if len({one.evidence for _, one in part}) > 1:
        yield DifferenceKind.EVIDENCE
    if len({one.note for _, one in part}) > 1:
        yield DifferenceKind.NOTE


def _people_by_labels(candidates: Iterable[CandidateAnnotation]) -> dict[Labels, set[str]]:
    found: dict[Labels, set[str]] = defaultdict(set)
    for candidate in candidates:
        found[candidate.labels].update(candidate.people)
    return found


def _status_of(
    candidates: Sequence[CandidateAnnotation],
    differences: Sequence[DifferenceKind],
    everybody: frozenset[str],
) -> GroupStatus:
    if all(len(candidate.people) == len(everybody) for candidate in candidates):
        return GroupStatus.AGREED
    if DifferenceKind.LABEL in differences or DifferenceKind.ONLY_SOME in differences:
        return GroupStatus.CONFLICT
    return GroupStatus.NEARLY


def _propose(
    candidates: Sequence[CandidateAnnotation], people: int
) -> Iterator[CandidateAnnotation]:
    """Yield the annotations that a majority of the annotators supports.

    More than half of the people used the annotation's labels, and more than half of these people
    marked its spans.
    """
    by_label = _people_by_labels(candidates)
    for candidate in candidates:
        agreeing = len(by_label[candidate.labels])
        if 2 * agreeing > people and 2 * len(candidate.people) > agreeing:
            yield candidate


class GroupDecision(StrEnum):
    """A reviewer's decision on a group of overlapping annotations.

    Attributes:
        OPEN: not decided, or only some candidates are rejected.
        AGREED: not decided, but accepted automatically when the sample is completed.
        KEPT: at least one candidate was kept.
        REJECTED: all candidates are rejected.
        CHANGED: decided, but an annotator changed, added or deleted a candidate afterwards.
    """

    OPEN = "open"
    AGREED = "agreed"
    KEPT = "kept"
    REJECTED = "rejected"
    CHANGED = "changed"

    @property
    def decided(self) -> bool:
        """Whether the sample can be completed without another decision on the group."""
        return self not in (GroupDecision.OPEN, GroupDecision.CHANGED)


def find_adjudicated(
    candidate: CandidateAnnotation, settled: Iterable[Annotation]
) -> tuple[Annotation, ...]:
    """Return the annotations that a reviewer kept from a candidate, rejected ones excluded."""
    return tuple(
        one for one in settled if one.origin != REJECTED and _is_from(one, candidate.sources)
    )


def find_rejections(
    candidate: CandidateAnnotation, settled: Iterable[Annotation]
) -> tuple[Annotation, ...]:
    """Return the annotations with which a reviewer rejected a candidate."""
    return tuple(
        one for one in settled if one.origin == REJECTED and _is_from(one, candidate.sources)
    )


def find_decision(
    group: CandidateGroup, settled: Iterable[Annotation], *, stale: Collection[str] = ()
) -> GroupDecision:
    """Return a reviewer's decision on a group of overlapping annotations.

    `stale`: ids of candidate annotations in groups that changed after the decision.
    """
    known = tuple(settled)
    changed = not group.sources.isdisjoint(stale)
    if any(find_adjudicated(candidate, known) for candidate in group.candidates):
        return GroupDecision.CHANGED if changed else GroupDecision.KEPT
    refused = [bool(find_rejections(candidate, known)) for candidate in group.candidates]
    if all(refused):
        return GroupDecision.CHANGED if changed else GroupDecision.REJECTED
    if group.status is GroupStatus.AGREED and not any(refused):
        return GroupDecision.AGREED
    return GroupDecision.OPEN


def find_orphans(
    groups: Iterable[CandidateGroup], settled: Iterable[Annotation]
) -> tuple[Annotation, ...]:
    """Return the adjudicated annotations that no present candidate is the source of.

    Their annotators have deleted the sources, or have not completed them again.
    """
    present = {name for group in groups for name in group.sources}
    return tuple(
        one
        for one in settled
        if one.origin != REJECTED
        and one.settled
        and one.settled.sources
        and present.isdisjoint(one.settled.sources)
    )


def _is_from(annotation: Annotation, sources: Iterable[str]) -> bool:
    return annotation.settled is not None and not set(annotation.settled.sources).isdisjoint(
        sources
    )
