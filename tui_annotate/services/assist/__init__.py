"""From a selection to the related segments of the other side, and how well that works."""

from tui_annotate.services.assist.choices import Choice, choices
from tui_annotate.services.assist.embedded import embedded
from tui_annotate.services.assist.evaluate import evaluate, evaluate_records
from tui_annotate.services.assist.find import Assist, Found, Matched
from tui_annotate.services.assist.sample import SampleAssist, prepared, with_vectors
from tui_annotate.services.assist.vectors import SampleVectors

__all__ = [
    "Assist",
    "Choice",
    "Found",
    "Matched",
    "SampleAssist",
    "SampleVectors",
    "choices",
    "embedded",
    "evaluate",
    "evaluate_records",
    "prepared",
    "with_vectors",
]
