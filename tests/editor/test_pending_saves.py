"""Annotations that the store has not confirmed: none is lost, none is there twice."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span
from tui_annotate.editor.pending_saves import PendingSave, PendingSaves

IDS = ("a", "b", "c")
STEPS = st.lists(
    st.tuples(st.sampled_from(("send", "refuse", "end", "take_back")), st.sampled_from(IDS))
)


def annotation(name: str, note: str = "") -> Annotation:
    return Annotation(name, (Anchor(Side.SUMMARY, 0, Span(0, 3)),), note=note)


@given(STEPS)
def test_an_annotation_is_pending_from_its_save_to_the_end_of_it(
    steps: list[tuple[str, str]],
) -> None:
    """It is on its way until the store answers, and refused until it is saved or taken back."""
    saves = PendingSaves()
    sent: set[str] = set()
    refused: list[str] = []
    for step, name in steps:
        if step == "send":
            saves.send(annotation(name), new=True)
            sent.add(name)
        elif step == "refuse":
            saves.refuse(annotation(name))
            sent.discard(name)
            refused = [*(each for each in refused if each != name), name]
        elif step == "end":
            saves.end(annotation(name))
            sent.discard(name)
            refused = [each for each in refused if each != name]
        else:
            saves.take_back(annotation(name))
            refused = [each for each in refused if each != name]
        assert set(saves.sent) == sent
        assert [save.annotation.id for save in saves.refused] == refused


def test_a_refusal_returns_what_was_sent_with_its_new_labels() -> None:
    """The label set may change between a save and its refusal."""
    saves = PendingSaves()
    saves.send(annotation("a"), new=False)
    saves.keep(PendingSave(annotation("b"), new=True))
    saves.relabel(lambda one: replace(one, labels=(("New",),)))
    assert [save.annotation.labels for save in saves] == [(("New",),)] * 2
    assert saves.refuse(annotation("a")) == PendingSave(
        replace(annotation("a"), labels=(("New",),)), new=False
    )


def test_an_annotation_that_was_not_sent_is_new_if_it_is_refused() -> None:
    """The screen may have been opened again since."""
    assert PendingSaves().refuse(annotation("a")).new
    assert not PendingSaves().end(annotation("a")).new
