"""Scores of answers and sentences: scorers, ranking, probes, comparison with human labels."""
