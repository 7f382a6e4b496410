"""The screens of the app: annotating, review, viewer, queue, collection and sign-in."""
