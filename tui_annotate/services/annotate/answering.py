"""Answering what machines suggest: taken as it is, taken with changes, refused; open to undo."""

from __future__ import annotations

from dataclasses import dataclass

from tui_annotate.domain import taking
from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.history import Action
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.suggestions import Suggested, taken, taken_id
from tui_annotate.services.annotate.desk import Saved
from tui_annotate.services.annotate.making import Making
from tui_annotate.storage.codec import storable
from tui_annotate.storage.work.log import Log, Stream


@dataclass(frozen=True)
class Answering(Making):
    """What annotators see of suggestions, and make of them."""

    def suggested(self, person: str, key: SampleKey) -> tuple[Suggested, ...]:
        """What machines suggest on a sample, with this person's answers, in reading order.

        Returns:
            None of it where the dataset hides what machines say, as one for practice does.

        Raises:
            NotFound: there is no such sample.
        """
        return self.store.suggested(person, key)

    def accept(
        self,
        person: str,
        key: SampleKey,
        suggestion_id: str,
        *,
        changed: Annotation | None = None,
        seconds: float,
        label_set: str = "",
    ) -> Saved:
        """Makes a suggestion this person's own annotation, which says where it comes from.

        The rules of `add` hold. The machine's reason does not become the person's note. The id is
        made of person and suggestion. What was refused, or taken and removed since, may be taken.

        Args:
            changed: what this person makes of it; None for as it is. Its id counts for nothing.
            seconds: since this person's last action; counted up to a minute.
            label_set: the version that this person saw; empty where they saw none.

        Raises:
            InvalidInput: as `add`, as where the label is no longer in the set.
            Conflict: it is taken already, or the same claim has the same label already; another
                label set than they saw is in force; or the dataset hides what machines say.
            NotFound: there is no such sample or suggestion.
        """

        def prepare(log: Log, stream: Stream) -> Action:
            suggestion = log.suggestion(key, suggestion_id)
            taking.check_open(stream.state, suggestion)
            own = taken(person, suggestion, changed)
            made = self._parts(own, stream, label_set, offer=None)
            return taking.accept(stream.state, suggestion, *self._numbered(log, made))

        about = taken_id(person, suggestion_id)
        return self._do(person, key, prepare, seconds=seconds, about=about)

    def refuse(
        self, person: str, key: SampleKey, suggestion_id: str, *, reason: str = "", seconds: float
    ) -> Saved:
        """Says that a suggestion is wrong, and why; a sample that is finished stays so.

        Raises:
            Conflict: it is taken, or refused for that reason already; or the dataset hides what
                machines say.
            NotFound: there is no such sample or suggestion.
            InvalidInput: the reason holds what can not be stored.
        """
        why = storable(reason.strip(), "reason")

        def prepare(log: Log, stream: Stream) -> Action:
            return taking.refuse(stream.state, log.suggestion(key, suggestion_id), reason=why)

        return self._do(person, key, prepare, seconds=seconds)
