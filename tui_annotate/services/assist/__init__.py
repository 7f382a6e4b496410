"""Finds sentences of one text (summary or source) that are related to a selection in the other."""
