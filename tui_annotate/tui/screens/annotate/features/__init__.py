"""Features of the annotating screen: parts that can be left out, and do not know one another."""

from __future__ import annotations

from typing import Final

from tui_annotate.tui.screens.annotate.features.collection import Collection
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
)
"""Those of the annotating screen; the names are those of plug-ins."""
