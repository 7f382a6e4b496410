"""Chinese claims with their evidence, by reference to rows of UHGEval: the texts are not copied.

Two independent readings chose the evidence of 150 claims; a claim belongs to the gold set if both
readings chose the same sentences.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.samples import Document, Sample, Side
from tui_annotate.domain.spans import Span
from tui_annotate.lab.assist.evaluation import EvidenceChoice
from tui_annotate.methods.segmentation import segment

ROOT = Path(__file__).parents[2]
READINGS = ROOT / "tests" / "data" / "uhgeval_evidence.jsonl"
SHARED = Path(os.environ.get("TUI_ANNOTATE_SHARED", ROOT.parent / "shared"))
ROWS = SHARED / "data" / "uhgeval" / "uhgeval_concise_300.jsonl"
SOURCES = ("newsBeginning", "newsRemainder")
SUMMARY = "hallucinatedContinuation"

Place = tuple[str, int, int]
"""Field of a row, and the start and end of a span in it, in code points."""


@dataclass(frozen=True, slots=True)
class ReadClaim:
    """A claim and the evidence that each of two readings chose.

    Attributes:
        row: id of the row of UHGEval.
        evidence: sentences that each reading chose; none if the source does not bear on the claim.
        same_fact: further sentences with the same fact as the evidence, by each reading.
    """

    row: str
    claim: Span
    evidence: tuple[frozenset[Place], frozenset[Place]]
    same_fact: tuple[frozenset[Place], frozenset[Place]]

    @property
    def is_gold(self) -> bool:
        """Whether both readings chose the same sentences, and at least one."""
        return bool(self.evidence[0]) and self.evidence[0] == self.evidence[1]

    @property
    def accepted(self) -> frozenset[Place]:
        """Sentences that count as found: the evidence, and what both call the same fact."""
        return self.evidence[0] | (self.same_fact[0] & self.same_fact[1])


def read_claims() -> list[ReadClaim]:
    """Return all claims of both readings, in the order of the file."""
    return [_parse(json.loads(line)) for line in READINGS.read_text(encoding="utf-8").splitlines()]


def _parse(row: dict[str, Any]) -> ReadClaim:
    readings = (row["first"], row["second"])
    evidence, same_fact = (
        tuple(
            frozenset((field, start, end) for field, start, end in each[name]) for each in readings
        )
        for name in ("evidence", "same_fact")
    )
    return ReadClaim(row["row"], Span(*row["claim"]), evidence, same_fact)  # type: ignore[arg-type]


def read_rows() -> dict[str, dict[str, Any]]:
    """Return the rows of UHGEval by id; empty if the file is not on this machine."""
    if not ROWS.is_file():
        return {}
    rows = map(json.loads, ROWS.read_text(encoding="utf-8").splitlines())
    return {row["id"]: row for row in rows}


def make_choices(*, gold: bool = True) -> list[tuple[EvidenceChoice, ReadClaim]]:
    """Return the claims as queries of the assist: the gold claims or all; empty without the rows.

    The evidence of a query is the first sentence of the first reading, or the whole source.
    """
    rows = read_rows()
    return [
        (_make_choice(rows[claim.row], claim), claim)
        for claim in read_claims()
        if claim.row in rows and (claim.is_gold or not gold)
    ]


def _make_choice(row: dict[str, Any], claim: ReadClaim) -> EvidenceChoice:
    documents = (
        *(Document(Side.SOURCE, row[name], language="zh") for name in SOURCES),
        Document(Side.SUMMARY, row[SUMMARY], language="zh"),
    )
    segments = tuple(segment(each.text, each.language) for each in documents)
    whole = (SOURCES[0], 0, len(row[SOURCES[0]]))
    name, start, end = min(claim.evidence[0], default=whole)
    chosen = Anchor(Side.SOURCE, SOURCES.index(name), Span(start, end))
    sample = Sample("uhgeval", claim.row, documents)
    return EvidenceChoice(sample, segments, Anchor(Side.SUMMARY, 0, claim.claim), chosen)
