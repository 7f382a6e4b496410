"""What a process keeps of a sample that was made ready, and what it gives back."""

from __future__ import annotations

import ctypes
import gc
import sys


def settle() -> None:
    """Once all is loaded that stays: the collector passes it over, what libraries freed goes back.

    The sentences of a megabyte would hold a key press for 100 ms each time they were walked. The
    C library keeps what was freed on the way to the vectors of a megabyte, 50 MB; GNU's can be told
    to give it back, which takes some milliseconds.
    """
    gc.freeze()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
