"""The embedders: static, neural, remote."""
