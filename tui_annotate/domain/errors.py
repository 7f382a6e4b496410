"""The tree of all errors that the program raises on purpose; library errors are wrapped.

TuiAnnotateError
├── InvalidInput            exit 2
│   ├── InvalidArgument
│   ├── InvalidSpan
│   ├── InvalidLabels
│   └── InvalidRecord
├── NotFound                exit 2
├── NotReady                exit 1
│   └── NoScoreValues       exit 3
├── NotAllowed              exit 1
│   ├── WorkPaused
│   └── Throttled
├── Conflict                exit 1
└── Unavailable             exit 1
    ├── VectorsPending
    ├── RequestFailed
    ├── ReadOnly
    └── Damaged
"""

from __future__ import annotations

import copyreg
from typing import Final


class TuiAnnotateError(Exception):
    """Base of all errors that the program raises: a message, a hint for the user, and an exit code.

    `str(error)` is the message, and the hint on a second line. Code that shows the two apart, or
    quotes an error in another one, takes `message` and `hint`.

    Attributes:
        message: one sentence that quotes the wrong value.
        hint: the next step for the user; may be empty.
        code: machine-readable cause within the class, in lower case with hyphens; may be empty, but
            not of an error that a screen shows, because its message may be translated.
    """

    exit_code = 1

    def __init__(self, message: str, hint: str = "", *, code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.code = code

    def __str__(self) -> str:
        return f"{self.message}\n  hint: {self.hint}" if self.hint else self.message

    def __reduce__(self) -> tuple[object, ...]:
        # The default calls the class with `args`, which lacks the keywords of some subclasses.
        return copyreg.__newobj__, (type(self), *self.args), vars(self)  # type: ignore[attr-defined]


class InvalidInput(TuiAnnotateError):
    """An error: a value that the user gave is invalid."""

    exit_code = 2


class InvalidArgument(InvalidInput, TypeError):
    """An error: an argument of a Python function has an unknown name or a wrong type."""


class InvalidSpan(InvalidInput):
    """An error: a span is empty, negative, or outside its text."""


class InvalidLabels(InvalidInput):
    """A label set is invalid, for example because a label is repeated."""


class InvalidRecord(InvalidInput):
    """An error: a record of a file is invalid; `where` is `file:line` or `file, record N`."""

    def __init__(self, message: str, hint: str = "", *, where: str = "", code: str = "") -> None:
        super().__init__(f"{where}: {message}" if where else message, hint, code=code)
        self.where = where


class NotFound(TuiAnnotateError):
    """An error: a requested object, such as a file, dataset, label or person, does not exist."""

    exit_code = 2


class NotReady(TuiAnnotateError):
    """An error: the workspace does not yet hold what an action needs, such as samples."""


class NoScoreValues(NotReady):
    """An error: a scorer computed no value for any sample, so nothing was stored."""

    exit_code = 3


class NotAllowed(TuiAnnotateError):
    """An error: the user lacks the permission for an action."""


class WorkPaused(NotAllowed):
    """An error: a person's work is paused until an admin resumes it."""


class Throttled(NotAllowed):
    """An error: too many sign-ins failed; the next one is possible after `seconds`, at least 1."""

    def __init__(self, message: str, hint: str = "", *, seconds: int) -> None:
        super().__init__(message, hint, code="throttled")
        self.seconds = seconds


class Conflict(TuiAnnotateError):
    """An error: stored data has changed since it was read, or contradicts new data."""


class Unavailable(TuiAnnotateError):
    """An error: a required package, disk or store is missing or unreachable."""


UNREACHABLE: Final = "store-unreachable"
"""Code of `Unavailable` for a database server without an answer; nothing of the change is stored.

The same change can be tried again.
"""

OUTCOME_UNKNOWN: Final = "store-outcome-unknown"
"""Code of `Unavailable` if it is not known whether a change was committed."""

UNKNOWN_WORDS: Final = "unknown-words"
"""Code of `Unavailable` for texts whose words the embedding model does not know."""


class VectorsPending(Unavailable):
    """An error: a sample's vectors are pending; `percent` (0 to 99) of the texts have vectors."""

    def __init__(self, percent: int, hint: str) -> None:
        super().__init__(
            f"this sample has no vectors yet; {percent} % of the texts have some",
            hint,
            code="vectors-pending",
        )
        self.percent = percent


class RequestFailed(Unavailable):
    """An error: an endpoint failed on one request, also when repeated; others may succeed."""


class ReadOnly(Unavailable):
    """An error: the workspace is not writable; `reason` is a clause: "the disk is full"."""

    def __init__(self, message: str, hint: str = "", *, reason: str) -> None:
        super().__init__(message, hint, code="read-only")
        self.reason = reason


class Damaged(Unavailable):
    """An error: the workspace's files are damaged; the `doctor` command prints how to repair."""


def error_message(error: BaseException) -> str:
    """Return the message of any error, without the hint of one of the program's errors."""
    return error.message if isinstance(error, TuiAnnotateError) else str(error)
