"""tui-annotate: mark unsupported spans of a summary, in the terminal and from Python."""

__version__ = "0.1.0"
