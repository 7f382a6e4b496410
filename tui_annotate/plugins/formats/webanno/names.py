"""What the writer and the reader of web annotations must call the same."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import quote, unquote

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.samples import Side
from tui_annotate.plugins.traits import About, Trait, carries_all_but

FORMAT: Final = "w3c"
ABOUT: Final = About(
    title="W3C web annotations (JSON-LD), a collection a sample",
    carried=carries_all_but(Trait.TRACE, Trait.SETTLED, Trait.SUGGESTED, Trait.IMPORTED),
)
CONTEXT: Final[list[Any]] = [
    "http://www.w3.org/ns/anno.jsonld",
    {
        "tui": "urn:tui-annotate:",
        "tui:meta": {"@type": "@json"},
        "tui:path": {"@container": "@list"},
        "tui:documents": {"@container": "@list"},
    },
]
CLAIM: Final = "claim"
EVIDENCE: Final = "evidence"
SIDES: Final = {CLAIM: Side.SUMMARY, EVIDENCE: Side.SOURCE}
"""Where the targets of a role lie."""
HASH: Final = "urn:sha256:"
REQUEST: Final = ("title", "problem", "background", "question")


def iri(kind: str, *names: str) -> str:
    """The IRI of one of our things, whatever its names are made of."""
    parts = [quote(name, safe="", errors="surrogatepass") for name in names]
    return ":".join(["urn:tui-annotate", kind, *parts])


def named(value: Any, kind: str) -> str:
    """The name that such an IRI ends with.

    Raises:
        InvalidInput: it is none of that kind.
    """
    before = iri(kind) + ":"
    if not isinstance(value, str) or not value.startswith(before):
        raise InvalidInput(f"{str(value)[:60]!r} is no IRI of a {kind}", f"it begins with {before}")
    return unquote(value.removeprefix(before), errors="surrogatepass")
