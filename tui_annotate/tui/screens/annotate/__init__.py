"""The annotating screen, on which an annotator works on the samples of their queue."""
