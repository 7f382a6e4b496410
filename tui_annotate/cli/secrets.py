"""Asks for what nobody may see: at a prompt without echo, or a line of standard input; no option.

An argument would stand in the list of processes and in the shell's history.
"""

from __future__ import annotations

import sys
import warnings

from tui_annotate.domain.errors import InvalidInput, Unavailable

_LONGEST = 8192


def new_password(whose: str) -> str:
    """A password that is chosen now: typed twice, or the next line of standard input.

    Raises:
        InvalidInput: the two differ, or there is no line.
        Unavailable: the terminal would show it.
    """
    if not sys.stdin.isatty():
        return _line("password")
    first = _hidden(f"new password of {whose}: ")
    if _hidden("the same again: ") != first:
        raise InvalidInput("the two passwords differ", "type them once more")
    return first


def code() -> str:
    """The code of an invitation: typed, or the next line of standard input.

    Raises:
        InvalidInput: there is none.
    """
    if not sys.stdin.isatty():
        return _line("code")
    sys.stderr.write("code of the invitation: ")
    sys.stderr.flush()
    return _line("code")


def _hidden(prompt: str) -> str:
    import getpass

    with warnings.catch_warnings():
        warnings.simplefilter("error", getpass.GetPassWarning)
        try:
            return getpass.getpass(prompt)
        except getpass.GetPassWarning as error:
            raise Unavailable(
                "this terminal would show the password",
                "pipe it: printf '%s\\n' ... | tui-annotate",
            ) from error
        except EOFError as error:
            raise InvalidInput("no password was typed", "") from error


def _line(what: str) -> str:
    """One line of standard input without its end; what follows it is left for whoever reads on."""
    raw = sys.stdin.buffer.readline(_LONGEST)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"the {what} on standard input is not UTF-8", "write it as UTF-8"
        ) from error
    text = text.removesuffix("\n").removesuffix("\r")
    if not text:
        raise InvalidInput(
            f"there is no {what} on standard input", "one line, before anything else"
        )
    return text
