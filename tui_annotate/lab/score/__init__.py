"""Scores of answers and sentences by machines, and their comparison with human labels."""
