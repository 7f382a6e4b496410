"""Right answers by where they stand: a chart of bars, and from each the answers that fail."""
