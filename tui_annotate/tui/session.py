"""The annotator's session: the person, the keys and the services that all screens use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui_annotate.domain.people import Person
from tui_annotate.domain.queue_orders import BY_SOURCE, by_score
from tui_annotate.tui.keys.key_map import KeyMap

if TYPE_CHECKING:
    from tui_annotate.services.annotate import AnnotationService
    from tui_annotate.services.assist.past_annotations import PastAnnotationSearch
    from tui_annotate.services.assist.search import AssistService
    from tui_annotate.workspace.machines import MachineServices
    from tui_annotate.workspace.team import TeamServices


@dataclass(frozen=True, slots=True)
class ForcedIdentity:
    """The id of a person whom sshd identified by an ssh key (forced command); no password."""

    person: str


@dataclass(frozen=True, slots=True)
class AnnotatorSession:
    """One annotator at work.

    Attributes:
        assist, past_annotations: called in a thread, as their first imports are slow.
        order: of the queue, as `services.annotate` names it.
        machines: scores and suggestions of machines; None if not used.
        signed_in: the person has an account, so that they can change a password and sign out.
        problem: the first message, such as a refused key map; empty for none.
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


def label_change_notice(why: str) -> str:
    """The notice of a changed label file that was refused, without the reason; empty for none.

    The reason counts the work of all annotators, which is not public here.
    """
    if not why:
        return ""
    notice = "labels.yaml changed and is not in force: work would lose labels by it"
    return f"{notice} · tui-annotate labels apply labels.yaml --dry-run"


def resolve_order(order: str, machines: Callable[[], MachineServices]) -> tuple[str, str]:
    """(a usable order, why it is not the wanted one; empty if it is).

    Args:
        order: of the user or the settings; the run of its score may have been deleted.
        machines: called only for an order by a score.
    """
    scored = by_score(order)
    if scored is None or scored.score in machines().scores.orderable():
        return order, ""
    return BY_SOURCE, f"no score {scored.score!r} here: samples come {BY_SOURCE}, not {order}"
