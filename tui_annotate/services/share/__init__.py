"""Sharing work: hand out samples, top up, move, read again, practise, draw, escalate, take back.

For admins alone. What is handed out can be asked for without being done: `dry_run`.
"""

from tui_annotate.services.share.report import Dealt, Shown
from tui_annotate.services.share.service import Share
from tui_annotate.storage.shares.recall import Undone

__all__ = ["Dealt", "Share", "Shown", "Undone"]
