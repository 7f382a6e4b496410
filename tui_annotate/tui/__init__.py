"""The Textual app: screens, widgets, dialogs, keys, and the state of the open sample.

The package `draft`, which has this state, does not use Textual.
"""
