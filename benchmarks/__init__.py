"""Measurements of what the README promises: ratios taken in one run, never timed tests."""
