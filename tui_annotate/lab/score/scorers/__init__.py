"""Scorers of answers and sentences."""
