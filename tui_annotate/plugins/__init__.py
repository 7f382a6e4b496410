"""The outside world, by name: formats, embedders, scorers, judges."""
