"""What a log can prove: the digest of its heads, and what names one."""

from __future__ import annotations

import pytest

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.hash_chain import (
    LogHead,
    StreamHead,
    digest_heads,
    head_from_json,
    head_from_token,
)

ONE = StreamHead("ana", "d", "1", 3, "ab")
OTHER = StreamHead("ben", "d", "1", 1, "cd")


def test_the_digest_tells_every_part_of_every_head() -> None:
    """Another number, hash, person or sample, or a head more or less, is another digest."""
    heads = [
        [],
        [ONE],
        [OTHER],
        [ONE, OTHER],
        [ONE._replace(seq=4)],
        [ONE._replace(hash="ac")],
        [ONE._replace(sample="2")],
        [ONE._replace(dataset="e")],
    ]
    digests = [digest_heads(each) for each in heads]
    assert len({digest for _, digest in digests}) == len(heads)
    assert [count for count, _ in digests] == [len(each) for each in heads]


def test_a_token_comes_back() -> None:
    """Count and digest are read from the word that holds them, and from nothing else."""
    head = LogHead(12, 1, "", digest_heads([ONE])[1])
    assert head_from_token(f" {head.token}\n") == (12, head.digest)
    for wrong in ("", "12", head.digest, f"{head.token}0", f"-1:{head.digest}", "x:y"):
        with pytest.raises(InvalidInput):
            head_from_token(wrong)


def test_a_head_comes_back_from_json() -> None:
    """As a list of its five parts, and no other value."""
    assert head_from_json(list(ONE)) == ONE
    for wrong in (None, [], ["a", "b", "c", "1", "h"], {"person": "ana"}):
        with pytest.raises(InvalidInput):
            head_from_json(wrong)
