"""Similarity scores of vectors: the published ones, and what is said of texts nobody knows."""

from __future__ import annotations

import numpy as np
import pytest

from tests.dreamcatcher import golden
from tui_annotate.methods.similarity import among, best_likenesses, to_answer


def _rows(*angles: float) -> np.ndarray:
    return np.array([[np.cos(a), np.sin(a)] for a in angles], np.float32)


def test_the_published_scores_come_out_of_their_cosines() -> None:
    """Of three generations, the first of which is the answer: the mean over all others."""
    told = golden("similarity_minilm")["output"]["question_and_answer"][:3]
    first, second, third = (each["sim2gen_score"] for each in told)
    one, two = (told[place]["sim2answer_score"] for place in (1, 2))
    cosines = np.array([[1, one, two], [one, 1, 2 * second - one], [two, 2 * third - two, 1]])
    rows = np.linalg.cholesky((cosines + cosines.T) / 2).astype(np.float32)
    assert to_answer(rows[0], rows) == pytest.approx([1, one, two], abs=1e-5)
    assert among(rows) == pytest.approx([first, second, third], abs=1e-5)


def test_one_answer_alone_agrees_with_nobody() -> None:
    """There is nothing to say of it, and no division by zero."""
    assert among(_rows(0.3)) == [None]
    assert to_answer(_rows(0.3)[0], _rows(0.3)) == pytest.approx([1])


def test_unknown_texts_get_nothing_and_change_nothing() -> None:
    """A row of zeros is no text that is unlike all others."""
    rows = np.concatenate([_rows(0, 0.5), np.zeros((1, 2), np.float32)])
    assert among(rows)[:2] == among(rows[:2])
    assert among(rows)[2] is None
    assert to_answer(rows[0], rows)[2] is None
    assert to_answer(rows[2], rows) == [None, None, None]


def test_the_nearest_sentence_of_the_source_speaks_for_a_claim() -> None:
    """Unknown sentences support nothing; of an unknown claim nothing is said."""
    zero = np.zeros((1, 2), np.float32)
    claims, source = np.concatenate([_rows(0, np.pi), zero]), _rows(0.2, 1.0)
    found = best_likenesses(claims, source)
    assert found[:2] == pytest.approx([np.cos(0.2), np.cos(np.pi - 1)], abs=1e-6)
    assert found[2] is None
    assert best_likenesses(claims, zero) == [-1, -1, None]
