"""Messages of the draft line: codes with fields, and messages within messages."""

from __future__ import annotations

from tui_annotate.editor.messages import MessageCode, StatusMessage, make_message


def test_a_message_within_a_message_is_read_as_its_sentence() -> None:
    """It keeps its own code; a code alone is made whole first."""
    first = make_message(MessageCode.LAST_SAMPLE)
    both = make_message(MessageCode.WITH_MORE, "saved", first=first, more="odd")
    assert both.text == MessageCode.WITH_MORE.value.format(first=first.text, more="odd")
    assert MessageCode.LAST_SAMPLE.value in both.text
    assert both.fields["first"] == first


def test_whatever_is_said_becomes_a_message_of_a_kind() -> None:
    """Words from elsewhere, and a message that is said in another kind."""
    words = make_message("odd", "error")
    assert words == StatusMessage(MessageCode.TEXT, {"text": "odd"}, "error")
    assert make_message(words, "warning") == StatusMessage(
        MessageCode.TEXT, {"text": "odd"}, "warning"
    )
