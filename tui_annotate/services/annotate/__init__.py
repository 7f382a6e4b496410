"""Annotating: looking at samples, marking them, taking back; see `service.Annotate`."""

from tui_annotate.services.annotate.collection import Around
from tui_annotate.services.annotate.desk import Desk, Saved
from tui_annotate.services.annotate.service import Annotate
from tui_annotate.storage.queue import QueuePage, QueueRow

__all__ = ["Annotate", "Around", "Desk", "QueuePage", "QueueRow", "Saved"]
