"""Output of scorers and judges: runs, their scores, and the queue orders that sort by a score."""
