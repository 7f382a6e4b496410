"""Overview of a workspace: its contents, the annotators' progress, and open work of reviewers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from tui_annotate.domain.adjudication_history import PostAdjudicationCounts
from tui_annotate.domain.people import Permission, is_allowed
from tui_annotate.domain.repeated_readings import RepeatedReadingCounts, count_repeated
from tui_annotate.services import progress

if TYPE_CHECKING:
    from tui_annotate.domain.work_statistics import WorkStatistics
    from tui_annotate.services.status import Status
    from tui_annotate.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class WorkspaceOverview:
    """Numbers of all services about a workspace, as its current user may see them.

    Attributes:
        runs: number of completed runs of machines.
        labels_refused: why a changed `labels.yaml` is not in use; empty if it is in use.
        later_work: what happened to annotators' work after its adjudication; all 0 for users who
            may not see reports.
        changed_samples: number of samples whose work is no longer the work that was adjudicated; 0
            for users who may not review.
        held_work: maps the id of a person to the number of readings that the person completed
            elsewhere while their work was paused or their practice was not finished.
    """

    contents: Status
    statistics: WorkStatistics
    runs: int
    labels_refused: str
    later_work: PostAdjudicationCounts
    changed_samples: int
    unanswered_questions: int
    second_readings: RepeatedReadingCounts
    held_work: Mapping[str, int]

    def as_json(self) -> dict[str, Any]:
        """Return the overview as JSON values, which docs/json.md describes."""
        contents = asdict(self.contents)
        names = self.statistics.names
        return {
            "workspace": contents.pop("path"),
            **contents,
            "runs": self.runs,
            "after_adjudication": {
                **asdict(self.later_work),
                "reopenings": len(self.later_work.reopenings),
                "changed_samples": self.changed_samples,
            },
            "unanswered_questions": self.unanswered_questions,
            "second_readings": asdict(self.second_readings),
            "completed_while_held_back": [
                {"person": person, "name": names.get(person, person), "readings": count}
                for person, count in self.held_work.items()
            ],
            **progress.as_json(self.statistics),
            "labels_refused": self.labels_refused,
        }


def read_overview(space: Workspace, *, weeks: int) -> WorkspaceOverview:
    """Read the overview of an open workspace, with working hours of the last `weeks` weeks."""
    team = space.team
    may_report = is_allowed(space.actor, Permission.REPORT)
    may_review = is_allowed(space.actor, Permission.REVIEW)
    return WorkspaceOverview(
        contents=space.status(),
        labels_refused=team.proposals.refused(),
        statistics=team.progress.figures(weeks=weeks),
        runs=len(space.machines.scores.runs()),
        later_work=team.review.count_later_work() if may_report else PostAdjudicationCounts(),
        second_readings=count_repeated(team.log.repeated_readings().values()),
        held_work=team.log.held_work(),
        changed_samples=len(team.review.list_changed()) if may_review else 0,
        unanswered_questions=len(team.comments.list_threads(unanswered=True)),
    )
