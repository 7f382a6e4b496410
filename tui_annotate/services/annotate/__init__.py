"""Annotation of samples: open a sample, annotate, undo. The main class is `AnnotationService`."""

from tui_annotate.domain.event_streams import SaveResult
from tui_annotate.services.annotate.queries import CitationContext, OpenSample
from tui_annotate.services.annotate.service import AnnotationService
from tui_annotate.storage.queue import QueuePage, QueueRow

__all__ = [
    "AnnotationService",
    "CitationContext",
    "OpenSample",
    "QueuePage",
    "QueueRow",
    "SaveResult",
]
