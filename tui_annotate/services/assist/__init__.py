"""From a selection to the related segments of the other side, and how well that works."""

from tui_annotate.services.assist.evaluate import evaluate, evaluate_records
from tui_annotate.services.assist.find import Assist, Found
from tui_annotate.services.assist.sample import SampleAssist

__all__ = ["Assist", "Found", "SampleAssist", "evaluate", "evaluate_records"]
