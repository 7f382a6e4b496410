"""The screen of one sample: the common base of the annotating, reviewing and viewing screens."""
