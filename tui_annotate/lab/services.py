"""Types of the services that research tools add to `workspace.machines`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from tui_annotate.lab.assist.studies import AssistStudies
    from tui_annotate.lab.judge.dataset_runs import DatasetJudge
    from tui_annotate.lab.judge.proposals import ProposalService
    from tui_annotate.lab.position.stored_studies import PositionStudies
    from tui_annotate.lab.score.comparison import ComparisonService
    from tui_annotate.lab.score.probe_training import ProbeTrainingService
    from tui_annotate.lab.score.ranking_service import RankService
    from tui_annotate.lab.score.scoring import ScoreService


class ResearchServices(Protocol):
    """The research services of a workspace; `tui_annotate.research` returns them."""

    assist_studies: AssistStudies
    comparing: ComparisonService
    judging: DatasetJudge
    positions: PositionStudies
    probing: ProbeTrainingService
    proposing: ProposalService
    ranking: RankService
    scoring: ScoreService
