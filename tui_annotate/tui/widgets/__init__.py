"""Widgets: they take values and post messages, and know no store."""
