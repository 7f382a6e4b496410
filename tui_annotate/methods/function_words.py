"""Words that carry a sentence rather than say something, and word forms cut to what they share."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

FUNCTION_WORDS: Final = frozenset(
    re.findall(
        r"\w+",
        """
    a about above across after again against ago all almost along already also although always am
    among an and another any anyone anything are aren around as at away b back be became because
    become been before behind being below between beyond both but by c came can cannot come could d
    despite did didn do does doesn doing don done down during e each either else enough etc even
    ever every everyone f for from further g gave get gets getting give given go goes going gone got
    h had has hasn have haven having he hence her here hers herself him himself his how however i if
    in instead into is isn it its itself j just k keep kept l largely later least less let like ll m
    made mainly make makes making many may me might mine more moreover most mostly much must my
    myself n near nearly neither never nevertheless no nobody none nor not nothing now o of off
    often on once one ones only onto or other others our ours ourselves out over own p per perhaps
    put q quite r rather re really s said same say says shall she should since so some somebody
    someone something soon still such t take taken takes than that the their theirs them themselves
    then there therefore these they thing things this those though through throughout thus till to
    together too took toward towards u under unless until up upon us v ve very via w was wasn way we
    well went were weren what whatever when where whether which while who whole whom whose why will
    with within without won would wouldn x y yes yet you your yours yourself yourselves z
    according addition additionally overall
    """,
    )
)
"""English, lower case, as `lexical.words` cuts them."""

FUNCTION_SIGNS: Final = frozenset(
    "的了是在和与及或也都而且但就还又被把将对从向到为以于之其这那此该个们着过得地很更最不没有无"
    "因所由则如若时会能可要应须并即已曾仍再只才便让使给等上下中内外前后里间他她它我你您谁什么怎"
    "吗呢吧啊嘛之者说称来去出起后年月日一二三四五六七八九十几多些每各某"
)
"""Chinese signs that alone tell nothing."""

_ENDINGS = (
    ("ies", "y"),
    ("ied", "y"),
    ("ying", "y"),
    ("ing", ""),
    ("ed", ""),
    ("es", ""),
    ("ly", ""),
    ("s", ""),
    ("e", ""),
)
_SHORTEST = 4


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """What forms of a word share, roughly: no word of its own, only for comparing.

    Args:
        word: lower case, as `lexical.words` gives it; other scripts than Latin stay as they are.
    """
    for ending, left in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) + len(left) >= _SHORTEST - 1:
            if ending == "s" and word.endswith("ss"):
                return word
            root = word[: len(word) - len(ending)] + left
            if len(root) > _SHORTEST - 1 and root[-1] == root[-2] and root[-1] not in "lsz":
                root = root[:-1]
            return root[:-1] if root.endswith("e") and len(root) >= _SHORTEST else root
    return word
