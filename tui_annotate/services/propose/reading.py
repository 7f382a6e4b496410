"""What a model calls unsupported, read strictly and looked up in the texts; nothing is guessed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.labels import JOINER, Label, LabelTree, Need
from tui_annotate.domain.samples import Sample, Side
from tui_annotate.domain.suggestions import Suggestion, proposed
from tui_annotate.methods.quoting import located
from tui_annotate.methods.replies import json_in

NO_QUOTE: Final = "quotes that do not stand in the summary"
NO_EVIDENCE: Final = "evidence that does not stand in the source"
NO_LABEL: Final = "labels that the set does not have"
NO_PART: Final = "parts that lack something, or have it in another form"

_MOST: Final = 200
"""Parts of one summary; a reply with more is no sound one."""
_LONGEST: Final = 200_000
"""Code points of a reply that is read."""
_REASON: Final = 500
"""Code points of a reason that are kept."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a summary that a model calls unsupported, in its own words; evidence by quote."""

    quote: str
    label: str
    evidence: tuple[str, ...]
    reason: str


def parts(reply: str) -> tuple[Part | None, ...] | None:
    """The parts that a reply names; None where it has not the form that was asked for.

    `evidence` and `reason` may be null or lacking; `evidence` may be one quote or a list of them.

    Returns:
        None in place of each part that is none, where others are; with no sound one, None alone.
    """
    rows = json_in(reply) if len(reply) <= _LONGEST else None
    if not isinstance(rows, list) or len(rows) > _MOST:
        return None
    found = tuple(_part(row) if isinstance(row, Mapping) else None for row in rows)
    return found if not found or any(found) else None


def _part(row: Mapping[str, Any]) -> Part | None:
    quote, label, reason = row.get("quote"), row.get("label"), row.get("reason")
    told = row.get("evidence")
    quotes = told if isinstance(told, list) else ["" if told is None else told]
    words = (quote, label, "" if reason is None else reason)
    if not all(isinstance(word, str) for word in (*words, *quotes)) or len(quotes) > _MOST:
        return None
    return (
        Part(str(quote), str(label), tuple(quotes), str(words[2])) if str(quote).strip() else None
    )


class Labels:
    """The labels that a model may give, by the words in which it is told of them."""

    def __init__(self, tree: LabelTree) -> None:
        """Those that new work may get, and no other stands above."""
        self._labels = {
            JOINER.join(label.path): label for label in tree.offered() if not label.choices
        }

    def told(self) -> str:
        """A line for each, with what it means."""
        return "\n".join(
            f"- {name}: {' '.join(label.description.split())}" if label.description else f"- {name}"
            for name, label in self._labels.items()
        )

    def find(self, name: str) -> Label | None:
        """The label that is called so, whatever the case; None for none."""
        wanted = name.strip().casefold()
        return next((each for key, each in self._labels.items() if key.casefold() == wanted), None)


@dataclass(frozen=True, slots=True)
class Placed:
    """What of a reply stands in the texts.

    Attributes:
        suggestions: in the reply's order, each once.
        refused: why others, or parts of them, were not taken.
    """

    suggestions: tuple[Suggestion, ...]
    refused: tuple[str, ...] = ()


def placed(sample: Sample, said: Iterable[Part | None], labels: Labels, *, maker: str) -> Placed:
    """Looks up quotes and labels; a part whose quote or label is not there is refused whole."""
    summary = sample.document(Side.SUMMARY)
    found: dict[str, Suggestion] = {}
    refused = []
    for part in said:
        if part is None:
            refused.append(NO_PART)
            continue
        span, label = located(part.quote, summary.text), labels.find(part.label)
        if span is None or label is None:
            refused.append(NO_QUOTE if span is None else NO_LABEL)
            continue
        quotes = () if label.evidence is Need.NONE else part.evidence
        evidence = [_evidence(quote, sample) for quote in quotes if quote.strip()]
        refused += [NO_EVIDENCE] * evidence.count(None)
        made = Suggestion(
            id="",
            maker=maker,
            run="",
            claim=(Anchor(Side.SUMMARY, 0, span),),
            evidence=tuple(anchor for anchor in evidence if anchor is not None),
            labels=(label.path,),
            note=reason(part.reason),
        )
        one = proposed(sample.key, made)
        found.setdefault(one.id, one)
    return Placed(tuple(found.values()), tuple(refused))


def _evidence(quote: str, sample: Sample) -> Anchor | None:
    """Where the first source that has them has the words; None where none has."""
    for index, document in enumerate(sample.side(Side.SOURCE)):
        span = located(quote, document.text)
        if span is not None:
            return Anchor(Side.SOURCE, index, span)
    return None


def reason(text: str) -> str:
    """A reason as one line that can be stored, cut to 500 code points."""
    plain = "".join(each if each.isprintable() else " " for each in text)
    line = " ".join(plain.split())
    return line if len(line) <= _REASON else f"{line[: _REASON - 1]}…"
