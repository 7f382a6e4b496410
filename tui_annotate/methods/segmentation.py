"""Splits a text into sentences that cover the text exactly, without gaps or overlaps.

Rules decide the clear boundaries; pysbd decides the others. pysbd receives at most 1,000 code
points, because its time grows with the square of the length, and none of its own placeholder
characters, because it deletes them. Source: N. Sadvilkar and M. Neumann, "PySBD: Pragmatic Sentence
Boundary Disambiguation", NLP-OSS 2020.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from tui_annotate.domain.samples import Segment
from tui_annotate.methods import sentence_boundaries

SEGMENTER = "pysbd-0.3.4+1"
"""Version of the rules that split sentences, stored with them; increase with each change."""

LIMIT = 1000
"""Maximum length of a sentence in code points; only text without white space exceeds it."""

_HAN = re.compile(f"[{sentence_boundaries.HAN}]")
_HAN_SHARE = 0.25
_WORD = re.compile(r"[^\W_]")
_SPACE = re.compile(r"\s*")
_LINE_BREAK = re.compile("\r\n|[\n\r\v\f\x85\u2028\u2029]")
_SPACED_ELLIPSIS = re.compile(r"\.(?:[ \xa0]\.){2,}")
_BRACKET_AFTER_STOP = re.compile(r"(?<=\.)\[")
# With these characters, pysbd loses text or does not terminate.
_NEUTRAL_CHARACTERS = str.maketrans(
    dict.fromkeys("∯∮♟♝♨☝ƪ☏♬♭☉☈☇☄ȸȹᓰᓱᓳᓴᓷᓸ⎋⌬✂\\", "_")
    | {chr(code): "_" for code in (*range(0x20), *range(0x7F, 0xA0)) if not chr(code).isspace()}
    | dict.fromkeys("\n\r\v\f\x1c\x1d\x1e\x1f\x85\u2028\u2029", " ")
)
_DOUBTFUL = (
    r"\.(?![A-Za-z0-9_])"
    r"|(?:^|[\s(])(?:[a-z]|[ivx]{2,5}|\d{1,2})\)"  # lists: a) (ii) 3)
    r'|["”]\s\(|-["\'“”]\s[A-Z]'
)
_TRAILING = " \xa0.!?…。！？'\"”’»)]）】」』》"


@dataclass(frozen=True, slots=True)
class _Rules:
    split: Callable[[str], list[str]]
    abbreviations: frozenset[str]
    doubtful: re.Pattern[str]


def guess_language(text: str) -> str:
    """Return "zh" if a quarter of a text's visible characters are Chinese, else "en"."""
    signs = len("".join(text.split()))
    return "zh" if signs and len(_HAN.findall(text)) >= _HAN_SHARE * signs else "en"


def list_languages() -> tuple[str, ...]:
    """Return the language codes for which pysbd has rules, sorted."""
    from pysbd.languages import LANGUAGE_CODES

    return tuple(sorted(LANGUAGE_CODES))


def segment(text: str, language: str = "en") -> tuple[Segment, ...]:
    """Split a text into sentences that, joined, give the text, white space included.

    White space belongs to the previous segment, leading white space to the first segment. Offsets
    are code points. A segment is longer than `LIMIT` only if it has no boundary, not even white
    space.

    Args:
        text: any text; "" gives ().
        language: language code of pysbd; an unknown language is split as English.
    """
    if not text:
        return ()
    rules = _rules(language)
    clean = _SPACED_ELLIPSIS.sub(_replace_stops, text.translate(_NEUTRAL_CHARACTERS))
    cuts = [cut for start, end in _lines(text) for cut in _cuts(clean, start, end, rules=rules)]
    return tuple(_build_segments(text, _segment_starts(text, cuts)))


def segment_all(texts: Sequence[tuple[str, str]]) -> list[tuple[Segment, ...]]:
    """Split each pair of text and language as `segment` does, in order."""
    return [segment(text, language) for text, language in texts]


@lru_cache(maxsize=32)
def _rules(language: str) -> _Rules:
    import pysbd
    from pysbd.languages import LANGUAGE_CODES

    segmenter = pysbd.Segmenter(language=language if language in LANGUAGE_CODES else "en")
    module = segmenter.language_module
    known = {*module.Abbreviation.ABBREVIATIONS, *LANGUAGE_CODES["en"].Abbreviation.ABBREVIATIONS}
    stops = "".join(re.escape(stop) for stop in module.Punctuations if stop != ".")
    return _Rules(
        split=lambda text: segmenter.processor(text).process(),
        abbreviations=frozenset(word.strip().lower() for word in known),
        doubtful=re.compile(f"[{stops}]|{_DOUBTFUL}"),
    )


def _replace_stops(ellipsis: re.Match[str]) -> str:
    """Replace the first stops of a spaced ellipsis ". . ." by hyphens, which pysbd keeps."""
    stops = ellipsis[0]
    return stops.replace(".", "-", max(3, stops.count(".") - 1))


def _lines(text: str) -> list[tuple[int, int]]:
    """Split a text into lines, but keep the lines of a hard-wrapped paragraph together."""
    ends = [match.end() for match in _LINE_BREAK.finditer(text)]
    lines = [pair for pair in zip([0, *ends], [*ends, len(text)], strict=True) if pair[0] < pair[1]]
    return _unwrap_lines(text, lines)


def _unwrap_lines(text: str, lines: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join the lines of paragraphs that have line breaks at a fixed width.

    A text is hard-wrapped if its longest line has 40 to 120 code points, and nine of ten lines
    that are followed by another have no room for the next word.
    """
    shown = [text[start:end].rstrip() for start, end in lines]
    width = max(map(len, shown), default=0)
    joints = [at for at in range(1, len(lines)) if shown[at - 1] and shown[at]]
    full = {at for at in joints if len(shown[at - 1]) + 1 + len(shown[at].split()[0]) > width}
    if not 40 <= width <= 120 or len(joints) < 3 or len(full) < 0.9 * len(joints):
        return lines
    joined: list[tuple[int, int]] = []
    for at, (start, end) in enumerate(lines):
        if at in full:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _cuts(clean: str, start: int, end: int, *, rules: _Rules) -> Iterator[int]:
    """Find the offsets in one line at which sentences may start."""
    line = clean[start:end]
    ends = sentence_boundaries.find_sure_ends(line, rules.abbreviations)
    edges = [start, *(_skip_space(clean, start + cut) for cut in ends), end]
    for left, right in pairwise(edges):
        yield left
        yield from _split_piece(clean, left, right, rules=rules)


def _split_piece(clean: str, start: int, end: int, *, rules: _Rules) -> Iterator[int]:
    """Find the offsets at which sentences start in a part of a text."""
    end = start + len(clean[start:end].rstrip())
    while end - start > LIMIT:
        cut = sentence_boundaries.find_weak_cut(
            clean, start, start + LIMIT, abbreviations=rules.abbreviations
        ) or sentence_boundaries.find_next_cut(clean, start + LIMIT, end)
        yield from _pysbd_cuts(clean, start, cut, rules=rules)
        yield cut
        start = cut
    yield from _pysbd_cuts(clean, start, end, rules=rules)


def _pysbd_cuts(clean: str, start: int, end: int, *, rules: _Rules) -> Iterator[int]:
    """Find the sentence starts that the library pysbd finds inside a part of a text.

    pysbd runs only if the piece contains punctuation at which pysbd may split.
    """
    piece = clean[start:end].rstrip()
    if len(piece) > LIMIT or not rules.doubtful.search(piece.rstrip(_TRAILING)):
        return
    for offset in _align_sentences(piece, rules.split(_BRACKET_AFTER_STOP.sub("_", piece))):
        cut = sentence_boundaries.skip_closers(piece, offset)
        cut = _skip_space(piece, cut)
        if not sentence_boundaries.never_ends_sentence(piece, cut):
            yield start + cut


def _align_sentences(piece: str, sentences: Iterable[str]) -> Iterator[int]:
    """Yield the ends of the sentences in the text; skip sentences that pysbd changed."""
    signs = [offset for offset, sign in enumerate(piece) if not sign.isspace()]
    squeezed = _BRACKET_AFTER_STOP.sub("_", "".join(piece.split()))
    seen = 0
    for sentence in sentences:
        words = "".join(sentence.split())
        found = squeezed.find(words, seen)
        if words and found >= 0:
            seen = found + len(words)
            if seen < len(signs):
                yield signs[seen - 1] + 1


def _skip_space(text: str, offset: int) -> int:
    found = _SPACE.match(text, offset)
    return found.end() if found else offset


def _segment_starts(text: str, cuts: Iterable[int]) -> list[int]:
    """Select the offsets at which a sentence can start, ascending, with 0 first."""
    starts = [0]
    reached = _skip_space(text, 0)
    for cut in cuts:
        if cut <= reached:
            continue
        reached = _skip_space(text, cut)
        if reached < len(text) and sentence_boundaries.can_start_segment(text, reached):
            starts.append(reached)
    return starts


def _build_segments(text: str, starts: list[int]) -> Iterator[Segment]:
    """Build sentences from their starts; join one without letter or digit to its neighbor."""
    held = 0
    for start, end in pairwise([*starts[1:], len(text)]):
        bare = _has_no_word(text, held, start) or _has_no_word(text, start, end)
        if not bare or end - held > LIMIT:
            yield Segment(held, start)
            held = start
    yield Segment(held, len(text))


def _has_no_word(text: str, start: int, end: int) -> bool:
    return not _WORD.search(text, start, end)
