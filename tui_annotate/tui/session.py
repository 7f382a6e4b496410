"""Who works with which keys on which workspace: what every screen needs and none opens itself."""

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
    from tui_annotate.workspace.machines import Machines
    from tui_annotate.workspace.team import Team


@dataclass(frozen=True, slots=True)
class ForcedIdentity:
    """Somebody, by id, whom sshd told by their key in a forced command: no password is asked."""

    person: str


@dataclass(frozen=True, slots=True)
class AnnotatorSession:
    """One annotator at work.

    Attributes:
        assist: gives the assist; called in a thread, as it may import much the first time.
        past_annotations: gives what finds former annotations; in a thread, for the same reason.
        team: gives what several people need of the workspace: news, talks, figures.
        order: how the samples are walked, as `services.annotate` names it.
        machines: gives what machines say of samples; None where nobody asks them.
        signed_in: the person has an account, so that there is a password and a way out.
        problem: what is to be told at the start, such as a refused key map; empty for nothing.
    """

    annotate: AnnotationService
    assist: Callable[[], AssistService]
    past_annotations: Callable[[], PastAnnotationSearch]
    team: Callable[[], Team]
    person: Person
    order: str
    keys: KeyMap
    signed_in: bool = False
    problem: str = ""
    machines: Callable[[], Machines] | None = None


def label_change_notice(why: str) -> str:
    """What is told of a changed label file that was not taken up; empty where there is none.

    Why it was not counts the work of all people, which is nobody's to know here.
    """
    if not why:
        return ""
    told = "labels.yaml changed and is not in force: work would lose labels by it"
    return f"{told} · tui-annotate labels apply labels.yaml --dry-run"


def resolve_order(order: str, machines: Callable[[], Machines]) -> tuple[str, str]:
    """An order that can be walked, and what is told where it is the usual one in place of another.

    Args:
        order: as somebody or the settings wish it; the run of its score may be gone by now.
        machines: asked only for an order by a score.
    """
    scored = by_score(order)
    if scored is None or scored.score in machines().scores.orderable():
        return order, ""
    return BY_SOURCE, f"no score {scored.score!r} here: samples come {BY_SOURCE}, not {order}"
