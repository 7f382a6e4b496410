"""The Textual app: screens, widgets, dialogs, keys, and the draft, which does not use Textual."""
