"""What the reader and the writer of a dump must call the same."""

from __future__ import annotations

FORMAT = "mercury"
RELEASE = "faithbench"
ORIGIN = "imported:"
META = "meta_"
JOINER = "."
