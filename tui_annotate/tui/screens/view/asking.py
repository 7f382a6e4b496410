"""What is asked and told over a file that is looked at: find, go to, list, all about it, keys."""

from __future__ import annotations

from tui_annotate.domain.samples import SampleKey
from tui_annotate.tui.draft.effects import Effect, Open
from tui_annotate.tui.draft.viewing.state import Viewing
from tui_annotate.tui.draft.viewing.words import pages
from tui_annotate.tui.keys.map import KeyMap
from tui_annotate.tui.keys.view import VIEWING
from tui_annotate.tui.screens.view.samples import ViewSamples


class ViewAsking(ViewSamples):
    """Dialogs, and what is done with their answers."""

    keys: KeyMap

    def ask(self, effect: Effect) -> bool:
        """Opens what an effect asks for; False where it asks for nothing of this."""
        draft = self.viewing
        if draft is None:
            return False
        match effect:
            case Open("find"):
                self.ask_text(draft)
            case Open("go"):
                self._ask_sample()
            case Open("queue"):
                self._open_list(draft)
            case Open("request"):
                self._tell_all(draft)
            case Open("help"):
                self._tell_keys()
            case _:
                return False
        return True

    def quit(self) -> None:
        """Leaves the app."""
        raise NotImplementedError

    # other samples

    def _ask_sample(self) -> None:
        from tui_annotate.tui.dialogs.jump import JumpDialog

        self.app.push_screen(JumpDialog(self.browse.find), self._go_to)

    def _go_to(self, key: SampleKey | None) -> None:
        if key is not None:
            self.go(lambda: key, "")

    def _open_list(self, draft: Viewing) -> None:
        """The list; where there is one sample alone, that would be no way to leave."""
        looked = self.looked
        if looked is None or looked.total == 1:
            self.quit()
            return
        from tui_annotate.tui.screens.view.listing import view_list

        name = draft.names.get(draft.chosen, draft.chosen)
        current = looked.sample.key
        screen = view_list(
            self.browse,
            position=looked.position,
            current=current,
            person=draft.chosen,
            name=name,
        )
        self.app.push_screen(screen, lambda key: self._from_list(key, current))

    def _from_list(self, key: SampleKey | None, current: SampleKey) -> None:
        if key is None:
            self.quit()
        elif key != current:
            self._go_to(key)

    # telling

    def _tell_all(self, draft: Viewing) -> None:
        from tui_annotate.tui.dialogs.message import MessageDialog

        self.app.push_screen(MessageDialog(pages(draft)))

    def _tell_keys(self) -> None:
        from tui_annotate.tui.dialogs.help import HelpDialog, HelpGroup
        from tui_annotate.tui.screens.view.legend import LEGEND

        groups = [
            HelpGroup(group, [(keys, words, "") for keys, words in lines])
            for group, lines in self.keys.help(VIEWING)
        ]
        title = "Keys · a file is looked at, nothing in it is changed"
        self.app.push_screen(HelpDialog(groups, legend=LEGEND, title=title))
