"""Embedding vectors of segments. They are a cache: missing vectors can be recomputed."""
