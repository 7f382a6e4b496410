"""What is opened over the annotating screen, imported behind the first sample.

The first frame needs none of it, and no key has to wait for it.
"""

from __future__ import annotations

from importlib import import_module

_OVER_THE_SCREEN = (
    "dialogs.figures",
    "dialogs.feedback",
    "dialogs.find",
    "dialogs.former",
    "dialogs.help",
    "dialogs.jump",
    "dialogs.label_picker",
    "dialogs.lesson",
    "dialogs.message",
    "dialogs.orders",
    "dialogs.question",
    "dialogs.siblings",
    "dialogs.talk",
    "screens.collection.screen",
    "screens.positions.screen",
    "screens.queue",
)


def load_rest() -> None:
    """Imports it; to be called in a thread."""
    for name in _OVER_THE_SCREEN:
        import_module(f"tui_annotate.tui.{name}")
