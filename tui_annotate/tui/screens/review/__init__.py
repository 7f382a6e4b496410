"""The reviewing screen: the annotating one, with what several people said of a sample."""
