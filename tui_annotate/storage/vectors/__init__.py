"""Vectors of segments: a cache that may be missing; and which sets of them there are."""
