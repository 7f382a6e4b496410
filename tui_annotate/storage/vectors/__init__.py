"""Embedding vectors of segments: a cache of vector sets, which can be missing and recomputed."""
