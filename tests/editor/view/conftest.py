"""A sample of a file, in hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.editor.view.draft_samples import NAMES
from tests.helpers import annotated_file as viewed
from tui_annotate.domain.samples import SampleKey
from tui_annotate.editor.view.state import ViewDraft


@pytest.fixture
def draft(tmp_path: Path) -> Iterator[ViewDraft]:
    """The first sample of `viewed`; A is ben's, B and D are ana's, C is review's."""
    with viewed.browsed(tmp_path) as browser:
        looked = browser.open(SampleKey("d", "first"))
        yield ViewDraft(
            looked.sample,
            looked.segments,
            browser.labels,
            all_annotations=looked.annotations,
            assignments=looked.assignments,
            names=NAMES,
            file_people=tuple(NAMES),
        )
