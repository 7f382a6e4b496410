"""Algorithms on values: segmentation, matching, agreement, statistics; no storage and no screen."""
