"""Reads a small text file whole: label sets, guidelines, rules, or accounts."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tui_annotate.domain.errors import InvalidInput, NotFound

LARGEST: Final = 64 * 2**20
"""Maximum size of a small text file in bytes."""


def read_text(path: Path) -> str:
    """Return the text of a small UTF-8 file without byte order mark; line ends become newlines.

    Raises:
        NotFound: the file does not exist.
        InvalidInput: the file cannot be read, is not UTF-8, or is larger than LARGEST.
    """
    try:
        if path.stat().st_size > LARGEST:
            raise InvalidInput(
                f"{path} is larger than {LARGEST:,} bytes",
                "check that you passed the right file",
                code="too-large",
            )
        return path.read_text("utf-8-sig")
    except FileNotFoundError as error:
        raise NotFound(f"there is no file {path}", "check the file's path") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{path} is not UTF-8 at byte {error.start}", "save the file as UTF-8"
        ) from error
    except OSError as error:
        raise InvalidInput(
            f"{path} cannot be read: {error.strerror}", "check its permissions"
        ) from error
