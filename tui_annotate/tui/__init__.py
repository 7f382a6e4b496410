"""The Textual app: screens, widgets, dialogs, keys, and the draft, which knows no Textual."""
