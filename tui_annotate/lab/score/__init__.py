"""Scores of answers and sentences: scorers, ranking, probes, recipes, comparison with people."""
