"""Embedding vectors of segments: a cache that may be missing, and the sets of vectors in it."""
