"""Review: what several people said of a sample is settled; see `service.Review`."""

from tui_annotate.services.review.desk import (
    Judged,
    Layer,
    Lesson,
    Outcome,
    ReviewDesk,
    Waiting,
)
from tui_annotate.services.review.service import Review

__all__ = ["Judged", "Layer", "Lesson", "Outcome", "Review", "ReviewDesk", "Waiting"]
