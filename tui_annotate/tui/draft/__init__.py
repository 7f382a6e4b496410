"""The draft: what an annotator has in hand and what each key does with it, without a screen."""
