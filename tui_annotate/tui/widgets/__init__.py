"""Widgets of the screens; they show values and post messages, without access to the store."""
