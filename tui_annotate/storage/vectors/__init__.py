"""Embedding vectors of texts' sentences: a cache, as missing vectors can be recomputed."""
