"""Dialogs over a screen; each dialog is created from values and returns one value."""
