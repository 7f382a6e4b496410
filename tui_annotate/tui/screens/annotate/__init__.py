"""The annotating screen: a sample screen on the queue of one person."""
