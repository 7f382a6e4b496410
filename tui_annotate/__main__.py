"""`python -m tui_annotate` and the command `tui-annotate`; refuses nothing, decides nothing."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command line and leaves with its exit code."""
    from tui_annotate.cli.main import run

    sys.exit(run())


if __name__ == "__main__":
    main()
