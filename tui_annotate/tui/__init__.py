"""The Textual app: screens, widgets and dialogs, which show the state of the package `editor`."""
