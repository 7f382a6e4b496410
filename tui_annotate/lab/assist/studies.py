"""The service of a workspace for studies of its assist."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from tui_annotate.domain.people import Permission, require_permission
from tui_annotate.domain.records import RecordFilter
from tui_annotate.lab.assist.evaluation import evaluate
from tui_annotate.lab.assist.report import Period, report
from tui_annotate.lab.assist.tuning import TuningService

if TYPE_CHECKING:
    from tui_annotate.workspace.machines import MachineServices


class AssistStudies:
    """Reports how people use the assist of a workspace, and tunes its weights."""

    evaluate = staticmethod(evaluate)

    def __init__(self, machines: MachineServices) -> None:
        self._machines = machines

    def report(self, filters: RecordFilter, *, weeks: bool = False) -> dict[str, Any]:
        """Return a report on the use of matches, as `Workspace.assist_report` does.

        `filters` are not checked: those with an unknown name select nothing.
        """
        people = {person.id: person for person in self._machines.people.all()}
        return report(
            self._machines.log.standing(filters, people),
            people,
            clusters=self._machines.corpus.clusters(),
            period=Period.WEEK if weeks else Period.MONTH,
        )

    @cached_property
    def tuning(self) -> TuningService:
        """The service that fits the weights of the assist to the evidence of all people.

        Raises:
            NotAllowed: the actor may not manage the workspace.
        """
        require_permission(self._machines.actor, Permission.MANAGE)
        return TuningService(self._machines.corpus, self._machines.assist(), self._machines.actor)
