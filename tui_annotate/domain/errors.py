"""Every error that is raised on purpose, as one tree; what a library raises is wrapped first.

TuiAnnotateError
├── InvalidInput            exit 2
│   ├── InvalidSpan
│   ├── InvalidLabels
│   └── InvalidRecord
├── NotFound                exit 1
├── NotAllowed              exit 1
│   └── Throttled
├── Conflict                exit 1
└── Unavailable             exit 1
    └── Damaged
"""

from __future__ import annotations


class TuiAnnotateError(Exception):
    """What happened, with the offending value, and what to do about it.

    Attributes:
        message: one sentence that holds the value that was wrong.
        hint: the next step for the reader; empty where there is none.
        code: names this cause among others of the class, for programs; empty where the class and
            the values in the message are enough.
        exit_code: what a command returns that ends with this error.
    """

    exit_code = 1

    def __init__(self, message: str, hint: str = "", *, code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.code = code


class InvalidInput(TuiAnnotateError):
    """Something given by the user can not be used as it is."""

    exit_code = 2


class InvalidSpan(InvalidInput):
    """A span is empty, negative, or outside its text."""


class InvalidLabels(InvalidInput):
    """A label set can not be read, or a label is not in it or breaks its rules."""


class InvalidRecord(InvalidInput):
    """A record of a file can not be taken; `where` is `file:line` or `file, record N`."""

    def __init__(self, message: str, hint: str = "", *, where: str = "", code: str = "") -> None:
        super().__init__(f"{where}: {message}" if where else message, hint, code=code)
        self.where = where


class NotFound(TuiAnnotateError):
    """What was asked for does not exist."""


class NotAllowed(TuiAnnotateError):
    """This person may not do that."""


class Throttled(NotAllowed):
    """Too many attempts failed; the next one is looked at in `seconds`, at least 1."""

    def __init__(self, message: str, hint: str = "", *, seconds: int) -> None:
        super().__init__(message, hint)
        self.seconds = seconds


class Conflict(TuiAnnotateError):
    """The stored state moved on since it was read, or contradicts what is being stored."""


class Unavailable(TuiAnnotateError):
    """Something needed is missing or can not be reached: a package, a disk, a store."""


class Damaged(Unavailable):
    """A store can be reached and does not hold together; `doctor` prints what saves it."""
