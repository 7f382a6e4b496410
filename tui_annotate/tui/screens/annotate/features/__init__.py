"""Features of the annotating screen: optional parts that do not depend on one another."""

from __future__ import annotations

from typing import Final

from tui_annotate.tui.screens.annotate.features.collection import Collection
from tui_annotate.tui.screens.annotate.features.imported_comments import ImportedComments
from tui_annotate.tui.screens.annotate.features.readings import SecondReadings
from tui_annotate.tui.screens.annotate.features.suggestions import Suggestions
from tui_annotate.tui.screens.annotate.features.team import ReviewerThread, TeamDialogs
from tui_annotate.tui.screens.sample.feature import FeatureOrder

ANNOTATE_FEATURES: Final[FeatureOrder] = (
    Suggestions,
    SecondReadings,
    "contexts",
    Collection,
    "positions",
    TeamDialogs,
    ReviewerThread,
    ImportedComments,
)
"""Optional parts of the annotating screen, in order: classes, or names of plug-ins' parts."""
