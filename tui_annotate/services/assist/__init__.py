"""Assist: search for segments of the other side that are related to a selection; evaluation."""
