"""The page itself: what stands before and after the data, and data that can be nothing but data.

The page holds one script and one style, both ours; its policy allows these two by their hashes and
nothing else, neither from the network nor from inside.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

_POLICY: Final = (
    "default-src 'none'; script-src '{script}'; style-src '{style}'; base-uri 'none';"
    " form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
_DATA: Final = "{data}"
# What ends a script or begins a tag; and what an editor would show as something else than it is.
_UNSAFE: Final = re.compile(
    "[<>&\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\uffff]"
)


@dataclass(frozen=True, slots=True)
class Page:
    """What stands before the data, and what after it."""

    opening: str
    closing: str


@cache
def page() -> Page:
    """The page; always the same."""
    script = "".join(text for name, text in _assets() if name.endswith(".js"))
    parts = dict(_assets())
    style = parts["page.css"]
    policy = _POLICY.format(script=_hash(script), style=_hash(style))
    opening, _, closing = parts["page.html"].partition(_DATA)
    opening = opening.replace("{policy}", policy).replace("{style}", style)
    return Page(opening, closing.replace("{script}", script))


def block(name: str, value: Any, *, once: bool = False) -> str:
    """A value of JSON as an element that browsers neither run nor show.

    Args:
        name: what the script finds it by, after `data-`.
        once: whether it is the only one of that name.
    """
    kind = "id" if once else "class"
    told = _UNSAFE.sub(_escaped, json.dumps(value, ensure_ascii=False, separators=(",", ":")))
    return f'<script type="application/json" {kind}="data-{name}">{told}</script>\n'


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found.group()):04x}"


@cache
def _assets() -> tuple[tuple[str, str], ...]:
    """(name, text) of all parts, in the order of their names."""
    folder = files("tui_annotate.services.report") / "assets"
    return tuple(
        (part.name, part.read_text("utf-8"))
        for part in sorted(folder.iterdir(), key=lambda each: each.name)
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
