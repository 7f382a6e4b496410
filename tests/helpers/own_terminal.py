"""The program for tests whose terminal answers it itself, wherever the tests run.

They may run in a container or in tmux, for which the program would find a multiplexer.
"""

from __future__ import annotations

from tui_annotate.__main__ import main
from tui_annotate.tui import terminal


def run() -> None:
    """Run the program as if no ancestor of the tests were a multiplexer."""
    terminal.is_multiplexed = lambda *_: False
    main()


if __name__ == "__main__":
    run()
