"""What annotators asked about a sample, and what the reviewer answers; nobody is named."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tui_annotate.domain.nouns import many
from tui_annotate.tui.saving import Job
from tui_annotate.tui.screens.annotate.team import minute
from tui_annotate.tui.screens.review.doing import ReviewDoing

if TYPE_CHECKING:
    from tui_annotate.domain.remarks import Talk
    from tui_annotate.services.annotate import Desk
    from tui_annotate.tui.session import Session


class ReviewTalks(ReviewDoing):
    """Answers where annotators write."""

    def _talk(self, session: Session, desk: Desk) -> None:
        """The talk that waits longest for an answer, else the last one, and a line to answer it."""
        key = desk.sample.key

        def ask(talks: list[Talk]) -> None:
            from tui_annotate.tui.dialogs.talk import TalkDialog

            if not talks:
                self.forget_keys()
                self.tell("nobody asked anything about this sample")
                return
            waiting = [talk for talk in talks if talk.waiting]
            talk, more = (waiting or talks[::-1])[0], len(waiting) - 1
            names = {talk.person: "an annotator"}
            said = [
                (names.get(each.author, "a reviewer"), minute(each.at), each.text)
                for each in talk.remarks
            ]
            others = f" · {many(more, 'person waits', 'people wait')} too" if more > 0 else ""
            title = f"Asked about this sample{others}"
            dialog = TalkDialog(said, text=self._unsent, title=title, wanted="your answer")
            self.app.push_screen(dialog, partial(send, talk.id))

        def send(talk: str, text: str | None) -> None:
            if text:
                self._unsent = text  # until the store has it
                answer = partial(session.team().remarks.reply, talk, text)
                self.saver.send(Job(answer, self._sent, self._refused))

        self._open_with(lambda: session.team().remarks.talks(sample=key), ask)

    def _sent(self, talk: Talk) -> None:
        del talk
        self._unsent = ""
        self.tell("answered: whoever asked is told when they next begin")
