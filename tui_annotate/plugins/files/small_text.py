"""A small file of text, read whole: labels, guidelines, rules, people; refuses large ones."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tui_annotate.domain.errors import InvalidInput, NotFound, Unavailable

LARGEST: Final = 64 * 2**20
"""Bytes of a file that is still read."""


def read_text(path: Path) -> str:
    """A UTF-8 file, without the mark that may stand at its start; line ends become a newline.

    Raises:
        NotFound, Unavailable: it is not there, or can not be read.
        InvalidInput: it is not UTF-8, or larger than LARGEST.
    """
    try:
        if path.stat().st_size > LARGEST:
            raise InvalidInput(
                f"{path} is too large to be read whole", "is it the right file?", code="too-large"
            )
        return path.read_text("utf-8-sig")
    except FileNotFoundError as error:
        raise NotFound(f"there is no file {path}", "check its name") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{path} is not UTF-8 at byte {error.start}", "save it as UTF-8"
        ) from error
    except OSError as error:
        raise Unavailable(
            f"{path} can not be read: {error.strerror}", "check its permissions"
        ) from error
