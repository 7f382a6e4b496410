"""Widgets of the screens. They show values and post messages, without access to the store."""
