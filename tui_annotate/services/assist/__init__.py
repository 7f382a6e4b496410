"""Assist: finds the segments of the other side that are related to a selection, and evaluates
this."""
