"""Annotating: what one person does to one sample, each action whole, saved, and open to undo.

Nobody sees the work of others here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tui_annotate.domain import deeds, taking
from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.assignments import State, worked
from tui_annotate.domain.history import READ, Action
from tui_annotate.domain.items import scale
from tui_annotate.domain.offers import Offer
from tui_annotate.domain.samples import SampleKey
from tui_annotate.services.annotate.answering import Answering
from tui_annotate.services.annotate.desk import Saved
from tui_annotate.storage.codec import storable
from tui_annotate.storage.work.ledger import Cleared, Prepare
from tui_annotate.storage.work.log import Log, Stream


@dataclass(frozen=True)
class Annotate(Answering):
    """The deeds of annotators, and what they see. Threads may share it."""

    def add(
        self,
        person: str,
        key: SampleKey,
        annotation: Annotation,
        *,
        seconds: float,
        offer: Offer | None = None,
        label_set: str = "",
    ) -> Saved:
        """Stores a new annotation under the id that it brings.

        It is stored also when it lacks something that its label requires; `finish` refuses then.
        A passage of a report is cut at its sentences into an annotation each, all in one action;
        the first that is new has the id.

        Args:
            seconds: since this person's last action; counted up to a minute.
            offer: what the assist showed for the claim; None where nobody knows.
            label_set: the version that this person saw; empty where they saw none.

        Raises:
            InvalidInput: the annotation is not well made, or its labels break their rules.
            Conflict: the same claim has the same label already, or the id is taken; or another
                label set than they saw is in force.
            NotFound: there is no such sample or document.
        """

        def prepare(log: Log, stream: Stream) -> Action:
            own = replace(annotation, suggested=None)
            made = self._parts(own, stream, label_set, offer=offer)
            return deeds.add(stream.state, *self._numbered(log, made))

        return self._do(person, key, prepare, seconds=seconds, about=annotation.id)

    def edit(
        self,
        person: str,
        key: SampleKey,
        annotation: Annotation,
        *,
        seconds: float,
        offer: Offer | None = None,
        label_set: str = "",
    ) -> Saved:
        """Stores a new version; `annotation.version` is the one that was read.

        Of evidence that stays, it stays known where the assist had it. A passage of a report is cut
        as by `add`; what comes beyond the first part is new.

        Raises:
            InvalidInput: as `add`.
            Conflict: another version stands there now, or the claim has the label already; or
                another label set than they saw is in force.
            NotFound: there is no such annotation of this person.
        """

        def prepare(log: Log, stream: Stream) -> Action:
            first, *more = self._parts(annotation, stream, label_set, offer=offer)
            new = self._numbered(log, more)
            edit = deeds.edit(stream.state, first, *new, at=self.clock())
            return taking.edited(stream.state, edit)

        return self._do(person, key, prepare, seconds=seconds, about=annotation.id)

    def remove(
        self, person: str, key: SampleKey, annotation_id: str, *, version: int, seconds: float
    ) -> Saved:
        """Removes an annotation; `version` is the one that was read.

        Raises:
            Conflict: another version stands there now.
            NotFound: there is no such annotation of this person.
        """

        def prepare(_log: Log, stream: Stream) -> Action:
            return deeds.remove(stream.state, annotation_id, version=version)

        return self._do(person, key, prepare, seconds=seconds, about=annotation_id)

    def finish(self, person: str, key: SampleKey, *, seconds: float, label_set: str = "") -> Saved:
        """The sample is done, also with nothing found.

        Raises:
            Conflict: an annotation lacks what its label requires; the message says which and what.
                Or another label set than they saw is in force.
        """

        def prepare(_log: Log, stream: Stream) -> Action:
            sample = self.corpus.sample(key).sample
            return deeds.finish(stream.state, sample, self._seen(key, label_set))

        return self._do(person, key, prepare, seconds=seconds)

    def skip(self, person: str, key: SampleKey, *, reason: str = "", seconds: float) -> Saved:
        """The sample is passed over; a reason becomes the comment."""
        return self._assign(
            person, key, "skip", state=State.SKIPPED, reason=reason, seconds=seconds
        )

    def flag(self, person: str, key: SampleKey, *, reason: str = "", seconds: float) -> Saved:
        """Something is wrong with the sample; a reason becomes the comment."""
        return self._assign(
            person, key, "flag", state=State.FLAGGED, reason=reason, seconds=seconds
        )

    def comment(self, person: str, key: SampleKey, text: str, *, seconds: float) -> Saved:
        """A comment on the sample as a whole, in place of the one that was there; may be empty."""
        parts = {"comment": storable(text.strip(), "comment")}
        return self._opine(person, key, "comment", parts=parts, seconds=seconds)

    def rate(self, person: str, key: SampleKey, rating: str, *, seconds: float) -> Saved:
        """A word of the sample's scale for it as a whole; empty takes it back.

        Raises:
            InvalidInput: the word is not in the scale; where there is none, any word is taken.
            NotFound: there is no such sample.
        """
        kind = self.corpus.sample(key).sample.kind
        word = storable(rating.strip(), "rating")
        parts = {"rating": deeds.rating(word, scale(kind, self.ratings))}
        return self._opine(person, key, "rate", parts=parts, seconds=seconds)

    def read(self, person: str, key: SampleKey, *, seconds: float) -> None:
        """Time on a sample that no action told of."""
        if worked(seconds):
            self._do(person, key, _assigning(READ, {}), seconds=seconds)

    def clear(
        self, person: str, *, dataset: str = "", sample: str = "", words: bool = False
    ) -> Cleared:
        """Removes all annotations of a person, or those of a dataset, of a sample, or of both.

        One undo brings all of them back.

        Args:
            words: ratings and comments go as well.

        Raises:
            NotFound: `sample` names none, or more than one.
        """
        only = self.find(sample) if sample else None

        def wanted(key: SampleKey) -> bool:
            return dataset in ("", key.dataset) and only in (None, key)

        return self._ledger.clear(person, wanted, words=words)

    def undo(self, person: str) -> Saved | None:
        """Takes back the last thing that this person did and did not take back, on any sample.

        Returns:
            The sample concerned, the last touched of several; None where nothing is left.

        Raises:
            Conflict: what it would take back was changed by something else since.
        """
        done = self._ledger.undo(person)
        return Saved.of(done) if done else None

    def redo(self, person: str) -> Saved | None:
        """Does again what undo took back last; None where something was done since."""
        done = self._ledger.redo(person)
        return Saved.of(done) if done else None

    # how ---------------------------------------------------------------------------------------

    def _opine(
        self, person: str, key: SampleKey, verb: str, *, parts: Mapping[str, str], seconds: float
    ) -> Saved:
        def prepare(_log: Log, stream: Stream) -> Action:
            return deeds.opine(stream.state, verb, parts)

        return self._do(person, key, prepare, seconds=seconds)

    def _assign(
        self, person: str, key: SampleKey, verb: str, *, state: State, reason: str, seconds: float
    ) -> Saved:
        parts = {"state": state.value}
        if reason:
            parts["comment"] = storable(reason.strip(), "reason")
        return self._do(person, key, _assigning(verb, parts), seconds=seconds)


def _assigning(verb: str, parts: Mapping[str, str]) -> Prepare:
    return lambda _log, stream: deeds.assign(stream.state, verb, parts)
