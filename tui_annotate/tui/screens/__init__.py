"""The screens: annotating, review, the viewer, the queue, collections, sign-in."""
