"""Labels that change: of sets and the work under them, by admins; see `service.Relabel`."""

from tui_annotate.services.relabel.report import Count, Place, Refused, Report
from tui_annotate.services.relabel.service import Relabel

__all__ = ["Count", "Place", "Refused", "Relabel", "Report"]
