"""What one deed of a reviewer changes: annotations made of rivals, refused, edited, given back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from tui_annotate.domain import deeds
from tui_annotate.domain.annotations import (
    ADJUDICATED,
    REJECTED,
    Annotation,
    LabelPath,
    annotation_to_json,
    well_made,
)
from tui_annotate.domain.beside import check_beside
from tui_annotate.domain.errors import Conflict, InvalidInput
from tui_annotate.domain.history import Action, Payload, StreamState
from tui_annotate.domain.items import NOT_RATED, rated_apart
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.nouns import many
from tui_annotate.domain.passages import in_sentences
from tui_annotate.domain.settlements import How, Reason, Settled
from tui_annotate.methods.adjudication import Rival, merged
from tui_annotate.methods.decisions import Decision, decision, kept_of, refused_of
from tui_annotate.services.review.work import Work
from tui_annotate.storage.codec import storable
from tui_annotate.storage.work.log import Log

Sources = Sequence[str]
"""Ids of the annotations that a rival is made of, as a group tells them."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """What everything carries that is made in one deed.

    Attributes:
        by: the reviewer's id.
        at: this moment.
        labels: the label set in force; `guidelines` the hash of the guidelines.
        new_id: gives an id for each new annotation.
    """

    by: str
    at: str
    labels: LabelTree
    guidelines: str
    new_id: Callable[[], str]


@dataclass(slots=True)
class Making:
    """A deed inside its transaction.

    Attributes:
        work: the sample as it stood before.
        standing: what review made and refused, as it stands so far.
        after: what was changed, by id.
        words: what was said of the sample as a whole, `rating` or `comment`.
    """

    log: Log
    work: Work
    stamp: Stamp
    standing: list[Annotation] = field(init=False)
    after: dict[str, Payload | None] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.standing = list(self.work.standing)

    def action(self, state: StreamState, verb: str) -> Action:
        """All of it as one action on the stream of what review did."""
        return deeds.settle(state, verb, self.after, words=self.words, done=verb == "done")

    def drop(self, gone: Iterable[Annotation]) -> None:
        """Takes some away."""
        for one in tuple(gone):
            self.standing.remove(one)
            self.after[one.id] = None

    def take(self, rival: Rival, how: How) -> None:
        """Makes a rival stand; a refusal of it is forgotten."""
        self.drop(refused_of(rival, self.standing))
        made = self._made(rival, Settled(self.stamp.by, how, rival.sources), origin=ADJUDICATED)
        self._check_beside(made)
        self._check_chosen(made)
        self._put(made)

    def refuse(self, rival: Rival, reason: Reason, note: str) -> None:
        """Keeps a rival as refused, in place of all that was made of it."""
        self.drop(kept_of(rival, self.standing))
        self.drop(refused_of(rival, self.standing))
        why = Settled(self.stamp.by, How.REJECTED, rival.sources, reason, note)
        self._put(self._made(rival, why, origin=REJECTED))

    def reject(self, rivals: Sequence[Sources], reason: Reason, note: str) -> None:
        """Refuses rivals, where it is said why."""
        if not (reason or note):
            raise InvalidInput("nothing is refused without a reason", "say which, or give a note")
        for sources in rivals:
            self.refuse(self.work.rival(sources), reason, note)

    def merge(self, rivals: Sequence[Sources], labels: tuple[LabelPath, ...]) -> None:
        """Makes one of several rivals, in place of what was made of them."""
        found = [self.work.rival(sources) for sources in rivals]
        if len(found) < 2 or labels not in [rival.labels for rival in found]:
            raise InvalidInput(
                f"{len(found)} rivals can not be merged under {labels!r}",
                "merge two or more under the labels of one of them",
            )
        for rival in found:
            self.drop(kept_of(rival, self.standing))
        self.take(merged(found, labels=labels), How.MERGED)

    def finish(self, rest: Reason, note: str) -> None:
        """Takes what all agreed on, and refuses what is open, where it is said why."""
        before = self.work.standing
        known = [(group, decision(group, before)) for group in self.work.groups]
        undecided = [group for group, what in known if what is Decision.OPEN]
        if undecided and not (rest or note):
            count = many(len(undecided), "place is", "places are")
            raise Conflict(
                f"{count} not settled yet", "settle them, or say why nothing of them is taken"
            )
        self._finish_rating(excused=bool(rest or note))
        for one in self.standing:
            self._check_chosen(one)
        for group, what in known:
            for rival in group.rivals:
                if what is Decision.AGREED:
                    self.take(rival, How.TAKEN)
                elif what is Decision.OPEN and not refused_of(rival, before):
                    self.refuse(rival, rest, note)

    def rate(self, word: str, scale: tuple[str, ...]) -> None:
        """Settles the rating: a word of the scale, or one that somebody gave; empty for none."""
        given = [rating for rating in self.work.ratings.values() if rating]
        allowed = tuple(dict.fromkeys([*scale, *given])) if scale else ()
        self.words["rating"] = deeds.rating(word, allowed)

    def _finish_rating(self, *, excused: bool) -> None:
        """Takes the rating that all gave; others must be settled, or it is said why not."""
        ratings = self.work.ratings
        if self.work.settled.assignment.rating or not any(ratings.values()):
            return
        if not rated_apart(ratings.values()):
            self.words["rating"] = next(iter(ratings.values()))
        elif not excused:
            told = ", ".join(f"{letter} {word or NOT_RATED}" for letter, word in ratings.items())
            raise Conflict(
                f"the rating is not settled yet: {told}", "choose one, or say why none is taken"
            )

    def edit(self, annotation: Annotation, sources: Sources) -> None:
        """Puts other content under an id, new or known."""
        made = in_sentences(well_made(annotation, self.work.sample), self.work.sample)
        storable(made.note, "note")
        former = next((one for one in self.standing if one.id == annotation.id), None)
        held = former.labels if former else self.work.rival(sources).labels if sources else ()
        self.stamp.labels.check(made, held=held)
        if lacking := self.stamp.labels.lacks(made):
            raise Conflict(
                f"it lacks {' and '.join(lacking)}", "a settled annotation is complete: add it"
            )
        if former is None:
            made = self._fresh(made, sources)
        else:
            how = former.settled.how if former.settled else How.OWN
            origin = former.settled.sources if former.settled else ()
            changed = How.OWN if how is How.OWN else How.EDITED
            made = replace(
                made,
                version=former.version + 1,
                number=former.number,
                created=former.created,
                settled=Settled(self.stamp.by, changed, origin),
            )
            self.standing.remove(former)
        self._check_beside(made)
        self._put(self._stamped(made))

    def _fresh(self, made: Annotation, sources: Sources) -> Annotation:
        """New content, of a rival or of the reviewer's own."""
        settled = Settled(self.stamp.by, How.OWN)
        if sources:
            rival = self.work.rival(sources)
            self.drop(refused_of(rival, self.standing))
            self.drop(kept_of(rival, self.standing))
            settled = Settled(self.stamp.by, How.EDITED, rival.sources)
        (number,) = self.log.numbers([0])
        return replace(
            made,
            version=1,
            number=number,
            created=self.stamp.at,
            settled=settled,
        )

    def _made(self, rival: Rival, settled: Settled, *, origin: str) -> Annotation:
        (number,) = self.log.numbers([0])
        made = Annotation(
            self.stamp.new_id(),
            rival.claim,
            rival.evidence,
            rival.labels,
            rival.note,
            number=number,
            created=self.stamp.at,
            settled=settled,
        )
        return replace(self._stamped(made), origin=origin)

    def _stamped(self, made: Annotation) -> Annotation:
        return replace(
            made,
            origin=ADJUDICATED,
            updated=self.stamp.at,
            label_set=self.stamp.labels.version,
            guidelines=self.stamp.guidelines,
            imported=None,
            trace=None,
            suggested=None,
        )

    def _check_beside(self, made: Annotation) -> None:
        others = [one for one in self.standing if one.origin != REJECTED]
        check_beside(made, others, self.stamp.labels)

    def _check_chosen(self, made: Annotation) -> None:
        """Nothing is settled under a label that was split."""
        if made.origin != REJECTED and (split := self.stamp.labels.split(made.labels)):
            parts = " or ".join(part.name for part in self.stamp.labels.parts(split[0]))
            raise Conflict(f"{split[0].name} was split", f"edit it: choose {parts}")

    def _put(self, made: Annotation) -> None:
        self.standing.append(made)
        self.after[made.id] = annotation_to_json(made)
