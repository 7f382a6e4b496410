"""The reviewing screen, on which a reviewer adjudicates the annotations of several annotators."""
