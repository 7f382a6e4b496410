"""From a selection to the related segments of the other side, and how well that works."""

from tui_annotate.services.assist.evaluation import Choice, choices, evaluate
from tui_annotate.services.assist.sample import (
    SampleAssist,
    SampleVectors,
    embedded,
    prepare_sample,
    with_vectors,
)
from tui_annotate.services.assist.search import AssistService, SearchResult, SpanMatches

__all__ = [
    "AssistService",
    "Choice",
    "SampleAssist",
    "SampleVectors",
    "SearchResult",
    "SpanMatches",
    "choices",
    "embedded",
    "evaluate",
    "prepare_sample",
    "with_vectors",
]
