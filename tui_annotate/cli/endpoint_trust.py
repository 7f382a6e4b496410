"""The command `lab trust-endpoint`, and the question before texts go to a new endpoint."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Final, TypedDict

import typer

from tui_annotate.cli import options, output
from tui_annotate.cli.help_format import MODELS
from tui_annotate.cli.options import add_command, argument, flag
from tui_annotate.cli.report_parts import ResultPart
from tui_annotate.domain.endpoint_trust import EndpointTrust, parse_origin
from tui_annotate.domain.errors import InvalidInput, TuiAnnotateError, Unavailable
from tui_annotate.plugins.api_key import set_keys
from tui_annotate.plugins.files.targets import replace_file

_TEXTS = "trusted_endpoints"
_KEYS = "trusted_endpoints_with_key"


class StoredTrust(TypedDict):
    """The trusted origin, and the settings file that names it."""

    endpoint: str
    with_key: bool
    file: Path


def register(lab: typer.Typer) -> None:
    add_command(
        lab,
        trust_endpoint,
        "lab trust-endpoint http://localhost:11434",
        "lab trust-endpoint https://llm.example.org --with-key",
        name="trust-endpoint",
        panel=MODELS,
    )


def trust_endpoint(
    url: Annotated[
        str, argument("URL", "URL of the endpoint; its scheme, host and port are trusted.")
    ],
    *,
    with_key: Annotated[
        bool, flag("--with-key", "Also send the API key in your environment to the endpoint.")
    ] = False,
    as_json: options.JsonOption = False,
) -> None:
    """Trust an endpoint with texts.

    Texts are sent to the endpoint if a workspace names it. The endpoint is added to your own
    settings file, for all workspaces. To withdraw the trust, delete the endpoint from that file.
    """
    origin = parse_origin(url)
    file = store_trust(origin, with_key=with_key)
    sent = "texts and the API key" if with_key else "texts"
    output.show(
        StoredTrust(endpoint=origin, with_key=with_key, file=file),
        [ResultPart(f"{sent} may be sent to {origin} (stored in {file})")],
        as_json=as_json,
    )


_WORKSPACE: Final = "the settings or the store of this workspace"


def require_trust(trust: EndpointTrust, url: str, *, source: str = _WORKSPACE) -> None:
    """Ask as `ask_trust`.

    Raises:
        NotAllowed: the user does not trust the endpoint, or cannot be asked.
        InvalidInput: the text is not a URL.
    """
    if not ask_trust(trust, url, source=source):
        trust.require(url)


def ask_trust(trust: EndpointTrust, url: str, *, source: str = _WORKSPACE) -> bool:
    """Return whether texts may be sent to a URL that the user did not name; ask on a terminal.

    The answer y is stored in the user's settings. An empty URL, or one that is trusted already,
    asks nothing. `source` is what names the URL, for the question.

    Raises:
        InvalidInput: the text is not a URL.
    """
    if not url or trust.allows_texts(url):
        return True
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    origin = parse_origin(url)
    output.print_message(
        f"The endpoint {origin} is named by {source}, and would receive your texts."
    )
    keys = set_keys()
    texts = "the texts"
    if sent := [name for name in keys if trust.allows_key(name, url)]:
        texts += f" with the API key in {sent[0]}"
    if not _is_yes(f"Send {texts} to {origin}? The answer y is remembered. [y/N]"):
        return False
    held = [name for name in keys if name not in sent]
    with_key = bool(held) and _is_yes(f"Also send the API key in {held[0]} to {origin}? [y/N]")
    trust.add(origin, with_key=with_key)
    try:
        store_trust(origin, with_key=with_key)
    except TuiAnnotateError as error:
        output.print_problem(f"warning: the answer holds for this run: {error.message}", error.hint)
    return True


def _is_yes(question: str) -> bool:
    with suppress(EOFError):
        return output.read_answer(question).lower() in {"y", "yes"}
    return False


def store_trust(origin: str, *, with_key: bool) -> Path:
    """Add an endpoint to the user's settings file, and return the path of the file.

    Raises:
        InvalidInput: the settings file is invalid.
        Unavailable: the file cannot be read or written.
    """
    from tui_annotate.settings import find_user_file

    name = _KEYS if with_key else _TEXTS
    by_hand = f'write into your settings file: {name} = ["{origin}"]'
    file = find_user_file()
    if file is None:
        raise Unavailable(
            "you have no home folder, and therefore no settings file",
            "set TUI_ANNOTATE_CONFIG to the path of a file, and run the command again",
        )
    try:
        file = file.resolve()  # a link stays a link
        text = file.read_text("utf-8") if file.exists() else ""
        changed = add_to_list(text, name, origin)
        if changed != text:
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with replace_file(file) as raw:
                raw.write(changed.encode())
    except TuiAnnotateError:
        raise
    except OSError as error:
        raise Unavailable(f"{file} cannot be changed: {error.strerror}", by_hand) from error
    except ValueError as error:
        raise InvalidInput(
            f"{file} is not valid TOML: {error}", f"fix the file; then {by_hand}"
        ) from error
    return file


def add_to_list(text: str, name: str, value: str) -> str:
    """Add a value to a list of a TOML file's top level; everything else stays as it is.

    A missing list is written before the first table. A value that the list contains is not added.

    Raises:
        ValueError: the text is not valid TOML, or the value of `name` is no list.
    """
    before: dict[str, Any] = tomllib.loads(text)
    listed = before.get(name, [])
    if not isinstance(listed, list):
        raise ValueError(f"{name} is not a list")
    if value in listed:
        return text
    # A JSON string is also a TOML string. TOML allows a comma after the last value of a list.
    entry = json.dumps(value)
    start = re.compile(rf"^([ \t]*[\"']?{name}[\"']?[ \t]*=[ \t]*\[)", re.MULTILINE)
    if name in before:
        changed = start.sub(lambda found: f"{found[1]}{entry}, ", text, count=1)
    else:
        changed = f"{name} = [{entry}]\n{text}"
    if tomllib.loads(changed) != {**before, name: [value, *listed]}:
        raise ValueError(f"the list {name} has an unusual form")
    return changed
