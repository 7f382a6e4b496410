"""Rules for clear ends of sentences, and for cuts in sentences that are too long.

All rules examine only a few characters around a position, so that their time is linear in the text.
`segmentation` passes the doubtful cases, such as abbreviations, to pysbd.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Chinese characters, as the inside of a class of a regular expression."""

_CJK_ENDS = "。！？｡"
_SPACED_ENDS = "।॥؟۔။።፧։"
_CLOSERS = "\"'”’»)]}）】」』》〉"
_OPENERS = "\"'“‘«([{（【「『《〈*•-–—¿¡"

_END = re.compile(f"[.!?…{_CJK_ENDS}{_SPACED_ENDS}]+[{re.escape(_CLOSERS)}]*")
_NEXT = re.compile(rf"\s+[{re.escape(_OPENERS)}]{{0,3}}(\w)")
_UNSPACED_SIGNS = f"{HAN}\u3040-\u30ff\uff01-\uff60"
_UNSPACED = re.compile(f"[{_UNSPACED_SIGNS}]")
_UNSPACED_HEAD = re.compile(f".*[{_UNSPACED_SIGNS}](?=.)", re.DOTALL)
_LABEL = re.compile(r"(?:\A|[.!?:;。]\s)[\s*•–—#(-]*[^\W\d_]{0,2}\d{1,3}[a-z]?\.\Z")
_REFERENCE = re.compile(r"\[\d{1,3}(?:[,-]\d{1,3}){0,8}\]")
_TITLE = re.compile("《[^《》]{1,60}》")
_LETTERS_AND_STOPS = re.compile(r"(?:[^\W\d_]+\.)+[^\W\d_]{1,2}")
_LOOK_BACK = 40

_FOLLOWED_TEXT = """
    mr mrs ms mx mme mlle messrs dr drs prof gen lt col maj capt cpt sgt cpl pvt adm cmdr gov sen
    rep reps sens supt insp det hon rev st ste mt ft brig msgr vs eg ie cf viz approx esp e.g i.e
"""
_FOLLOWED = frozenset(_FOLLOWED_TEXT.split())
_BEFORE_NUMBERS = frozenset(("no", "nos", "fig", "figs", "p", "pp", "vol", "vols", "art", "sec"))
_EXCLAIMED = frozenset({"Yahoo", "Yum", "Jeopardy", "Oklahoma"})

_WEAK = (
    re.compile(
        rf"(?<![.!?…])[.!?…]+[{re.escape(_CLOSERS)}]*\s+"
        rf"|[…{_CJK_ENDS}{_SPACED_ENDS}]+[{re.escape(_CLOSERS)}]*\s*"
    ),
    re.compile(r"[;:]\s+|\s[–—-]+\s+|[；：—]+\s*"),
    re.compile(r"[,،]\s+|[，、]\s*"),
    re.compile(r"\s+"),
)
_ANY = re.compile("|".join(kind.pattern for kind in _WEAK))


def find_sure_ends(line: str, abbreviations: frozenset[str]) -> Iterator[int]:
    """Find the offsets in a line after which a new sentence certainly begins, ascending."""
    titles = [match.span() for match in _TITLE.finditer(line)]
    quotes = seen = 0
    for match in _END.finditer(line):
        start, end = match.span()
        stop = start + len(match.group().rstrip(_CLOSERS))
        quotes = quotes + line.count('"', seen, stop)
        seen = stop
        if _is_inside(titles, start):
            continue
        if _is_unspaced_end(line, start, stop):
            yield _closers_end(line, stop, end, quotes=quotes)
        elif _is_spaced_end(line, start, stop, abbreviations=abbreviations):
            reference = _REFERENCE.match(line, end)
            end = reference.end() if reference else end
            if _is_before_capital(line, end) or line[start] in _SPACED_ENDS:
                yield end


def _is_inside(spans: list[tuple[int, int]], offset: int) -> bool:
    at = bisect_right(spans, (offset, offset)) - 1
    return at >= 0 and offset < spans[at][1]


def _is_unspaced_end(line: str, start: int, stop: int) -> bool:
    if any(sign in _CJK_ENDS for sign in line[start:stop]):
        return True
    if "…" in line[start:stop] or not (start and _UNSPACED.match(line[start - 1])):
        return False
    after = line[stop : stop + 1]
    return line[start:stop].strip(".") != "" or after.isspace() or is_unspaced(after)


def _closers_end(line: str, stop: int, end: int, *, quotes: int) -> int:
    """Return the offset after the closing quotes and brackets that follow a sentence end.

    A straight quote is a closing quote if an odd number of straight quotes (`quotes`) precedes it.
    """
    for offset in range(stop, end):
        if line[offset] == '"':
            if quotes % 2 == 0:
                return offset
            quotes += 1
    return end


def _is_spaced_end(line: str, start: int, stop: int, *, abbreviations: frozenset[str]) -> bool:
    run = line[start:stop]
    token = read_token_before(line, start)
    if run.strip("!?") == "":
        return token not in _EXCLAIMED
    if run != ".":
        return run[0] in _SPACED_ENDS
    if not token or token[-1] in _CLOSERS:
        return bool(token)
    number = len(token) > 2 and token[-3:].isdigit() and len(token) < start
    return number or token[-1] in "%°€$£" or _is_whole_word(token, abbreviations)


def _is_whole_word(token: str, abbreviations: frozenset[str]) -> bool:
    letters = token.replace("'", "").replace("’", "").replace("-", "")
    last = token.rsplit("-", 1)[-1].lower()
    return (
        letters.isalpha()
        and not letters.isupper()
        and len(letters) > (1 if letters.islower() else 3)
        and last not in abbreviations
        and last not in _FOLLOWED
    )


def _is_before_capital(line: str, end: int) -> bool:
    found = _NEXT.match(line, end)
    return found is not None and (found[1].isupper() or is_unspaced(found[1]))


def is_unspaced(sign: str) -> bool:
    """Return whether a text begins with a character of a script without spaces."""
    return bool(_UNSPACED.match(sign))


def read_token_before(text: str, end: int) -> str:
    """Return the word or number, of at most 40 characters, that ends at an offset."""
    tail = text[max(0, end - _LOOK_BACK) : end]
    if not tail or tail[-1].isspace():
        return ""
    token = tail.split()[-1]
    if not token.isascii() and (unspaced := _UNSPACED_HEAD.match(token)):
        token = token[unspaced.end() :]
    return token.lstrip(_OPENERS)


def follows_abbreviation(text: str, cut: int, abbreviations: frozenset[str]) -> bool:
    """Return whether the text before an offset may end in an abbreviation or an initial.

    White space and closing marks before `cut` are ignored. True for a known abbreviation, a single
    letter, and letters with stops between them ("U.S.").
    """
    head = text[max(0, cut - _LOOK_BACK) : cut].rstrip().rstrip(_CLOSERS)
    if not head.endswith("."):
        return False
    word = read_token_before(head, len(head) - 1).lower()
    return (
        (len(word) == 1 and word.isalpha())
        or word in abbreviations
        or word in _FOLLOWED
        or bool(_LETTERS_AND_STOPS.fullmatch(word))
    )


def never_ends_sentence(text: str, cut: int) -> bool:
    """Return whether the text before an offset never ends a sentence: "Dr." or "vs.".

    The same holds for an initial before a capital ("J. Smith"), letters with stops without a
    following space, and a list label ("R8.") at the start of the text or after a sentence.
    """
    head = text[max(0, cut - _LOOK_BACK) : cut].rstrip()
    if not head.endswith("."):
        return False
    word = read_token_before(head, len(head) - 1)
    follower = text[cut : cut + 1]
    if len(word) == 1 and word.isupper() and word != "I":
        return follower.isupper()
    return (
        word.lower() in _FOLLOWED
        or (word.lower() in _BEFORE_NUMBERS and follower.isdigit())
        or (bool(_LETTERS_AND_STOPS.fullmatch(word)) and not text[cut - 1].isspace())
        or _is_label(head)
    )


def _is_label(head: str) -> bool:
    found = _LABEL.search(head)
    before = read_token_before(head, found.start()).lower() if found else ""
    return found is not None and before not in _BEFORE_NUMBERS


def find_weak_cut(text: str, start: int, end: int, *, abbreviations: frozenset[str]) -> int:
    """Return the best offset at which to cut `text[start:end]`, a long sentence; 0 if none.

    The last boundary of the best kind is the best. Kinds, best first: sentence end, semicolon or
    colon, comma, white space. A boundary after an abbreviation or an initial is used only if there
    is no other.
    """
    spare = 0
    for kind in _WEAK:
        best = 0
        for match in kind.finditer(text, start, end):
            cut = match.end()
            if not (cut < len(text) and text[start:cut].strip() and can_start_segment(text, cut)):
                cut = 0
            if follows_abbreviation(text, cut, abbreviations):
                spare = max(spare, cut)
            else:
                best = cut or best
        if best:
            return best
    return spare


def find_next_cut(text: str, start: int, end: int) -> int:
    """Return the first offset after `start` where a text may be cut; `end` if none."""
    for match in _ANY.finditer(text, start, end):
        if match.end() < end and can_start_segment(text, match.end()):
            return match.end()
    return end


def can_start_segment(text: str, offset: int) -> bool:
    """Return whether a sentence may start at an offset: no white space, no combining mark."""
    sign = text[offset]
    return not (
        sign.isspace()
        or sign == "\u200d"
        or text[offset - 1] == "\u200d"
        or unicodedata.category(sign)[0] == "M"
    )


def skip_closers(text: str, offset: int) -> int:
    """Return the offset after closing marks that follow a sentence end without white space."""
    if offset and not text[offset - 1].isspace():
        while offset < len(text) and text[offset] in _CLOSERS[2:]:
            offset += 1
    return offset
