"""The annotator's session: the user, the keys and the services that all screens use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tui_annotate.domain.people import Person, second_reader
from tui_annotate.domain.queue_orders import BY_SOURCE, by_score
from tui_annotate.editor.key_map import KeyMap
from tui_annotate.tui.workspace_texts import WorkspaceText

if TYPE_CHECKING:
    from tui_annotate.services.annotate import AnnotationService
    from tui_annotate.services.assist.past_annotations import PastAnnotationSearch
    from tui_annotate.services.assist.search import AssistService
    from tui_annotate.tui.position_file import PositionFile
    from tui_annotate.workspace.machines import MachineServices
    from tui_annotate.workspace.team import TeamServices


@dataclass(frozen=True, slots=True)
class ForcedIdentity:
    """The user id that sshd's forced command passes for an ssh key; no password is needed."""

    person: str


@dataclass(frozen=True, slots=True)
class AnnotatorSession:
    """The session of one annotator: the user, the services, the order of samples and the keys.

    Attributes:
        assist, past_annotations: called in a thread, because their first imports are slow.
        first_reader: in a second reading, the person of the first reading; else None.
        order: order of the queue, as `services.annotate` names it.
        machines: returns the services for scores and suggestions; None if they are not used.
        positions: the file for the position while the store cannot be written; None for none.
        repeats: whether samples are assigned to the user for a second time.
        new_name: the name of a user who works here for the first time; else empty.
        read_only: why the workspace cannot be written, so that nothing is saved; else empty.
    """

    annotate: AnnotationService
    assist: Callable[[], AssistService]
    past_annotations: Callable[[], PastAnnotationSearch]
    team: Callable[[], TeamServices]
    person: Person
    order: str
    keys: KeyMap
    signed_in: bool = False
    problem: str = ""
    machines: Callable[[], MachineServices] | None = None
    read_only: str = ""
    new_name: str = ""
    repeats: bool = False
    first_reader: Person | None = None
    positions: PositionFile | None = None


def begin_second_reading(session: AnnotatorSession) -> AnnotatorSession:
    """Return the session in which the same person annotates samples a second time."""
    first = session.person
    return replace(session, person=second_reader(first), first_reader=first)


def label_change_notice(why: str) -> str:
    """Return the message that a changed label file was not applied; empty if it was applied.

    The message omits the reason `why`, because annotators may not see counts of others' work.
    """
    if not why:
        return ""
    return WorkspaceText.LABELS_NOT_APPLIED.text()


def resolve_order(order: str, machines: Callable[[], MachineServices]) -> tuple[str, str]:
    """Return the order of samples, and a message if it is the default instead of the requested one.

    `machines` is called only for an order by a score, which may have been deleted.
    """
    scored = by_score(order)
    if scored is None or scored.score in machines().scores.orderable():
        return order, ""
    message = WorkspaceText.UNKNOWN_SCORE.text(score=scored.score, order=BY_SOURCE, wanted=order)
    return BY_SOURCE, message
