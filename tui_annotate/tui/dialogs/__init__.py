"""Dialogs: each takes values and dismisses with one."""
