"""From a selection to the related segments of the other side, and how well that works."""
