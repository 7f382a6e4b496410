"""A sample's work as review sees it inside one transaction: layers without names, and groups."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.errors import Conflict
from tui_annotate.domain.history import canonical
from tui_annotate.domain.people import SETTLED
from tui_annotate.domain.samples import Sample, SampleKey
from tui_annotate.methods.adjudication import Group, Rival, groups
from tui_annotate.services.review.desk import Layer
from tui_annotate.storage.work.log import Log, Stream

_LETTERS = 26
_UNDER = "."


@dataclass(frozen=True)
class Work:
    """What people did on a sample, and what review did.

    Attributes:
        settled: the stream of what review did.
        people: the streams of whose work counts, by their letters.
    """

    sample: Sample
    settled: Stream
    people: Mapping[str, Stream]

    @cached_property
    def layers(self) -> tuple[Layer, ...]:
        """What each of them did."""
        return tuple(
            Layer(
                letter,
                tuple(replace(one, imported=None, suggested=None) for one in stream.annotations),
                stream.assignment.comment,
                stream.assignment.rating,
            )
            for letter, stream in self.people.items()
        )

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """What they said, side by side."""
        return groups(self.sample, {layer.letter: layer.annotations for layer in self.layers})

    def seen_under(self, label_set: str) -> str:
        """Stands for all of it, and for the version of the label set that it is shown under."""
        return f"{self.seen}{_UNDER}{label_set}"

    def check(self, seen: str, *, same: Callable[[str], bool]) -> None:
        """Refuses what somebody would do on another state than it is in.

        Args:
            seen: what `seen_under` gave them.
            same: whether a version of the label set means what the one in force does.

        Raises:
            Conflict: it is another one by now, or it is shown under other labels.
        """
        state, _, under = seen.partition(_UNDER)
        if not same(under):
            raise Conflict(
                "the labels changed since this sample was opened",
                "look at it under the labels as they are now, and do it again",
            )
        if state != self.seen:
            raise Conflict(
                "somebody else worked on this sample since it was opened",
                "look at it as it is now, and do it again",
            )

    @cached_property
    def seen(self) -> str:
        """Another one as soon as anything of it is otherwise; time is nothing."""
        states = {
            stream.person: [dict(stream.state.annotations), dict(stream.state.assignment)]
            for stream in (self.settled, *self.people.values())
        }
        return hashlib.sha256(canonical(states).encode()).hexdigest()

    @property
    def ratings(self) -> dict[str, str]:
        """What each of them rated the sample, by letter; empty where they did not."""
        return {layer.letter: layer.rating for layer in self.layers}

    @property
    def standing(self) -> tuple[Annotation, ...]:
        """What review made and refused so far."""
        return self.settled.annotations

    def rival(self, sources: Sequence[str]) -> Rival:
        """The rival that is made of these annotations.

        Raises:
            Conflict: there is none.
        """
        wanted = tuple(sorted(sources))
        for group in self.groups:
            for rival in group.rivals:
                if rival.sources == wanted:
                    return rival
        raise Conflict(
            f"nobody says that any more: {', '.join(wanted) or 'nothing'}",
            "look at the sample as it is now, and do it again",
        )


def work(log: Log, sample: Sample) -> Work:
    """What was done on a sample, as the transaction sees it.

    Raises:
        NotFound: there is no such sample.
    """
    key = sample.key
    names = lettered(key, log.finished(key))
    people = {letter: log.stream(person, key) for letter, person in names.items()}
    return Work(sample, log.stream(SETTLED, key), people)


def lettered(key: SampleKey, people: Sequence[str]) -> dict[str, str]:
    """People by letters, in an order of the sample's own, so that no letter is somebody's."""

    def place(person: str) -> str:
        return hashlib.sha256("\0".join((*key, person)).encode()).hexdigest()

    return {_letter(at): person for at, person in enumerate(sorted(people, key=place))}


def _letter(at: int) -> str:
    """A to Z, then A2 to Z2, and so on."""
    turn, place = divmod(at, _LETTERS)
    return chr(ord("A") + place) + (str(turn + 1) if turn else "")
